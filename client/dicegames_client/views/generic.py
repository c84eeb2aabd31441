"""A view for any game, from state and offers alone; views of known games say and draw it better.

A view is a handful of pure functions. Words are for line mode, feed and replay; the picture, the scoreboard and the
recap are for the full screen.
"""

from dicegames_client.guest.store import Store
from dicegames_client.play.highlights import Highlight
from dicegames_client.play.picking import also, chosen, key_of
from dicegames_client.play.scene import Scene
from dicegames_client.play.wording import Story, quoted
from dicegames_client.widgets.bar import countdown, seconds
from dicegames_client.widgets.die import Die, row_of
from dicegames_client.widgets.lines import Line, inside, line, wrap
from dicegames_client.widgets.scoreboard import Head
from dicegames_protocol.base import JsonObject
from dicegames_protocol.table import Offer

_HIDDEN = ("kind", "seat", "entered")
_SCORES = ("score", "total", "points", "wins")
_MARGIN = 3


class GenericView:
    head = Head(score="SCORE", note="STATE")
    tall = 10
    """How many lines the picture would like where there is room; it gets 8 at least."""

    # Words.

    def tell(self, event: JsonObject, story: Story) -> list[str]:
        """Sentences about something that happened in the game."""
        facts = ", ".join(f"{key} {_short(value)}" for key, value in event.items() if key not in _HIDDEN)
        what = str(event["kind"]).replace("_", " ")
        who = story.who(event["seat"]) + ": " if "seat" in event else ""
        return [f"{who}{what} ({facts})." if facts else f"{who}{what}."]

    def brief(self, event: JsonObject, story: Story) -> list[str]:
        """The same for the feed beside the table, where there is little room."""
        return self.tell(event, story)

    def invite(self, store: Store, seat: int, offers: dict[str, Offer]) -> tuple[list[str], str]:
        """Sentences that say where the game stands, and the question to somebody who is to play."""
        lines = [f"'{key}': {offer.label}." for key, offer in offers.items()]
        faces = " and the faces that you rolled" if any(offer.enter for offer in offers.values()) else ""
        return lines, f"{store.name(seat)}, {quoted(offers)}{faces}? "

    def idle(self, story: Story, seat: int) -> str:
        """What to tell somebody who wants to do something and can't."""
        turn = self.turn(story.store)
        who = f"{story.store.name(turn)} is to play" if turn is not None else "others are to play"
        return f"Not your turn: {who}."

    def standings(self, story: Story) -> list[str]:
        """How it stands: while it is played the state of play, and always a line for each player."""
        lines = self.state_of_play(story) if story.store.info.phase == "playing" else []
        return lines + self.scores(story)

    def state_of_play(self, story: Story) -> list[str]:
        lines = _facts(story.store.game)
        turn = self.turn(story.store)
        return lines + ([f"{story.does(turn, 'are')} to play."] if turn is not None else [])

    def scores(self, story: Story) -> list[str]:
        lines = []
        for seat, entry in story.store.game.get("seats", {}).items():
            facts = ", ".join(f"{key} {_short(value)}" for key, value in entry.items())
            lines.append(f"{story.who(int(seat))}: {facts}.")
        return lines

    # The screen.

    def headline(self, scene: Scene) -> str:
        """What the status line says after the room: where the game is."""
        return scene.store.info.summary

    def picture(self, scene: Scene, width: int, rows: int) -> list[Line]:
        """The table itself: at most so many lines of so many columns."""
        lines: list[Line] = [self.banner(scene), []]
        faces = scene.tumbling or _dice(scene.game)
        if faces and rows >= 7:
            lines += row_of([Die(face) for face in faces[:6]], scene.glyphs, width - 2 * _MARGIN, min(rows - 4, 5))
        lines += self.picked(scene)
        room = max(1, rows - len(lines) - bool(scene.timer_ms))
        facts = wrap("  ".join(_facts(scene.game)), width - 2 * _MARGIN)
        lines += [line(fact, "dim") for fact in facts[:room]]
        return inside([*lines, *self.clock(scene)], _MARGIN)

    def banner(self, scene: Scene, mine: str = "YOUR TURN") -> Line:
        """Whose turn it is."""
        turn = self.turn(scene.store)
        if turn is None or not scene.playing:
            return line("EVERYBODY'S TURN" if scene.offers else "")
        if scene.mine(turn):
            alone = scene.story.me is not None
            return line(mine if alone else f"{mine}, {scene.store.name(turn)}", "turn")
        away = " (away)" if turn in scene.store.away else ""
        return [("", f"{scene.store.name(turn)}'s turn{away}")]

    def clock(self, scene: Scene) -> list[Line]:
        """The time that is left, where there is a limit."""
        if scene.timer_ms is None or not scene.playing:
            return []
        left = f"{seconds(scene.timer_ms)} left  "
        return [[("warn", left), *countdown(scene.timer_ms, scene.whole_ms, 12, scene.glyphs)]]

    def picked(self, scene: Scene) -> list[Line]:
        """What was picked, what it is worth, and what could be picked besides."""
        offers = scene.offers
        if not any(offer.choices for offer in offers.values()):
            return []
        choice = chosen(offers, scene.picked)
        more = ", ".join(f"{' '.join(faces)} (+{points:,})" for faces, points in also(offers, scene.picked)[:4])
        shown: Line = []
        if scene.picked:
            worth = f" = {choice.worth:,}" if choice else " needs more dice"
            shown += [("you", f"PICKED {' '.join(scene.picked)}{worth}"), ("", "      ")]
        if more:
            shown.append(("", f"could {'also ' if scene.picked else ''}take: {more}"))
        return [shown]

    def label(self, scene: Scene, take: str, offer: Offer) -> str:
        """What the key of an offer says."""
        choice = (offer.choices or {}).get(key_of(scene.picked))
        return f"{offer.label} ({choice.worth:,})" if choice else offer.label

    def row(self, scene: Scene, seat: int) -> tuple[str, str]:
        """Score and state of a player, for the scoreboard."""
        entry = scene.game.get("seats", {}).get(str(seat))
        if entry is None:
            return "", "next game"
        return f"{self.score(entry):,}", self.note(scene, seat, entry) if scene.playing else ""

    def note(self, scene: Scene, seat: int, entry: JsonObject) -> str:
        """How it is with a player while the game runs."""
        known = [key for key in _SCORES if key in entry][:1]
        return ", ".join(f"{key} {_short(value)}" for key, value in entry.items() if key not in known)

    def turn(self, store: Store) -> int | None:
        """The seat that the game waits for, where it is a single one."""
        for offer in store.table.get("offers", {}).values():
            if offer["needed"] and offer.get("seat") is not None:
                return int(offer["seat"])
        return None

    def thrown(self, event: JsonObject) -> tuple[int, ...]:
        """The dice that were rolled in this event, for the tumble; nothing for other events."""
        faces = event.get("faces")
        return tuple(faces) if isinstance(faces, list | tuple) and event["kind"] != "corrected" else ()

    # The recap.

    def score(self, entry: JsonObject) -> int:
        """What somebody has reached, from their entry in the game's seats."""
        return next((int(entry[key]) for key in _SCORES if isinstance(entry.get(key), int)), 0)

    def tally(self, store: Store) -> dict[str, int]:
        """What the plot of the recap shows, by name of the curve."""
        return {store.name(int(seat)): self.score(entry) for seat, entry in store.game.get("seats", {}).items()}

    def lap(self, event: JsonObject, store: Store) -> bool:
        """Whether the plot gets a point after this event: the end of a round, or whatever the game has like it."""
        return event["kind"] in ("round_over", "turn_over", "scored", "banked")

    def highlights(self, event: JsonObject, before: Store, after: Store) -> list[Highlight]:
        """What a recap might want to remember of this event."""
        return []


def _facts(game: JsonObject) -> list[str]:
    plain = {key: value for key, value in game.items() if not isinstance(value, dict)}
    return [f"{key.replace('_', ' ')}: {_short(value)}." for key, value in plain.items()]


def _dice(game: JsonObject) -> tuple[int, ...]:
    """Whatever in the state looks like dice on the table."""
    for key in ("dice", "faces", "roll"):
        faces = game.get(key)
        if isinstance(faces, list | tuple) and all(isinstance(face, int) for face in faces):
            return tuple(faces)
    return ()


def _short(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(_short(part) for part in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


VIEW = GenericView()

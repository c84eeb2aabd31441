"""A view for any game, from state and offers alone. Views of known games have better words and pictures.

A view is a set of pure functions. Words are for line mode, feed and replay. The picture, the scoreboard and the recap
are for the full screen.
"""

from collections.abc import Sequence

from dicegames_client.guest.store import Store
from dicegames_client.play.highlights import Highlight
from dicegames_client.play.hints import Hint
from dicegames_client.play.moment import Moment
from dicegames_client.play.parse_move import listed_choices, quoted_moves
from dicegames_client.play.picking import also, chosen, key_of, pickable
from dicegames_client.play.real_dice import MENDING
from dicegames_client.play.room_wording import word
from dicegames_client.play.scene import Scene
from dicegames_client.play.wording import Wording, with_mine
from dicegames_client.widgets.bar import countdown, seconds
from dicegames_client.widgets.die import Die, row_of
from dicegames_client.widgets.lines import Line, inside, line, wrap
from dicegames_client.widgets.scoreboard import Head
from dicegames_protocol.base import JsonObject
from dicegames_protocol.table import Offer

_HIDDEN = ("kind", "seat", "entered")
_SCORES = ("score", "total", "points", "wins")
_NAMED = 6
"""Most players in a sentence about the scores."""
_MARGIN = 3


class GenericView:
    head = Head(score="SCORE", note="STATE")
    tall = 10
    """Lines that the picture can use; in a small window it has 8."""
    roomy = 12
    """Lines that the picture can use in a panel of a large window."""
    says_rounds = False
    """Whether line mode says how it stands after each round (see `round_ends`)."""
    moves: tuple[str, ...] = ()
    """The words of all moves that this game may offer."""
    with_odds = True
    """Whether anything in this game is left to chance."""
    no_odds = "There are no odds to tell at the moment."
    stage_title = "the table"
    story_title = "this turn"

    # Words.

    def tell(self, event: JsonObject, wording: Wording) -> list[str]:
        """Sentences about something that happened in the game."""
        facts = ", ".join(f"{key} {_short(value)}" for key, value in event.items() if key not in _HIDDEN)
        what = str(event["kind"]).replace("_", " ")
        who = wording.who(event["seat"]) + ": " if "seat" in event else ""
        return [f"{who}{what} ({facts})." if facts else f"{who}{what}."]

    def brief(self, event: JsonObject, wording: Wording) -> list[str]:
        """The same for the feed beside the table, where there is little room."""
        return self.tell(event, wording)

    def invite(self, store: Store, seat: int, offers: dict[str, Offer]) -> tuple[list[str], str]:
        """Sentences about the state of the game, and the question for the player who is to play."""
        lines = self.only_you_see(store, seat)
        offers = {key: offer for key, offer in offers.items() if key not in MENDING}
        lines += [f"'{key}': {offer.label}{self.choosable(offer)}." for key, offer in offers.items()]
        keep = "'keep' and dice, then " if pickable(offers) else ""
        return lines, f"{store.name(seat)}, {keep}{quoted_moves(offers)}? "

    def only_you_see(self, store: Store, seat: int) -> list[str]:
        """What the game hides from everybody but this seat."""
        facts = _leaves(store.private.get(seat, {}).get("game", {}))
        return [f"Only you see: {', '.join(facts)}."] if facts else []

    def choosable(self, offer: Offer) -> str:
        """What can be chosen with an offer, for the player who has to type it."""
        match offer.asks:
            case "number":
                return f", with a number from {word(offer.least)} to {word(offer.most)}"
            case "name":
                return f", one of {listed_choices(offer)}"
            case "faces":
                shown = [f"{' '.join(key)} ({choice.worth:,})" for key, choice in (offer.choices or {}).items()]
                return f", keeping for example {', '.join(shown[:4])}" if shown else ""
        return ""

    def idle(self, wording: Wording, seat: int) -> str:
        """What to tell a player who wants to do something and can't."""
        turn = self.turn(wording.store)
        who = f"{wording.store.name(turn)} is to play" if turn is not None else "others are to play"
        return f"Not your turn: {who}."

    def standings(self, wording: Wording) -> list[str]:
        """How the game stands: the state of play while it runs, and always a line for each player."""
        lines = self.state_of_play(wording) if wording.store.info.phase == "playing" else []
        return lines + self.scores(wording)

    def state_of_play(self, wording: Wording) -> list[str]:
        lines = _facts(wording.store.game)
        turn = self.turn(wording.store)
        return lines + ([f"{wording.does(turn, 'are')} to play."] if turn is not None else [])

    def scores(self, wording: Wording) -> list[str]:
        lines = []
        for seat, entry in wording.store.game.get("seats", {}).items():
            facts = ", ".join(f"{key} {_short(value)}" for key, value in entry.items())
            lines.append(f"{wording.who(int(seat))}: {facts}.")
        return lines

    def short_standings(self, wording: Wording) -> list[str]:
        """The scores in one sentence, the highest first. None where a player is alone."""
        scores = self.scores_of(wording.store)
        if len(scores) < 2:
            return []
        order = sorted(scores, key=lambda seat: -scores[seat])
        shown = with_mine(order, _NAMED, wording.store.seats)
        told = [f"{wording.whom(seat)} {scores[seat]:,}" for seat in shown]
        if shown[0] == wording.me:
            told[0] = f"You {scores[shown[0]]:,}"
        more = f" and {len(order) - len(shown):,} more" if len(order) > len(shown) else ""
        return [f"{', '.join(told)}{more}."]

    # The screen.

    def has_odds(self, store: Store, seat: int | None) -> bool:
        """Whether the server can tell odds for this seat now. `seat` None: for whoever is to play."""
        return True

    def headline(self, scene: Scene) -> str:
        """What the status line says after the room: how far the game is."""
        return scene.store.info.summary

    def picture(self, scene: Scene, width: int, rows: int) -> list[Line]:
        """The picture of the table: at most `rows` lines of `width` columns."""
        lines: list[Line] = [self.banner(scene), []]
        faces = scene.tumbling or _dice(scene.game)
        if faces and rows >= 7:
            lines += row_of([Die(face) for face in faces[:6]], scene.glyphs, width - _MARGIN, rows - 5)
        if scene.seat is not None:
            lines += [line(told, "you") for told in self.only_you_see(scene.store, scene.seat)]
        lines += self.picked(scene)
        for take, offer in scene.offers.items():
            if offer.asks in ("name", "number"):
                told = f"{take}{self.choosable(offer)}"
                lines += [line(part) for part in wrap(told, width - 2 * _MARGIN, indent="  ")]
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
            alone = scene.wording.me is not None
            return line(mine if alone else f"{mine}, {scene.store.name(turn)}", "turn")
        away = " (away)" if turn in scene.store.away else ""
        return [("", f"{scene.store.name(turn)}'s turn{away}")]

    def clock(self, scene: Scene) -> list[Line]:
        """The time that is left, if there is a limit."""
        if scene.timer_ms is None or not scene.playing:
            return []
        left = f"{seconds(scene.timer_ms)} left  "
        return [[("warn", left), *countdown(scene.timer_ms, scene.whole_ms, 12, scene.glyphs)]]

    def picked(self, scene: Scene) -> list[Line]:
        """What was picked, what it is worth, and what else could be picked."""
        offers = scene.offers
        if not pickable(offers):
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
        """The label of the key for an offer."""
        choice = (offer.choices or {}).get(key_of(scene.picked)) if offer.asks == "faces" else None
        return f"{offer.label} ({choice.worth:,})" if choice else offer.label

    def row(self, scene: Scene, seat: int) -> tuple[str, str]:
        """Score and state of a player, for the scoreboard."""
        entry = scene.game.get("seats", {}).get(str(seat))
        if entry is None:
            return "", "next game"
        return f"{self.score(entry):,}", self.note(scene, seat, entry) if scene.playing else ""

    def note(self, scene: Scene, seat: int, entry: JsonObject) -> str:
        """The state of a player while the game runs."""
        known = [key for key in _SCORES if key in entry][:1]
        return ", ".join(f"{key} {_short(value)}" for key, value in entry.items() if key not in known)

    def turn(self, store: Store) -> int | None:
        """The seat that the game waits for, if it is a single one."""
        for offer in store.table.get("offers", {}).values():
            if offer["needed"] and offer.get("seat") is not None:
                return int(offer["seat"])
        return None

    def thrown(self, event: JsonObject) -> tuple[int, ...]:
        """The dice that were rolled in this event, which then tumble; empty for other events."""
        faces = event.get("faces")
        mended = event["kind"] in ("corrected", "taken_back")
        return tuple(faces) if isinstance(faces, list | tuple) and not mended else ()

    def lying(self, store: Store) -> tuple[int, ...]:
        """The dice that lie on the table and may be rolled again. Empty: all dice are rolled next."""
        return ()

    def moment(self, events: Sequence[JsonObject], before: Store, after: Store) -> Moment | None:
        """What of these events is shown on the stage for a moment: the end of a round, of a turn, a loss."""
        return None

    def dead(self, take: str, scene: Scene) -> str:
        """Why a move of this game can't be made now, though the player may do something. Empty: it is unknown.

        `take`: the word of the move, or a number typed alone. Screen and line mode both say this, so it names no keys.
        """
        return ""

    def not_enough(self, scene: Scene, take: str) -> str:
        """Why what was picked is not enough for an offer. Empty: only the offers know."""
        return ""

    def doubt(self, scene: Scene, take: str) -> str:
        """A question before a move that is legal and rarely meant. It is asked once. Empty: there is no doubt."""
        return ""

    def also_undone(self, before: Store, after: Store) -> str:
        """What is taken back together with the last roll, in a sentence. `after`: the table as it would be."""
        return ""

    def hint(self, scene: Scene) -> Hint | None:
        """For somebody who plays for the first time: what matters now."""
        return None

    def lesson(self, scene: Scene) -> str:
        """The same in practice, where there is more room: what has happened, and what can be done."""
        found = self.hint(scene)
        return found.text if found else ""

    # The story of a round, beside the table in a large window.

    def story_begins(self, event: JsonObject, before: Store) -> bool:
        """Whether a new story begins with this event."""
        return bool(self.round_begun(event))

    def story(self, scene: Scene) -> list[Line]:
        """What has happened in this round, a line each."""
        return [line(told) for event in scene.story for told in self.brief(event, scene.wording)]

    # The recap.

    def target(self, store: Store) -> int | None:
        """The value that the plot marks with a line: where the game ends."""
        return None

    def scores_of(self, store: Store) -> dict[int, int]:
        """Seat -> score."""
        return {int(seat): self.score(entry) for seat, entry in store.game.get("seats", {}).items()}

    def round_ends(self, event: JsonObject, store: Store) -> bool:
        """Whether the score sheet gets a column after this event."""
        return self.lap(event, store)

    def score(self, entry: JsonObject) -> int:
        """The score of a player, from their entry in the game's seats."""
        return next((int(entry[key]) for key in _SCORES if isinstance(entry.get(key), int)), 0)

    def tally(self, store: Store) -> dict[str, int]:
        """The values for the plot of the recap, by name of the curve."""
        return {store.name(int(seat)): self.score(entry) for seat, entry in store.game.get("seats", {}).items()}

    def lap(self, event: JsonObject, store: Store) -> bool:
        """Whether the plot gets a point after this event: at the end of a round, or of what the game has instead."""
        return any(key in event for key in _SCORES)

    def round_begun(self, event: JsonObject) -> int:
        """The number of the round that begins with this event; 0 if none does."""
        return 0

    def highlights(self, event: JsonObject, before: Store, after: Store) -> list[Highlight]:
        """What a recap may show about this event."""
        return []


def _facts(game: JsonObject) -> list[str]:
    plain = {key: value for key, value in game.items() if not isinstance(value, dict)}
    return [f"{key.replace('_', ' ')}: {_short(value)}." for key, value in plain.items()]


def _leaves(part: JsonObject) -> list[str]:
    """The values that a patch sets, each with its last key only."""
    facts: list[str] = []
    for key, value in part.items():
        facts += _leaves(value) if isinstance(value, dict) else [f"{key.replace('_', ' ')} {_short(value)}"]
    return facts


def _dice(game: JsonObject) -> tuple[int, ...]:
    """The first entry in the state that looks like dice on the table."""
    for key in ("dice", "faces", "roll"):
        faces = game.get(key)
        if isinstance(faces, list | tuple) and all(isinstance(face, int) for face in faces):
            return tuple(faces)
    return ()


def _short(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(_short(part) for part in value) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_short(part)}" for key, part in value.items()) or "none"
    return word(value)


VIEW = GenericView()

"""Looks at the updates of a room one by one, and says what is wrong with the dice in them. Pure.

It needs no rules of any game. A client runs it while people play, and `verify` runs it over a log. The rules are
checked elsewhere: `verify` plays every update again.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from dicegames_protocol import patch
from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import update_hash
from dicegames_protocol.fairness import chain
from dicegames_protocol.fairness.scheme import MOST_SIDES, SCHEME, committee, key, next_value, roll, transcript
from dicegames_protocol.text import strip

_BEGINS = ("start", "ready", "rematch")
_DECIDES = (*_BEGINS, "move", "time", "redraw")
_USES_LINKS = ("roll", "redraw", "abandon")
"""Kinds of updates that may show links without dice: of these, `roll` where a game could not be dealt."""
_PLAYS = ("move", "time", "roll", "redraw")
_ENDS = {"game_over", "not_dealt"}
"""Events with which the secret of a game is shown."""
_SETTLED = ("id", "code", "game", "rules", "options")
"""What is known about a room and stays the same while a game is played."""
_DICE = ("dice", "faces")
"""Names of the dice on the table in the state of a game."""


@dataclass(slots=True)
class InspectedGame:
    """What is known about the dice of one game."""

    seq: int
    """The update that began it."""
    number: int
    commit: str
    scheme: int
    entry: JsonObject | None = None
    first_roll: int | None = None
    """The first update with dice of it."""
    last: int = 0
    """The last update of it so far."""
    rolls: int = 0
    alone: int = 0
    """Draws in which no player had a part."""
    redraws: dict[int, list[str]] = field(default_factory=dict)
    """Number of the update -> the names of those who did not answer, for draws that were done anew."""
    without: list[str] = field(default_factory=list)
    """Names of the people whose clients gave no tip."""
    members: list[str] = field(default_factory=list)
    """Names of those whose links decided the dice."""
    secret: str | None = None
    ended: bool = False
    dealt: bool = True
    """Whether it was played at all. Otherwise too many had left before its first dice."""


class Inspector:
    def __init__(self, table: JsonObject | None = None, head: str = "") -> None:
        """`table` and `head`: the table at the beginning and the hash of the update that led to it.

        Without them it begins with the first update of a room.
        """
        self.table: JsonObject = table or {}
        self.head = head
        self.games: list[InspectedGame] = []
        self.unchained = 0
        """Updates that do not name the one before. Logs of earlier versions have such updates."""
        self._r = 0
        self._from_the_middle = bool(table)
        self._last: list[int] | None = None
        """The dice that were drawn last, as far as they are known."""

    def see(self, line: bytes, update: JsonObject) -> list[str]:
        """Look at the next update. `line`: as it was sent. The result are sentences about what is wrong."""
        wrong = self._chained(update)
        try:
            wrong += self._dice(update)
        except (LookupError, TypeError, ValueError, AttributeError):
            wrong.append("What it says about the dice makes no sense.")
        self.table = patch.apply(self.table, update["patch"])
        self.head = update_hash(line)
        if self.games and self.table.get("room", {}).get("phase") in ("playing", "dealing"):
            self.games[-1].last = update["seq"]
        return wrong

    def _chained(self, update: JsonObject) -> list[str]:
        if update["seq"] == 1 or not self.head:
            return []
        if update.get("prev") is None:
            self.unchained += 1
            return ["It does not name the update before it."] if self._chains_updates else []
        if update["prev"] != self.head:
            return ["It does not follow the update before it: the log was changed."]
        return []

    @property
    def _chains_updates(self) -> bool:
        """Whether the server is of a version that chains all updates, and draws all dice by links."""
        return bool(self.table.get("room", {}).get("id"))

    @property
    def _typed(self) -> bool:
        """Whether people roll real dice here and type the faces."""
        return (self.table.get("room", {}).get("options") or {}).get("dice") == "entered"

    def _dice(self, update: JsonObject) -> list[str]:
        fair: JsonObject = self.table.get("fair") or {}
        told = update["patch"].get("fair")
        cause, kinds = update["cause"], [event.get("kind") for event in update["events"]]
        after = _patched(fair, update["patch"])
        wrong = self._told(update, after, kinds)
        if fair.get("scheme") == SCHEME and fair.get("secret") is None:
            wrong += self._settled(update["patch"].get("room") or {}, fair, after, begun="commit" in (told or {}))
        if told and "commit" in told:
            wrong += self._begins(update, fair, after, kinds)
        elif after.get("scheme") == SCHEME:
            wrong += self._shown(update, fair, after)
        if after.get("scheme") != SCHEME:  # scheme 1 has no links; `verify` plays such games again
            self._note_ends(kinds, after)
            return wrong
        wrong += self._drawn(update, fair, after)
        game = self.games[-1] if self.games else None
        secret = after.get("secret")
        if secret is not None and fair.get("secret") is None:
            if not chain.opens(str(secret), str(after.get("commit"))):
                wrong.append("The secret of the server is not the one that it was bound to.")
            if cause["kind"] != "abandon" and not _ENDS & set(kinds):
                wrong.append("The secret of the server is shown in the middle of a game.")
        elif secret is not None and cause["kind"] in _PLAYS and not _typed(cause):
            wrong.append("The game is played on, although the secret of its dice is known.")
        if game:
            game.secret = secret
        self._note_ends(kinds, after)
        return wrong

    def _settled(self, changed: JsonObject, fair: JsonObject, after: JsonObject, *, begun: bool) -> list[str]:
        """What decides dice, or how they are told, stays as it is until the secret is shown."""
        if after.get("scheme") != SCHEME:
            return ["The game goes on without fair dice."]
        room = self.table.get("room", {})
        number, before = changed.get("game_no", room.get("game_no")), room.get("game_no")
        dealt = changed.get("phase") == "playing" != room.get("phase") and number == (before or 0) + 1
        other = any(name in changed and changed[name] != room.get(name) for name in _SETTLED)
        if other or (number != before and not dealt) or (after.get("epoch") != fair.get("epoch") and not begun):
            return ["What the game is played with was changed in the middle of it."]
        return []

    def _told(self, update: JsonObject, fair: JsonObject, kinds: list[Any]) -> list[str]:
        """Whether the dice that are told are dice that were drawn."""
        cause = update["cause"]
        drawn = cause.get("drawn") or {}
        typed = self._typed
        wrong = []
        if self._chains_updates and "game_started" in kinds and fair.get("scheme") != SCHEME:
            wrong.append("The game begins without fair dice.")
        if cause["kind"] == "roll" and drawn.get("r") is None and "not_dealt" not in kinds:
            wrong.append("A roll does not tell its dice.")
        if drawn and drawn.get("r") is None and not typed:
            wrong.append("Dice are said to be typed, but nobody types dice here.")
        if typed:
            return wrong
        faces = list(drawn.get("faces") or ())
        if any(event.get("faces") not in (None, faces) for event in update["events"]):
            wrong.append("Other dice are told than those that were drawn.")
        self._last = drawn["faces"] if drawn.get("faces") is not None else self._last
        if self._last is not None and any(_others(dice, self._last) for dice in _lying(update["patch"].get("game"))):
            wrong.append("Other dice lie on the table than those that were drawn.")
        return wrong

    def _note_ends(self, kinds: list[Any], fair: JsonObject) -> None:
        if self.games:
            game = self.games[-1]
            game.secret = fair.get("secret", game.secret)
            game.ended = (game.ended or "game_over" in kinds) and "game_goes_on" not in kinds
            if "not_dealt" in kinds:
                game.ended, game.dealt = True, False

    def _begins(self, update: JsonObject, fair: JsonObject, after: JsonObject, kinds: list[Any]) -> list[str]:
        """A commitment of the server: a new game, or one that goes on after its secret was shown."""
        cause, wrong = update["cause"], []
        if fair.get("scheme") == SCHEME and fair.get("secret") is None:
            wrong.append("The server has exchanged its commitment, and never showed the secret of the one before.")
        if "game_goes_on" not in kinds and cause["kind"] not in _BEGINS:
            wrong.append("The server has exchanged its commitment in the middle of a game.")
        number = self.table["room"].get("game_no", 0) + 1
        scheme = after.get("scheme", 1)
        game = InspectedGame(update["seq"], number, after["commit"], scheme, after.get("entry"))
        self.games.append(game)
        if "game_goes_on" in kinds:
            game.number = number - 1
        self._r = 0 if "game_goes_on" not in kinds else self._r
        if scheme != SCHEME:
            return wrong
        if after.get("link") is not None:
            wrong += _follows_of_server({"commit": after["commit"]}, after)
        tips = self._tips(cause, fair)
        chosen = committee(after["commit"], tips)
        game.members = [self._name(seat) for seat in chosen]
        game.without = [self._name_and_way(seat) for seat in after.get("without") or ()]
        if "game_goes_on" in kinds:
            same = all(after.get(part) == fair.get(part) for part in ("committee", "links", "tips"))
            if not same or not self._typed:
                wrong.append("A game that was over goes on, though nobody could have corrected a roll.")
            return wrong
        if tuple(after.get("committee") or ()) != chosen:
            wrong.append("The committee is not the one that follows from what all have committed to.")
        if after.get("links") != {str(seat): tips[seat] for seat in chosen}:
            wrong.append("The tips of the committee are not those that its members gave.")
        if sorted(after.get("without") or ()) != sorted(set(self._people()) - set(tips)):
            wrong.append("It is not said right whose clients gave no tip.")
        return wrong

    def _name_and_way(self, seat: int) -> str:
        over_ssh = self.table.get("seats", {}).get(str(seat), {}).get("over_ssh")
        return f"{self._name(seat)} (over ssh)" if over_ssh else self._name(seat)

    def _tips(self, cause: JsonObject, fair: JsonObject) -> dict[int, str]:
        """Seat -> the tip from which its links have to come."""
        tips: dict[int, str] = {}
        seats, played = self.table.get("seats", {}), (self.table.get("game") or {}).get("seats", {})
        for seat in self._people():
            given = (cause.get("args") or {}).get("commit") if seat == cause.get("seat") else None
            tip = given or seats[str(seat)].get("commit")
            going_on = fair.get("scheme") == SCHEME and str(seat) in played and str(seat) not in (fair.get("out") or {})
            if not tip and going_on:
                tip = next_value(fair.get("links"), fair.get("tips"), seat)
            if tip:
                tips[seat] = tip
        return tips

    def _people(self) -> list[int]:
        seats = self.table.get("seats", {})
        return [int(seat) for seat, player in seats.items() if not player.get("bot") and not player.get("left")]

    def _shown(self, update: JsonObject, fair: JsonObject, after: JsonObject) -> list[str]:
        """Links that were shown, and changes of the committee."""
        cause, wrong = update["cause"], []
        before, links = fair.get("links") or {}, after.get("links") or {}
        for seat, link in links.items():
            if link != before.get(seat) and not chain.follows(
                link, next_value(fair.get("links"), fair.get("tips"), seat)
            ):
                wrong.append(f"The link of {self._name(seat)} is not the one that was promised.")
        for seat, tip in (after.get("tips") or {}).items():
            if tip != (fair.get("tips") or {}).get(seat) and links.get(seat) == before.get(seat):
                wrong.append(f"The chain of {self._name(seat)} was exchanged.")
        rolled = (cause.get("drawn") or {}).get("r") is not None
        if links != before and not rolled and cause["kind"] not in _USES_LINKS:
            wrong.append("Links were shown without a roll.")
        if after.get("link") != fair.get("link"):
            wrong += _follows_of_server(fair, after)
            if not rolled:
                wrong.append("The server has shown a link without a roll.")
        elif after.get("tip") != fair.get("tip"):
            wrong.append("The chain of the server was exchanged.")
        gone = set(fair.get("committee") or ()) - set(after.get("committee") or ())
        out = {int(seat) for seat in after.get("out") or {}} - {int(seat) for seat in fair.get("out") or {}}
        args = cause.get("args") or {}
        leaver = {"leave": {cause.get("seat")}, "kick": {args.get("target")}}.get(cause["kind"], set())
        leaver = {seat for seat in leaver if self._leaves(seat, update["patch"].get("seats") or {})}
        if set(after.get("committee") or ()) - set(fair.get("committee") or ()) or gone - out - leaver:
            wrong.append("The committee was changed without a reason.")
        if cause["kind"] == "redraw":
            if self.games:  # else we came in the middle of the game
                self.games[-1].redraws[update["seq"]] = [self._name(seat) for seat in sorted(out)]
            if out & {int(seat) for seat in links if links[seat] != before.get(seat)}:
                wrong.append("A seat was left out although it had shown its link.")
            if not out or set(out) != set((cause.get("args") or {}).get("seats") or ()):
                wrong.append("The dice were drawn anew without a reason.")
        return wrong

    def _leaves(self, seat: int, changed: JsonObject) -> bool:
        """Whether a seat is given up with this change of the seats."""
        player = changed.get(str(seat), {})
        return player is None or bool(player.get("left"))

    def _drawn(self, update: JsonObject, fair: JsonObject, after: JsonObject) -> list[str]:
        """Dice, and draws that are decided."""
        cause, pending, wrong = update["cause"], fair.get("pending"), []
        drawn = cause.get("drawn")
        if pending and cause["kind"] in ("move", "time"):
            wrong.append("Somebody moved while the dice were rolling.")
        if pending and not after.get("pending") and cause["kind"] not in ("roll", "abandon"):
            wrong.append("Dice that were decided were never rolled.")
        asked = after.get("pending")
        if asked and asked != pending:
            whole = tuple(asked["members"]) == tuple(after.get("committee") or ())
            if not whole or asked["seq"] != update["seq"]:
                wrong.append("Not all members of the committee are asked for their links.")
            if cause.get("draw") != asked["draw"] or cause["kind"] not in _DECIDES:
                wrong.append("Links are asked for, though nobody has decided to roll.")
        if not drawn or drawn.get("r") is None:
            return wrong
        self._r += 1
        if pending and (drawn["count"], drawn["sides"]) != (pending["count"], pending["sides"]):
            wrong.append("Other dice were rolled than those that were decided.")
        members = [str(seat) for seat in (pending["members"] if pending else after.get("committee") or ())]
        links, before = after.get("links") or {}, fair.get("links") or {}
        begun = "commit" in (update["patch"].get("fair") or {})
        if any(links.get(seat) == before.get(seat) for seat in members) and not (begun and not members):
            return [*wrong, "The dice were drawn before all links were shown."]
        if self.games:
            self.games[-1].first_roll = self.games[-1].first_roll or update["seq"]
            self.games[-1].rolls += 1
            self.games[-1].alone += not members
        if self._from_the_middle and not self.games:
            self._r = drawn["r"]
        if drawn["r"] != self._r:
            wrong.append("A draw is missing, or was done twice.")
        if drawn.get("faces") is None:
            return wrong
        server = after.get("link")
        if server is None or (server == fair.get("link") and not begun):
            return [*wrong, "The server has not shown its link."]
        text = transcript(
            commit=after["commit"],
            epoch=after["epoch"],
            game=self.table["room"]["game"],
            game_no=self.table["room"].get("game_no", 0) + (self.table["room"].get("phase") != "playing"),
            links={int(seat): links[seat] for seat in members},
            r=drawn["r"],
            room=self.table["room"]["code"],
            rules=self.table["room"]["rules"],
        )
        if not (1 <= drawn["sides"] <= MOST_SIDES and 0 <= drawn["count"] <= 1000):
            return [*wrong, "There are no such dice."]
        faces = roll(key(bytes.fromhex(server), text), drawn["r"], drawn["count"], drawn["sides"])
        if list(faces) != list(drawn["faces"]):
            wrong.append("The dice do not follow from what all have shown.")
        return wrong

    def _name(self, seat: int | str) -> str:
        player = self.table.get("seats", {}).get(str(seat)) or {}
        return strip(str(player.get("name", f"seat {int(seat) + 1}")))


def _follows_of_server(fair: JsonObject, after: JsonObject) -> list[str]:
    before = fair.get("tip") or fair.get("link") or fair.get("commit") or ""
    if after.get("link") is None or not chain.follows(str(after["link"]), str(before)):
        return ["The link of the server is not the one that it was bound to."]
    return []


def _lying(game: Any) -> list[Any]:
    """The dice in a change of the game, wherever they are."""
    if not isinstance(game, dict):
        return []
    mine = [value for name, value in game.items() if name in _DICE and value is not None]
    return mine + [dice for value in game.values() for dice in _lying(value)]


def _others(dice: Any, drawn: list[int]) -> bool:
    """Whether there are dice among these that were not drawn."""
    return not isinstance(dice, list) or bool(Counter(dice) - Counter(drawn))


def _patched(fair: JsonObject, change: JsonObject) -> JsonObject:
    """What is known about the dice after a patch of the table."""
    if "fair" not in change:
        return fair
    after: JsonObject = {} if change["fair"] is None else patch.apply(fair, change["fair"])
    return after


def _typed(cause: JsonObject) -> bool:
    """Whether the move is one with real dice: a correction after the game."""
    return (cause.get("move") or {}).get("faces") is not None

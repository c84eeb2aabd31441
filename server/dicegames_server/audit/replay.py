"""Replays the stream of a room: from the cause of an update to the change that the rules make of it. Pure.

From the log it takes only what people, bots, the clock and chance put in. Everything else is worked out again, so that
it can be compared with the log (audit.py).
"""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from dicegames_protocol.base import JsonObject
from dicegames_protocol.fairness import chain
from dicegames_protocol.fairness.scheme import SCHEME
from dicegames_protocol.messages.client import ChainLink, ClientMessage, MakeMove
from dicegames_protocol.messages.server import Cause, Update
from dicegames_protocol.table import Move
from dicegames_server.audit.first_deal import begin_first, deal_first
from dicegames_server.core.errors import Refused
from dicegames_server.games.dice import KeyedDice
from dicegames_server.table import deal
from dicegames_server.table.commands import abandon, decide, leave_seat, play_over_ssh, stand_in, take_seat
from dicegames_server.table.create_room import open_room
from dicegames_server.table.draw import redraw
from dicegames_server.table.play import move, play_for, time_up
from dicegames_server.table.roll import roll
from dicegames_server.table.state import Change, State

_commands: TypeAdapter[Any] = TypeAdapter(ClientMessage)


class NotPossible(Exception):
    """The log contains something that can't have happened. str() says why."""


class NotYet(Exception):
    """This can't be worked out before the game is over and its secret is shown."""


class KnownDice(KeyedDice):
    """The dice of a log. Where the secret of a game is not shown yet, the server's links come from the log."""

    def __init__(self, secrets: Mapping[str, bytes], opened: Mapping[int, Move] | None = None) -> None:
        """`secrets`: commitment -> secret. `opened`: number of the update -> the sealed move in it."""
        self._secrets = secrets
        self._opened = opened or {}
        self._fair: JsonObject = {}
        self._before = ""

    def expect(self, state: State, fair: JsonObject) -> None:
        """Prepare for the next update: the state before it, and what it says about the dice."""
        self._fair = fair
        known = state.fair
        self._before = (known.tip or known.link or known.commit) if known else ""

    def secret(self) -> bytes:
        return self._secrets.get(str(self._fair.get("commit", "")), b"")

    def commitment(self, secret: bytes) -> str:
        return super().commitment(secret) if secret else str(self._fair.get("commit", ""))

    def link(self, secret: bytes, number: int) -> tuple[bytes, bytes | None]:
        if secret:
            return super().link(secret, number)
        link, tip = str(self._fair.get("link", "")), self._fair.get("tip")
        before = self._before if number > 1 or not self._fair.get("commit") else str(self._fair["commit"])
        if not chain.follows(link, before):
            raise NotPossible("the server's link is not the one that it was bound to")
        return bytes.fromhex(link), bytes.fromhex(tip) if tip else None

    def hidden(self, secret: bytes, r: int) -> bytes:
        if not secret:
            raise NotYet
        return super().hidden(secret, r)

    def unsealed(self, seq: int, secret: bytes) -> Move:
        if not secret:
            raise NotYet
        try:
            return self._opened[seq]
        except KeyError:
            raise NotPossible("the sealed move in it was never shown") from None


def play_again(state: State | None, update: Update, dice: KnownDice) -> Change:
    """The change that the rules make of the cause of this update. Raises NotPossible, or NotYet."""
    try:
        return _again(state, update, dice)
    except Refused as refused:
        raise NotPossible(f"the rules refuse it: {refused.message}") from None
    except (KeyError, TypeError, ValueError, ValidationError, AssertionError, IndexError) as error:
        raise NotPossible("it makes no sense") from error


def _again(state: State | None, update: Update, dice: KnownDice) -> Change:
    cause = update.cause
    args = cause.args or {}
    if state is None:
        return open_room(**{"format": None, **args})
    fair: JsonObject = update.patch.get("fair") or {}
    dice.expect(state, fair)
    if "epoch" in fair:
        state = state.but(epoch=fair["epoch"])
    if state.pending:
        state = state.but(shown=_links(fair, state.pending.members))
    match cause.kind:
        case "join":
            program, commit = args.get("program", False), args.get("commit")
            over_ssh = args.get("over_ssh", False)
            token = f"seat {cause.seat}"
            return take_seat(state, args["name"], token, program=program, commit=commit, over_ssh=over_ssh)[0]
        case "over_ssh":
            return play_over_ssh(state, _seat(cause), args["on"])
        case "leave":
            return leave_seat(state, _seat(cause), args["why"])
        case "stand_in":
            return stand_in(state, _seat(cause), args["on"])
        case "abandon":
            return abandon(state)
        case "deal":
            seeds = {int(seat): bytes.fromhex(seed) for seat, seed in fair.get("seeds", {}).items()}
            return deal_first(state, seeds, dice)
        case "roll":
            return roll(state, dice)
        case "redraw":
            return redraw(state)
        case "time":
            return time_up(state, dice)
        case "move":
            sealed = dice.unsealed(update.seq, state.secret) if cause.seal else cause.move
            return _move(state, cause.but(move=sealed), fair, dice)
    known = {key: value for key, value in args.items() if key != "epoch"}
    command = _commands.validate_python({"type": cause.kind, "id": "replay", **known})
    scheme = fair.get("scheme", state.fair.scheme if state.fair else None)
    if "commit" in fair and scheme != SCHEME and not dice.secret():
        raise NotYet
    return decide(state, cause.seat, command, dice, deal.begin if scheme == SCHEME else begin_first)


def _links(fair: JsonObject, seats: tuple[int, ...]) -> dict[int, ChainLink]:
    """The links of these seats that an update shows."""
    links, tips = fair.get("links") or {}, fair.get("tips") or {}
    return {
        seat: ChainLink(link=links[str(seat)], tip=tips.get(str(seat)))
        for seat in seats
        if isinstance(links.get(str(seat)), str)
    }


def _move(state: State, cause: Cause, fair: JsonObject, dice: KnownDice) -> Change:
    seat = _seat(cause)
    assert cause.move
    player = state.seats[seat]
    automatic = player.bot is not None or player.left or player.standin
    match cause.by:
        case "bot" if automatic:
            hurried = bool((cause.args or {}).get("hurried"))
            return play_for(state, seat, cause.move, "bot", dice, hurried=hurried)
        case "clock" if state.info.turn_limit:
            return time_up(state, dice)
        case "player" if not automatic:
            committee = state.fair.committee if state.fair else None
            links = {str(of): link for of, link in _links(fair, committee or ()).items()}
            return move(state, seat, MakeMove(id="replay", seq=state.seq, move=cause.move, links=links), dice)
    raise NotPossible(f"a move of this seat can't be made by a {cause.by}")


def _seat(cause: Cause) -> int:
    assert cause.seat is not None
    return cause.seat

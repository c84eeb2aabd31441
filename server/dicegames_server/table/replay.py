"""Replays the stream of a room: from the cause of an update to the change that the rules make of it. Pure.

From the log it takes only what people, bots, the clock and chance put in. Everything else is worked out again, so that
it can be compared with the log (audit.py).
"""

from typing import Any

from pydantic import TypeAdapter, ValidationError

from dicegames_protocol.base import JsonObject
from dicegames_protocol.messages.client import ClientMessage, MakeMove
from dicegames_protocol.messages.server import Cause, Update
from dicegames_protocol.table import Move
from dicegames_server.core.errors import Refused
from dicegames_server.games.dice import KeyedDice
from dicegames_server.table.commands import abandon, decide, leave_seat, stand_in, take_seat
from dicegames_server.table.create_room import open_room
from dicegames_server.table.deal import deal
from dicegames_server.table.play import move, play_for, time_up
from dicegames_server.table.state import Change, State

_commands: TypeAdapter[Any] = TypeAdapter(ClientMessage)


class NotPossible(Exception):
    """The log contains something that can't have happened. str() says why."""


class KnownDice(KeyedDice):
    """The dice of a log. Its secrets are known, so all faces can be worked out. Set `next_commit` before `secret`."""

    def __init__(self, secrets: dict[str, bytes], opened: dict[int, Move] | None = None) -> None:
        """`secrets`: commitment -> secret. `opened`: number of the update -> the sealed move in it."""
        self._secrets = secrets
        self._opened = opened or {}
        self.next_commit = ""

    def secret(self) -> bytes:
        try:
            return self._secrets[self.next_commit]
        except KeyError:
            raise NotPossible("the secret of this game was never shown") from None

    def unsealed(self, seq: int) -> Move:
        try:
            return self._opened[seq]
        except KeyError:
            raise NotPossible("the sealed move in it was never shown") from None


def play_again(state: State | None, update: Update, dice: KnownDice) -> Change:
    """The change that the rules make of the cause of this update. Raises NotPossible."""
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
        return open_room(**args)
    fair: JsonObject = update.patch.get("fair") or {}
    dice.next_commit = fair.get("commit", "")
    if "epoch" in fair:
        state = state.but(epoch=fair["epoch"])
    match cause.kind:
        case "join":
            return take_seat(state, args["name"], f"seat {cause.seat}", program=args.get("program", False))[0]
        case "leave":
            return leave_seat(state, _seat(cause), args["why"])
        case "stand_in":
            return stand_in(state, _seat(cause), args["on"])
        case "abandon":
            return abandon(state)
        case "deal":
            seeds = {int(seat): bytes.fromhex(seed) for seat, seed in fair.get("seeds", {}).items()}
            return deal(state.but(revealed=seeds), dice)
        case "time":
            return time_up(state, dice)
        case "move":
            sealed = dice.unsealed(update.seq) if cause.seal else cause.move
            return _move(state, cause.but(move=sealed), dice)
    known = {key: value for key, value in args.items() if key != "epoch"}
    command = _commands.validate_python({"type": cause.kind, "id": "replay", **known})
    return decide(state, cause.seat, command, dice)


def _move(state: State, cause: Cause, dice: KnownDice) -> Change:
    seat = _seat(cause)
    assert cause.move
    player = state.seats[seat]
    automatic = player.bot is not None or player.left or player.standin
    match cause.by:
        case "bot" if automatic:
            return play_for(state, seat, cause.move, "bot", dice)
        case "clock" if state.info.turn_limit:
            return time_up(state, dice)
        case "player" if not automatic:
            return move(state, seat, MakeMove(id="replay", seq=state.seq, move=cause.move), dice)
    raise NotPossible(f"a move of this seat can't be made by a {cause.by}")


def _seat(cause: Cause) -> int:
    assert cause.seat is not None
    return cause.seat

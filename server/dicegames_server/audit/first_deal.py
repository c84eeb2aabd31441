"""How a game began under the first scheme of fair dice. Only for the replay of logs of earlier versions. Pure."""

from collections.abc import Mapping

from dicegames_protocol.base import Event
from dicegames_protocol.fairness.first_scheme import key_of, seed_hash
from dicegames_protocol.messages.room_events import Dealing, Dealt, NotDealt
from dicegames_protocol.messages.server import Cause
from dicegames_protocol.table import Fair
from dicegames_server.core.errors import Refused
from dicegames_server.games.dice import Dice
from dicegames_server.table.deal import check_players, next_starter, start
from dicegames_server.table.draw import drawn
from dicegames_server.table.state import Change, State, change


def begin_first(state: State, before: State, cause: Cause, events: tuple[Event, ...], dice: Dice) -> Change:
    """The server commits to its secret. If nobody gave a hash, the game starts at once. Raises Refused."""
    check_players(state)
    secret = dice.secret()
    fair = Fair(commit=seed_hash(secret), epoch=state.epoch)
    cause = cause.but(args={**(cause.args or {}), "epoch": state.epoch})
    bound = state.but(fair=fair, secret=secret, key=b"")
    if not _owe_seeds(bound):
        return _started(bound, before, cause, events, dice)
    after = bound.but(info=state.info.but(phase="dealing"))
    return change(after, before, cause, (*events, Dealing(commit=fair.commit)))


def deal_first(state: State, seeds: Mapping[int, bytes], dice: Dice) -> Change:
    """Secret and seeds are combined, and the game starts. With too few players the room waits again. Raises Refused."""
    if state.info.phase != "dealing" or state.fair is None:
        raise Refused("illegal_move", "Nothing is being dealt.")
    cause = Cause(kind="deal", by="clock")
    if len(state.seats.present) < state.rules.least:
        waiting = state.but(fair=None, secret=b"", info=state.info.but(phase="waiting"), match=None)
        return change(waiting, state, cause, (NotDealt(),))
    there = {seat: seed for seat, seed in seeds.items() if seat in state.seats.present}
    missing = tuple(seat for seat in _owe_seeds(state) if seat not in there)
    fair = state.fair.but(seeds={str(seat): there[seat].hex() for seat in sorted(there)}, missing=missing or None)
    dealt = Dealt(seats=tuple(sorted(there)), missing=missing)
    return _started(state.but(fair=fair), state, cause, (dealt,), dice)


def _started(state: State, before: State, cause: Cause, events: tuple[Event, ...], dice: Dice) -> Change:
    assert state.fair
    state = state.but(key=key_of(state.fair, state.info, state.secret), draws=0)
    faces: tuple[int, ...] = ()
    if need := state.rules.opening(next_starter(state)):
        state, faces, told = drawn(state, need, {}, dice)
        cause = cause.but(drawn=told)
    after, more = start(state, faces)
    after = after.but(seats=after.seats.take_commits(after.seats.present))
    return change(after, before, cause, (*events, *more))


def _owe_seeds(state: State) -> list[int]:
    return [seat for seat in state.seats.present if state.seats[seat].commit is not None]

"""Moves: by players, by bots, and by the clock. Pure."""

from functools import lru_cache

from dicegames_protocol.base import Event
from dicegames_protocol.messages.client import MakeMove
from dicegames_protocol.messages.server import Cause, Drawn
from dicegames_protocol.table import GameGoesOn, GameOver, Move, TimeUp
from dicegames_server.games.base import Act, By, Refused
from dicegames_server.games.dice import Dice
from dicegames_server.games.match import NOBODY
from dicegames_server.table.state import Change, State, change, waited_for


def move(state: State, seat: int, command: MakeMove, dice: Dice) -> Change:
    """A player's move, made in sight of update `command.seq`."""
    if state.match is None:
        raise Refused("illegal_move", "The game has not started yet.")
    if state.info.phase == "dealing":
        raise Refused("illegal_move", "The dice are being dealt. A moment.")
    if command.seq > state.seq:
        raise Refused("bad_message", "That move names an update that has not happened yet.")
    if command.seq < state.basis_seq:
        raise Refused("stale", state.match.rules.too_late(state.match.state))
    try:
        act = state.match.check(seat, command.move)
    except Refused as refused:
        if refused.code != "not_your_turn":
            raise
        raise Refused("not_your_turn", _not_your_turn(state, seat)) from None
    return _play(state, act, dice)


def play_for(state: State, seat: int, move: Move, by: By, dice: Dice) -> Change:
    """A move that the server makes for a seat: a bot's, or the mild one when time is up."""
    if state.match is None:
        raise Refused("illegal_move", "There is no game.")
    return _play(state, state.match.check(seat, move, by), dice)


def time_up(state: State, dice: Dice) -> Change:
    """The timer of the game, or of the turn, has run out."""
    if state.match is None or state.info.timer is None:
        raise Refused("illegal_move", "No timer is running.")
    if state.info.timer.kind == "window":
        return _play(state, NOBODY, dice)
    seat = waited_for(state)
    if seat is None:
        raise Refused("illegal_move", "Nobody is waited for.")
    return play_for(state, seat, state.match.rules.mild(state.match.state, seat), "clock", dice)


def _play(state: State, act: Act, dice: Dice) -> Change:
    assert state.match is not None
    draws, drawn, faces = state.draws, None, act.move.faces or ()
    if need := state.match.needs(act):
        if act.move.faces is None:
            draws += 1
            faces = dice.draw(state.key, draws, need)
        drawn = Drawn(r=draws if act.move.faces is None else None, sides=need.sides, count=need.count, faces=faces)
    match, events = state.match.play(act, faces)
    bests = _bests(state, events)
    info, fair = state.info, state.fair
    if match.winners is not None:
        info = info.but(phase="over", winners=match.winners)
        fair = fair.but(secret=state.secret.hex()) if fair else None
        events += (GameOver(winners=match.winners),)
    elif state.info.phase == "over":
        info = info.but(phase="playing", winners=None)
        events += (GameGoesOn(),)
    if act.by == "clock" and act.seat is not None:
        events = (TimeUp(seat=act.seat), *events)
    if drawn or act.seat is None or act.move.choice is not None or act.move.faces is not None:
        kind = "move" if act.seat is not None else "time"
        cause = Cause(kind=kind, seat=act.seat, by=act.by, move=act.move, drawn=drawn)
    else:
        cause = _plain_move(act.seat, act.by, act.move.take)
    seq = state.seq + 1  # as `change` will have it, unless this move has changed nothing that others depend on
    after = state.but(match=match, info=info, fair=fair, bests=bests, draws=draws, seq=seq, basis_seq=seq)
    return change(after, state, cause, events)


@lru_cache(maxsize=4096)
def _plain_move(seat: int, by: By, take: str) -> Cause:
    """A move without dice and without a choice: the same few at all tables, so they are kept."""
    return Cause(kind="move", seat=seat, by=by, move=Move(take=take))


def _bests(state: State, events: tuple[Event, ...]) -> dict[int, dict[str, int]]:
    """The record book of this game with what has just happened."""
    bests = state.bests
    for event in events:
        if noted := state.rules.notable(event):
            seat, what, value = noted
            mine = bests.get(seat, {})
            if value > mine.get(what, 0):
                bests = {**bests, seat: {**mine, what: value}}
    return bests


def _not_your_turn(state: State, seat: int) -> str:
    if state.match and str(seat) not in state.match.state.seats:
        return "You play from the next game on."
    turn = waited_for(state)
    if turn is None or state.match is None:
        return "The game is over." if not state.playing else "It is not your turn."
    return f"Not your turn: {state.seats[turn].name} is {state.match.rules.doing}."

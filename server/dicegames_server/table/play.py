"""Moves: by players, by bots, and by the clock. Pure."""

from functools import lru_cache

from dicegames_protocol import fairness, patch
from dicegames_protocol.base import Event
from dicegames_protocol.messages.client import MakeMove
from dicegames_protocol.messages.server import Cause, Drawn
from dicegames_protocol.table import GameGoesOn, GameOver, Move, TimeUp
from dicegames_server.core.errors import Refused
from dicegames_server.games.base import Act, By
from dicegames_server.games.dice import Dice
from dicegames_server.games.match import TIMER_ACT
from dicegames_server.table.state import ABANDONED, Change, State, change, waited_for


def move(state: State, seat: int, command: MakeMove, dice: Dice) -> Change:
    """A move of a player who had seen update `command.seq`. Raises Refused: "stale" where the game has moved on."""
    if state.match is None:
        raise Refused("illegal_move", "The game has not started yet.")
    if state.info.phase == "dealing":
        raise Refused("illegal_move", "The dice are being dealt. A moment.")
    if command.seq > state.seq:
        raise Refused("bad_message", "That move names an update that has not happened yet.")
    if command.seq < state.basis_seq:
        raise Refused("stale", state.match.rules.too_late(state.match.seen_by(seat).state))
    try:
        act = state.match.check(seat, command.move)
    except Refused as refused:
        if refused.code != "not_your_turn":
            raise
        raise Refused("not_your_turn", _not_your_turn(state, seat)) from None
    return _play(state, act, dice)


def play_for(state: State, seat: int, move: Move, by: By, dice: Dice) -> Change:
    """A move that the server makes for a seat: a bot's move, or the mild move when the time is up."""
    if state.match is None:
        raise Refused("illegal_move", "There is no game.")
    return _play(state, state.match.check(seat, move, by), dice)


def time_up(state: State, dice: Dice) -> Change:
    """The timer of the game, or of the turn, has run out."""
    if state.match is None or state.info.timer is None:
        raise Refused("illegal_move", "No timer is running.")
    if state.info.timer.kind == "window":
        return _play(state, TIMER_ACT, dice)
    seat = waited_for(state)
    if seat is None:
        raise Refused("illegal_move", "Nobody is waited for.")
    return play_for(state, seat, state.match.rules.mild(state.match.seen_by(seat).state, seat), "clock", dice)


def _play(state: State, act: Act, dice: Dice) -> Change:
    assert state.match is not None
    if state.abandoned:
        raise Refused("illegal_move", ABANDONED)
    draws, drawn, faces = state.draws, None, act.move.faces or ()
    if need := state.match.needs(act):
        if act.move.faces is None:
            draws += 1
            faces = dice.draw(state.key, draws, need)
        shown = None if need.hidden else faces
        drawn = Drawn(r=draws if act.move.faces is None else None, sides=need.sides, count=need.count, faces=shown)
    match, events = state.match.play(act, faces)
    bests = _bests(state, events)
    seq = state.seq + 1  # `change` keeps it; it corrects `basis_seq` below where the basis stays the same
    cause = _cause(state, act, drawn, seq)
    info, fair, sealed = state.info, state.fair, state.sealed
    if cause.seal:
        sealed = {**sealed, seq: act.move}
    if match.winners is not None:
        info = info.but(phase="over", winners=match.winners)
        fair = fair.but(secret=state.secret.hex()) if fair else None
        events += (GameOver(winners=match.winners),)
        if sealed:
            cause, sealed = cause.but(opened=opened(sealed)), {}
    elif state.info.phase == "over":
        info = info.but(phase="playing", winners=None)
        events += (GameGoesOn(),)
    if act.by == "clock" and act.seat is not None:
        events = (TimeUp(seat=act.seat), *events)
    after = state.but(
        match=match, info=info, fair=fair, bests=bests, draws=draws, sealed=sealed, seq=seq, basis_seq=seq
    )
    return change(after, state, cause, events)


def opened(sealed: dict[int, Move]) -> dict[str, Move]:
    """All sealed moves of a game, for the update that ends it."""
    return {str(seq): move for seq, move in sealed.items()}


def _cause(state: State, act: Act, drawn: Drawn | None, seq: int) -> Cause:
    """Who did what. Of a sealed move it tells only that it was made, and the seal that commits the server to it."""
    assert state.match is not None
    move = act.move
    if act.seat is None:
        return Cause(kind="time", by=act.by, move=move, drawn=drawn)
    offer = state.match.offers.get(move.take)
    if offer is not None and offer.sealed:
        seal = fairness.seal(state.key, seq, patch.dump(move))
        return Cause(kind="move", seat=act.seat, by=act.by, move=Move(take=move.take), drawn=drawn, seal=seal)
    if drawn or move.choice is not None or move.faces is not None:
        return Cause(kind="move", seat=act.seat, by=act.by, move=move, drawn=drawn)
    return _plain_move(act.seat, act.by, move.take)


@lru_cache(maxsize=4096)
def _plain_move(seat: int, by: By, take: str) -> Cause:
    """The cause of a move without dice and without a choice. All tables need the same few, so they are cached."""
    return Cause(kind="move", seat=seat, by=by, move=Move(take=take))


def _bests(state: State, events: tuple[Event, ...]) -> dict[int, dict[str, int]]:
    """The records of this game, with these events added."""
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

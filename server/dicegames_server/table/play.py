"""Moves: by players, by bots, and by the clock. Pure."""

from functools import lru_cache

from dicegames_protocol import patch
from dicegames_protocol.base import Event, JsonObject
from dicegames_protocol.fairness.scheme import SCHEME, seal, seal_key
from dicegames_protocol.messages.client import ChainLink, MakeMove
from dicegames_protocol.messages.room_events import GameGoesOn, GameOver, TimeUp
from dicegames_protocol.messages.server import Cause, Drawn
from dicegames_protocol.table import CORRECT, UNDO, Move
from dicegames_server.core.errors import Refused
from dicegames_server.games.base import Act, By, Faces
from dicegames_server.games.dice import Dice
from dicegames_server.games.match import TIMER_ACT, Match
from dicegames_server.table import draw
from dicegames_server.table.seats import Seats
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
    if state.pending:
        raise Refused("illegal_move", "The dice are rolling. A moment.")
    try:
        act = state.match.check(seat, command.move)
    except Refused as refused:
        if refused.code != "not_your_turn":
            raise
        raise Refused("not_your_turn", _not_your_turn(state, seat)) from None
    links = {int(of): link for of, link in command.links.items()} if command.links else None
    return _play(state, act, dice, links)


def play_for(state: State, seat: int, move: Move, by: By, dice: Dice, *, hurried: bool = False) -> Change:
    """A move that the server makes for a seat: a bot's move, or the mild move when the time is up.

    `hurried`: the bot had no time to think, and played by a simpler rule. The log says so.
    """
    if state.match is None or state.pending:
        raise Refused("illegal_move", "There is no game, or its dice are rolling.")
    return _play(state, state.match.check(seat, move, by), dice, args={"hurried": True} if hurried else None)


def time_up(state: State, dice: Dice) -> Change:
    """The timer of the game, or of the turn, has run out."""
    if state.match is None or state.info.timer is None or state.pending:
        raise Refused("illegal_move", "No timer is running.")
    if state.info.timer.kind == "window":
        return _play(state, TIMER_ACT, dice)
    seat = waited_for(state)
    if seat is None:
        raise Refused("illegal_move", "Nobody is waited for.")
    return play_for(state, seat, state.match.rules.mild(state.match.seen_by(seat).state, seat), "clock", dice)


def _play(
    state: State, act: Act, dice: Dice, links: dict[int, ChainLink] | None = None, args: JsonObject | None = None
) -> Change:
    """Play an act, or decide its draw where links of others are needed first. `links`: those that came with it."""
    assert state.match is not None
    if state.abandoned:
        raise Refused("illegal_move", ABANDONED)
    cause = _cause(state, act).but(args=args) if args else _cause(state, act)
    timed = (TimeUp(seat=act.seat),) if act.by == "clock" and act.seat is not None else ()
    if (need := state.match.needs(act)) is None:
        return _done(state, state, act, (), cause, timed, dice)
    if act.move.faces is not None:
        told = Drawn(sides=need.sides, count=need.count, faces=act.move.faces)
        return _done(state, state, act, act.move.faces, cause.but(drawn=told), timed, dice)
    if members := draw.members(state):
        given = {seat: link for seat, link in (links or {}).items() if seat in members}
        if any(not draw.follows(state.fair, seat, link) for seat, link in given.items()):
            raise Refused("illegal_move", draw.WRONG_LINK)
        if len(given) < len(members):
            decided = draw.decide(_with_seal(state, act, cause), state, need, act, cause, timed)
            return decided._replace(state=decided.state.but(shown=given))
        links = given
    rolled = draw.drawn(state, need, links or {}, dice)
    return _done(rolled.state, state, act, rolled.faces, cause.but(drawn=rolled.told), timed, dice)


def rolled(state: State, act: Act, dice: Dice) -> Change:
    """The dice for an act can be drawn: all links are there."""
    assert state.match is not None
    need = state.match.needs(act)
    assert need
    after = draw.drawn(state, need, state.shown, dice)
    cause = Cause(kind="roll", seat=act.seat, by=act.by, drawn=after.told)
    return _done(after.state, state, act, after.faces, cause, (), dice)


def _done(
    state: State, before: State, act: Act, faces: Faces, cause: Cause, timed: tuple[Event, ...], dice: Dice
) -> Change:
    """The change that an act makes. `state`: `before` with its dice drawn. `timed`: the events that come first."""
    assert state.match is not None
    match, events = state.match.play(act, faces)
    seq = before.seq + 1  # `change` keeps it; it corrects `basis_seq` below where the basis stays the same
    info, fair, sealed, seats = state.info, state.fair, state.sealed, state.seats
    if info.format and info.phase == "over":  # its last roll is corrected, so it has not ended as it was counted
        seats = _tallied(seats, state.match, -1)
    if cause.seal:
        sealed = {**sealed, seq: act.move}
    if match.winners is not None:
        info = info.but(phase="over", winners=match.winners)
        fair = fair.but(secret=state.secret.hex()) if fair else None
        events += (GameOver(winners=match.winners),)
        seats = _tallied(seats, match, 1) if info.format else seats
    elif state.info.phase == "over":
        info = info.but(phase="playing", winners=None)
        events += (GameGoesOn(),)
        if fair and fair.scheme == SCHEME:  # the secret is known by now, so the next dice need another one
            state = state.but(secret=dice.secret(), links=0)
            fair = fair.but(commit=dice.commitment(state.secret), secret=None, link=None, tip=None, entry=None)
    if sealed and (match.winners is not None or _opens(before.match, match, act)):
        cause, sealed = cause.but(opened=opened(sealed)), {}
    after = state.but(match=match, info=info, fair=fair, sealed=sealed, seats=seats, seq=seq, basis_seq=seq)
    return change(after, before, cause, (*timed, *events) if timed else events)


def _tallied(seats: Seats, match: Match, games: int) -> Seats:
    """The seats with a finished game added to the tally of the evening (`games` 1), or taken back (-1)."""
    return seats.tallied(match.winners or (), match.rules.points(match.state), games)


def _with_seal(state: State, act: Act, cause: Cause) -> State:
    return state.but(sealed={**state.sealed, state.seq + 1: act.move}) if cause.seal else state


def _opens(before: Match | None, after: Match, act: Act) -> bool:
    """Whether the sealed moves are opened now. A correction opens none: whoever types dice could look into them."""
    if before is None or act.move.take in (CORRECT, UNDO):
        return False
    return before.rules.opens(before.state, after.state)


def opened(sealed: dict[int, Move]) -> dict[str, Move]:
    """Sealed moves, for the update that opens them."""
    return {str(seq): move for seq, move in sealed.items()}


def _cause(state: State, act: Act) -> Cause:
    """Who did what. Of a sealed move it tells only that it was made, and the seal that commits the server to it."""
    assert state.match is not None
    move = act.move
    if act.seat is None:
        return Cause(kind="time", by=act.by, move=move)
    offer = state.match.offers.get(move.take)
    if offer is not None and offer.sealed:
        sealed = seal(state.key or seal_key(state.secret), state.seq + 1, patch.dump(move))
        return Cause(kind="move", seat=act.seat, by=act.by, move=Move(take=move.take), seal=sealed)
    if move.choice is not None or move.faces is not None:
        return Cause(kind="move", seat=act.seat, by=act.by, move=move)
    return _plain_move(act.seat, act.by, move.take)


@lru_cache(maxsize=4096)
def _plain_move(seat: int, by: By, take: str) -> Cause:
    """The cause of a move without a choice. All tables need the same few, so they are cached."""
    return Cause(kind="move", seat=seat, by=by, move=Move(take=take))


def _not_your_turn(state: State, seat: int) -> str:
    if state.match and str(seat) not in state.match.state.seats:
        return "You play from the next game on."
    turn = waited_for(state)
    if turn is None or state.match is None:
        return "The game is over." if not state.playing else "It is not your turn."
    if why := state.match.rules.not_now(state.match.seen_by(seat).state, seat):
        return why
    return f"Not your turn: {state.seats[turn].name} is {state.match.rules.doing}."

"""What happens at a table: command in, change out. Pure, like the rules below it.

`State` is everything about a room that has to survive; `decide` gives the next one, with the cause and the events of
the update, or is Refused. The room (room.py) commits what comes out of here, acknowledges and publishes it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from dicegames_protocol.base import Event
from dicegames_protocol.client_messages import (
    AddBot,
    ChangeOptions,
    GiveHost,
    Kick,
    MakeMove,
    Ready,
    Rematch,
    RemoveBot,
    Start,
)
from dicegames_protocol.options import OptionError
from dicegames_protocol.server_messages import Cause, Drawn
from dicegames_protocol.table import (
    GameGoesOn,
    GameOver,
    GameStarted,
    HostChanged,
    LeftSeat,
    Move,
    OptionsChanged,
    ReadyChanged,
    RoomInfo,
    StandIn,
    Timer,
    TookSeat,
    WantsRematch,
)
from dicegames_server.bots import DEFAULT_LEVEL, LEVELS
from dicegames_server.match import NOBODY, Match
from dicegames_server.rules import Act, By, Faces, Need, Refused, Rules
from dicegames_server.seats import Fate, Seats

Draw = Callable[[int, Need], Faces]
"""The faces of draw number r of this game."""

Command = MakeMove | Ready | Start | AddBot | RemoveBot | Kick | GiveHost | ChangeOptions | Rematch


@dataclass(frozen=True, slots=True)
class State:
    info: RoomInfo
    seats: Seats
    rules: Rules[Any, Any]
    match: Match | None = None
    starter: int | None = None
    draws: int = 0
    seq: int = 0
    basis_seq: int = 0
    """The update that last changed what moves depend on: a move made in sight of an older one is stale."""

    @property
    def playing(self) -> bool:
        return self.info.phase == "playing"

    def public(self) -> dict[str, Any]:
        """What everyone sees, in the shape of protocol's Table."""
        around = {"room": self.info, "seats": self.seats.players}
        if self.match is None:
            return {**around, "offers": {}}
        return {**around, "game": self.match.state, "offers": self.match.offers}


@dataclass(frozen=True, slots=True)
class Change:
    state: State
    cause: Cause
    events: tuple[Event, ...]


def decide(state: State, seat: int | None, command: Command, draw: Draw) -> Change:
    """What a command by a seat (None: by a spectator) leads to."""
    if seat is None:
        raise Refused("unauthorized", "You are watching. Take a seat to play.")
    match command:
        case MakeMove():
            return _move(state, seat, command, draw)
        case Ready():
            return _ready(state, seat, command.ready, command.id, draw)
        case Rematch():
            return _rematch(state, seat, command.id, draw)
    if seat != state.seats.host:
        raise Refused("unauthorized", f"Only the host can do that{_host_name(state)}.")
    match command:
        case Start():
            if state.playing:
                raise Refused("illegal_move", "The game is already running.")
            return _start(state, Cause(kind="start", seat=seat, id=command.id), (), draw)
        case AddBot():
            return _add_bot(state, seat, command)
        case RemoveBot():
            return _remove_bot(state, seat, command)
        case Kick():
            return _kick(state, seat, command)
        case GiveHost():
            return _give_host(state, seat, command)
        case ChangeOptions():
            return _options(state, seat, command)


def take_seat(state: State, name: str, token_hash: str) -> tuple[Change, int]:
    """Somebody sits down. While a game runs they look on, and play from the next one."""
    seats, seat = state.seats.sit(name, state.info.code)
    seats = seats.with_token(seat, token_hash)
    took = TookSeat(seat=seat, name=seats[seat].name)
    return _change(replace(state, seats=seats), state, Cause(kind="join", seat=seat), (took,)), seat


def leave_seat(state: State, seat: int, why: str, cause: Cause) -> Change:
    """Somebody is gone for good, by their own wish or not."""
    player = state.seats[seat]
    in_game = state.match is not None and str(seat) in state.match.state.seats and not player.left
    fate: Fate = "removed" if not in_game else "bot" if state.playing else "kept"
    seats = state.seats.vacate(seat, fate)
    events: list[Event] = [
        LeftSeat.model_validate({"seat": seat, "name": player.name, "why": why, "bot_plays": fate == "bot"})
    ]
    if seats.host != state.seats.host and seats.host is not None:
        events.append(HostChanged(seat=seats.host))
    return _change(replace(state, seats=seats), state, cause, tuple(events))


def stand_in(state: State, seat: int, on: bool) -> Change:
    """A bot takes over for an absent player, or gives the seat back."""
    seats = state.seats.change(seat, standin=on)
    cause = Cause(kind="stand_in", seat=seat, by="clock" if on else "player")
    return _change(replace(state, seats=seats), state, cause, (StandIn(seat=seat, on=on),))


def play_for(state: State, seat: int, move: Move, by: By, draw: Draw) -> Change:
    """A move that the server makes for a seat: a bot's, or the mild one when time is up."""
    if state.match is None:
        raise Refused("illegal_move", "There is no game.")
    return _play(state, state.match.check(seat, move, by), None, draw)


def time_up(state: State, draw: Draw) -> Change:
    """The timer on the table has run out."""
    if state.match is None or state.info.timer is None:
        raise Refused("illegal_move", "No timer is running.")
    if state.info.timer.kind == "window":
        return _play(state, NOBODY, None, draw)
    seat = waited_for(state)
    if seat is None:
        raise Refused("illegal_move", "Nobody is waited for.")
    return play_for(state, seat, state.match.rules.mild(state.match.state, seat), "clock", draw)


def waited_for(state: State) -> int | None:
    """The first seat without which the game can't go on."""
    match = state.match
    if match is None:
        return None
    for offer in match.offers.values():
        if offer.needed and offer.seat is not None:
            return offer.seat
    return next((int(seat) for seat in match.state.seats if match.waits_for(int(seat))), None)


def _change(state: State, before: State, cause: Cause, events: tuple[Event, ...]) -> Change:
    """The next state in full: numbered, with host, timer and basis brought up to date."""
    seq = before.seq + 1
    moved = _basis(state) != _basis(before)
    info = state.info
    if info.host != state.seats.host:
        info = info.but(host=state.seats.host)
    if _timed(state) != _timed(before):
        info = info.but(timer=_timer(state, seq))
    basis_seq = seq if moved else before.basis_seq
    return Change(replace(state, info=info, seq=seq, basis_seq=basis_seq), cause, events)


def _basis(state: State) -> object:
    return None if state.match is None else (state.info.game_no, state.match.basis)


def _timed(state: State) -> object:
    """What the timer on the table is for: as long as this stays the same, the timer runs on."""
    timer = _timer(state, 0)
    if timer is None or timer.kind == "window":
        return timer and (timer, _basis(state))
    return timer, _basis(state), waited_for(state)


def _timer(state: State, seq: int) -> Timer | None:
    if state.match is None or not state.playing:
        return None
    ms = state.match.rules.timer(state.match.state)
    if ms is not None:
        return Timer(kind="window", ms=ms, since=seq)
    return Timer(kind="turn", ms=state.info.turn_limit * 1000, since=seq) if state.info.turn_limit else None


def _move(state: State, seat: int, command: MakeMove, draw: Draw) -> Change:
    if state.match is None:
        raise Refused("illegal_move", "The game has not started yet.")
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
    return _play(state, act, command.id, draw)


def _play(state: State, act: Act, id: str | None, draw: Draw) -> Change:
    match = state.match
    assert match is not None
    draws, drawn, faces = state.draws, None, act.move.faces or ()
    if need := match.needs(act):
        if act.move.faces is None:
            draws += 1
            faces = draw(draws, need)
        drawn = Drawn(r=draws if act.move.faces is None else None, sides=need.sides, count=need.count, faces=faces)
    after, events = match.play(act, faces)
    info = state.info
    if after.winners is not None:
        info = info.but(phase="over", winners=after.winners)
        events += (GameOver(winners=after.winners),)
    elif after.winners is None and state.info.phase == "over":
        info = info.but(phase="playing", winners=None)
        events += (GameGoesOn(),)
    cause = Cause(
        kind="move" if act.seat is not None else "time", seat=act.seat, by=act.by, id=id, move=act.move, drawn=drawn
    )
    return _change(replace(state, match=after, info=info, draws=draws), state, cause, events)


def _start(state: State, cause: Cause, events: tuple[Event, ...], draw: Draw) -> Change:
    """A new game for everyone who sits; in a rematch the next seat begins."""
    order = state.seats.present
    rules = state.rules
    if len(order) < rules.least:
        raise Refused("illegal_move", _too_few(rules, len(order)))
    if rules.most is not None and len(order) > rules.most:
        raise Refused("illegal_move", f"{rules.title} is for {rules.most} players; {len(order)} sit here.")
    starter = None
    if state.starter is not None:
        starter = next((seat for seat in order if seat > state.starter), order[0])
    need = rules.opening(starter)
    faces = draw(1, need) if need else ()
    match, began = Match.start(rules, order, starter, faces)
    if need:
        shown = None if need.hidden else faces
        cause = cause.but(drawn=Drawn(r=1, sides=need.sides, count=need.count, faces=shown))
    info = state.info.but(phase="playing", game_no=state.info.game_no + 1, winners=None)
    started = GameStarted(game_no=info.game_no, seats=tuple(order))
    after = replace(
        state,
        info=info,
        match=match,
        seats=state.seats.for_new_game(),
        starter=rules.first(match.state),
        draws=1 if need else 0,
    )
    return _change(after, state, cause, (*events, started, *began))


def _ready(state: State, seat: int, ready: bool, id: str, draw: Draw) -> Change:
    if state.info.phase != "waiting":
        raise Refused("illegal_move", "The game has already started.")
    seats = state.seats.change(seat, ready=ready)
    cause = Cause(kind="ready", seat=seat, id=id)
    events = (ReadyChanged(seat=seat, ready=ready),)
    all_ready = all(seats[other].ready for other in seats.present)
    if all_ready and len(seats.present) >= max(2, state.rules.least):
        return _start(replace(state, seats=seats), cause, events, draw)
    return _change(replace(state, seats=seats), state, cause, events)


def _rematch(state: State, seat: int, id: str, draw: Draw) -> Change:
    if state.info.phase != "over":
        raise Refused("illegal_move", "A rematch comes after the game.")
    seats = state.seats.change(seat, rematch=True)
    votes = sum(seats[other].rematch for other in seats.people)
    cause = Cause(kind="rematch", seat=seat, id=id)
    events = (WantsRematch(seat=seat, votes=votes, of=len(seats.people)),)
    if votes == len(seats.people) and len(seats.present) >= state.rules.least:
        return _start(replace(state, seats=seats), cause, events, draw)
    return _change(replace(state, seats=seats), state, cause, events)


def _add_bot(state: State, seat: int, command: AddBot) -> Change:
    if state.playing:
        raise Refused("illegal_move", "A bot can join when the game is over.")
    level = command.level or DEFAULT_LEVEL
    if level not in LEVELS:
        raise Refused("bad_message", f"There is no bot of that level. The levels are: {', '.join(LEVELS)}.")
    seats, bot = state.seats.add_bot(level, state.info.code)
    took = TookSeat(seat=bot, name=seats[bot].name)
    return _change(replace(state, seats=seats), state, Cause(kind="add_bot", seat=seat, id=command.id), (took,))


def _remove_bot(state: State, seat: int, command: RemoveBot) -> Change:
    bots = state.seats.bots
    if state.playing:
        raise Refused("illegal_move", "Bots stay until the game is over.")
    bot = command.target if command.target is not None else bots[-1] if bots else None
    if bot not in bots:
        raise Refused("illegal_move", "There is no bot to drop.")
    return leave_seat(state, bot, "dropped", Cause(kind="remove_bot", seat=seat, id=command.id))


def _kick(state: State, seat: int, command: Kick) -> Change:
    if command.target == seat:
        raise Refused("illegal_move", "You can't kick yourself. You can leave.")
    if command.target not in state.seats.people:
        raise Refused("illegal_move", "Nobody sits there.")
    return leave_seat(state, command.target, "kicked", Cause(kind="kick", seat=seat, id=command.id))


def _give_host(state: State, seat: int, command: GiveHost) -> Change:
    if command.target not in state.seats.people:
        raise Refused("illegal_move", "Only somebody who sits at the table can be host.")
    after = replace(state, seats=state.seats.give_host(command.target))
    cause = Cause(kind="give_host", seat=seat, id=command.id)
    return _change(after, state, cause, (HostChanged(seat=command.target),))


def _options(state: State, seat: int, command: ChangeOptions) -> Change:
    if state.info.phase != "waiting":
        raise Refused("illegal_move", "The options are locked once the game has started.")
    try:
        options = state.rules.options.changed(command.options)
    except OptionError as error:
        raise Refused("bad_message", str(error)) from None
    rules = type(state.rules)(options)
    seats = state.seats
    for other in seats.people:
        if other != seat and seats[other].ready:
            seats = seats.change(other, ready=False)  # they were ready for another game
    info = state.info.but(options=options.model_dump(mode="json", exclude_none=True), summary=rules.summary())
    cause = Cause(kind="options", seat=seat, id=command.id)
    events = (OptionsChanged(summary=info.summary),)
    return _change(replace(state, rules=rules, info=info, seats=seats), state, cause, events)


def _host_name(state: State) -> str:
    host = state.seats.host
    return "" if host is None else f" ({state.seats[host].name})"


def _not_your_turn(state: State, seat: int) -> str:
    if state.match and str(seat) not in state.match.state.seats:
        return "You play from the next game on."
    turn = waited_for(state)
    if turn is None or state.match is None:
        return "The game is over." if not state.playing else "It is not your turn."
    return f"Not your turn: {state.seats[turn].name} is {state.match.rules.doing}."


def _too_few(rules: Rules[Any, Any], seated: int) -> str:
    there = "there is 1" if seated == 1 else f"there are {seated}"
    return f"{rules.title} needs {rules.least} players; {there}. Wait for somebody, or add a bot."

"""What happens at a table: a command goes in, a change comes out. Pure, like the rules of the games.

`State` (state.py) is everything about a room that must survive a restart. `decide` gives the next state, with the cause
and the events of the update, or raises Refused. Moves are in play.py, the start of a game is in deal.py. The room
(room.py) commits the change, acknowledges it and publishes it.
"""

from collections.abc import Callable
from typing import Literal

from dicegames_protocol.base import Event, JsonObject
from dicegames_protocol.bot_levels import DEFAULT_LEVEL, LEVELS
from dicegames_protocol.messages.client import (
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
from dicegames_protocol.messages.room_events import (
    HostChanged,
    LeftSeat,
    OptionsChanged,
    OverSsh,
    ReadyChanged,
    StandIn,
    TookSeat,
    WantsRematch,
)
from dicegames_protocol.messages.server import Cause
from dicegames_protocol.options import OptionError
from dicegames_server.core.errors import Refused
from dicegames_server.games.base import By
from dicegames_server.games.dice import Dice
from dicegames_server.table import deal, draw, play
from dicegames_server.table.seats import Fate
from dicegames_server.table.state import ABANDONED, Change, State, change

Why = Literal["left", "kicked", "expired", "dropped"]
NO_BOTS = "There are no bots at this table: it was opened without them."
TableCommand = Ready | Start | AddBot | RemoveBot | Kick | GiveHost | ChangeOptions | Rematch


Begin = Callable[[State, State, Cause, tuple[Event, ...], Dice], Change]


def decide(
    state: State, seat: int | None, command: MakeMove | TableCommand, dice: Dice, begin: Begin = deal.begin
) -> Change:
    """The change that a command of a seat leads to. `seat` is None for a spectator. Raises Refused.

    `begin` begins a game. In a log of an earlier version it was another one.
    """
    if seat is None:
        raise Refused("unauthorized", "You are watching. Take a seat to play.")
    if state.abandoned:
        raise Refused("illegal_move", ABANDONED)
    if isinstance(command, MakeMove):  # its cause holds the move itself, so it needs no args
        return play.move(state, seat, command, dice)
    decided = _decide(state, seat, command, dice, begin)
    asked = command.model_dump(mode="json", exclude_none=True, exclude={"type", "id", "seat", "seq", "move"})
    args = {**asked, **(decided.cause.args or {})}
    return decided._replace(cause=decided.cause.but(args=args)) if args else decided


def _decide(state: State, seat: int, command: TableCommand, dice: Dice, begin: Begin) -> Change:
    match command:
        case Ready():
            return _ready(state, seat, command, dice, begin)
        case Rematch():
            return _rematch(state, seat, command, dice, begin)
    if seat != state.seats.host:
        raise Refused("unauthorized", f"Only the host can do that{_host_name(state)}.")
    match command:
        case Start():
            return _start(state, seat, command, dice, begin)
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


def take_seat(
    state: State,
    name: str,
    token_hash: str,
    key: str | None = None,
    program: bool = False,
    place: str | None = None,
    commit: str | None = None,
    over_ssh: bool = False,
) -> tuple[Change, int]:
    """A player sits down. Gives the change and the seat. While a game runs, they watch, and play from the next one."""
    if program and not state.info.bots:
        raise Refused("unauthorized", NO_BOTS)
    seats, seat = state.seats.sit(name, state.info.code)
    if program:
        seats = seats.change(seat, program=True)
    if over_ssh:
        seats, commit = seats.change(seat, over_ssh=True), None  # its share of the dice is the server's, as it says
    if commit:
        seats = seats.change(seat, commit=commit)
    seats = seats.with_token(seat, token_hash).with_key(seat, key).with_place(seat, place)
    took = TookSeat(seat=seat, name=seats[seat].name)
    args: JsonObject = {"name": name, **({"program": True} if program else {})}
    if over_ssh:
        args["over_ssh"] = True
    if commit:
        args["commit"] = commit
    return change(state.but(seats=seats), state, Cause(kind="join", seat=seat, args=args), (took,)), seat


def leave_seat(state: State, seat: int, why: Why, cause: Cause | None = None) -> Change:
    """A player or bot leaves for good: by their own wish, removed by the host, or absent for too long."""
    by: By = "clock" if why == "expired" else "player"
    cause = cause or Cause(kind="leave", seat=seat, by=by, args={"why": why})
    player = state.seats[seat]
    in_game = state.match is not None and str(seat) in state.match.state.seats and not player.left
    asked = state.pending is not None and seat in state.pending.members  # then the log names it, if it shows nothing
    fate: Fate = "bot" if in_game and state.playing else "kept" if in_game or asked else "removed"
    quits = why == "left" or (why == "expired" and cause.kind != "kick")
    seats = state.seats.vacate(seat, fate, quits=quits)
    events: list[Event] = [LeftSeat(seat=seat, name=player.name, why=why, bot_plays=fate == "bot")]
    if seats.host != state.seats.host and seats.host is not None:
        events.append(HostChanged(seat=seats.host))
    fair = draw.leave(state.fair, seat)
    return change(state.but(seats=seats, fair=fair), state, cause, tuple(events))


def abandon(state: State) -> Change:
    """The room ends in the middle of a game. The secret behind its dice and its sealed moves are still published."""
    fair = draw.advanced(state.fair, state.shown) if state.fair else None
    fair = fair.but(secret=state.secret.hex(), pending=None) if fair else None
    shown = play.opened(state.sealed) if state.sealed else None
    return change(
        state.but(fair=fair, act=None, shown={}, sealed={}, abandoned=True),
        state,
        Cause(kind="abandon", by="clock", opened=shown),
        (),
    )


def stand_in(state: State, seat: int, on: bool) -> Change:
    """A bot starts to play for an absent player (`on`), or gives the seat back."""
    seats = state.seats.change(seat, standin=on)
    cause = Cause(kind="stand_in", seat=seat, by="clock" if on else "player", args={"on": on})
    return change(state.but(seats=seats), state, cause, (StandIn(seat=seat, on=on),))


def play_over_ssh(state: State, seat: int, on: bool) -> Change:
    """A player has come back over ssh (`on`), or from a client of their own. The tip of the other way is void."""
    seats = state.seats.change(seat, over_ssh=on or None, commit=None)
    cause = Cause(kind="over_ssh", seat=seat, args={"on": on})
    return change(state.but(seats=seats), state, cause, (OverSsh(seat=seat, on=on),))


def _start(state: State, seat: int, command: Start, dice: Dice, begin: Begin) -> Change:
    if state.info.phase not in ("waiting", "over"):
        raise Refused("illegal_move", "The game is already running.")
    seats = state.seats.change(seat, **_commit(state, seat, command))
    return begin(state.but(seats=seats), state, Cause(kind="start", seat=seat), (), dice)


def _ready(state: State, seat: int, command: Ready, dice: Dice, begin: Begin) -> Change:
    if state.info.phase != "waiting":
        raise Refused("illegal_move", "The game has already started.")
    seats = state.seats.change(seat, ready=command.ready, **_commit(state, seat, command))
    cause = Cause(kind="ready", seat=seat)
    events = (ReadyChanged(seat=seat, ready=command.ready),)
    all_ready = all(seats[other].ready for other in seats.present)
    if all_ready and len(seats.present) >= max(2, state.rules.least):
        return begin(state.but(seats=seats), state, cause, events, dice)
    return change(state.but(seats=seats), state, cause, events)


def _rematch(state: State, seat: int, command: Rematch, dice: Dice, begin: Begin) -> Change:
    if state.info.phase != "over":
        raise Refused("illegal_move", "A rematch comes after the game.")
    seats = state.seats.change(seat, rematch=True, **_commit(state, seat, command))
    votes = sum(seats[other].rematch for other in seats.people)
    cause = Cause(kind="rematch", seat=seat)
    events = (WantsRematch(seat=seat, votes=votes, of=len(seats.people)),)
    if votes == len(seats.people) and len(seats.present) >= state.rules.least:
        return begin(state.but(seats=seats), state, cause, events, dice)
    return change(state.but(seats=seats), state, cause, events)


def _commit(state: State, seat: int, command: Start | Ready | Rematch) -> JsonObject:
    """The tip of a new chain, if the player gives one; else the one from before goes on. Over ssh there is none."""
    return {"commit": command.commit} if command.commit and not state.seats[seat].over_ssh else {}


def _add_bot(state: State, seat: int, command: AddBot) -> Change:
    if state.info.phase not in ("waiting", "over"):
        raise Refused("illegal_move", "A bot can join when the game is over.")
    if not state.info.bots:
        raise Refused("unauthorized", NO_BOTS)
    level = command.level or DEFAULT_LEVEL
    if level not in LEVELS:
        raise Refused("bad_message", f"There is no bot of that level. The levels are: {', '.join(LEVELS)}.")
    seats, bots = state.seats.add_bots(command.count, level, state.info.code)
    events = tuple(TookSeat(seat=bot, name=seats[bot].name) for bot in bots)
    cause = Cause(kind="add_bot", seat=seat, args={"level": level, "count": command.count})
    return change(state.but(seats=seats), state, cause, events)


def _remove_bot(state: State, seat: int, command: RemoveBot) -> Change:
    bots = state.seats.bots
    if state.info.phase not in ("waiting", "over"):
        raise Refused("illegal_move", "Bots stay until the game is over.")
    bot = command.target if command.target is not None else bots[-1] if bots else None
    if bot not in bots:
        raise Refused("illegal_move", "There is no bot to drop.")
    return leave_seat(state, bot, "dropped", Cause(kind="remove_bot", seat=seat))


def _kick(state: State, seat: int, command: Kick) -> Change:
    if command.target == seat:
        raise Refused("illegal_move", "You can't kick yourself. You can leave.")
    if command.target not in state.seats.people:
        raise Refused("illegal_move", "Nobody sits there.")
    why: Why = "expired" if command.away else "kicked"
    return leave_seat(state, command.target, why, Cause(kind="kick", seat=seat))


def _give_host(state: State, seat: int, command: GiveHost) -> Change:
    if command.target not in state.seats.people:
        raise Refused("illegal_move", "Only somebody who sits at the table can be host.")
    after = state.but(seats=state.seats.give_host(command.target))
    cause = Cause(kind="give_host", seat=seat)
    return change(after, state, cause, (HostChanged(seat=command.target),))


def _options(state: State, seat: int, command: ChangeOptions) -> Change:
    if state.info.phase != "waiting":
        raise Refused("illegal_move", "The options are locked once the game has started.")
    try:
        options = state.rules.options.changed(command.options)
        rules = type(state.rules)(options)
    except OptionError as error:
        raise Refused("bad_message", str(error)) from None
    seats = state.seats
    for other in seats.people:
        if other != seat and seats[other].ready:
            seats = seats.change(other, ready=False)  # they were ready for another game
    info = state.info.but(options=options.model_dump(mode="json", exclude_none=True), summary=rules.summary())
    cause = Cause(kind="options", seat=seat)
    events = (OptionsChanged(summary=info.summary),)
    return change(state.but(rules=rules, info=info, seats=seats), state, cause, events)


def _host_name(state: State) -> str:
    host = state.seats.host
    return "" if host is None else f" ({state.seats[host].name})"

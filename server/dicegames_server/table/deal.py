"""How a game begins: the server commits to its secret, a committee is named, the first dice are drawn. Pure.

`begin` publishes the tips of all chains before any link is shown. If the game needs dice for its start, these are drawn
like all others (draw.py), and the game starts when they are there. Otherwise it starts at once.
"""

from typing import Any

from dicegames_protocol.base import Event
from dicegames_protocol.fairness.scheme import SCHEME, committee
from dicegames_protocol.messages.room_events import Dealing, GameStarted, NotDealt
from dicegames_protocol.messages.server import Cause
from dicegames_protocol.table import Fair
from dicegames_server.bots import BOTS_VERSION
from dicegames_server.core.errors import Refused
from dicegames_server.games.base import Faces, Need, Rules
from dicegames_server.games.dice import Dice
from dicegames_server.games.match import Match
from dicegames_server.table import draw
from dicegames_server.table.state import Change, State, change


def begin(state: State, before: State, cause: Cause, events: tuple[Event, ...], dice: Dice) -> Change:
    """Begin a new game for everyone at the table. `before`: the state before the command. Raises Refused."""
    check_players(state)
    secret, tips = dice.secret(), _tips(state)
    commit = dice.commitment(secret)
    chosen = committee(commit, tips)
    without = tuple(seat for seat in state.seats.people if seat not in tips)
    fair = Fair(
        commit=commit,
        epoch=state.epoch,
        scheme=SCHEME,
        committee=chosen,
        links={str(seat): tips[seat] for seat in chosen},
        bots=BOTS_VERSION,
        rolls=None if state.rules.real_dice else state.rules.rolls or None,
        without=without or None,
    )
    cause = cause.but(args={**(cause.args or {}), "epoch": state.epoch})
    seats = state.seats.take_commits(chosen)
    bound = state.but(
        seats=seats, fair=fair, secret=secret, key=b"", shown={}, act=None, decided=0, draws=0, links=0, sealed={}
    )
    need = state.rules.opening(next_starter(bound))
    if need and chosen:
        dealing = bound.but(info=state.info.but(phase="dealing", winners=None))
        return draw.decide(dealing, before, need, None, cause, (*events, Dealing(commit=commit)))
    return _begun(bound, before, cause, events, need, dice)


def _begun(
    state: State, before: State, cause: Cause, events: tuple[Event, ...], need: Need | None, dice: Dice
) -> Change:
    """Start the game at once: no link has to be asked for."""
    faces: Faces = ()
    if need:
        state, faces, told = draw.drawn(state, need, {}, dice)
        cause = cause.but(drawn=told)
    after, more = start(state, faces)
    return change(after, before, cause, (*events, *more))


def deal(state: State, dice: Dice) -> Change:
    """The first dice can be drawn: start the game. With too few players the room waits again."""
    cause = Cause(kind="roll", by="clock")
    if len(state.seats.present) < state.rules.least:
        return change(_not_dealt(state), state, cause, (NotDealt(),))
    need = state.rules.opening(next_starter(state))
    assert need
    rolled, faces, told = draw.drawn(state, need, state.shown, dice)
    after, events = start(rolled, faces)
    return change(after, state, cause.but(drawn=told), events)


def _not_dealt(state: State) -> State:
    """The room waits for players again. Those who are still there keep their chains for the next game."""
    assert state.fair
    fair = draw.advanced(state.fair, state.shown).but(secret=state.secret.hex(), pending=None)
    seats = state.seats.without_left()
    for seat in seats.people:
        if seats[seat].commit is None and (tip := draw.next_of(fair, seat)):
            seats = seats.change(seat, commit=tip)
    info = state.info.but(phase="waiting")
    return state.but(fair=fair, seats=seats, info=info, match=None, act=None, shown={})


def check_players(state: State) -> None:
    """Raise Refused where too few or too many players are there for a game."""
    rules, seated = state.rules, len(state.seats.present)
    if seated < rules.least:
        raise Refused("illegal_move", _too_few(rules, seated))
    if rules.most is not None and seated > rules.most:
        raise Refused("illegal_move", f"{rules.title} is for {rules.most} players; {seated} sit here.")


def next_starter(state: State) -> int | None:
    """Who begins: the seat after the one that began the last game. None in the first game of a room."""
    order = state.seats.present
    if state.starter is None:
        return None
    return next((seat for seat in order if seat > state.starter), order[0])


def start(state: State, faces: Faces) -> tuple[State, tuple[Event, ...]]:
    """The first state of the game, and its events. `faces`: the dice for its start."""
    rules, order = state.rules, state.seats.present
    only_last = state.info.format is None
    match, began = Match.start(rules, order, next_starter(state), faces, only_last=only_last)
    info = state.info.but(phase="playing", game_no=state.info.game_no + 1, winners=None)
    after = state.but(
        info=info,
        match=match,
        seats=state.seats.for_new_game(),
        starter=rules.first(match.state),
        sealed={},
    )
    return after, (GameStarted(game_no=info.game_no, seats=tuple(order)), *began)


def _tips(state: State) -> dict[int, str]:
    """Seat -> what its next link must lead to: the tip that it gave since the last game, or where its chain stands."""
    before, tips = state.fair, {}
    played = state.match.state.seats if state.match and before and before.scheme == SCHEME else ()
    for seat in state.seats.people:
        tip = state.seats[seat].commit
        if tip is None and before and str(seat) in played and str(seat) not in (before.out or {}):
            tip = draw.next_of(before, seat)
        if tip:
            tips[seat] = tip
    return tips


def _too_few(rules: Rules[Any, Any], seated: int) -> str:
    there = "there is 1" if seated == 1 else f"there are {seated}"
    return f"{rules.title} needs {rules.least} players; {there}. Wait for somebody, or add a bot."

"""How a game begins: the server commits to its secret, the clients reveal their seeds, the dice are dealt. Pure.

1. `begin` draws the secret and publishes its hash. Players have published the hashes of their seeds with `ready`.
2. `reveal` takes one seed. When all are there, or the time is up, `deal` combines secret and seeds and starts the
   game. A seat that reveals nothing in time is left out, and the update says so.
Where nobody has published a hash, `begin` starts the game at once.
"""

from typing import Any

from dicegames_protocol import fairness
from dicegames_protocol.base import Event
from dicegames_protocol.messages.client import Reveal
from dicegames_protocol.messages.server import Cause, Drawn
from dicegames_protocol.table import Dealing, Dealt, Fair, GameStarted, NotDealt
from dicegames_server.core.errors import Refused
from dicegames_server.games.base import Rules
from dicegames_server.games.dice import Dice
from dicegames_server.games.match import Match
from dicegames_server.table.state import Change, State, change, dice_key


def begin(state: State, before: State, cause: Cause, events: tuple[Event, ...], dice: Dice) -> Change:
    """Begin a new game for everyone at the table. `before`: the state before the command. Raises Refused."""
    rules, seated = state.rules, len(state.seats.present)
    if seated < rules.least:
        raise Refused("illegal_move", _too_few(rules, seated))
    if rules.most is not None and seated > rules.most:
        raise Refused("illegal_move", f"{rules.title} is for {rules.most} players; {seated} sit here.")
    secret = dice.secret()
    fair = Fair(commit=fairness.commitment(secret), epoch=state.epoch)
    cause = cause.but(args={**(cause.args or {}), "epoch": state.epoch})
    bound = state.but(fair=fair, secret=secret, key=b"", revealed={})
    if not _owe_seeds(bound):
        dealt, more, drawn = _start(bound, dice)
        return change(dealt, before, cause.but(drawn=drawn), (*events, *more))
    after = bound.but(info=state.info.but(phase="dealing"))
    return change(after, before, cause, (*events, Dealing(commit=fair.commit)))


def reveal(state: State, seat: int, command: Reveal) -> State:
    """Take the seed of a seat. It becomes public with all others, in the update of `deal`. Raises Refused."""
    if state.info.phase != "dealing":
        raise Refused("illegal_move", "No seeds are asked for now.")
    seed = bytes.fromhex(command.seed)
    if fairness.commitment(seed) != state.seats[seat].commit:
        raise Refused("illegal_move", "That is not the seed whose hash was sent.")
    return state.but(revealed={**state.revealed, seat: seed})


def all_revealed(state: State) -> bool:
    return state.info.phase == "dealing" and not set(_owe_seeds(state)) - set(state.revealed)


def deal(state: State, dice: Dice) -> Change:
    """Make the key of the dice from secret and seeds, and start the game. With too few players the room waits again."""
    if state.info.phase != "dealing" or state.fair is None:
        raise Refused("illegal_move", "Nothing is being dealt.")
    cause = Cause(kind="deal", by="clock")
    if len(state.seats.present) < state.rules.least:
        waiting = state.but(fair=None, secret=b"", info=state.info.but(phase="waiting"), match=None)
        return change(waiting, state, cause, (NotDealt(),))
    there = {seat: seed for seat, seed in state.revealed.items() if seat in state.seats.present}
    missing = tuple(seat for seat in _owe_seeds(state) if seat not in there)
    seeds = {str(seat): there[seat].hex() for seat in sorted(there)}
    fair = state.fair.but(seeds=seeds, missing=missing or None)
    dealt, events, drawn = _start(state.but(fair=fair), dice)
    return change(dealt, state, cause.but(drawn=drawn), (Dealt(seats=tuple(sorted(there)), missing=missing), *events))


def _owe_seeds(state: State) -> list[int]:
    return [seat for seat in state.seats.present if state.seats[seat].commit is not None]


def _start(state: State, dice: Dice) -> tuple[State, tuple[Event, ...], Drawn | None]:
    """The first state of the game, its events, and its first draw. In a rematch the next seat begins."""
    assert state.fair
    rules, order = state.rules, state.seats.present
    key = dice_key(state.secret, state.fair, state.info)
    starter = None
    if state.starter is not None:
        starter = next((seat for seat in order if seat > state.starter), order[0])
    need = rules.opening(starter)
    faces = dice.draw(key, 1, need) if need else ()
    match, began = Match.start(rules, order, starter, faces)
    drawn = None
    if need:
        shown = None if need.hidden else faces
        drawn = Drawn(r=1, sides=need.sides, count=need.count, faces=shown)
    info = state.info.but(phase="playing", game_no=state.info.game_no + 1, winners=None)
    after = state.but(
        info=info,
        match=match,
        seats=state.seats.for_new_game(),
        starter=rules.first(match.state),
        key=key,
        revealed={},
        bests={},
        sealed={},
        draws=1 if need else 0,
    )
    return after, (GameStarted(game_no=info.game_no, seats=tuple(order)), *began), drawn


def _too_few(rules: Rules[Any, Any], seated: int) -> str:
    there = "there is 1" if seated == 1 else f"there are {seated}"
    return f"{rules.title} needs {rules.least} players; {there}. Wait for somebody, or add a bot."

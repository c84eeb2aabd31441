"""Farkle for the win, for any number of players: the chances between two turns, and the best turn.

- Two players: the duel's chances (duel.py).
- Several: the odds against each rival are those of a duel, and they add up. That is close.
- Last turns: whoever is still to play tries to overtake the best score, each for himself. With one player left that is
  exact, else close.
- Alone there is nothing to win, so the turn is played for points.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple

from dicegames_protocol.games.farkle import FarkleState
from dicegames_server.bots.theory.farkle.duel import Duel, HouseRules, beyond, duel
from dicegames_server.bots.theory.farkle.points import MANY_TURNS, enough_for, least_bank, usual
from dicegames_server.bots.theory.farkle.turn import MOST_ROWS, NEVER, Turn, step
from dicegames_server.games.base import after, in_order
from dicegames_server.games.farkle import FARKLES_IN_A_ROW, Farkle

MOST_PLAYERS = 7
"""Most players that are reckoned with: who is to move, and those who are furthest ahead."""
_ROWS_OF_SEVERAL = 400
_FARKLES = 1 / 4
"""About how often a turn ends with a farkle."""
_LEAD_OF_OVERTAKING = 0.5
"""About by how many usual turns somebody leads who has just overtaken the leader."""


class Standing(NamedTuple):
    """A game between two turns."""

    left: tuple[int, ...]
    """Points left to the target, in the order of play. The first one is to move."""
    coming: int | None = None
    """In the last turns: how many have yet to play, from the first one on."""

    def moved_on(self, points: int) -> "Standing":
        """After the first one's turn has brought so many points."""
        mine = self.left[0] - points
        left = (*self.left[1:], mine)
        if self.coming is not None:
            return Standing(left, self.coming - 1)
        return Standing(left, len(left) - 1 if mine <= 0 else None)


class Position(NamedTuple):
    """A turn, and what its best play depends on."""

    rules: HouseRules
    standing: Standing
    least: int
    """Fewest points that can be banked."""
    penalty: int
    """Points that a farkle costs on average, because of farkles in a row."""


def position_of(rules: Farkle, state: FarkleState) -> tuple[Position, list[int]]:
    """The position of a turn, and the seats in it, in the order of play. Seats that are far behind are left out."""
    options, turn = rules.options, state.turn
    order = [turn, *after(in_order(state), turn)[:-1]]
    if len(order) > MOST_PLAYERS:
        furthest = sorted(order[1:], key=lambda seat: -state.seats[str(seat)].score)[: MOST_PLAYERS - 1]
        kept = {turn, *furthest} | ({state.closer} if state.closer is not None else set())
        order = [seat for seat in order if seat in kept]
    coming = None if state.closer is None else order.index(state.closer)
    left = tuple(options.target - state.seats[str(seat)].score for seat in order)
    key = HouseRules(rules.scoring, options.target, options.minimum, options.opening)
    row = state.seats[str(turn)].farkles
    penalty = round(options.three_farkles * _FARKLES ** (FARKLES_IN_A_ROW - 1 - row))
    return Position(key, Standing(left, coming), least_bank(rules, state, turn), penalty), order


def chances(rules: HouseRules, standing: Standing) -> tuple[float, ...]:
    """The chance to win of each player, in the order of play."""
    left, coming = standing
    if len(left) == 1:
        return (1.0,)
    known = duel(*rules)
    if coming is not None:
        return _last_turns(known, usual(rules.scoring), left, coming)
    if len(left) == 2:
        first = known.chance(*left)
        return first, 1.0 - first
    *others, last = left
    return _Several(known, others).chances(last)


class _Several:
    """Three and more between two turns: what can be worked out before it is known how the last one's turn ended."""

    def __init__(self, known: Duel, others: Sequence[int]) -> None:
        """`others`: points left of all but the last one, in the order of play."""
        self._known, self._others = known, others
        pairs = range(len(others))
        self._against = [sum(self._odds(player, other) for other in pairs if other != player) for player in pairs]
        """For each of the others, the sum of the odds of the rest of them against it."""

    def _odds(self, player: int, other: int) -> float:
        """The odds of another one against a player. Whoever comes first in the order is to move."""
        if player < other:
            return _odds(1.0 - self._known.chance(self._others[player], self._others[other]))
        return _odds(self._known.chance(self._others[other], self._others[player]))

    def chances(self, last: int) -> tuple[float, ...]:
        """The chances of all, where the last one has so many points left."""
        odds = [_odds(self._known.chance(left, last)) for left in self._others]
        shares = [
            *(1.0 / (1.0 + against + 1.0 / mine) for against, mine in zip(self._against, odds, strict=True)),
            1.0 / (1.0 + sum(odds)),
        ]
        whole = sum(shares)
        return tuple(share / whole for share in shares)


def _odds(chance: float) -> float:
    chance = min(max(chance, 1e-9), 1.0 - 1e-9)
    return chance / (1.0 - chance)


def _last_turns(known: Duel, usual_points: float, left: Sequence[int], coming: int) -> tuple[float, ...]:
    """The chances in the last turns. Whoever is to play has yet to overtake the best of all others."""
    best = min(left[coming:])
    overtakes = known.last_word.overtakes
    further = round(best - _LEAD_OF_OVERTAKING * usual_points)
    shares = [
        overtakes(left[player] - best)
        * prod(1.0 - overtakes(left[later] - further) for later in range(player + 1, coming))
        for player in range(coming)
    ]
    whole, holds = sum(shares), _holds(known, left[:coming], best)
    leaders = sum(points == best for points in left[coming:])
    return (
        *((1.0 - holds) * share / whole if whole else 0.0 for share in shares),
        *(holds / leaders if points == best else 0.0 for points in left[coming:]),
    )


def _holds(known: Duel, coming: Sequence[int], best: int) -> float:
    """The chance that nobody of those to come overtakes the best one."""
    return prod(1.0 - known.last_word.overtakes(left - best) for left in coming)


def _worth(rules: HouseRules, standing: Standing) -> Callable[[int], float]:
    """Points -> the chance of the one whose turn brings so many. As in `chances`, but the rest is worked out once."""
    (mine, *others), coming = standing
    known = duel(*rules)
    ahead = others if coming is None else others[: coming - 1]
    done = min(others[len(ahead) :], default=None)
    ties = 1 + sum(left == done for left in others[len(ahead) :])
    several = _Several(known, others) if coming is None and len(others) > 1 else None

    def worth(points: int) -> float:
        left = mine - points
        if coming is None and left > 0:
            return several.chances(left)[-1] if several else 1.0 - known.chance(others[0], left)
        if done is not None and left > done:
            return 0.0
        return _holds(known, ahead, left) / (ties if left == done else 1)

    return worth


@lru_cache(maxsize=64)
def best_turn(position: Position) -> Turn:
    """The best play of a turn: for the win, or for points where nobody else plays."""
    rules, standing, least, penalty = position
    scoring, left = rules.scoring, standing.left
    if len(left) == 1:
        enough = enough_for(scoring, rules.target, least)
        return Turn(scoring, lambda points: float(points) if points >= least else NEVER, enough=enough)

    worth = _worth(rules, standing)
    return Turn(
        scoring,
        lambda points: worth(points) if points >= least else NEVER,
        enough=max(least, _enough(rules, standing)),
        lost=worth(-penalty),
        most_rows=MOST_ROWS if len(left) == 2 else _ROWS_OF_SEVERAL,
    )


def _enough(rules: HouseRules, standing: Standing) -> int:
    """Points with which the player banks at once."""
    mine, usual_points = standing.left[0], usual(rules.scoring)
    if standing.coming is None:
        return min(round(mine + beyond(rules)), round(MANY_TURNS * usual_points))
    behind = max(0, mine - min(standing.left[standing.coming :]))
    return behind + (step(rules.scoring) if standing.coming == 1 else round(beyond(rules)))

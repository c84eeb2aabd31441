"""Sevens, solved exactly: what a roll leaves, and what a turn is worth.

All dice that are left are rolled again. So the state of a turn is only the number of dice left, their sum, and the
rolls that remain. `Turn` finds the best decision for any goal: `worth` gives the value of ending the turn with a number
of points. That value may be the points themselves or a chance to win.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from math import factorial

from dicegames_protocol.games.sevens import SevensState
from dicegames_protocol.messages.server import Chance
from dicegames_server.games.sevens import DICE, ROLLS, Sevens, pairs_of_seven

Left = tuple[int, int]
"""How many dice are left, and their sum."""
MOST = 6 * DICE
"""Most points of a turn."""


@cache
def outcomes(dice: int) -> tuple[tuple[Left, int], ...]:
    """What a roll of `dice` dice may leave, and in how many of 6**dice cases it does."""
    found: dict[Left, int] = {}
    for faces in combinations_with_replacement(range(1, 7), dice):
        ways = factorial(dice)
        for face in set(faces):
            ways //= factorial(faces.count(face))
        gone = {place for pair in pairs_of_seven(faces) for place in pair}
        left = [face for place, face in enumerate(faces) if place not in gone]
        found[len(left), sum(left)] = found.get((len(left), sum(left)), 0) + ways
    return tuple(found.items())


class Turn:
    """Best play of one turn. `worth`: points -> the value of ending the turn with them."""

    def __init__(self, worth: Callable[[int], float]) -> None:
        self._worth = [worth(points) for points in range(MOST + 1)]
        self._rolls: dict[tuple[int, int], float] = {}

    def of_rolling(self, dice: int, rolls: int) -> float:
        """The value of rolling `dice` dice. `rolls`: rolls left, including this one."""
        key = dice, rolls
        if key not in self._rolls:
            total = sum(self.of_having(left, rolls - 1) * ways for left, ways in outcomes(dice))
            self._rolls[key] = total / 6**dice
        return self._rolls[key]

    def of_having(self, left: Left, rolls: int) -> float:
        """The value of having these dice left. `rolls`: rolls left."""
        dice, points = left
        keep = self._worth[points]
        return max(keep, self.of_rolling(dice, rolls)) if dice and rolls else keep

    def rolls_again(self, left: Left, rolls: int) -> bool:
        """Whether rolling on is better than keeping."""
        dice, points = left
        return bool(dice and rolls) and self.of_rolling(dice, rolls) > self._worth[points]

    def distribution(self) -> tuple[float, ...]:
        """How likely it is to end the turn with 0, 1, 2 … points."""
        found = [0.0] * (MOST + 1)
        self._spread(DICE, ROLLS, 1.0, found)
        return tuple(found)

    def _spread(self, dice: int, rolls: int, share: float, found: list[float]) -> None:
        for left, ways in outcomes(dice):
            part = share * ways / 6**dice
            if self.rolls_again(left, rolls - 1):
                self._spread(left[0], rolls - 1, part, found)
            else:
                found[left[1]] += part


POINTS = Turn(float)
"""Best play for points alone. It brings 11.865352 points per turn on average."""


@lru_cache(maxsize=256)
def totals(turns: int) -> tuple[float, ...]:
    """The distribution of the total points of `turns` turns that are played for points."""
    if turns == 0:
        return (1.0,)
    one, rest = POINTS.distribution(), totals(turns - 1)
    found = [0.0] * (len(one) + len(rest) - 1)
    for points, share in enumerate(one):
        if share:
            for more, part in enumerate(rest):
                found[points + more] += share * part
    return tuple(found)


def chance_to_win(mine: int, my_turns: int, others: Sequence[tuple[int, int]]) -> float:
    """The chance to be ahead of all others at the end. Ties are played off, so a tie of n players counts as 1/n.

    `others`: total so far and turns to come of each.
    """
    chance = 0.0
    ahead = [_below(total, turns) for total, turns in others]
    for points, share in enumerate(totals(my_turns)):
        if share:
            chance += share * _best_of(mine + points, ahead)
    return chance


def _best_of(final: int, others: Sequence[Callable[[int], tuple[float, float]]]) -> float:
    """The chance that nobody has more than `final`. A tie of n players counts as 1/n."""
    ways = [1.0]  # index: how many others tie with us
    for other in others:
        less, equal = other(final)
        ways = [
            (ways[tied] if tied < len(ways) else 0.0) * less + (ways[tied - 1] * equal if tied else 0.0)
            for tied in range(len(ways) + 1)
        ]
    return sum(share / (tied + 1) for tied, share in enumerate(ways))


def _below(total: int, turns: int) -> Callable[[int], tuple[float, float]]:
    shares = totals(turns)
    sums = _sums(turns)

    def at(final: int) -> tuple[float, float]:
        need = final - total
        less = 0.0 if need <= 0 else sums[min(need, len(sums)) - 1] if need - 1 < len(sums) else 1.0
        return less, shares[need] if 0 <= need < len(shares) else 0.0

    return at


@lru_cache(maxsize=256)
def _sums(turns: int) -> tuple[float, ...]:
    found, total = [], 0.0
    for share in totals(turns):
        total += share
        found.append(total)
    return tuple(found)


def to_beat(points: int, dice: int, rolls: int) -> Fraction:
    """The chance to have more than `points` left, for a player who rolls on until then. `rolls`: rolls left."""
    good = Fraction(0)
    for (left, total), ways in outcomes(dice):
        if total > points:
            good += Fraction(ways, 6**dice)
        elif left and rolls > 1:
            good += Fraction(ways, 6**dice) * to_beat(points, left, rolls - 1)
    return good


def chances(rules: Sevens, state: SevensState, seat: int) -> tuple[Chance, ...]:
    """The odds of rolling again."""
    if state.turn != seat or not state.left:
        return ()
    now, dice, rolls = sum(state.left), len(state.left), ROLLS - state.roll
    of = 6**dice
    less = sum(ways for (_, total), ways in outcomes(dice) if total < now)
    gone = sum(ways for (left, _), ways in outcomes(dice) if not left)
    told = [
        _chance(f"one more roll beats {now}", to_beat(now, dice, 1)),
        Chance(what="one more roll brings less", good=less, of=of),
        Chance(what="nothing is left after it", good=gone, of=of),
    ]
    return (*told, _chance(f"two more rolls beat {now}", to_beat(now, dice, 2))) if rolls > 1 else tuple(told)


def _chance(what: str, share: Fraction) -> Chance:
    return Chance(what=what, good=share.numerator, of=share.denominator)

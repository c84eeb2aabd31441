"""Sevens, solved exactly: what a roll leaves, and what a turn is worth.

All dice that are left are rolled again. So the state of a turn is only the number of dice left, their sum, and the
rolls that remain. `Turn` finds the best decision for any goal: `worth` gives the value of ending the turn with a number
of points. That value may be the points themselves or a chance to win (sevens_outlook.py).
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, inf
from operator import itemgetter, mul

from dicegames_protocol.games.sevens import SevensState
from dicegames_protocol.messages.server import Chance
from dicegames_server.games.sevens import DICE, ROLLS, Sevens, pairs_of_seven

_Pick = Callable[[Sequence[float]], tuple[float, ...]]
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


@cache
def _lefts(dice: int) -> tuple[Left, ...]:
    return tuple(left for left, _ in outcomes(dice))


@cache
def _columns(dice: int) -> tuple[_Pick, _Pick]:
    """Picks from a list, for each outcome in order: by the number of dice left, and by their sum."""
    numbers, points = zip(*_lefts(dice), strict=True)
    return itemgetter(*numbers), itemgetter(*points)


@cache
def _shares(dice: int) -> tuple[float, ...]:
    """How likely each of the outcomes is, in the same order."""
    return tuple(ways / 6**dice for _, ways in outcomes(dice))


@cache
def after_one_roll(dice: int) -> tuple[float, ...]:
    """How likely one roll is to leave 0, 1, 2 … points."""
    found = [0.0] * (MOST + 1)
    for (_, points), share in zip(_lefts(dice), _shares(dice), strict=True):
        found[points] += share
    return tuple(found)


def dot(values: Iterable[float], shares: Iterable[float]) -> float:
    """The mean of values that are so likely."""
    found: float = sum(map(mul, values, shares))
    return found


class Turn:
    """Best play of one turn. `worth`: the value of ending the turn with 0, 1, 2 … points."""

    def __init__(self, worth: Sequence[float]) -> None:
        self._worth = worth
        self._rolls: dict[tuple[int, int], float] = {}

    def of_rolling(self, dice: int, rolls: int) -> float:
        """The value of rolling `dice` dice. `rolls`: rolls left, including this one."""
        key = dice, rolls
        if key not in self._rolls:
            self._rolls[key] = self._rolling(dice, rolls)
        return self._rolls[key]

    def _rolling(self, dice: int, rolls: int) -> float:
        if rolls == 1:
            return dot(self._worth, after_one_roll(dice))
        again = [-inf] * (DICE + 1)
        for left in range(2 - dice % 2, dice + 1, 2):  # dice vanish in pairs
            again[left] = self.of_rolling(left, rolls - 1)
        number, points = _columns(dice)
        return dot(map(max, points(self._worth), number(again)), _shares(dice))

    def of_having(self, left: Left, rolls: int) -> float:
        """The value of having these dice left. `rolls`: rolls left."""
        dice, points = left
        keep = self._worth[points]
        return max(keep, self.of_rolling(dice, rolls)) if dice and rolls else keep

    def rolls_again(self, left: Left, rolls: int) -> bool:
        """Whether rolling on is better than keeping."""
        dice, points = left
        return bool(dice and rolls) and self.of_rolling(dice, rolls) > self._worth[points]

    def ends(self, dice: int = DICE, rolls: int = ROLLS) -> list[float]:
        """How likely it is to end the turn with 0, 1, 2 … points, for a player who rolls `dice` dice now."""
        found = [0.0] * (MOST + 1)
        rolling = {dice: 1.0}
        for more in range(rolls - 1, 0, -1):
            after: dict[int, float] = {}
            for number, share in rolling.items():
                for (left, points), part in zip(_lefts(number), _shares(number), strict=True):
                    if left and self.of_rolling(left, more) > self._worth[points]:
                        after[left] = after.get(left, 0.0) + share * part
                    else:
                        found[points] += share * part
            rolling = after
        for number, share in rolling.items():
            found = [so_far + share * part for so_far, part in zip(found, after_one_roll(number), strict=True)]
        return found


POINTS = Turn(range(MOST + 1))
"""Best play for points alone. It brings 11.865352 points per turn on average."""


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

"""Farkle, solved for one turn: the best play under any table of points, for any goal.

Before a roll, the state of a turn is only the points at risk and the number of dice to roll. Points only grow within
a turn, so the values are worked out backwards: from `enough` points on, every player banks right after the roll. Rolls
with the same selections are counted together. More points are not always better: who reaches the target with a small
lead gives the others a last turn. So all selections count; only under wild tables, of those that leave the same number
of dice, only the one worth most does.

All points are multiples of the table's greatest common divisor, so there is a row of values for each multiple of it.
The work is bounded, whatever the options and the scores are: with more than `most_rows` multiples, rows lie further
apart, and values between two of them are interpolated. Then they are close instead of exact.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, gcd
from typing import NamedTuple

from dicegames_server.games.farkle import DICE
from dicegames_server.games.farkle_scoring import Scoring, selections

MOST_ROWS = 800
"""Most numbers of points that get values of their own. Under wild tables, with more outcomes, there are fewer."""
FEWEST_ROWS = 60
USUAL_EFFORT = 1100
ROUNDS = 3
"""How often a row is worked out that depends on itself, because a selection is worth less than the next row is away."""
NEVER = -1.0
"""The worth of points that can't be banked. Rolling on is always better."""
Way = tuple[int, int]
"""Points of a selection, and how many dice are rolled after it."""
Outcome = tuple[int, tuple[Way, ...]]
"""In how many of 6**dice rolls, and what can be kept then. Nothing to keep is a farkle."""


class Ends(NamedTuple):
    """How a turn may end, and how likely that is."""

    farkle: float
    banked: dict[int, float]
    """Points -> chance."""


class _Roll(NamedTuple):
    """The outcomes of a roll of some dice. Ways are told by their places in `_Rolls.ways`."""

    farkle: float
    forced: tuple[tuple[float, int], ...]
    """The chance of outcomes with one way, and that way."""
    free: tuple[tuple[float, tuple[int, ...]], ...]
    """The chance of outcomes with several ways, and these."""


class _Rolls(NamedTuple):
    ways: tuple[Way, ...]
    by_dice: tuple[_Roll, ...]
    """For 1 to 6 dice."""


@lru_cache(maxsize=512)
def outcomes(dice: int, scoring: Scoring) -> tuple[Outcome, ...]:
    """All outcomes of a roll of `dice` dice."""
    found: dict[tuple[Way, ...], int] = {}
    for faces in combinations_with_replacement(range(1, 7), dice):
        cases = factorial(dice)
        for face in set(faces):
            cases //= factorial(faces.count(face))
        ways = tuple(sorted({(points, dice - len(key) or DICE) for key, points in selections(faces, scoring).items()}))
        found[ways] = found.get(ways, 0) + cases
    return tuple((cases, ways) for ways, cases in found.items())


@lru_cache(maxsize=64)
def _rolls(scoring: Scoring) -> _Rolls:
    places: dict[Way, int] = {}
    by_dice = []
    for dice in range(1, DICE + 1):
        farkle, forced, free = 0.0, [], []
        for cases, ways in outcomes(dice, scoring):
            kept = _worth_most(ways) if is_wild(scoring) else ways
            chance, numbers = cases / 6**dice, tuple(places.setdefault(way, len(places)) for way in kept)
            if not numbers:
                farkle = chance
            elif len(numbers) == 1:
                forced.append((chance, numbers[0]))
            else:
                free.append((chance, numbers))
        by_dice.append(_Roll(farkle, tuple(forced), tuple(free)))
    return _Rolls(tuple(places), tuple(by_dice))


@lru_cache(maxsize=64)
def effort(scoring: Scoring) -> int:
    """How long a row of values takes to work out, compared with USUAL_EFFORT for the printed tables."""
    return sum(len(ways) for dice in range(1, DICE + 1) for _, ways in outcomes(dice, scoring))


def is_wild(scoring: Scoring) -> bool:
    return effort(scoring) > 2 * USUAL_EFFORT


def _worth_most(ways: tuple[Way, ...]) -> tuple[Way, ...]:
    """The way that is worth most, for each number of dice."""
    best = {rest: points for points, rest in ways}  # ways are in the order of their points
    return tuple((points, rest) for rest, points in best.items())


@lru_cache(maxsize=64)
def step(scoring: Scoring) -> int:
    """The greatest common divisor of the table: all points are multiples of it."""
    return gcd(*(points for _, points in scoring.combinations)) or 1


class Turn:
    """Best play of one turn. `worth`: points -> the value of banking them, or NEVER. `lost`: the value of a farkle."""

    def __init__(
        self,
        scoring: Scoring,
        worth: Callable[[int], float],
        *,
        enough: int,
        lost: float = 0.0,
        most_rows: int = MOST_ROWS,
    ) -> None:
        self.enough = enough
        """Points from which on the player banks at once."""
        self._rolls = _rolls(scoring)
        most_rows = min(most_rows, max(FEWEST_ROWS, most_rows * USUAL_EFFORT // effort(scoring)))
        self._step = max(step(scoring), -(-enough // most_rows))
        if any(points < self._step for points, _ in self._rolls.ways):  # rows take longer then
            self._step = max(step(scoring), -(-2 * enough // most_rows))
        self._worth = worth
        self._lost = lost
        self._last = -(-enough // self._step)
        self._ways = tuple((points, rest, *divmod(points, self._step)) for points, rest in self._rolls.ways)
        self.rounds = ROUNDS if any(up == 0 for _, _, up, _ in self._ways) else 1
        """How often each row is worked out."""
        self._banking: dict[int, float] = {}
        self._values: list[list[float]] = []
        """By row and dice."""
        self._of_rows: list[list[float]] = []
        """The values of all ways, by row."""

    @property
    def rows(self) -> int:
        """Numbers of points that have values of their own."""
        return self._last + 1

    def of_rolling(self, points: int, dice: int) -> float:
        """The value of rolling `dice` dice with `points` at risk."""
        values = self._worked_out()
        place, rest = divmod(points, self._step)
        if place >= self._last:
            return values[self._last][dice]
        low = values[place][dice]
        return low + (values[place + 1][dice] - low) * rest / self._step

    def of_banking(self, points: int) -> float:
        value = self._banking.get(points)
        if value is None:
            value = self._banking[points] = self._worth(points)
        return value

    def ends(self, points: int = 0, dice: int = DICE) -> Ends:
        """How the turn ends after rolling `dice` dice with `points` at risk, if it is played as well as can be."""
        self._worked_out()
        size = self._step
        farkle, banked = 0.0, dict[int, float]()
        waiting = [[0.0] * (DICE + 1) for _ in range(self._last + 2)]
        place, part = divmod(min(points, self._last * size), size)
        waiting[place][dice], waiting[place + 1][dice] = 1 - part / size, part / size
        for at in range(self._last + 1):
            if not any(waiting[at]):
                continue
            ways = self._of_rows[at]
            for _ in range(self.rounds):
                shares, waiting[at] = waiting[at], [0.0] * (DICE + 1)
                for share, roll in zip(shares[1:], self._rolls.by_dice, strict=True):
                    if not share:
                        continue
                    farkle += share * roll.farkle
                    taken = [*roll.forced, *((chance, max(free, key=ways.__getitem__)) for chance, free in roll.free)]
                    for chance, way in taken:
                        more, rest, up, over = self._ways[way]
                        end, much = at * size + more, share * chance
                        if at + up > self._last or ways[way] <= self.of_banking(end):
                            banked[end] = banked.get(end, 0.0) + much
                            continue
                        waiting[at + up][rest] += much * (1 - over / size)
                        waiting[min(at + up + 1, self._last)][rest] += much * over / size
            if any(waiting[at]):  # what is left of rolls that stay between two rows
                waiting[at + 1] = [one + two for one, two in zip(waiting[at], waiting[at + 1], strict=True)]
        return Ends(farkle + sum(waiting[self._last + 1]), banked)

    def _worked_out(self) -> list[list[float]]:
        if not self._values:
            values = [[0.0] * (DICE + 1) for _ in range(self._last + 2)]
            self._of_rows = [[] for _ in range(self._last + 1)]
            for at in range(self._last, -1, -1):
                values[at] = values[min(at + 1, self._last)]
                for _ in range(self.rounds):
                    values[at] = self._row(at, values)
            self._values = values
        return self._values

    def _row(self, at: int, values: list[list[float]]) -> list[float]:
        ways = self._of_rows[at] = self._of_ways(at, values)
        of_way = ways.__getitem__
        row = [0.0]
        for roll in self._rolls.by_dice:
            total = roll.farkle * self._lost
            for chance, way in roll.forced:
                total += chance * ways[way]
            for chance, free in roll.free:
                total += chance * max(map(of_way, free))
            row.append(total)
        return row

    def _of_ways(self, at: int, values: list[list[float]]) -> list[float]:
        """The value of each way from a row on: that of banking, or of rolling on where that is better."""
        points, last, size, known = at * self._step, self._last, self._step, self._banking
        found = []
        for more, rest, up, over in self._ways:
            reached, place = points + more, at + up
            best = known.get(reached)
            if best is None:
                best = self.of_banking(reached)
            if place <= last:
                rolled = values[place][rest]
                if over:
                    rolled += (values[min(place + 1, last)][rest] - rolled) * over / size
                if rolled > best:
                    best = rolled
            found.append(best)
        return found

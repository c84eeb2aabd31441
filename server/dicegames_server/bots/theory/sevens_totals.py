"""Sevens: how many points some turns bring, and who has most of them at the end.

Turns to come are thought to be played for points. Players who end with the same total play on; so a tie of n players
counts as 1/n for each.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise, repeat
from math import ceil, cos, erf, floor, pi, sqrt
from operator import add, mul, sub
from typing import NamedTuple

from dicegames_server.bots.theory.sevens import MOST, POINTS

MOST_EXACT = 30
"""With more turns than this to come, the sum of their points is thought to be normally distributed."""
MOST_NODES = 8
FAR = 8.5
"""Standard deviations. Totals that are further from the mean than this do not occur."""
CELLS_EACH_WAY = 12
"""Cells in a standard deviation of a sum that is not exact."""


@cache
def one_turn() -> tuple[float, ...]:
    """How likely a turn is to bring 0, 1, 2 … points."""
    return tuple(POINTS.ends())


@cache
def _mean_and_variance() -> tuple[float, float]:
    mean = sum(points * share for points, share in enumerate(one_turn()))
    return mean, sum((points - mean) ** 2 * share for points, share in enumerate(one_turn()))


@lru_cache(maxsize=MOST_EXACT + 1)
def _sum_of(turns: int) -> tuple[float, ...]:
    """How likely so many turns are to bring 0, 1, 2 … points."""
    if turns == 0:
        return (1.0,)
    rest = _sum_of(turns - 1)
    found = [0.0] * (len(rest) + MOST)
    for points, share in enumerate(one_turn()):
        if share:
            part = map(add, found[points : points + len(rest)], map(mul, rest, repeat(share)))
            found[points : points + len(rest)] = part
    return tuple(found)


@lru_cache(maxsize=MOST_EXACT + 1)
def _fewer_than(turns: int) -> tuple[float, ...]:
    """How likely so many turns are to bring fewer than 0, 1, 2 … points."""
    return tuple(accumulate(_sum_of(turns), initial=0.0))


def _span(turns: int) -> tuple[int, int]:
    """Fewest and most points that so many turns bring."""
    mean, variance = _mean_and_variance()
    half = FAR * sqrt(turns * variance)
    return max(0, int(turns * mean - half)), min(MOST * turns, ceil(turns * mean + half))


class Cells(NamedTuple):
    """Totals, a few in each cell. Where all are exact, a cell is one total."""

    first: int
    width: int
    number: int

    @classmethod
    def of(cls, players: Sequence[tuple[float, int]]) -> "Cells":
        """Cells for all totals with which one of these players may win. `players`: total, and turns to come."""
        most = max(turns for _, turns in players)
        width = 1
        if most > MOST_EXACT:
            width = max(1, int(sqrt(most * _mean_and_variance()[1]) / CELLS_EACH_WAY))
        first = max(floor(total) + _span(turns)[0] for total, turns in players)
        last = max(ceil(total) + _span(turns)[1] for total, turns in players)
        return cls(first, width, (last - first) // width + 1)

    def below(self, total: float, turns: int) -> list[float]:
        """How likely a player is to end below each cell, and last, below the end of the last one.

        A broken total is either of its neighbours, the nearer one more often.
        """
        whole = floor(total)
        if more := total - whole:
            return mixed([(1 - more, self.below(whole, turns)), (more, self.below(whole + 1, turns))])
        at = self.first - whole
        if turns <= MOST_EXACT:
            table = _fewer_than(turns)
            if self.width > 1:
                edges = range(at, at + self.width * self.number + 1, self.width)
                return [table[min(max(edge, 0), len(table) - 1)] for edge in edges]
            inside = table[max(at, 0) : max(at + self.number + 1, 0)]
            before = min(max(-at, 0), self.number + 1)
            return [0.0] * before + list(inside) + [1.0] * (self.number + 1 - before - len(inside))
        mean, variance = _mean_and_variance()
        scale = sqrt(2 * turns * variance)
        start = at - 0.5 - turns * mean
        return [0.5 + 0.5 * erf((start + self.width * cell) / scale) for cell in range(self.number + 1)]


@cache
def _nodes(many: int) -> tuple[tuple[float, float], ...]:
    """Places and weights of the Gauss rule with so many nodes, from 0 to 1.

    The integral of u**k is 1 / (k + 1): so it shares a tie with k others.
    """
    found = []
    for number in range(many):
        at = cos(pi * (number + 0.75) / (many + 0.5))
        slope = 1.0
        for _ in range(50):
            now, before = at, 1.0  # Legendre's polynomials
            for degree in range(2, many + 1):
                now, before = ((2 * degree - 1) * at * now - (degree - 1) * before) / degree, now
            slope = many * (at * now - before) / (at * at - 1)
            at -= now / slope
        found.append(((1 + at) / 2, 1 / ((1 - at * at) * slope * slope)))
    return tuple(found)


def nodes(players: int) -> tuple[tuple[float, float], ...]:
    """Nodes that share ties among so many players: exactly up to twice MOST_NODES of them."""
    return _nodes(min(MOST_NODES, (players + 1) // 2))


def inside(below: Sequence[float]) -> list[float]:
    """How likely each cell is."""
    return list(map(sub, below[1:], below))


def up_to(below: Sequence[float], share: float) -> list[float]:
    """How likely it is to be below each cell, or in this share of it."""
    return [less + share * (more - less) for less, more in pairwise(below)]


def product(rows: Sequence[Sequence[float]], many: Sequence[int]) -> list[float]:
    """The product of lists, each taken so many times."""
    found = [1.0] * len(rows[0])
    for row, times in zip(rows, many, strict=True):
        found = list(map(mul, found, row if times == 1 else [value**times for value in row]))
    return found


def highest(players: Sequence[Sequence[float]], many: Sequence[int] | None = None) -> list[float]:
    """The chance of each player to end with the highest total. `players`: what `Cells.below` says of each.

    `many`: how many there are of each kind. Then the chances are those of one player of each.
    """
    many = many or [1] * len(players)
    shares = [inside(below) for below in players]
    chances = [0.0] * len(players)
    for node, weight in nodes(sum(many)):
        rows = [up_to(below, node) for below in players]
        all_below = product(rows, many)
        for player, (share, row) in enumerate(zip(shares, rows, strict=True)):
            parts = (here * all_ / mine for here, all_, mine in zip(share, all_below, row, strict=True) if here)
            chances[player] += weight * sum(parts)
    total = sum(map(mul, chances, many))
    return [chance / total for chance in chances]


def mixed(parts: Sequence[tuple[float, Sequence[float]]]) -> list[float]:
    """The sum of lists, each multiplied by its share."""
    found = [0.0] * len(parts[0][1])
    for share, row in parts:
        found = list(map(add, found, map(mul, row, repeat(share))))
    return found


def sum_of_dice(dice: int) -> list[float]:
    """How likely a roll is to have a sum below 0, 1, 2 …, and last, below any that is possible."""
    ways = [1.0]
    for _ in range(dice):
        ways = [sum(ways[max(0, at - 6) : at]) / 6 for at in range(len(ways) + 6)]
    return list(accumulate(ways, initial=0.0))

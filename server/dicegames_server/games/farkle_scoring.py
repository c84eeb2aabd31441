"""What dice are worth in Farkle, under any house rules.

A selection is legal when every die in it belongs to a scoring combination. It is worth the best way to split it into
combinations. `worth` answers both questions: None where the selection is not legal, else the points.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from dicegames_protocol.games.farkle import FarkleOptions

Counts = tuple[int, int, int, int, int, int]
"""How many dice show 1, 2, … 6."""

_STRAIGHT: Counts = (1, 1, 1, 1, 1, 1)
_STRAIGHT_LOW: Counts = (1, 1, 1, 1, 1, 0)
_STRAIGHT_HIGH: Counts = (0, 1, 1, 1, 1, 1)


def _sets_of_six() -> Iterator[tuple[Counts, tuple[int, ...]]]:
    """Six dice in sets: three pairs, four and a pair, two triplets. Their counts, and the sizes of the sets."""
    for a, b, c, d, e, f in product(range(5), repeat=6):
        kinds = tuple(sorted(count for count in (a, b, c, d, e, f) if count))
        if kinds in ((2, 2, 2), (2, 4), (3, 3)):
            yield (a, b, c, d, e, f), kinds


_SETS_OF_SIX = tuple(_sets_of_six())


def _of_a_kind(face: int, number: int, table: str) -> int:
    """Points for `number` dice of one face, as in the printed tables. Single cells where they follow no formula."""
    if number < 3:
        return {1: 100, 5: 50}.get(face, 0) if number == 1 else 0
    triple = 1000 if face == 1 else 100 * face
    if number == 3:
        return triple
    if table == "set-value":
        return 1000 * (number - 3)
    if table == "multiplier":
        return triple * (number - 2)
    if (face, number) == (2, 6):
        return 1200  # as printed; doubling would give 1600
    return triple << (number - 3)


@dataclass(frozen=True, slots=True)
class Scoring:
    """All combinations that score, with their points. Hashable, so that results for it can be cached."""

    combinations: tuple[tuple[Counts, int], ...]

    @classmethod
    def of(cls, options: FarkleOptions) -> "Scoring":
        found: dict[Counts, int] = {}
        for face, number in product(range(1, 7), range(1, 7)):
            points = options.values.get(str(face) * number, _of_a_kind(face, number, options.table))
            found[_counts([face] * number)] = points
        found[_STRAIGHT] = options.straight
        found[_STRAIGHT_LOW] = options.straight_low
        found[_STRAIGHT_HIGH] = options.straight_high
        for shape, kinds in _SETS_OF_SIX:
            if kinds == (2, 2, 2) or (kinds == (2, 4) and options.four_and_pair):
                found[shape] = options.three_pairs
            elif kinds == (3, 3):
                found[shape] = options.two_triplets
        return cls(tuple((shape, points) for shape, points in found.items() if points))


def worth(dice: Iterable[int], scoring: Scoring) -> int | None:
    """Points for exactly these dice. None where one of them does not score."""
    return _worth(_counts(dice), scoring)


def selections(dice: Iterable[int], scoring: Scoring) -> dict[str, int]:
    """Every legal selection from a roll, with its points. It is written as its faces in order: '115'."""
    return _selections(_counts(dice), scoring)


def key_of(dice: Iterable[int]) -> str:
    """The text for a selection: its faces in order."""
    return "".join(str(face) for face in sorted(dice))


@lru_cache(maxsize=4096)
def _selections(have: Counts, scoring: Scoring) -> dict[str, int]:
    found: dict[str, int] = {}
    for taken in product(*(range(count + 1) for count in have)):
        points = _worth((taken[0], taken[1], taken[2], taken[3], taken[4], taken[5]), scoring) if any(taken) else None
        if points is not None:
            found["".join(str(face) * count for face, count in enumerate(taken, start=1))] = points
    return dict(sorted(found.items(), key=lambda item: (len(item[0]), item[0])))


@lru_cache(maxsize=16384)
def _worth(counts: Counts, scoring: Scoring) -> int | None:
    if not any(counts):
        return 0
    best: int | None = None
    for points, rest in _first_combinations(counts, scoring):
        after = _worth(rest, scoring)
        if after is not None and (best is None or points + after > best):
            best = points + after
    return best


def _first_combinations(counts: Counts, scoring: Scoring) -> Iterator[tuple[int, Counts]]:
    """Combinations that use the lowest die left, and what remains after each.

    Every split into combinations has exactly one that uses the lowest die. So no split is counted twice.
    """
    lowest = next(index for index, count in enumerate(counts) if count)
    for shape, points in scoring.combinations:
        if shape[lowest] and all(need <= have for need, have in zip(shape, counts, strict=True)):
            a, b, c, d, e, f = (have - need for need, have in zip(shape, counts, strict=True))
            yield points, (a, b, c, d, e, f)


def _counts(dice: Iterable[int]) -> Counts:
    faces = list(dice)
    a, b, c, d, e, f = (faces.count(face) for face in range(1, 7))
    return a, b, c, d, e, f

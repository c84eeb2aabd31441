"""Doubles, played for the win. Expected points are of no use here: they are infinite.

Up to the third seven nothing can be lost, so nobody should cash out before it. From then on each roll burns the pot
with a chance of one in six. Whether the risk pays depends on the scores and on the rounds that are left.

A value is the chance to win for a lead over the best opponent and a number of rounds to come. It assumes that the
opponents cash out at every third seven. `work_out` calculates the values backwards, from the last round on, for a grid
of leads. The steps of the grid grow with the lead. `dicegames-server tables` writes the values to their file again.
"""

import random
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from math import comb

from dicegames_protocol.codec import encode, parse_object
from dicegames_protocol.games.doubles import DoublesState
from dicegames_protocol.messages.server import Chance
from dicegames_server.bots.theory import about
from dicegames_server.games.doubles import LAST_SEVEN, SEVEN, Doubles

TABLE_FILE = "doubles.json"
MOST_ROUNDS = 12
"""Most rounds to come that have values of their own. With more rounds, the values for this number are used."""
LOOK_AHEAD_ROLLS = 5
"""Rolls to look ahead."""
_STEPS = (1, 3, 8, 15, 30, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1200, 1600, 2400, 3200, 5000, 8000, 16000, 64000)
GRID = tuple([-step for step in reversed(_STEPS)] + [0] + list(_STEPS))
LARGEST_LEAD = 5000
"""Largest lead, in points, for which the chance to catch up is worked out. More is not worth the work."""
_SUMS = ((3, 2), (4, 2), (5, 4), (6, 4), (8, 4), (9, 4), (10, 2), (11, 2))
"""Sums without doubles that are not seven, and in how many of 36 cases each comes."""
_PLAIN = 7
"""Points that a roll adds on average if it is neither a seven nor doubles."""


def work_out(samples: int = 120, seed: int = 1) -> list[list[float]]:
    """The values for 0, 1, 2 … rounds to come."""
    pots = third_seven_pots(samples, seed)
    values = [[0.0 if d < 0 else 1.0 if d else 0.5 for d in GRID]]
    for _ in range(MOST_ROUNDS):
        last = values[-1]
        values.append([sum(_round(pot, d, last) for pot in pots) / len(pots) for d in GRID])
    return values


def _round(pot: int, d: int, values: Sequence[float]) -> float:
    """The value where the others cash out at this pot: the better of cashing out too and holding."""
    return max(at(values, d), holding(pot, d - pot, values))


def holding(pot: int, without: int, values: Sequence[float], deep: int = LOOK_AHEAD_ROLLS) -> float:
    """The chance to win after holding for the next roll. `without`: the lead if this pot is never cashed."""
    bust = at(values, without)
    grown = _then(pot + _PLAIN, without, values, deep - 1)
    doubled = _then(2 * pot, without, values, deep - 1)
    return (bust + 4 * grown + doubled) / 6


def _then(pot: int, without: int, values: Sequence[float], deep: int) -> float:
    cash = at(values, without + pot)
    return max(cash, holding(pot, without, values, deep)) if deep else cash


def at(values: Sequence[float], d: int) -> float:
    """The value for any lead `d`, interpolated linearly between the points of the grid. A tie has its own point."""
    if d <= GRID[0]:
        return values[0]
    if d >= GRID[-1]:
        return values[-1]
    place = bisect_right(GRID, d)
    low, high = GRID[place - 1], GRID[place]
    return values[place - 1] + (values[place] - values[place - 1]) * (d - low) / (high - low)


def third_seven_pots(samples: int, seed: int) -> list[int]:
    """Typical pots at the third seven: `samples` evenly spread quantiles, from small to large."""
    rng = random.Random(seed)
    many = sorted(_pot(rng) for _ in range(samples * 50))
    return [many[index * 50 + 25] for index in range(samples)]


def _pot(rng: random.Random) -> int:
    pot = sevens = rolls = 0
    while sevens < 3:
        one, two = rng.randint(1, 6), rng.randint(1, 6)
        if one + two == 7:
            pot, sevens = pot + 75, sevens + 1
        elif one == two:
            pot = 100 * one if not rolls else 2 * pot
        else:
            pot += one + two
        rolls += 1
    return pot


def dump(values: Sequence[Sequence[float]]) -> bytes:
    return encode({"grid": list(GRID), "values": [[round(value, 5) for value in row] for row in values]})


@lru_cache(maxsize=1)
def kept_values() -> tuple[tuple[float, ...], ...]:
    """The values from the file in the package."""
    kept = parse_object(
        resources.files("dicegames_server.bots.theory").joinpath(TABLE_FILE).read_text(encoding="utf-8")
    )
    assert tuple(kept["grid"]) == GRID and all(one < two for one, two in pairwise(GRID))
    return tuple(tuple(row) for row in kept["values"])


def value(ahead: int, rounds: Sequence[int]) -> float:
    """The chance to win with a lead of `ahead`, if each of these numbers of rounds to come is equally likely."""
    return at(mixed(tuple(rounds)), ahead)


@lru_cache(maxsize=256)
def mixed(rounds: tuple[int, ...]) -> tuple[float, ...]:
    """The values where the number of rounds to come is not known: the mean over all possible numbers."""
    rows = [kept_values()[min(number, MOST_ROUNDS)] for number in rounds]
    return tuple(sum(row[place] for row in rows) / len(rows) for place in range(len(GRID)))


def fewer_sevens(rolls: int, than: int) -> int:
    """In how many of 6**rolls cases fewer than `than` sevens come. Each roll is a seven in one case of six."""
    return sum(comb(rolls, sevens) * 5 ** (rolls - sevens) for sevens in range(min(than, rolls + 1)))


@lru_cache(maxsize=8)
def reaching(goal: int) -> tuple[tuple[float, ...], ...]:
    """Sevens so far -> pot -> the chance that the pot grows to the goal before the fourth seven."""
    found = [[0.0] * goal for _ in range(LAST_SEVEN + 1)]

    def then(sevens: int, pot: int) -> float:
        return 0.0 if sevens == LAST_SEVEN else 1.0 if pot >= goal else found[sevens][pot]

    for sevens in range(LAST_SEVEN - 1, -1, -1):
        for pot in range(goal - 1, 0, -1):
            plain = sum(then(sevens, pot + total) * ways for total, ways in _SUMS)
            found[sevens][pot] = (plain + 6 * then(sevens, 2 * pot) + 6 * then(sevens + 1, pot + SEVEN)) / 36
    return tuple(tuple(row) for row in found)


def chances(rules: Doubles, state: DoublesState, seat: int) -> tuple[Chance, ...]:
    """The odds of the next rolls, and of a pot as large as the leader's lead."""
    mine = state.seats[str(seat)]
    if state.winners is not None or mine.out == state.round:
        return ()
    left = LAST_SEVEN - state.sevens
    told = [
        Chance(what="a seven on the next roll", good=1, of=6),
        Chance(what="doubles on the next roll", good=1, of=6),
        *(
            Chance(what=f"the pot survives {n} more roll{'s' if n > 1 else ''}", good=fewer_sevens(n, left), of=6**n)
            for n in (1, 2, 3)
        ),
    ]
    best = max(entry.score for entry in state.seats.values())
    goal = best - mine.score
    if state.pot and 0 < goal <= LARGEST_LEAD:
        share = 1.0 if state.pot >= goal else reaching(goal)[state.sevens][state.pot]
        told.append(about(f"the pot reaches the lead of {goal:,}", share))
    return tuple(told)

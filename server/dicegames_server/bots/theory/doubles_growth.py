"""How the pot of a round of Doubles grows, and how likely it is that it gets so far."""

import random
from functools import lru_cache
from math import comb

from dicegames_server.games.doubles import FIRST_DOUBLES, LAST_SEVEN, SEVEN

PLAIN_SUMS = ((3, 2), (4, 2), (5, 4), (6, 4), (8, 4), (9, 4), (10, 2), (11, 2))
"""Sums without doubles that are not seven, and in how many of 36 cases each comes."""


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
            plain = sum(then(sevens, pot + total) * ways for total, ways in PLAIN_SUMS)
            found[sevens][pot] = (plain + 6 * then(sevens, 2 * pot) + 6 * then(sevens + 1, pot + SEVEN)) / 36
    return tuple(tuple(row) for row in found)


@lru_cache(maxsize=32)
def surviving(goal: int) -> tuple[float, ...]:
    """Pot -> the chance that it grows to the goal before a seven. So it is after the third one."""
    found = [0.0] * goal + [1.0]
    for pot in range(goal - 1, 0, -1):
        chance = 6 * found[min(2 * pot, goal)]
        for points, cases in PLAIN_SUMS:
            chance += cases * found[min(pot + points, goal)]
        found[pot] = chance / 36
    return tuple(found)


@lru_cache(maxsize=4)
def growths(sevens: int, samples: int = 400) -> tuple[tuple[int, int], ...]:
    """How a pot may grow until so many sevens have come: it becomes so many times what it is, and so much more."""
    rng = random.Random(sevens)
    found = []
    for _ in range(samples):
        times, more, left = 1, 0, sevens
        while left:
            one, two = rng.randint(1, 6), rng.randint(1, 6)
            if one + two == 7:
                more, left = more + SEVEN, left - 1
            elif one == two:
                times, more = times * 2, more * 2
            else:
                more += one + two
        found.append((times, more))
    return tuple(found)


def pot_at_third_seven(rng: random.Random) -> int:
    pot = sevens = rolls = 0
    while sevens < LAST_SEVEN - 1:
        one, two = rng.randint(1, 6), rng.randint(1, 6)
        if one + two == 7:
            pot, sevens = pot + SEVEN, sevens + 1
        elif one == two:
            pot = 2 * pot if rolls else FIRST_DOUBLES * one
        else:
            pot += one + two
        rolls += 1
    return pot


def pot_after_roll(pot: int, rng: random.Random) -> int:
    """The pot after a roll that comes after the third seven. 0: it has burned."""
    one, two = rng.randrange(6), rng.randrange(6)
    if one + two == 5:  # faces 1 to 6 are 0 to 5 here
        return 0
    return 2 * pot if one == two else pot + one + two + 2

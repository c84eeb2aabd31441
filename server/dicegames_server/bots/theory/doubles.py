"""The odds of Doubles that a player may ask for. The win is worked out in doubles_duel.py and doubles_crowd.py.

Expected points are of no use in this game: they are infinite. Up to the third seven nothing can be lost. From then on
each roll burns the pot with a chance of one in six.
"""

from functools import lru_cache
from math import comb

from dicegames_protocol.games.doubles import DoublesState
from dicegames_protocol.messages.server import Chance
from dicegames_server.bots.theory import about
from dicegames_server.bots.theory.doubles_duel import PLAIN_SUMS
from dicegames_server.games.doubles import LAST_SEVEN, SEVEN, Doubles

LARGEST_LEAD = 5000
"""Largest lead, in points, for which the chance to catch up is worked out. More is not worth the work."""


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

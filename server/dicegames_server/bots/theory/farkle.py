"""Farkle, solved for one turn: the best play under any table of points, for points or for the win.

Before a roll, the state of a turn is only the points at risk and the number of dice to roll. Points only grow within
a turn, so the values are worked out backwards: above a limit of points, every player banks right after the roll. Of all
selections that leave the same number of dice, only the one worth most matters. Rolls with the same selections are
counted together.

The work is bounded, whatever the options and the scores are: values are kept for at most MOST_ROWS numbers of points.
Where a goal is further away, the steps between two of them get larger, and the values are close instead of exact.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, gcd

from dicegames_protocol.games.farkle import FarkleState
from dicegames_protocol.messages.server import Chance
from dicegames_server.bots.theory import about
from dicegames_server.games.farkle import DICE, Farkle
from dicegames_server.games.farkle_scoring import Scoring, selections

BANK_AT_POINTS = 20_000
"""Points in one turn above which the player banks at once. Below that nothing is assumed."""
MOST_ROWS = 800
"""Most numbers of points that get values of their own. With the wildest table it takes 0.3 s to work them out."""
Way = tuple[int, int]
"""Points of a selection, and how many dice are rolled after it."""
Outcome = tuple[int, tuple[Way, ...]]
"""In how many of 6**dice rolls, and what can be kept then. Nothing to keep is a farkle."""


@lru_cache(maxsize=512)
def outcomes(dice: int, scoring: Scoring) -> tuple[Outcome, ...]:
    """All outcomes of a roll of `dice` dice."""
    found: dict[tuple[Way, ...], int] = {}
    for faces in combinations_with_replacement(range(1, 7), dice):
        cases = factorial(dice)
        for face in set(faces):
            cases //= factorial(faces.count(face))
        best: dict[int, int] = {}
        for key, points in selections(faces, scoring).items():
            rest = dice - len(key) or DICE
            best[rest] = max(best.get(rest, 0), points)
        ways = tuple(sorted((points, rest) for rest, points in best.items()))
        found[ways] = found.get(ways, 0) + cases
    return tuple((cases, ways) for ways, cases in found.items())


@lru_cache(maxsize=64)
def step(scoring: Scoring) -> int:
    """Points per step: the greatest common divisor of the table. Where that is below 25, steps of 50 are used."""
    common = 0
    for _, points in scoring.combinations:
        common = gcd(common, points)
    return common if common >= 25 else 50


class Turn:
    """Best play of one turn. `worth`: points -> the value of banking them. `lost`: the value of a farkle."""

    def __init__(self, scoring: Scoring, worth: Callable[[int], float], *, enough: int, lost: float = 0.0) -> None:
        self._scoring = scoring
        self._step = max(step(scoring), -(-enough // MOST_ROWS))
        self._worth = worth
        self._lost = lost
        self._last = enough // self._step
        self._values: list[list[float]] = []

    def of_rolling(self, points: int, dice: int) -> float:
        """The value of rolling `dice` dice with `points` at risk."""
        if not self._values:
            self._work_out()
        return self._values[min(points // self._step, self._last)][dice]

    def of_banking(self, points: int) -> float:
        return self._worth(points)

    def _work_out(self) -> None:
        size, last = self._step, self._last
        rolls = [_in_steps(dice, self._scoring, size) if dice else () for dice in range(DICE + 1)]
        worth: dict[int, float] = {}
        values = [[0.0] * (DICE + 1) for _ in range(last + 1)]
        for at in range(last, -1, -1):
            row = values[at]
            for dice in range(1, DICE + 1):
                total = 0.0
                for cases, ways in rolls[dice]:
                    best = self._lost if not ways else 0.0
                    for more, rest in ways:
                        reached = at + more
                        value = worth.get(reached)
                        if value is None:
                            value = worth[reached] = self._worth(reached * size)
                        if more and reached <= last and values[reached][rest] > value:
                            value = values[reached][rest]
                        if value > best:
                            best = value
                    total += cases * best
                row[dice] = total / 6**dice
        self._values = values


@lru_cache(maxsize=512)
def _in_steps(dice: int, scoring: Scoring, size: int) -> tuple[Outcome, ...]:
    """The outcomes with their points counted in steps of `size`."""
    return tuple(
        (cases, tuple((points // size, rest) for points, rest in ways)) for cases, ways in outcomes(dice, scoring)
    )


def enough_for(target: int, least: int) -> int:
    """Points at which a player banks at once: twice the target is more than the game can need."""
    return max(least, min(BANK_AT_POINTS, 2 * target))


@lru_cache(maxsize=32)
def for_points(scoring: Scoring, least: int = 0, enough: int = BANK_AT_POINTS) -> Turn:
    """Best play for points. `least`: fewest points that can be banked. `enough`: from here on the player banks."""
    return Turn(scoring, lambda points: float(points) if points >= least else 0.0, enough=enough)


@lru_cache(maxsize=256)
def to_reach(scoring: Scoring, needed: int, least: int = 0) -> Turn:
    """Best play to bank at least `needed` points in one turn. `least`: fewest points that can be banked."""
    goal = max(needed, least)
    return Turn(scoring, lambda points: 1.0 if points >= goal else 0.0, enough=max(goal, step(scoring)))


def reaches(scoring: Scoring, needed: int, least: int = 0) -> float:
    """The chance to bank `needed` points in one turn that is played for them."""
    return to_reach(scoring, needed, least).of_rolling(0, DICE) if needed > 0 else 1.0


def reaches_about(scoring: Scoring, needed: int) -> float:
    """Like `reaches` but faster: interpolated between values that are worked out once for each table."""
    if needed <= 0:
        return 1.0
    curve = _curve(scoring)
    place, rest = divmod(needed, _APART)
    if place >= len(curve) - 1:
        return curve[-1]
    return curve[place] + (curve[place + 1] - curve[place]) * rest / _APART


_APART = 250
"""Points between two values of `_curve`."""


@lru_cache(maxsize=16)
def _curve(scoring: Scoring) -> tuple[float, ...]:
    return tuple(reaches(scoring, needed) for needed in range(0, 4001, _APART))


def farkles(dice: int, scoring: Scoring) -> int:
    """In how many of the 6**dice rolls nothing scores."""
    return sum(cases for cases, ways in outcomes(dice, scoring) if not ways)


def chances(rules: Farkle, state: FarkleState, seat: int) -> tuple[Chance, ...]:
    """The odds of a farkle with each number of dice that the seat can roll next, and of reaching the leader."""
    if state.turn != seat or state.winners is not None:
        return ()
    offer = rules.offers(state)["roll"]
    ways = {(choice.worth, choice.rolls or DICE) for choice in (offer.choices or {}).values()} or {(0, DICE)}
    told = [
        Chance(
            what=f"a farkle with {dice} {'dice' if dice > 1 else 'die'}",
            good=farkles(dice, rules.scoring),
            of=6**dice,
        )
        for dice in sorted({dice for _, dice in ways})
    ]
    best = max(entry.score for entry in state.seats.values())
    behind = best - state.seats[str(seat)].score
    if behind > 0:
        turn = to_reach(rules.scoring, behind)
        share = max(
            1.0 if state.points + worth >= behind else turn.of_rolling(state.points + worth, dice)
            for worth, dice in ways
        )
        told.append(about(f"this turn draws level with {best:,}, the best", share))
    return tuple(told)

"""What a turn of Farkle brings: points on average, and the chance to reach some."""

from functools import lru_cache

from dicegames_protocol.games.farkle import FarkleState
from dicegames_server.bots.theory.farkle.turn import Turn, step
from dicegames_server.games.farkle import DICE, Farkle
from dicegames_server.games.farkle_scoring import Scoring

MOST_AT_RISK = 20_000
"""Points in one turn above which the player banks at once, under any table."""
MANY_TURNS = 40
"""The player also banks at once with as many points as so many turns bring on average."""
_ROUGH_ROWS = 240


@lru_cache(maxsize=64)
def usual(scoring: Scoring) -> float:
    """About as many points as a turn brings on average. What is close is measured by it, under any table."""
    found = float(MOST_AT_RISK)
    for _ in range(3):  # the first ones are rough, because their rows lie far apart
        enough = min(MOST_AT_RISK, round(MANY_TURNS * found))
        found = max(Turn(scoring, float, enough=enough, most_rows=_ROUGH_ROWS).of_rolling(0, DICE), step(scoring))
    return found


def enough_for(scoring: Scoring, target: int, least: int) -> int:
    """Points at which a player banks at once: twice the target is more than the game can need."""
    return max(least, min(MOST_AT_RISK, round(MANY_TURNS * usual(scoring)), 2 * target))


@lru_cache(maxsize=32)
def for_points(scoring: Scoring, least: int = 0, target: int = MOST_AT_RISK) -> Turn:
    """Best play for points. `least`: fewest points that can be banked."""
    return Turn(
        scoring,
        lambda points: float(points) if points >= least else 0.0,
        enough=enough_for(scoring, target, least),
    )


@lru_cache(maxsize=256)
def to_reach(scoring: Scoring, needed: int, least: int = 0) -> Turn:
    """Best play to bank at least `needed` points in one turn. `least`: fewest points that can be banked."""
    goal = max(needed, least)
    return Turn(scoring, lambda points: 1.0 if points >= goal else 0.0, enough=max(goal, step(scoring)))


def reaches(scoring: Scoring, needed: int, least: int = 0) -> float:
    """The chance to bank `needed` points in one turn that is played for them."""
    return to_reach(scoring, needed, least).of_rolling(0, DICE) if needed > 0 else 1.0


def least_bank(rules: Farkle, state: FarkleState, seat: int) -> int:
    """Fewest points that the seat can bank."""
    opened = state.seats[str(seat)].opened
    return max(rules.options.minimum, 0 if opened else rules.options.opening)

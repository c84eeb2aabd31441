"""What a rating is: a guess how well somebody plays, and how sure it is. The only module that knows openskill.

The model is Plackett and Luce's: everybody at a table has some strength, and wins in proportion to it. That the
stronger one loses often, because dice are luck, is a part of it: one game moves a rating little, and only many make it
sure.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

FIRST_SHOWN = 1500
"""The rating of somebody about whom nothing is known, as it is shown."""
POINTS_PER_WIN_RATIO = 400
"""Who is rated so many points higher wins ten times as often, one against one. Chess counts alike."""
SURE = 1.96
"""An interval goes so many standard deviations to both sides. Then it is right in 95 of 100 cases."""
DRIFT = 0.01
"""How much a strength may change from game to game: players learn."""
LEAST_GAMES, MOST_COUNTED = 10, 5000
"""After how many games a rating may mean something at the earliest; and where we stop to count."""


class NoRatings(Exception):
    """Ratings need a package that is not there."""


class Skill(NamedTuple):
    mean: float
    deviation: float


class ShownSkill(NamedTuple):
    """A skill as people see it: 1612 ± 140."""

    rating: int
    interval: int


@cache
def _model() -> Any:
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        raise NoRatings from None
    return PlackettLuce(tau=DRIFT)


def unknown() -> Skill:
    """The skill of somebody about whom nothing is known. Raises NoRatings."""
    model = _model()
    return Skill(model.mu, model.sigma)


def after_game(skills: Sequence[Skill], ranks: Sequence[int]) -> list[Skill]:
    """The skills after a game. Equal ranks are ties; the lowest number has won."""
    model = _model()
    teams = [[model.rating(mu=skill.mean, sigma=skill.deviation)] for skill in skills]
    rated = model.rate(teams, ranks=list(ranks))
    return [Skill(team[0].mu, team[0].sigma) for team in rated]


def shown(skill: Skill) -> ShownSkill:
    points = POINTS_PER_WIN_RATIO / math.log(10) / _unit()
    rating = FIRST_SHOWN + (skill.mean - unknown().mean) * points
    return ShownSkill(round(rating), round(SURE * skill.deviation * points))


def _unit() -> float:
    """Between two whose skills are known, this difference makes the odds e to 1."""
    return math.sqrt(2) * float(_model().beta)


def is_sure(skill: Skill, share: float) -> bool:
    """Whether the interval is narrow enough to tell a middling player from a weak or a strong one.

    `share`: the part of games that a strong player wins from a weak one; half of that distance is meant.
    """
    return SURE * skill.deviation <= math.log(share / (1 - share)) / 2 * _unit()


@cache
def games_to_sure(share: float) -> int:
    """After how many games a rating means something, among two equal newcomers who win by turns."""
    one = two = unknown()
    for games in range(1, MOST_COUNTED):
        one, two = after_game((one, two), (games % 2, 1 - games % 2))
        if games >= LEAST_GAMES and is_sure(one, share):
            return games
    return MOST_COUNTED


def order(rows: Iterable[tuple[ShownSkill, int, str]]) -> list[int]:
    """The places of rows (what is shown, games, name) in the order of a list: by the lower end of the interval."""
    found = list(rows)
    return sorted(range(len(found)), key=lambda at: (-_sure_part(found[at][0]), -found[at][1], found[at][2]))


def _sure_part(told: ShownSkill) -> int:
    return told.rating - told.interval

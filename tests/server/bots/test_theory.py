"""The theory behind the bots: values that can be checked by other means."""

import random
from fractions import Fraction

import pytest

from dicegames_protocol.games.farkle import FarkleOptions
from dicegames_server.bots.theory.farkle import farkles
from dicegames_server.bots.theory.farkle import points as of_turns
from dicegames_server.games.farkle_scoring import Scoring, selections

MULTIPLIER = Scoring.of(FarkleOptions())


@pytest.mark.parametrize(("table", "average"), [("multiplier", 486.08), ("doubling", 488.63), ("set-value", 489.44)])
def test_the_value_of_a_turn_of_farkle(table: str, average: float) -> None:
    scoring = Scoring.of(FarkleOptions.read({"table": table}))
    assert round(of_turns.for_points(scoring).of_rolling(0, 6), 2) == average


def test_the_chance_of_a_farkle() -> None:
    known = ["2/3", "4/9", "5/18", "17/108", "25/324", "5/162"]
    assert [Fraction(farkles(dice, MULTIPLIER), 6**dice) for dice in range(1, 7)] == [*map(Fraction, known)]
    pairs = Scoring.of(FarkleOptions.read({"three_pairs": 1500}))
    assert Fraction(farkles(6, pairs), 6**6) == Fraction(5, 216)


def test_reaching_points_at_farkle() -> None:
    assert of_turns.reaches(MULTIPLIER, 0) == 1
    assert of_turns.reaches(MULTIPLIER, 50) == pytest.approx(1 - 5 / 162)
    chances = [of_turns.reaches(MULTIPLIER, needed) for needed in range(50, 3000, 150)]
    assert chances == sorted(chances, reverse=True)


def test_farkle_against_play() -> None:
    """The best policy, played with dice, reaches about its computed value."""
    rng, turn, total, turns = random.Random(3), of_turns.for_points(MULTIPLIER), 0, 4000
    for _ in range(turns):
        points, dice = 0, 6
        while True:
            options = selections([rng.randint(1, 6) for _ in range(dice)], MULTIPLIER)
            if not options:
                points = 0
                break
            best = max(
                options,
                key=lambda key: max(
                    points + options[key], turn.of_rolling(points + options[key], dice - len(key) or 6)
                ),
            )
            points, dice = points + options[best], dice - len(best) or 6
            if points >= turn.of_rolling(points, dice):
                break
        total += points
    assert total / turns == pytest.approx(486.08, abs=3 * 520 / turns**0.5)

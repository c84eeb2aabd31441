"""The theory of Farkle, against brute force: every roll of every selection, with nothing left out."""

import random
from collections.abc import Callable
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

import pytest

from dicegames_protocol.games.farkle import FarkleOptions, FarkleSeat, FarkleState
from dicegames_protocol.table import Player
from dicegames_server.bots import strategy_with
from dicegames_server.bots.theory import chances as odds
from dicegames_server.bots.theory.farkle.duel import HouseRules, beyond, duel
from dicegames_server.bots.theory.farkle.outlook import Position, Standing, best_turn, chances, position_of
from dicegames_server.bots.theory.farkle.points import enough_for, for_points, reaches
from dicegames_server.bots.theory.farkle.turn import MOST_ROWS, Turn, step
from dicegames_server.games.farkle import Farkle
from dicegames_server.games.farkle_scoring import Scoring, selections
from dicegames_server.games.match import Match

SMALL = {"1": 7, "5": 3, "111": 33, "222": 5, "333": 11, "444": 13, "555": 17, "666": 23}
"""Values whose greatest common divisor is 1."""


def scoring_of(**options: Any) -> Scoring:
    return Scoring.of(FarkleOptions.read(options))


@cache
def rolls(dice: int, scoring: Scoring) -> tuple[tuple[float, tuple[tuple[int, int], ...]], ...]:
    """Each roll, unordered: its chance, and points and dice left of each selection."""
    found = []
    for faces in combinations_with_replacement(range(1, 7), dice):
        cases = factorial(dice) // prod(factorial(faces.count(face)) for face in set(faces))
        kept = {(points, dice - len(key) or 6) for key, points in selections(faces, scoring).items()}
        found.append((cases / 6**dice, tuple(kept)))
    return tuple(found)


def by_force(scoring: Scoring, worth: Callable[[int], float], enough: int, lost: float = 0.0) -> float:
    """The value of a turn. From `enough` points on it is banked."""

    @cache
    def rolling(points: int, dice: int) -> float:
        total = 0.0
        for chance, kept in rolls(dice, scoring):
            total += chance * max((after(points + more, rest) for more, rest in kept), default=lost)
        return total

    def after(points: int, dice: int) -> float:
        return worth(points) if points > enough else max(worth(points), rolling(points, dice))

    return rolling(0, 6)


@pytest.mark.parametrize("needed", [20, 41, 90])
def test_a_table_without_a_common_divisor(needed: int) -> None:
    """Values that are no multiples of 25 were rounded down, and most of the chances were wrong."""
    scoring = scoring_of(values=SMALL)
    assert step(scoring) == 1
    exact = by_force(scoring, lambda points: float(points >= needed), needed)
    assert reaches(scoring, needed) == pytest.approx(exact, abs=1e-12)


def test_points_of_a_turn_under_small_values() -> None:
    scoring = scoring_of(values={"1": 10, "5": 5, "222": 20, "333": 30, "444": 40, "555": 50, "666": 60, "111": 100})
    assert step(scoring) == 5
    exact = by_force(scoring, float, 400)
    turn = Turn(scoring, float, enough=400)
    assert turn.of_rolling(0, 6) == pytest.approx(exact, abs=1e-9)
    assert for_points(scoring).of_rolling(0, 6) == pytest.approx(exact, rel=0.02)


def test_rows_that_lie_apart_are_close() -> None:
    """Where there are too many numbers of points, values between rows are interpolated."""
    scoring = scoring_of(values={"1": 101, "5": 53})
    fine = Turn(scoring, float, enough=6000, most_rows=6001)
    rough = Turn(scoring, float, enough=6000, most_rows=200)
    assert fine.rows == 6001 > MOST_ROWS
    assert rough.rows <= 201
    assert rough.of_rolling(0, 6) == pytest.approx(fine.of_rolling(0, 6), rel=0.01)
    ends = rough.ends()
    assert ends.farkle + sum(ends.banked.values()) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("options", [{}, {"preset": "boxed"}, {"values": SMALL}])
def test_the_ends_of_a_turn_are_what_it_is_worth(options: dict[str, Any]) -> None:
    scoring = scoring_of(**options)
    enough = enough_for(scoring, 2000, 0)
    turn = Turn(scoring, lambda points: points**0.5, enough=enough, lost=-3.0)
    ends = turn.ends()
    assert ends.farkle + sum(ends.banked.values()) == pytest.approx(1)
    worth = sum(chance * points**0.5 for points, chance in ends.banked.items()) - 3 * ends.farkle
    assert worth == pytest.approx(turn.of_rolling(0, 6), rel=0.01)


def test_a_small_game_is_solved() -> None:
    """Each chance is that of the best turn against the other chances, for every pair of scores."""
    scoring = scoring_of()
    rules = HouseRules(scoring, 300, 0, 0)
    known = duel(*rules)
    rng = random.Random(1)
    for mine, theirs in rng.sample([(one, two) for one in range(50, 301, 50) for two in range(50, 301, 50)], 5):
        exact = by_force(
            scoring,
            lambda points, mine=mine, theirs=theirs: known.after(mine - points, theirs),  # type: ignore[misc]
            round(mine + beyond(rules)),
            known.after(mine, theirs),
        )
        assert known.chance(mine, theirs) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("lead", [0, 50, 350, 1200])
def test_one_last_turn_against_a_lead(lead: int) -> None:
    scoring = scoring_of()

    def worth(points: int) -> float:
        return 1.0 if points > lead else 0.5 if points == lead else 0.0

    known = duel(scoring, 500, 0, 0)
    exact = by_force(scoring, worth, lead + 50, lost=0.0 if lead else 0.5)
    assert known.last_word.overtakes(lead) == pytest.approx(exact, abs=1e-12)


def test_a_larger_game_is_close() -> None:
    """The chances of a larger game, compared with the best turn against them."""
    rules = HouseRules(scoring_of(), 3000, 0, 0)
    known = duel(*rules)
    rng = random.Random(2)
    for _ in range(30):
        mine, theirs = (50 * rng.randint(1, 60) for _ in range(2))
        turn = best_turn(Position(rules, Standing((mine, theirs)), 0, 0))
        assert turn.of_rolling(0, 6) == pytest.approx(known.chance(mine, theirs), abs=0.03)


@pytest.mark.parametrize("coming", [None, 1, 2, 3])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_chances_of_all_players_add_up(players: int, coming: int | None) -> None:
    rules = HouseRules(scoring_of(), 2000, 0, 0)
    if coming is not None and coming >= players:
        coming = players - 1
    left = (1000, 350, 600, 2000)[:players] if coming is None else (1000, 350, 600, -300)[4 - players :]
    found = chances(rules, Standing(left, coming))
    assert sum(found) == pytest.approx(1)
    assert all(0 <= chance <= 1 for chance in found)


def state_with(*scores: int, turn: int = 0, dice: tuple[int, ...] | None = None, **more: Any) -> FarkleState:
    seats = {str(seat): FarkleSeat(score=score, opened=score > 0) for seat, score in enumerate(scores)}
    return FarkleState(turn=turn, turn_no=5, roll=1 if dice else 0, dice=dice, seats=seats, **({"points": 0} | more))


def test_odds_know_the_opening_and_the_minimum() -> None:
    """Whoever has to bank 1,000 at least does not draw level with 50 points."""
    rules = Farkle(FarkleOptions.read({"opening": 1000}))
    (told,) = [chance for chance in odds(rules, state_with(0, 50), 0) if "draws level" in chance.what]
    exact = by_force(rules.scoring, lambda points: float(points >= 1000), 1000)
    assert told.good / told.of == pytest.approx(exact, abs=1e-6)
    assert told.good / told.of < 0.5 < reaches(rules.scoring, 50)


def test_odds_under_small_values() -> None:
    rules = Farkle(FarkleOptions.read({"values": SMALL, "target": 200}))
    (told,) = [chance for chance in odds(rules, state_with(0, 30), 0) if "draws level" in chance.what]
    exact = by_force(rules.scoring, lambda points: float(points >= 30), 30)
    assert told.good / told.of == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize("level", ["steady", "expert"])
def test_nobody_banks_a_lost_game(level: str) -> None:
    """In the last turn 1,000 at risk are not banked if it takes 1,500."""
    rules = Farkle(FarkleOptions())
    state = state_with(9000, 10_500, dice=(1, 2, 3, 4, 6, 6), points=900, closer=1)
    strategy = strategy_with("farkle", Player(name="bot", bot=level), 1)
    move = strategy.choose(Match(rules, state, rules.offers(state)), 0)
    assert move and move.take == "roll"
    enough = state_with(9000, 10_500, dice=(1, 2, 3, 4, 6, 6), points=1450, closer=1)
    move = strategy.choose(Match(rules, enough, rules.offers(enough)), 0)
    assert move and move.take == "bank"


def test_farkles_in_a_row_count() -> None:
    """Who would lose 1,000 by a third farkle in a row banks earlier."""
    rules = Farkle(FarkleOptions.read({"three_farkles": 1000, "target": 5000}))
    state = state_with(2000, 2000)
    risky = state.but(seats={**state.seats, "0": FarkleSeat(score=2000, opened=True, farkles=2)})
    calm, careful = (best_turn(position_of(rules, found)[0]) for found in (state, risky))
    assert careful.of_rolling(300, 2) < calm.of_rolling(300, 2)
    assert careful.of_banking(300) == calm.of_banking(300)

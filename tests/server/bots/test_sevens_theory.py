"""The theory of Sevens: values that can be checked by other means."""

from itertools import accumulate, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicegames_server.bots.arena.contests import run
from dicegames_server.bots.theory.sevens import POINTS, Left, Turn, outcomes
from dicegames_server.bots.theory.sevens_last_round import tied_shares
from dicegames_server.bots.theory.sevens_outlook import DUEL_ROUNDS, MOST_WAITING, Position, best_turn, outlook
from dicegames_server.bots.theory.sevens_totals import Cells, highest, inside, nodes, one_turn
from dicegames_server.games.sevens import pairs_of_seven
from support.sevens_turns import steady_turn


def mean(shares: list[float]) -> float:
    return sum(points * share for points, share in enumerate(shares))


def deviation(shares: list[float]) -> float:
    return float(sum((points - mean(shares)) ** 2 * share for points, share in enumerate(shares)) ** 0.5)


def test_the_value_of_a_turn_of_sevens() -> None:
    assert round(POINTS.of_rolling(6, 3), 6) == 11.865352
    assert sum(POINTS.ends()) == pytest.approx(1)
    assert mean(POINTS.ends()) == pytest.approx(POINTS.of_rolling(6, 3))
    assert mean(POINTS.ends(4, 2)) == pytest.approx(POINTS.of_rolling(4, 2))


def test_the_expert_of_sevens_scores_what_the_theory_says() -> None:
    turns = 100
    tally = run("sevens", ["expert", "expert"], {"rounds": turns}, range(1), seed=1)
    sigma = deviation(POINTS.ends())
    assert sum(tally.points) / (2 * turns) == pytest.approx(11.865352, abs=3 * sigma / (2 * turns) ** 0.5)


@pytest.mark.parametrize("dice", [1, 2, 3, 4])
def test_what_a_roll_of_sevens_leaves(dice: int) -> None:
    counted: dict[Left, int] = {}
    for faces in product(range(1, 7), repeat=dice):
        gone = {place for pair in pairs_of_seven(faces) for place in pair}
        left = [face for place, face in enumerate(faces) if place not in gone]
        counted[len(left), sum(left)] = counted.get((len(left), sum(left)), 0) + 1
    assert dict(outcomes(dice)) == counted


ROWS = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), min_size=2, max_size=6)


@given(ROWS)
@settings(max_examples=40, deadline=None)
def test_who_has_most_and_ties_are_shared(rows: list[list[int]]) -> None:
    players = [[weight / sum(row) for weight in row] for row in rows]
    known = [0.0] * len(players)
    for ends in product(range(3), repeat=len(players)):
        share = 1.0
        for player, end in zip(players, ends, strict=True):
            share *= player[end]
        best = [number for number, end in enumerate(ends) if end == max(ends)]
        for number in best:
            known[number] += share / len(best)
    assert highest([list(accumulate(player, initial=0.0)) for player in players]) == pytest.approx(known, abs=1e-12)


@pytest.mark.parametrize("many", range(1, 9))
def test_nodes_share_ties(many: int) -> None:
    for others in range(2 * many):
        shared = sum(weight * node**others for node, weight in nodes(2 * many))
        assert shared == pytest.approx(1 / (others + 1), abs=1e-13)


def test_many_turns_are_nearly_normal() -> None:
    """The sum of 30 turns is exact, that of 31 is not: both say the same of a game that has hardly changed."""
    exact, near = (Cells(300, 10, 20).below(400 - turns * mean(POINTS.ends()), turns) for turns in (30, 31))
    assert exact == pytest.approx(near, abs=0.02)


@pytest.mark.parametrize("turns", [1, 30, 31, 100, 10_000])
def test_the_work_has_a_limit(turns: int) -> None:
    cells = Cells.of([(total, turns) for total in range(0, 20_000, 400)])
    assert cells.number <= 1100
    below = cells.below(20_000 - 400, turns)
    assert len(below) == cells.number + 1
    assert below == sorted(below)
    assert below[-1] == pytest.approx(1)


def test_who_comes_last_in_a_play_off_has_an_advantage() -> None:
    for many in (2, 3):
        assert sum(tied_shares(many)) == pytest.approx(1)
        assert list(tied_shares(many)) == sorted(tied_shares(many))
    assert tied_shares(2)[1] > 0.52
    assert tied_shares(5) == (0.2,) * 5


def positions() -> list[Position]:
    many = [(0,) * players for players in (2, 3, 6, MOST_WAITING + 2)]
    spread = [(3, 20), (0, 7, 15), (30, 0, 1, 45), (12, 12, 12)]
    return [
        Position(totals, place, to_come)
        for totals in (*many, *spread)
        for place in (0, 1)
        for to_come in (0, 1, DUEL_ROUNDS, 40)
    ]


@pytest.mark.parametrize("position", positions(), ids=str)
def test_chances_make_sense(position: Position) -> None:
    found = outlook(position)
    assert list(found.mine) == pytest.approx(sorted(found.mine), abs=1e-9)  # more points are never worse
    for points in (0, 11, 36):
        chances = found.of([float(points == end) for end in range(37)])
        assert sum(chances) == pytest.approx(1, abs=1e-9)
        assert min(chances) >= 0
        assert chances[position.place] == pytest.approx(found.mine[points], abs=1e-3)


def test_a_lead_is_not_lost_after_the_last_turn() -> None:
    assert list(outlook(Position((10, 20), 1, 0)).mine) == [1.0] * 37
    assert outlook(Position((10, 0), 1, 0)).mine[9:12] == [0.0, tied_shares(2)[1], 1.0]
    assert outlook(Position((10, 10, 0), 2, 0)).mine[9:12] == [0.0, tied_shares(3)[2], 1.0]


def test_the_solved_game_of_two_and_the_approximation_agree() -> None:
    for lead in (0, 9, 25):
        solved, near = (outlook(Position((lead, 0), 0, to_come)).mine for to_come in (DUEL_ROUNDS - 1, DUEL_ROUNDS))
        assert list(solved) == pytest.approx(list(near), abs=0.02)


def test_more_rivals_ask_for_more_risk() -> None:
    spread = [deviation(best_turn(Position((0,) * players, 0, 3)).ends()) for players in (2, 4, 10)]
    assert spread == sorted(spread)
    assert spread[0] < spread[2] - 0.2


@pytest.mark.parametrize("players", [3, 4, 6])
def test_the_first_turn_wins_more_than_a_steady_one(players: int) -> None:
    """Against steady bots, in a game of one round: worked out exactly."""
    steady = steady_turn()
    below = list(accumulate(steady, initial=0.0))

    def wins(ends: list[float]) -> float:
        return highest([list(accumulate(ends, initial=0.0)), *[below] * (players - 1)])[0]

    assert wins(steady) == pytest.approx(1 / players)
    assert wins(best_turn(Position((0,) * players, 0, 0)).ends()) > 1 / players
    assert wins(POINTS.ends()) < 1 / players  # points alone are not the goal


def test_turns_for_points_are_what_totals_are_made_of() -> None:
    cells = Cells(0, 1, 37)
    assert inside(cells.below(0, 1)) == pytest.approx(list(one_turn()), abs=1e-15)
    assert Turn([1.0] * 37).of_rolling(6, 3) == pytest.approx(1)

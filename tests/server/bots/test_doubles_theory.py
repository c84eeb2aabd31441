"""The theory of Doubles, against values that were found by other means."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_server.bots.theory.doubles_crowd import UNKNOWN, Window, alone, chance, habit_in, situation
from dicegames_server.bots.theory.doubles_duel import LEADS, MOST_ROUNDS, POTS, Matrix, Round, at, between, work_out
from dicegames_server.bots.theory.doubles_growth import growths, pot_at_third_seven, reaching, surviving
from dicegames_server.bots.theory.doubles_learning import Learning, by_duel, by_table
from dicegames_server.bots.theory.doubles_tables import round_before, tables, values

LAST = Round(values((0,)), last=True)
ROUND_3 = round_before((3,))
LEAD, POT = st.integers(-3000, 3000), st.integers(200, 5000)
SHARE = st.floats(0, 1)


def by_faces(lead: int, pot: int) -> float:
    """The chance in the last round of somebody who is alone and rolls once more. Over all 36 rolls, from the end on."""
    without = lead - pot
    faces = [(one, two) for one in range(1, 7) for two in range(1, 7)]
    rolled: dict[int, float] = {}

    def best(pot: int) -> float:
        return 1.0 if without + pot > 0 else max(0.5 if without + pot == 0 else 0.0, rolled[pot])

    for now in range(max(pot, -without), pot - 1, -1):
        total = 0.0
        for one, two in faces:
            if one + two == 7:
                total += 1.0 if without > 0 else 0.5 if without == 0 else 0.0
            else:
                total += best(2 * now if one == two else now + one + two)
        rolled[now] = total / 36
    return rolled[pot]


@pytest.mark.parametrize("lead", [-1500, -700, -301, -60, -12, -1, 0, 1, 30, 200, 400])
def test_alone_in_the_last_round_is_exact(lead: int) -> None:
    for pot in (200, 333, 400, 950):
        assert LAST.rolled(lead, pot) == pytest.approx(by_faces(lead, pot), abs=1e-12)


def test_a_larger_lead_is_never_worse() -> None:
    for row in tables().values:
        assert list(row) == sorted(row)
        assert row[len(LEADS) // 2] == pytest.approx(0.5)
        assert all(one + two == pytest.approx(1, abs=2e-6) for one, two in zip(row, reversed(row), strict=True))


def test_the_shipped_values_are_what_the_code_works_out() -> None:
    for shipped, worked in zip(tables().values, work_out(4), strict=False):
        assert shipped == pytest.approx(worked, abs=1e-6)
    assert len(tables().values) == MOST_ROUNDS + 1


def test_who_is_behind_wants_more_rounds() -> None:
    chances = [at(values((rounds,)), -500) for rounds in range(8)]
    assert chances == sorted(chances)
    assert at(values((3, 6)), -500) == pytest.approx((chances[3] + chances[6]) / 2)
    assert values((40,)) == values((MOST_ROUNDS,))


@given(SHARE, SHARE, SHARE, SHARE, SHARE)
def test_nobody_can_do_better_against_the_best_play_in_a_window(
    a: float, b: float, c: float, d: float, tried: float
) -> None:
    """Minimax: what one player makes sure of is what the other one can hold them to."""
    matrix = Matrix(a, b, c, d)
    share, theirs = matrix.cashing, matrix.turned().cashing

    def worth(mine: float, other: float) -> float:
        cash = other * a + (1 - other) * b
        hold = other * c + (1 - other) * d
        return mine * cash + (1 - mine) * hold

    assert worth(share, tried) >= matrix.value - 1e-9
    assert worth(tried, theirs) <= matrix.value + 1e-9
    assert matrix.turned().value == pytest.approx(1 - matrix.value)


@given(LEAD, POT)
def test_what_one_gains_the_other_loses(lead: int, pot: int) -> None:
    for round_ in (LAST, ROUND_3):
        assert round_.window(lead, pot).value + round_.window(-lead, pot).value == pytest.approx(1, abs=1e-6)


@given(LEAD, POT)
def test_a_window_is_worth_what_a_roll_makes_of_it(lead: int, pot: int) -> None:
    """One step of value iteration over the dice, without the grids' own sums. Grids are coarse: a few hundredths."""
    rolled = [
        (ROUND_3.after, 0) if one + two == 7 else (None, 2 * pot if one == two else pot + one + two)
        for one in range(1, 7)
        for two in range(1, 7)
    ]
    worth = sum(at(row, lead) if row else between(ROUND_3.both, lead, reached) for row, reached in rolled) / 36
    assert between(ROUND_3.both_hold, lead, pot) == pytest.approx(worth, abs=0.04)


def test_the_value_of_a_round_by_play() -> None:
    """Play both sides by the solution and count: the first one has 300 points less."""
    rng, games, wins = random.Random(5), 4000, 0.0
    last_round = Round(values((0,)))
    decide = by_duel([last_round], rng)
    for _ in range(games):
        scores, inside, pot = [0, 300], {0, 1}, pot_at_third_seven(rng)
        while inside and pot:
            window = Window(scores, set(inside), pot, 0)
            if len(inside) == 2:
                out = {place for place in inside if decide(window, place)}
            else:
                (last,) = inside
                cashed, rolled = alone(last_round, window, last)
                out = inside if cashed >= rolled else set()
            scores = [score + pot * (place in out) for place, score in enumerate(scores)]
            inside = inside - out
            one, two = rng.randint(1, 6), rng.randint(1, 6)
            pot = 0 if one + two == 7 else 2 * pot if one == two else pot + one + two
        wins += 0.5 if scores[0] == scores[1] else scores[0] > scores[1]
    assert wins / games == pytest.approx(at(tables().values[1], -300), abs=3 * 0.5 / games**0.5)


def test_the_pot_reaches_a_goal() -> None:
    table = reaching(300)
    assert table[0][299] == 1
    assert table[3][299] == pytest.approx(5 / 6)
    assert table[3][150] < table[2][150] < table[1][150]
    assert surviving(300)[1:300] == pytest.approx(table[3][1:300])


def test_growth_up_to_the_third_seven() -> None:
    assert all(times >= 1 and more >= 75 * sevens for sevens in (1, 2) for times, more in growths(sevens))


def test_chances_of_several_add_up() -> None:
    for scores in ([0, 0, 0], [100, 0, 0, 0], [5, 700, 30, 30, 2000]):
        found = [chance(values((4,)), scores, place) for place in range(len(scores))]
        assert sum(found) == pytest.approx(1, abs=0.25)  # close, not exact: three and more are not solved
        assert sorted(found, key=lambda share: round(share, 9)) == [
            found[place] for place in sorted(range(len(scores)), key=lambda place: scores[place])
        ]
    assert [chance(values((0,)), [7, 7, 3], place) for place in range(3)] == pytest.approx([1 / 2, 1 / 2, 0])


@given(st.lists(st.integers(0, 3000), min_size=3, max_size=9), st.integers(200, 5000), st.integers(0, 12), st.data())
def test_every_situation_has_a_habit(scores: list[int], pot: int, to_come: int, data: st.DataObject) -> None:
    inside = data.draw(st.sets(st.integers(0, len(scores) - 1), min_size=2))
    window = Window(scores, inside, pot, to_come)
    for place in inside:
        habit = habit_in(tables().learned, window, place)
        assert 0 <= habit.share <= 1 and 0 <= habit.cashed <= 1 and 0 <= habit.held <= 1
        raised = Window([score + 1000 for score in scores], inside, pot, to_come)
        assert situation(raised, place) == situation(window, place)  # only differences count


def test_learning_finds_out_what_is_better() -> None:
    """In the last round, too far behind: cashing out loses the game, holding may still win it."""
    learning = Learning([Round(row) for row in tables().values[:3]], seed=2)
    learning.play_itself(40)
    learned = learning.learned()
    far = [habit for key, habit in learned.items() if key[0] == "0" and key[2].startswith("far")]
    assert far and all(habit.cashed == 0 for habit in far)
    assert sum(habit.held for habit in far) > 0
    assert sum(habit.share for habit in far) / len(far) < 0.5
    again = Learning([Round(row) for row in tables().values[:3]], seed=2)
    again.play_itself(40)
    assert again.learned() == learned


def test_an_answer_to_a_weak_player_is_found() -> None:
    """The negative control of `exploitability`: against players who always cash out, holding is learned."""
    rounds = [Round(row) for row in tables().values[:3]]
    answer = Learning(rounds, seed=3)
    answer.play_against(lambda window, place: True, 2, 150)
    level = [habit for key, habit in answer.learned().items() if key[2] == "level"]
    assert level and all(habit.held > habit.cashed + 0.1 for habit in level)


def test_an_unknown_situation_is_left_to_chance() -> None:
    decide = by_table({}, random.Random(1))
    window = Window([0, 0, 0], {0, 1, 2}, 500, 3)
    assert 0.2 < sum(decide(window, 0) for _ in range(1000)) / 1000 < 0.4
    assert habit_in({}, window, 0) is UNKNOWN
    assert POTS[0] > 0

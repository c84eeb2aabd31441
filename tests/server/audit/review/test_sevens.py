"""The review of Sevens, against the bare rules of the game."""

import random
from collections import Counter
from functools import cache
from itertools import combinations_with_replacement, product
from math import factorial, prod

import pytest

from dicegames_protocol.bot_levels import LEVELS
from dicegames_protocol.games.sevens import SevensOptions, SevensState
from dicegames_protocol.table import Move
from dicegames_server.audit.review import reviewing
from dicegames_server.audit.review.judge import Chances
from dicegames_server.audit.review.judges import judge_for
from dicegames_server.audit.review.judges.sevens import SevensJudge, judge
from dicegames_server.audit.review.reviewing import review, whole
from dicegames_server.bots import strategies_of
from dicegames_server.games.base import Act
from dicegames_server.games.sevens import Sevens, pairs_of_seven
from support.dice import ScriptedDice
from support.pure_table import PureTable

NAMES = ("ana", "bo", "cy", "di", "ed", "flo")


def table_of(players: int, seed: int, rounds: int) -> PureTable:
    return PureTable("sevens", *NAMES[:players], dice=ScriptedDice(seed=seed), rounds=rounds).start()


def state_of(table: PureTable) -> SevensState:
    assert table.state.match
    state = table.state.match.state
    assert isinstance(state, SevensState)
    return state


def played(table: PureTable, levels: list[str], seed: int) -> list[tuple[SevensState, Act]]:
    """Bots of these levels play the game to its end. Gives each state, and what was done in it."""
    known = strategies_of("sevens", random.Random(seed))
    found = []
    while table.state.playing:
        match = table.state.match
        assert match
        seat = next(seat for seat in range(len(levels)) if match.waits_for(seat))
        move = known[levels[seat]].choose(match, seat)
        assert move
        found.append((state_of(table), Act(seat, move)))
        table.move(seat, move.take)
    return found


@pytest.mark.parametrize("players", range(2, 7))
def test_reviews_of_games_of_bots_add_up(players: int) -> None:
    rng = random.Random(players)
    rounds = rng.choice([1, 2, 4])
    table = table_of(players, players, rounds)
    moves = played(table, [rng.choice(LEVELS) for _ in range(players)], players)
    found = whole(review(table.updates))
    assert found.exact == (players == 2 or (players == 3 and rounds == 1))
    for player in found.players:
        after = player.start - player.lost - player.away + player.given + player.luck
        assert player.end == pytest.approx(after, abs=1e-9)
    assert [player.start for player in found.players] == pytest.approx([1 / players] * players)
    assert sum(player.end for player in found.players) == 1
    assert all(move.cost >= 0 for move in found.moves)
    rules = Sevens(SevensOptions(rounds=rounds))
    judges = judge_for(rules, players)
    assert judges
    for state, act in moves:
        chances = judges.chances(state)
        assert sum(chances.values()) == pytest.approx(1, abs=1e-9)
        for decision in judges.decisions(state, act):
            assert sum(decision.taken.chances.values()) == pytest.approx(1, abs=1e-9)
            if decision.spread > 1e-12:  # else both are best, whatever they mean for others
                assert decision.best.chances == pytest.approx(chances, abs=1e-12)


@pytest.mark.parametrize(("players", "rounds"), [(2, 3), (4, 2)])
def test_who_takes_the_best_has_an_accuracy_of_one(players: int, rounds: int) -> None:
    table = table_of(players, 5, rounds)
    judges = judge(Sevens(SevensOptions(rounds=rounds)), players)
    rng = random.Random(5)
    while table.state.playing:
        match, state = table.state.match, state_of(table)
        assert match
        seat = next(seat for seat in range(players) if match.waits_for(seat))
        decided = judges.decisions(state, Act(seat, Move(take="keep")))
        take = decided[0].best.move.take if decided and not seat else "roll"
        if decided and seat:
            take = rng.choice(["keep", "roll"])
        table.move(seat, take)
    first, *others = whole(review(table.updates)).players
    assert first.accuracy == 1
    assert first.lost == 0
    assert any(player.accuracy is not None and player.accuracy < 1 for player in others)


def test_a_sentence_says_what_would_have_been_better() -> None:
    """One player has 30 points; the other has 3 dice with 9 points left in the last turn, and may roll once more."""
    state = play_state((30, 20), turn=1, left=(1, 2, 6), roll=2)
    judges = SevensJudge(2, 1)
    (decision,) = judges.decisions(state, Act(1, Move(take="keep")))
    chances = decision.best.chances[1]
    assert decision.taken.chances == {0: 1.0, 1: 0.0}
    assert judges.why(decision) == f"rolling 3 dice wins {round(chances * 100)} %, keeping 9 0 %"
    assert not judges.decisions(play_state((30, 20), turn=1), Act(1, Move(take="roll")))


def play_state(totals: tuple[int, ...], turn: int, left: tuple[int, ...] | None = None, roll: int = 0) -> SevensState:
    """The last of a game's rounds. The first seat began."""
    seats = {
        str(seat): {"status": "done" if seat < turn else "turn" if seat == turn else "waiting", "total": total}
        for seat, total in enumerate(totals)
    }
    fields = {"stage": "play", "heat": 1, "round": 1, "rounds": 1, "starter": 0, "turn_no": 1}
    return SevensState.model_validate(fields | {"turn": turn, "left": left, "roll": roll, "seats": seats})


# The last round of two players once more, from nothing but the rule about pairs.


@cache
def after_a_roll(dice: int) -> dict[tuple[int, int], float]:
    """How many dice may be left after a roll, and their sum -> how likely that is."""
    counted: Counter[tuple[int, int]] = Counter()
    for faces in product(range(1, 7), repeat=dice):
        gone = {place for pair in pairs_of_seven(faces) for place in pair}
        left = [face for place, face in enumerate(faces) if place not in gone]
        counted[len(left), sum(left)] += 1
    return {key: ways / 6**dice for key, ways in counted.items()}


def best(worth: tuple[float, ...], dice: int, rolls: int) -> float:
    """The most that can be had by rolling these dice, if the end of a turn is worth so much."""
    again = {
        left: best(worth, left, rolls - 1) for left in {left for left, _ in after_a_roll(dice)} if left and rolls > 1
    }
    return sum(share * max(worth[points], again.get(left, 0)) for (left, points), share in after_a_roll(dice).items())


def last_worth(lead: int, tie: float) -> tuple[float, ...]:
    """What the last player's points are worth, with this lead before the turn."""
    return tuple(tie if lead + points == 0 else float(lead + points > 0) for points in range(37))


def first_worth(lead: int, tie: float) -> tuple[float, ...]:
    return tuple(1 - best(last_worth(-lead - points, tie), 6, 3) for points in range(37))


@cache
def last_ones_tie() -> float:
    """The chance of the last player of two who play off a tie."""
    tie = 0.5
    for _ in range(12):
        tie = 1 - best(first_worth(0, tie), 6, 3)
    return tie


def test_the_last_round_of_two_is_exact() -> None:
    judges = SevensJudge(2, 1)
    rng = random.Random(8)
    tie = last_ones_tie()
    assert judges.chances(play_state((0, 0), 0))[1] == pytest.approx(tie, abs=1e-9)
    cases = [(rng.randint(-25, 25), rng.randint(0, 1), rng.choice([2, 4, 6]), rng.randint(1, 2)) for _ in range(30)]
    for lead, turn, dice, roll in cases:
        left = tuple(rng.choices(rng.choice([(1, 2, 3), (4, 2, 6), (1, 5, 3), (6, 5, 4)]), k=dice))
        totals = (50 + lead, 50) if turn == 0 else (50, 50 + lead)
        worth = last_worth(lead, tie) if turn else first_worth(lead, tie)
        kept, rolled = worth[sum(left)], best(worth, dice, 3 - roll)
        state = play_state(totals, turn, left, roll)
        assert judges.chances(state)[turn] == pytest.approx(max(kept, rolled), abs=1e-9)
        (decision,) = judges.decisions(state, Act(turn, Move(take="roll")))
        assert decision.taken.chances[turn] == pytest.approx(rolled, abs=1e-9)
        assert decision.others[0].chances[turn] == pytest.approx(kept, abs=1e-9)


# What a roll may lead to, by the rules: the chances before it are the mean of those after it.


def mean_after(judges: SevensJudge, state: SevensState, seat: int, dice: int) -> Chances:
    rules = Sevens(SevensOptions(rounds=state.rounds))
    found = dict.fromkeys(judges.chances(state), 0.0)
    for faces in combinations_with_replacement(range(1, 7), dice):
        ways = factorial(dice) // prod(factorial(many) for many in Counter(faces).values())
        step = rules.play(state, Act(seat, Move(take="roll")), faces, ())
        for other, chance in judges.chances(step.state).items():
            found[other] += chance * ways / 6**dice
    return found


@pytest.mark.parametrize(
    "state",
    [
        play_state((40, 33, 35), 2, (6, 6), 2),
        play_state((40, 33, 35), 1, (6, 5), 2),
        play_state((30, 33, 36), 0, (1, 1), 2),
        play_state((40, 28), 1, (3, 5, 6, 6), 1),  # it may be the first of two rolls
    ],
)
def test_a_roll_changes_nothing_on_average(state: SevensState) -> None:
    judges = SevensJudge(len(state.seats), 1)
    assert state.turn is not None and state.left
    (decision,) = judges.decisions(state, Act(state.turn, Move(take="roll")))
    assert mean_after(judges, state, state.turn, len(state.left)) == pytest.approx(decision.taken.chances, abs=1e-6)


@pytest.mark.parametrize("openings", [(None, None, None), (30, None, None), (20, None, 26), (None, 22, 22)])
def test_the_rolls_for_the_start_are_luck_and_count(openings: tuple[int | None, ...]) -> None:
    seats = {
        str(seat): {"status": "rolling" if opening is None else "done", "opening": opening}
        for seat, opening in enumerate(openings)
    }
    fields = {"stage": "start", "heat": 1, "round": 0, "rounds": 1, "seats": seats}
    state = SevensState.model_validate(fields)
    judges = SevensJudge(3, 1)
    chances = judges.chances(state)
    assert mean_after(judges, state, openings.index(None), 6) == pytest.approx(chances, abs=1e-9)
    if set(openings) == {None}:
        assert chances == pytest.approx(dict.fromkeys(range(3), 1 / 3), abs=1e-9)
    else:
        assert chances[openings.index(max(opening or 0 for opening in openings))] < 1 / 3  # it is bad to begin


def test_who_does_not_play_off_the_tie_is_out() -> None:
    state = play_state((40, 12, 40), 2)
    entries = {**state.seats, "1": state.seats["1"].but(status="out")}
    state = state.but(seats=entries, round=2, extra=True, starter=1, left=(4, 4), roll=2)
    chances = SevensJudge(3, 1).chances(state)
    assert chances[1] == 0
    assert 0 < chances[2] < chances[0] < 1 or 0 < chances[0] < chances[2] < 1


def test_the_order_of_play_is_that_of_the_seats_whatever_patches_left() -> None:
    """A seat that was free in the game before comes last in a table that was put together from patches."""
    rules = Sevens(SevensOptions())
    state = state_of(table_of(3, 1, 1))
    dumped = state.model_dump(mode="json", exclude_none=True)
    mixed = {**dumped, "seats": {seat: dumped["seats"][seat] for seat in ("1", "2", "0")}}
    assert list(reviewing.state_of(rules, mixed).seats) == ["0", "1", "2"]

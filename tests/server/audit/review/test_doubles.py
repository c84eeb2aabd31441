"""The review of Doubles, in games of bots who decide, wait and let the time run out."""

import random
from typing import Any

import pytest

from dicegames_protocol.games.doubles import DoublesOptions, DoublesState
from dicegames_protocol.messages.review import GameReview
from dicegames_protocol.table import Move
from dicegames_server.audit.review.judges import judge_for
from dicegames_server.audit.review.judges.doubles import MOST_SEATS, DoublesJudge
from dicegames_server.audit.review.reviewing import review, whole
from dicegames_server.bots.arena.contestants import contestants
from dicegames_server.games.base import Act
from dicegames_server.games.doubles import Doubles
from dicegames_server.table.play import time_up
from support.dice import ScriptedDice
from support.pure_table import PureTable

NAMES = ("ana", "bo", "cy", "di", "ed", "flo")


def played(strategies: list[str], seed: int, **options: Any) -> PureTable:
    """A whole game. In windows some never answer, and the time runs out."""
    rng = random.Random(seed)
    bots = contestants("doubles", strategies, rng)
    table = PureTable("doubles", *NAMES[: len(bots)], dice=ScriptedDice(seed=seed), **options).start()
    while table.state.playing:
        match = table.state.match
        assert match
        asked = [seat for seat in range(len(bots)) if match.may(seat) and bots[seat].wakes(match.seen_by(seat), seat)]
        rng.shuffle(asked)
        seq = table.state.seq
        for seat in sorted(asked, key=match.waits_for):
            move = bots[seat].choose(match.seen_by(seat), seat)
            if move is not None and not (table.state.info.timer and move.take == "hold" and rng.random() < 0.3):
                table.move(seat, move.take, choice=move.choice)
                break
        if table.state.seq == seq:
            table.take(time_up(table.state, table.dice))
    return table


def check_sums(found: GameReview) -> None:
    for player in found.players:
        reached = player.start - player.lost - player.away + player.given + player.luck
        assert player.end == pytest.approx(reached, abs=1e-9)
        assert player.accuracy is None or 0 <= player.accuracy <= 1
    assert sum(player.start for player in found.players) == pytest.approx(1, abs=1e-9)
    assert sum(player.end for player in found.players) == pytest.approx(1, abs=1e-9)
    assert all(move.cost >= -1e-9 for move in found.moves)
    assert all(-1e-5 <= chance <= 1 + 1e-5 for point in found.curve for chance in point.chances)


@pytest.mark.parametrize(
    ("strategies", "options"),
    [
        (["expert", "steady"], {}),
        (["expert", "expert"], {"rounds": "3-5"}),
        (["easy", "easy"], {"rounds": 4}),
        (["easy", "sniper"], {"rounds": 3, "window": 0}),
        (["expert", "easy", "steady"], {"rounds": 4}),
        (["easy", "shadow", "expert", "at-1000", "easy", "mixture-30%"], {"rounds": 3, "next_round": "rotate"}),
        (["expert", "easy"], {"rounds": 3, "sealed": True}),
        (["expert", "easy", "steady", "easy"], {"rounds": 3, "sealed": True}),
        (["easy"], {"rounds": 2}),
    ],
)
def test_reviews_of_games_of_bots_add_up(strategies: list[str], options: dict[str, Any]) -> None:
    for seed in range(4):
        table = played(strategies, seed, **options)
        found = whole(review(table.updates))
        check_sums(found)
        assert not found.exact
        assert {move.seat for move in found.moves} <= set(range(len(strategies)))


def test_who_plays_the_duel_as_well_as_can_be_loses_nothing() -> None:
    for seed in range(6):
        found = whole(review(played(["expert", "careful-sniper"], seed, rounds=4).updates))
        mine = found.players[0]
        assert mine.lost == pytest.approx(0, abs=0.02) and mine.accuracy != 0


def judge_of(**options: Any) -> DoublesJudge:
    judge = judge_for(Doubles(DoublesOptions.read(options)), 2)
    assert isinstance(judge, DoublesJudge)
    return judge


def state_of(table: PureTable) -> DoublesState:
    assert table.state.match
    state = table.state.match.state
    assert isinstance(state, DoublesState)
    return state


THREE_SEVENS = ((1, 6), (1, 6), (1, 6))


def in_window(*scores: int, **options: Any) -> DoublesState:
    """The window after the third seven, with a pot of 225."""
    table = PureTable("doubles", *NAMES[: len(scores)], rolls=THREE_SEVENS, **options).start()
    while not state_of(table).deciding:
        table.move(state_of(table).roller, "roll")
    state = state_of(table)
    return state.but(
        seats={seat: entry.but(score=score) for (seat, entry), score in zip(state.seats.items(), scores, strict=True)}
    )


def test_in_the_last_round_the_first_to_cash_out_is_outwaited() -> None:
    judge, state = judge_of(rounds=1), in_window(0, 0, rounds=1)
    assert judge.chances(state) == {0: 0.5, 1: 0.5}
    (decision,) = judge.decisions(state, Act(0, Move(take="cash")))
    assert decision.cost == pytest.approx(0.5 - 1 / 6)
    assert decision.best.words == "holding"
    assert judge.why(decision) == ("with 225 in the pot and one other in: holding wins 50 %, cashing out 225 17 %")


def test_who_is_alone_and_behind_has_to_go_on() -> None:
    judge, state = judge_of(rounds=1), in_window(0, 0, rounds=1)
    out = state.seats["0"].but(score=225, out=1)
    state = state.but(seats={**state.seats, "0": out}, inside=1)
    (decision,) = judge.decisions(state, Act(1, Move(take="cash")))
    assert decision.cost == pytest.approx(5 / 6 - 1 / 2)
    (rolled,) = judge.decisions(state.but(deciding=None, sevens=3), Act(1, Move(take="hold"))) or (None,)
    assert rolled is None or rolled.cost == 0


def test_cashing_out_before_the_third_seven_gives_something_away() -> None:
    table = PureTable("doubles", "ana", "bo", rolls=((1, 6), (1, 2)), rounds=2).start()
    table.move(0, "roll")
    judge = judge_of(rounds=2)
    (decision,) = judge.decisions(state_of(table), Act(1, Move(take="cash")))
    assert decision.cost > 0.1
    assert "nothing can be lost" in judge.why(decision)


def test_holding_is_judged_when_the_window_closes() -> None:
    judge, state = judge_of(rounds=1), in_window(0, 500, rounds=1)
    assert judge.decisions(state, Act(0, Move(take="hold"))) == ()
    both = judge.decisions(state, Act(None, Move(take="time-up"), "clock"))
    assert [decision.seat for decision in both] == [0, 1]
    assert both[0].best.chances == judge.chances(state)
    assert both[1].best.chances == both[0].taken.chances


def test_large_tables_are_not_judged() -> None:
    rules = Doubles(DoublesOptions.read({}))
    assert judge_for(rules, MOST_SEATS) and judge_for(rules, MOST_SEATS + 1) is None

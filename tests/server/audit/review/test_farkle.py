"""The review of Farkle, against brute force and against what bots play."""

import random
from functools import cache
from typing import Any

import pytest

from dicegames_protocol.games.farkle import FarkleOptions, FarkleState
from dicegames_protocol.messages.review import AS_GOOD
from dicegames_protocol.table import Move
from dicegames_server.audit.review.judges.farkle import FarkleJudge, judge
from dicegames_server.audit.review.reviewing import review, whole
from dicegames_server.bots import strategies_of
from dicegames_server.bots.theory.farkle.duel import HouseRules, beyond, duel
from dicegames_server.games.base import Act
from dicegames_server.games.farkle import Farkle
from dicegames_server.games.farkle_scoring import selections
from support.dice import ScriptedDice
from support.pure_table import PureTable

NAMES = ("ana", "bo", "cy", "di")


def played(levels: list[str], seed: int, **options: Any) -> tuple[PureTable, list[tuple[FarkleState, Act]]]:
    """Bots of these levels play a game to its end. Gives each state, and what was done in it."""
    known = strategies_of("farkle", random.Random(seed))
    table = PureTable("farkle", *NAMES[: len(levels)], dice=ScriptedDice(seed=seed), **options).start()
    found = []
    while table.state.playing:
        match = table.state.match
        assert match and isinstance(match.state, FarkleState)
        seat = match.state.turn
        move = known[levels[seat]].choose(match, seat)
        assert move
        found.append((match.state, Act(seat, move)))
        table.move(seat, move.take, choice=move.choice)
    return table, found


@pytest.mark.parametrize(
    ("levels", "options", "exact"),
    [
        (["easy", "steady"], {"target": 300}, True),
        (["steady", "expert"], {"target": 1500, "opening": 300, "three_farkles": 500}, False),
        (["easy", "steady", "expert"], {"target": 1000, "preset": "boxed"}, False),
        (["easy", "easy", "steady", "expert"], {"target": 600, "minimum": 150}, False),
    ],
)
def test_reviews_of_games_of_bots_add_up(levels: list[str], options: dict[str, Any], exact: bool) -> None:
    table, moves = played(levels, 3, **options)
    found = whole(review(table.updates))
    assert found.exact == exact
    for player in found.players:
        after = player.start - player.lost - player.away + player.given + player.luck
        assert player.end == pytest.approx(after, abs=1e-9)
    assert sum(player.end for player in found.players) == pytest.approx(1)
    assert all(move.cost >= 0 for move in found.moves)
    judged = judge(Farkle(FarkleOptions.read(options)), len(levels))
    for state, act in moves:
        chances = judged.chances(state)
        assert sum(chances.values()) == pytest.approx(1, abs=1e-9)
        for decision in judged.decisions(state, act):
            assert sum(decision.taken.chances.values()) == pytest.approx(1, abs=1e-9)
            assert decision.best.chances[decision.seat] == pytest.approx(chances[decision.seat], abs=1e-12)


def test_an_expert_makes_no_mistake() -> None:
    table, _ = played(["expert", "expert"], 5, target=300)
    found = whole(review(table.updates))
    assert [player.accuracy for player in found.players] == pytest.approx([1, 1], abs=0.001)
    assert all(move.cost < AS_GOOD for move in found.moves)


def test_costs_at_500_are_those_of_brute_force() -> None:
    """Each alternative of each decision, worked out anew from every roll of every selection."""
    rules = Farkle(FarkleOptions(target=500))
    known, far = duel(rules.scoring, 500, 0, 0), round(beyond(HouseRules(rules.scoring, 500, 0, 0)))
    judged = FarkleJudge(rules, 2)
    moves = [pair for seed in range(4) for pair in played(["easy", "easy"], seed, target=500)[1]]
    open_turns = [(state, act) for state, act in moves if state.closer is None and state.dice]
    assert len(open_turns) > 4
    for state, act in open_turns[:5]:
        mine, theirs = (500 - state.seats[str(seat)].score for seat in (state.turn, 1 - state.turn))

        @cache
        def rolling(points: int, dice: int, mine: int = mine, theirs: int = theirs) -> float:
            total = 0.0
            for chance, kept in rolls(dice):
                best = None
                for worth, rest in kept:
                    reached = points + worth
                    value = known.after(mine - reached, theirs)
                    if reached <= mine + far:
                        value = max(value, rolling(reached, rest, mine, theirs))
                    best = value if best is None else max(best, value)
                total += chance * (known.after(mine, theirs) if best is None else best)
            return total

        (decision,) = judged.decisions(state, act)
        for found in (decision.taken, *decision.others):
            worth = selections(state.dice or (), rules.scoring)[found.move.choice or ""]
            points, rest = state.points + worth, len(state.dice or ()) - len(found.move.choice or "") or 6
            exact = known.after(mine - points, theirs) if found.move.take == "bank" else rolling(points, rest)
            assert found.chances[state.turn] == pytest.approx(exact, abs=1e-9)


@cache
def rolls(dice: int) -> tuple[tuple[float, tuple[tuple[int, int], ...]], ...]:
    scoring = Farkle(FarkleOptions()).scoring
    grouped: dict[tuple[tuple[int, int], ...], int] = {}
    for number in range(6**dice):
        faces = [number // 6**place % 6 + 1 for place in range(dice)]
        kept = tuple(sorted({(points, dice - len(key) or 6) for key, points in selections(faces, scoring).items()}))
        grouped[kept] = grouped.get(kept, 0) + 1
    return tuple((count / 6**dice, kept) for kept, count in grouped.items())


def test_a_mistake_is_told_in_a_sentence() -> None:
    """With 3,000 at risk and one die left, which is all that it takes to win, rolling on is a blunder."""
    table = PureTable(
        "farkle",
        "ana",
        "bo",
        rolls=((1, 1, 1, 1, 1, 2), (3,), (1, 2, 3, 4, 6, 6), (1, 1, 1, 1, 1, 1), (1, 2, 3, 4, 6, 6)),
        target=2000,
    ).start()
    for seat, take, choice in [(0, "roll", None), (0, "roll", "11111"), (1, "roll", None), (1, "bank", "1")]:
        table.move(seat, take, choice=choice)
    for take, choice in [("roll", None), ("bank", "111111")]:
        table.move(0, take, choice=choice)
    table.move(1, "roll")
    table.move(1, "bank", choice="1")
    found = whole(review(table.updates))
    worst = next(move for move in found.moves if move.mark == "blunder")
    assert (worst.took, worst.best) == ("rolling 1 die with 3,000 at risk", "banking 3,000")
    assert worst.why and worst.why.startswith("banking 3,000 wins ") and "rolling 1 die" in worst.why


def test_alone_there_is_nothing_to_decide() -> None:
    table, moves = played(["steady"], 2, target=500)
    found = whole(review(table.updates))
    assert found.moves == ()
    assert (found.players[0].start, found.players[0].end) == (1, 1)
    judged = judge(Farkle(FarkleOptions(target=500)), 1)
    assert judged.decisions(moves[1][0], Act(0, Move(take="bank", choice="1"))) == ()

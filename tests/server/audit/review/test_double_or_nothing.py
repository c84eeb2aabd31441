"""The review of Double or Nothing, against the bare rules of the game."""

import random
from typing import Any

import pytest

from dicegames_server.audit.review.played_games import NoReview
from dicegames_server.audit.review.reviewing import review, whole
from support.pure_table import PureTable


def played(seed: int, **options: Any) -> tuple[PureTable, list[tuple[int, int, str]]]:
    """A game of two who move at random, but never over the target if they can help it. Also: seat, number, move."""
    rng = random.Random(seed)
    table = PureTable("double-or-nothing", "ana", "bo", first="1", **options).start()
    moves = []
    while table.state.playing:
        assert table.state.match
        state = table.state.match.state
        number, target, seat = state.number, state.target, state.turn  # type: ignore[attr-defined]
        fits = [take for take, after in (("add", number + 1), ("double", number * 2)) if after <= target]
        take = rng.choice(fits or ["add", "double"])
        moves.append((seat, number, take))
        table.move(seat, take)
    return table, moves


def wins(number: int, target: int) -> bool:
    """Whether whoever is to move can force the win. By plain search."""
    return any(after == target or (after < target and not wins(after, target)) for after in (number + 1, number * 2))


def gives_away(number: int, take: str, target: int) -> bool:
    after = number + 1 if take == "add" else number * 2
    return wins(number, target) and after != target and (after > target or wins(after, target))


def test_the_move_that_lost_is_named_in_a_thousand_games() -> None:
    lost = seed = 0
    while lost < 1000:
        seed += 1
        target = 10 + seed % 30
        table, moves = played(seed, target=target)
        found = whole(review(table.updates))
        named = [(move.seat, move.took.split()[0]) for move in found.moves if move.mark == "blunder"]
        slips = [(seat, take) for seat, number, take in moves if gives_away(number, take, target)]
        assert named == [(seat, {"add": "adding", "double": "doubling"}[take]) for seat, take in slips]
        for player in found.players:
            assert player.lost == sum(seat == player.seat for seat, _ in slips)
            assert player.end == player.start - player.lost + player.given + player.luck
        lost += bool(slips)


def test_a_series_counts_games_to_come_as_even() -> None:
    for seed in range(200):
        table, _ = played(seed, target=12, best_of=5)
        found = whole(review(table.updates))
        assert sum(point.chances[0] for point in found.curve[:1]) in (0.5 + 0.1875, 0.5 - 0.1875)
        for player in found.players:
            assert player.end == pytest.approx(player.start - player.lost - player.away + player.given + player.luck)
        assert {player.end for player in found.players} == {0.0, 1.0}


def test_no_review_before_the_end() -> None:
    table = PureTable("double-or-nothing", "ana", "bo", first="1").start()
    with pytest.raises(NoReview, match="only after a game"):
        review(table.updates)

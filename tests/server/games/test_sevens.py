"""Sevens, with the example of the source document."""

from typing import Any

import pytest

from dicegames_protocol.games.sevens import SevensOptions, SevensState
from dicegames_protocol.options import OptionError
from dicegames_protocol.table import Move
from dicegames_server.core.errors import Refused
from dicegames_server.games.match import Match
from dicegames_server.games.sevens import Sevens, pairs_of_seven

ZERO = (1, 6, 2, 5, 3, 4)


class Played:
    def __init__(self, players: int = 2, **options: Any) -> None:
        rules = Sevens(SevensOptions.read(options))
        self.match, _ = Match.start(rules, range(players), None, ())
        self.events: list[str] = []

    @property
    def state(self) -> SevensState:
        assert isinstance(self.match.state, SevensState)
        return self.match.state

    def roll(self, seat: int, *faces: int) -> "Played":
        act = self.match.check(seat, Move(take="roll"))
        need = self.match.needs(act)
        assert need and need.count == len(faces)
        self.match, events = self.match.play(act, faces)
        self.events = [event.kind for event in events]
        return self

    def keep(self, seat: int) -> "Played":
        self.match, _ = self.match.play(self.match.check(seat, Move(take="keep")), ())
        return self

    def started_by(self, seat: int) -> "Played":
        for other in range(len(self.state.seats)):
            self.roll(other, *((6,) * 6 if other == seat else (1,) * 6))
        return self

    def totals(self) -> list[int]:
        return [seat.total for seat in self.state.seats.values()]


@pytest.mark.parametrize(
    ("faces", "left"),
    [
        ((1, 2, 4, 6, 3, 3), (2, 3)),
        ((1, 6, 2, 5, 3, 4), ()),
        ((6, 6, 6, 6, 6, 6), (6, 6, 6, 6, 6, 6)),
        ((1, 1, 6, 6, 6, 5), (6, 5)),
        ((1, 1, 5, 1, 1, 1), (1, 1, 5, 1, 1, 1)),
        ((4, 2, 1), (4, 2, 1)),
        ((1, 2, 4, 3), (1, 2)),
        ((3, 4), ()),
        ((2,), (2,)),
        ((1, 6, 1), (1,)),
    ],
)
def test_pairs_of_seven_vanish_and_three_dice_sevens_stay(faces: tuple[int, ...], left: tuple[int, ...]) -> None:
    gone = {position for pair in pairs_of_seven(faces) for position in pair}
    assert tuple(face for position, face in enumerate(faces) if position not in gone) == left


def test_the_documents_turn() -> None:
    game = Played().started_by(0)
    game.roll(0, 1, 2, 4, 6, 3, 3)
    assert (game.state.left, game.state.pairs) == ((2, 3), ((0, 3), (2, 4)))
    game.roll(0, 1, 1).roll(0, 6, 6)
    assert game.totals() == [12, 0]
    assert game.state.turn == 1


def test_the_player_may_keep_after_the_first_roll() -> None:
    game = Played().started_by(0).roll(0, 1, 2, 4, 6, 3, 3).keep(0)
    assert game.totals() == [5, 0]


def test_two_dice_that_make_seven_leave_nothing() -> None:
    game = Played().started_by(0).roll(0, 1, 2, 4, 6, 3, 3).roll(0, 3, 4)
    assert game.totals() == [0, 0]
    assert game.state.turn == 1  # although a roll was left


def test_nothing_is_kept_before_a_roll() -> None:
    with pytest.raises(Refused):
        Played().started_by(0).keep(0)


def test_the_highest_sum_begins_and_order_follows_the_seats() -> None:
    game = Played(3).started_by(1)
    order = []
    for _ in range(3):
        assert game.state.turn is not None
        order.append(game.state.turn)
        game.roll(game.state.turn, *ZERO)
    assert order == [1, 2, 0]
    assert (game.state.round, game.state.turn) == (2, 1)


def test_everyone_rolls_for_the_start_in_any_order() -> None:
    game = Played(3).roll(2, 6, 6, 6, 6, 6, 6)
    with pytest.raises(Refused):
        game.roll(2, 1, 1, 1, 1, 1, 1)
    game.roll(0, 1, 1, 1, 1, 1, 1).roll(1, 2, 2, 2, 2, 2, 2)
    assert game.state.turn == 2


def test_only_the_tied_roll_again_for_the_start() -> None:
    game = Played(3).roll(0, 6, 6, 6, 6, 6, 1).roll(1, 1, 1, 1, 1, 1, 1).roll(2, 6, 6, 6, 6, 5, 2)
    assert game.events == ["rolled_for_start", "start_tied"]
    with pytest.raises(Refused):
        game.roll(1, 6, 6, 6, 6, 6, 6)
    game.roll(0, 1, 1, 1, 1, 1, 2).roll(2, 1, 1, 1, 1, 1, 3)
    assert game.state.turn == 2
    assert game.state.stage == "play"


def play_round(game: Played, **points: int) -> None:
    """Each player keeps six equal dice, or loses all of them."""
    for _ in range(len(points)):
        seat = game.state.turn
        assert seat is not None
        face = points[f"seat{seat}"]
        if face:
            game.roll(seat, *[face] * 6).keep(seat)
        else:
            game.roll(seat, *ZERO)


def test_a_tie_is_broken_by_whole_rounds_of_the_tied() -> None:
    game = Played(3, rounds=1).started_by(0)
    play_round(game, seat0=5, seat1=5, seat2=1)
    assert game.state.extra
    assert game.state.seats["2"].status == "out"
    play_round(game, seat0=2, seat1=2)
    assert game.match.winners is None
    play_round(game, seat0=1, seat1=3)
    assert game.match.winners == (1,)
    assert game.totals() == [48, 60, 6]


def test_the_highest_total_wins() -> None:
    game = Played(2, rounds=2).started_by(1)
    play_round(game, seat0=6, seat1=5)
    play_round(game, seat0=0, seat1=2)
    assert game.match.winners == (1,)


def test_rounds_must_be_at_least_one() -> None:
    with pytest.raises(OptionError, match="rounds must be at least 1"):
        SevensOptions.read({"rounds": "0"})

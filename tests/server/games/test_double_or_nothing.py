"""Double or Nothing, with the example game of the source document."""

from typing import Any

import pytest

from dicegames_protocol.games.double_or_nothing import DoubleOrNothingOptions, DoubleOrNothingState
from dicegames_protocol.options import OptionError
from dicegames_protocol.table import Move
from dicegames_server.core.errors import Refused
from dicegames_server.games.base import Need
from dicegames_server.games.double_or_nothing import DoubleOrNothing
from dicegames_server.games.match import Match


def begin(starter: int | None = None, toss: int | None = None, **options: Any) -> Match:
    rules = DoubleOrNothing(DoubleOrNothingOptions.read({"first": "1", **options}))
    return Match.start(rules, [0, 1], starter, (toss,) if toss else ())[0]


def play(match: Match, *moves: str) -> Match:
    for take in moves:
        turn = state(match).turn
        match, _ = match.play(match.check(turn, Move(take=take)), ())
    return match


def state(match: Match) -> DoubleOrNothingState:
    assert isinstance(match.state, DoubleOrNothingState)
    return match.state


def test_the_documents_game() -> None:
    match = begin()
    for take, number in [("double", 2), ("add", 3), ("double", 6), ("double", 12), ("add", 13)]:
        match = play(match, take)
        assert state(match).number == number
    match = play(match, "double")
    assert state(match).number == 26  # the real number is shown
    assert match.winners == (0,)


@pytest.mark.parametrize(("start", "take", "winner"), [(19, "add", 0), (10, "double", 0), (11, "double", 1)])
def test_exactly_the_target_wins_and_over_it_loses(start: int, take: str, winner: int) -> None:
    assert play(begin(start=start), take).winners == (winner,)


def test_only_the_one_whose_turn_it_is_may_move() -> None:
    with pytest.raises(Refused) as refused:
        begin().check(1, Move(take="add"))
    assert refused.value.code == "not_your_turn"
    with pytest.raises(Refused) as refused:
        begin().check(0, Move(take="pass"))
    assert refused.value.message == "'pass' is not a move now. You can: add, double."


def test_an_offer_that_loses_says_so() -> None:
    offers = begin(start=12).offers
    assert (offers["add"].loses, offers["double"].loses) == (False, True)
    assert (offers["add"].label, offers["double"].label) == ("Add one -> 13", "Double -> 24")


def test_the_coin_decides_unless_agreed() -> None:
    rules = DoubleOrNothing(DoubleOrNothingOptions())
    assert rules.opening(None) == Need(1, sides=2)
    assert rules.opening(1) is None  # a rematch: the other one begins
    assert state(begin(first="toss", toss=2)).turn == 1
    assert state(begin(first="toss", toss=1)).turn == 0
    assert state(begin(first="2")).turn == 1
    assert state(begin(starter=1)).turn == 1


def test_best_of_three_alternates_the_starter() -> None:
    match = play(begin(best_of=3, start=19), "add")
    assert match.winners is None
    assert (state(match).game, state(match).turn, state(match).number, state(match).trail) == (2, 1, 19, {})
    match = play(match, "add")
    assert [seat.wins for seat in state(match).seats.values()] == [1, 1]
    match = play(match, "double")
    assert match.winners == (1,)


def test_from_1_to_20_the_second_player_can_always_win() -> None:
    lost = {1, 3, 5, 12, 14, 16, 18}

    def mover_wins(number: int) -> bool:
        return any(n == 20 or (n < 20 and not mover_wins(n)) for n in (number + 1, number * 2))

    assert {number for number in range(1, 20) if not mover_wins(number)} == lost


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"target": 1}, "target must be at least 2."),
        ({"start": 0}, "start must be at least 1."),
        ({"start": 20}, "start must be below the target of 20."),
        ({"best-of": 2}, "best-of must be odd, so that somebody wins."),
        ({"first": "me"}, "first must be toss, 1 or 2."),
    ],
)
def test_bad_options_get_a_sentence(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(OptionError) as error:
        DoubleOrNothingOptions.read(options)
    assert str(error.value) == sentence

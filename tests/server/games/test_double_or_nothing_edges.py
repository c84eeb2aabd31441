"""Double or Nothing at its edges: every event of a series, where it was lost, and every word about it."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from dicegames_protocol.games.double_or_nothing import DoubleOrNothingOptions, DoubleOrNothingState, Slip
from dicegames_protocol.table import Move
from dicegames_server.games.base import Act, Need
from dicegames_server.games.double_or_nothing import DoubleOrNothing
from dicegames_server.games.double_or_nothing_solution import slip, won_numbers
from dicegames_server.games.match import Match


def rules(**options: Any) -> DoubleOrNothing:
    return DoubleOrNothing(DoubleOrNothingOptions.read({"first": "1", **options}))


class Played:
    """A game on seats 3 and 7: numbers of seats are not their places in the order."""

    def __init__(self, starter: int | None = None, toss: int | None = None, **options: Any) -> None:
        self.rules = rules(**options)
        self.match, events = Match.start(self.rules, (3, 7), starter, (toss,) if toss else ())
        self.events: list[dict[str, Any]] = [event.model_dump(exclude_defaults=True) for event in events]

    @property
    def state(self) -> DoubleOrNothingState:
        assert isinstance(self.match.state, DoubleOrNothingState)
        return self.match.state

    def do(self, *takes: str) -> "Played":
        for take in takes:
            act = self.match.check(self.state.turn, Move(take=take))
            assert self.match.needs(act) is None
            self.match, events = self.match.play(act, ())
            self.events = [event.model_dump(exclude_defaults=True) for event in events]
        return self

    def wins(self) -> list[int]:
        return list(self.rules.scores(self.state).values())


@pytest.mark.parametrize(
    ("options", "summary"),
    [
        ({}, "to 20"),
        ({"target": 50, "start": 2}, "to 50 from 2"),
        ({"best_of": 3}, "to 20, best of 3"),
        ({"target": 30, "start": 4, "best_of": 5}, "to 30 from 4, best of 5"),
    ],
)
def test_options_in_a_few_words(options: dict[str, Any], summary: str) -> None:
    assert rules(**options).summary() == summary


@pytest.mark.parametrize(
    ("first", "starter", "need"),
    [("toss", None, Need(1, sides=2)), ("toss", 3, None), ("1", None, None), ("2", 7, None)],
)
def test_a_coin_is_tossed_once_and_not_where_it_was_agreed(first: str, starter: int | None, need: Need | None) -> None:
    assert rules(first=first).opening(starter) == need
    assert need is None or not need.hidden


@pytest.mark.parametrize(
    ("options", "turn", "events"),
    [
        ({"first": "1"}, 3, [{"game": 1, "seat": 3, "number": 1}]),
        ({"first": "2"}, 7, [{"game": 1, "seat": 7, "number": 1}]),
        ({"first": "toss", "toss": 1}, 3, [{"seat": 3}, {"game": 1, "seat": 3, "number": 1}]),
        ({"first": "toss", "toss": 2, "start": 5}, 7, [{"seat": 7}, {"game": 1, "seat": 7, "number": 5}]),
        ({"first": "1", "starter": 7}, 7, [{"game": 1, "seat": 7, "number": 1}]),
    ],
)
def test_the_beginning(options: dict[str, Any], turn: int, events: list[dict[str, Any]]) -> None:
    game = Played(**options)
    assert game.events == events
    assert game.rules.first(game.state) == turn
    start = options.get("start", 1)
    assert game.state.model_dump(exclude_none=True) == {
        "number": start,
        "target": 20,
        "start": start,
        "turn": turn,
        "starter": turn,
        "game": 1,
        "best_of": 1,
        "moves": 0,
        "trail": {},
        "seats": {"3": {"wins": 0}, "7": {"wins": 0}},
    }


@pytest.mark.parametrize(
    ("start", "labels", "loses"),
    [
        (7, ("Add one -> 8", "Double -> 14"), (False, False)),
        (10, ("Add one -> 11", "Double -> 20"), (False, False)),
        (11, ("Add one -> 12", "Double -> 22"), (False, True)),
        (19, ("Add one -> 20", "Double -> 38"), (False, True)),
    ],
)
def test_what_is_offered(start: int, labels: tuple[str, str], loses: tuple[bool, bool]) -> None:
    offers = Played(start=start).match.offers
    assert list(offers) == ["add", "double"]
    assert tuple(offer.label for offer in offers.values()) == labels
    assert tuple(offer.loses for offer in offers.values()) == loses
    assert all(offer.seat == 3 and offer.needed for offer in offers.values())


def test_a_move_in_all_words() -> None:
    game = Played(start=3).do("double")
    assert game.events == [{"seat": 3, "what": "double", "number": 6}]
    assert (game.state.number, game.state.turn, game.state.moves, game.state.trail) == (6, 7, 1, {"6": 3})
    game.do("add")
    assert game.events == [{"seat": 7, "what": "add", "number": 7}]
    assert (game.state.number, game.state.turn, game.state.moves) == (7, 3, 2)
    assert game.state.trail == {"6": 3, "7": 7}
    assert game.rules.basis(game.state) == 2


@pytest.mark.parametrize(
    ("start", "take", "number", "winner", "over"),
    [(19, "add", 20, 3, False), (10, "double", 20, 3, False), (11, "double", 22, 7, True), (19, "double", 38, 7, True)],
)
def test_the_end_of_a_game(start: int, take: str, number: int, winner: int, over: bool) -> None:
    game = Played(start=start).do(take)
    ended = {"number": number, "winner": winner, "loser": 10 - winner, "over": over}
    assert {key: game.events[1][key] for key in ended} == ended
    assert game.state.ended and game.state.ended.model_dump() == ended
    assert (game.match.winners, game.state.number, game.match.offers) == ((winner,), number, {})
    assert game.wins() == [int(winner == 3), int(winner == 7)]


def test_a_series_alternates_until_more_than_half_is_won() -> None:
    game = Played(start=19, best_of=5).do("add")
    assert game.events[2:] == [{"game": 2, "seat": 7, "number": 19}]
    assert (game.state.game, game.state.starter, game.state.turn, game.state.number) == (2, 7, 7, 19)
    assert (game.state.trail, game.state.moves, game.match.winners) == ({}, 1, None)
    game.do("double")  # seat 7 goes over
    assert (game.wins(), game.state.game, game.state.turn) == ([2, 0], 3, 3)
    game.do("double")
    assert (game.wins(), game.state.game, game.state.turn) == ([2, 1], 4, 7)
    game.do("add")
    assert (game.wins(), game.state.game, game.state.turn) == ([2, 2], 5, 3)
    game.do("add")
    assert (game.wins(), game.match.winners, game.state.game, game.state.moves) == ([3, 2], (3,), 5, 5)
    assert len(game.events) == 2


@pytest.mark.parametrize(("best_of", "needed"), [(1, 1), (3, 2), (5, 3), (7, 4)])
def test_more_than_half_wins(best_of: int, needed: int) -> None:
    game = Played(start=19, best_of=best_of)
    for number in range(needed):
        assert game.match.winners is None
        game.do("add" if number % 2 == 0 else "double")  # seat 3 wins, whoever begins
    assert (game.match.winners, game.wins()) == ((3,), [needed, 0])


@pytest.mark.parametrize(
    ("options", "paragraph", "told"),
    [
        ({}, 2, "In a rematch the other one begins."),
        ({"best_of": 3}, 2, "You play until one of you has won 2 games; the other one begins each time."),
        ({"best_of": 9}, 2, "You play until one of you has won 5 games; the other one begins each time."),
        (
            {"start": 2},
            0,
            "One number, and it begins at 2. In turn, each of you adds one to it or doubles it.",
        ),
        (
            {"target": 30},
            1,
            "Whoever makes it exactly 30 wins. Whoever goes over 30 loses at once. Nobody may pass.",
        ),
    ],
)
def test_how_it_is_explained(options: dict[str, Any], paragraph: int, told: str) -> None:
    assert rules(**options).explain()[paragraph] == told


def test_it_is_for_two_and_the_mild_move_adds() -> None:
    assert (DoubleOrNothing.least, DoubleOrNothing.most) == (2, 2)
    game = Played(start=12)
    assert game.rules.mild(game.state, 3) == Move(take="add")
    assert game.rules.needs(game.state, Act(3, Move(take="double"))) is None


# Solved.


@cache
def mover_wins(number: int, target: int) -> bool:
    """By the rules alone: some move hits the target, or leaves a number from which the other one loses."""
    return any(n == target or (n < target and not mover_wins(n, target)) for n in (number + 1, number * 2))


@pytest.mark.parametrize("target", [2, 3, 4, 5, 7, 10, 20, 21, 33, 64])
def test_won_numbers_are_those_from_which_the_mover_can_win(target: int) -> None:
    assert won_numbers(target) == {number for number in range(1, target) if mover_wins(number, target)}


def test_the_numbers_of_the_document() -> None:
    assert won_numbers(20) == {2, 4, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19}
    assert won_numbers(2) == {1}


def whole_games(number: int, target: int) -> Iterator[list[str]]:
    """Every way to play from a number to the end."""
    for take, after in (("add", number + 1), ("double", number * 2)):
        if after >= target:
            yield [take]
        else:
            yield from ([take, *rest] for rest in whole_games(after, target))


def expected_slip(start: int, target: int, takes: list[str], loser: int) -> Slip | None:
    """The last move of the loser with which a won game was lost."""
    number, seat, found = start, 3, None
    for take in takes:
        after = number + 1 if take == "add" else number * 2
        lost = after > target or (after < target and mover_wins(after, target))
        if seat == loser and mover_wins(number, target) and lost:
            found = Slip(number=number, took=take, instead="add" if take == "double" else "double")
        number, seat = after, 10 - seat
    return found


@pytest.mark.parametrize(("start", "target"), [(1, 3), (1, 4), (1, 7), (2, 10), (1, 11), (5, 14), (9, 20)])
def test_where_it_was_lost(start: int, target: int) -> None:
    told = set()
    for takes in whole_games(start, target):
        game = Played(start=start, target=target).do(*takes)
        loser = game.events[1]["loser"]
        found = game.events[1].get("slip")
        expected = expected_slip(start, target, takes, loser)
        assert found == (expected and expected.model_dump()), takes
        told.add(found and found["took"])
    assert target < 10 or target % 2 or told == {None, "add", "double"}  # all kinds have come up


def test_slips_are_told_of_the_loser_alone() -> None:
    state = Played(start=10).do("add", "add").state  # 10 was won by doubling, 11 by adding
    assert slip(state, 3) == Slip(number=10, took="add", instead="double")
    assert slip(state, 7) is None
    state = Played(start=6).do("add", "add").state  # 6 and 7 were won by doubling: to 12, and to 14
    assert slip(state, 3) == Slip(number=6, took="add", instead="double")
    assert slip(state, 7) == Slip(number=7, took="add", instead="double")

"""Farkle at its edges: every event and offer of a turn, the least that may be banked, and every word about it."""

from typing import Any

import pytest

from dicegames_protocol.games.farkle import Banked, Farkled, FarkleOptions, FarkleState, TurnBegan
from dicegames_protocol.table import Move
from dicegames_server.games.base import Need
from dicegames_server.games.farkle import Farkle
from dicegames_server.games.farkle_scoring import Scoring, key_of, selections, worth
from dicegames_server.games.match import Match

FARKLE = (2, 2, 3, 4, 6, 6)


def rules(**options: Any) -> Farkle:
    return Farkle(FarkleOptions.read(options))


class Played:
    """A game on seats 3 and 8: numbers of seats are not their places in the order."""

    def __init__(self, *seats: int, starter: int | None = None, **options: Any) -> None:
        self.rules = rules(**options)
        self.match, events = Match.start(self.rules, seats or (3, 8), starter, ())
        self.events: list[dict[str, Any]] = [event.model_dump(exclude_defaults=True) for event in events]

    @property
    def state(self) -> FarkleState:
        assert isinstance(self.match.state, FarkleState)
        return self.match.state

    def do(self, take: str, choice: str | None, *faces: int) -> "Played":
        typed = faces if self.rules.real_dice and faces else None
        act = self.match.check(self.state.turn, Move(take=take, choice=choice, faces=typed))
        assert self.match.needs(act) == (Need(len(faces)) if faces else None)
        self.match, events = self.match.play(act, faces)
        self.events = [event.model_dump(exclude_defaults=True) for event in events]
        return self

    def roll(self, *faces: int, keep: str | None = None) -> "Played":
        return self.do("roll", keep, *faces)

    def bank(self, choice: str) -> "Played":
        return self.do("bank", choice)

    def banked(self, *choices: str) -> "Played":
        """One turn for each: a first roll with exactly these dice in it, and they are banked."""
        for choice in choices:
            fill = [2, 3, 4, 6, 3][: 6 - len(choice)]
            self.roll(*map(int, choice), *fill).bank(choice)
        return self

    def scores(self) -> list[int]:
        return list(self.rules.scores(self.state).values())

    def offered(self) -> dict[str, dict[str, Any]]:
        return {take: offer.model_dump(exclude_defaults=True) for take, offer in self.match.offers.items()}


@pytest.mark.parametrize(
    ("options", "summary"),
    [
        ({}, "to 10,000, table multiplier"),
        ({"target": 500, "table": "set-value"}, "to 500, table set-value"),
        ({"preset": "kcd"}, "to 2,000, table doubling, kcd"),
        ({"preset": "zilch", "dice": "entered"}, "to 10,000, table doubling, zilch, real dice"),
    ],
)
def test_options_in_a_few_words(options: dict[str, Any], summary: str) -> None:
    assert rules(**options).summary() == summary


@pytest.mark.parametrize(("starter", "first"), [(None, 3), (3, 3), (8, 8)])
def test_the_beginning(starter: int | None, first: int) -> None:
    game = Played(starter=starter)
    assert (game.events, game.rules.first(game.state)) == ([{"seat": first}], first)
    assert game.state.model_dump(exclude_none=True) == {
        "turn": first,
        "turn_no": 1,
        "roll": 0,
        "points": 0,
        "entered": False,
        "seats": {seat: {"score": 0, "opened": False, "farkles": 0} for seat in ("3", "8")},
    }
    assert game.offered() == {"roll": {"label": "Roll 6 dice", "seat": first, "needed": True}}
    assert (Farkle.least, Farkle.most, game.rules.opening(None)) == (1, None, None)


def test_what_is_offered_after_a_roll() -> None:
    game = Played().roll(1, 2, 2, 2, 4, 6)
    assert game.events == [{"seat": 3, "roll": 1, "faces": (1, 2, 2, 2, 4, 6)}]
    assert game.offered() == {
        "roll": {
            "label": "Keep and roll",
            "seat": 3,
            "needed": True,
            "choices": {
                "1": {"worth": 100, "rolls": 5},
                "222": {"worth": 200, "rolls": 3},
                "1222": {"worth": 300, "rolls": 2},
            },
        },
        "bank": {
            "label": "Keep and bank",
            "seat": 3,
            "needed": True,
            "choices": {"1": {"worth": 100}, "222": {"worth": 200}, "1222": {"worth": 300}},
        },
    }


def test_a_turn_in_all_events() -> None:
    game = Played().roll(1, 1, 2, 3, 4, 5).roll(5, 5, 1, 4, keep="11")
    assert game.events == [
        {"seat": 3, "dice": (1, 1), "worth": 200, "points": 200},
        {"seat": 3, "roll": 2, "faces": (5, 5, 1, 4)},
    ]
    assert game.rules.basis(game.state) == (1, 2)
    game.roll(5, keep="155")
    assert game.state.points == 400
    assert game.match.offers["roll"].choices and game.match.offers["roll"].choices["5"].rolls == 6
    game.roll(1, 2, 3, 4, 6, 6, keep="5")  # all six are used
    assert game.events[0] == {"seat": 3, "dice": (5,), "worth": 50, "points": 450, "hot": True}
    game.bank("1")
    assert game.events == [
        {"seat": 3, "dice": (1,), "worth": 100, "points": 550},
        {"seat": 3, "points": 550, "score": 550},
        {"seat": 8},
    ]
    assert game.state.model_dump(exclude_none=True) == {
        "turn": 8,
        "turn_no": 2,
        "roll": 0,
        "points": 0,
        "entered": False,
        "seats": {"3": {"score": 550, "opened": True, "farkles": 0}, "8": {"score": 0, "opened": False, "farkles": 0}},
    }


def test_a_farkle_in_all_events() -> None:
    game = Played().roll(1, 1, 2, 3, 4, 5).roll(2, 3, 4, 6, keep="11")
    assert game.events[2:] == [{"seat": 3, "lost": 200, "score": 0}, {"seat": 8}]
    assert (game.scores(), game.state.turn, game.state.points, game.state.dice) == ([0, 0], 8, 0, None)
    assert game.state.seats["3"].farkles == 1


def test_the_third_farkle_in_a_row_costs_and_is_counted_anew() -> None:
    game = Played(3, three_farkles=400).banked("111")
    counted = []
    for _ in range(6):
        game.roll(*FARKLE)
        counted.append((game.events[1].get("penalty", 0), game.scores()[0], game.state.seats["3"].farkles))
    assert counted == [(0, 1000, 1), (0, 1000, 2), (400, 600, 0), (0, 600, 1), (0, 600, 2), (400, 200, 0)]
    game.roll(*FARKLE).banked("1")
    assert game.state.seats["3"].farkles == 0


@pytest.mark.parametrize(
    ("options", "opened", "banks", "label"),
    [
        ({"minimum": 150}, False, ["11", "15", "115"], "Keep and roll"),
        ({"minimum": 200}, False, ["11", "115"], "Keep and roll"),
        ({"opening": 250}, False, ["115"], "Keep and roll"),
        ({"opening": 251}, False, [], "Keep and roll; it takes 251 to bank"),
        ({"opening": 251}, True, ["1", "5", "11", "15", "115"], "Keep and roll"),
        ({"opening": 300, "minimum": 250}, True, ["115"], "Keep and roll"),
        ({"opening": 200, "minimum": 500}, False, [], "Keep and roll; it takes 500 to bank"),
    ],
)
def test_the_least_that_may_be_banked(options: dict[str, Any], opened: bool, banks: list[str], label: str) -> None:
    game = Played(3, **options)
    if opened:
        game.banked("111")
    game.roll(1, 1, 2, 3, 4, 5)
    bank = game.match.offers.get("bank")
    assert list((bank.choices if bank else None) or {}) == banks
    assert game.match.offers["roll"].label == label


def test_points_of_the_turn_count_towards_the_least() -> None:
    game = Played(3, opening=300).roll(1, 1, 2, 3, 4, 6).roll(1, 2, 3, 5, keep="11")
    assert list(game.match.offers["bank"].choices or {}) == ["1", "15"]


def test_the_target_brings_last_turns_once() -> None:
    game = Played(3, 8, 9, target=1000).banked("111")
    assert game.events[2:] == [{"seat": 3, "score": 1000}, {"seat": 8}]
    assert game.state.closer == 3
    game.banked("111")
    assert [event.get("score") for event in game.events] == [None, 1000, None]  # seat 8 gets there, too
    assert game.state.closer == 3
    game.roll(*FARKLE)
    assert game.match.winners == (3, 8)
    assert (game.state.points, game.state.dice, game.match.offers) == (0, None, {})


def test_the_target_is_not_reached_before_it_is_banked() -> None:
    game = Played(3, 8, target=1050).banked("111")
    assert (game.state.closer, game.match.winners) == (None, None)
    game.banked("5").banked("5")
    assert (game.state.closer, len(game.events)) == (3, 4)


def test_alone_the_target_ends_it_without_last_turns() -> None:
    game = Played(3, target=100).banked("1")
    assert len(game.events) == 2
    assert game.match.winners == (3,)


def test_a_last_turn_that_farkles_ends_the_game() -> None:
    game = Played(target=1000).banked("111").roll(1, 1, 2, 3, 4, 6).roll(2, 3, 4, 6, keep="11")
    assert (game.match.winners, game.state.points, game.state.dice) == ((3,), 0, None)


def test_typed_rolls_are_marked() -> None:
    game = Played(dice="entered").roll(1, 1, 2, 3, 4, 5)
    assert game.events[0]["entered"] is game.state.entered is True
    assert game.bank("1").state.entered is False
    assert Played().roll(1, 1, 2, 3, 4, 5).state.entered is False


@pytest.mark.parametrize(
    ("faces", "options", "move"),
    [
        ((1, 1, 5, 2, 3, 4), {}, Move(take="bank", choice="115")),
        ((1, 1, 5, 2, 3, 4), {"opening": 1000}, Move(take="roll", choice="115")),
        ((1, 1, 1, 2, 3, 4), {"values": {"111": 200}}, Move(take="bank", choice="111")),
        ((5, 5, 2, 3, 4, 6), {"values": {"55": 50}}, Move(take="bank", choice="55")),
        ((1, 2, 3, 4, 5, 6), {"straight_low": 150}, Move(take="bank", choice="15")),  # as good, and fewer dice
    ],
)
def test_the_mild_move(faces: tuple[int, ...], options: dict[str, Any], move: Move) -> None:
    game = Played(**options)
    assert game.rules.mild(game.state, 3) == Move(take="roll")
    assert game.rules.mild(game.roll(*faces).state, 3) == move


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, []),
        ({"opening": 1500}, ["Your first bank takes at least 1,500 points."]),
        ({"minimum": 350}, ["Every bank takes at least 350 points."]),
        ({"three_farkles": 1000}, ["Three farkles in a row cost 1,000 points."]),
    ],
)
def test_house_rules_are_explained(options: dict[str, Any], told: list[str]) -> None:
    text = rules(**options).explain()
    assert list(text[4:-1]) == told
    assert text[-1] == "Whoever banks 10,000 first brings one last turn for everybody else. The highest score wins."


def test_the_table_as_the_scoring_has_it() -> None:
    assert dict(rules().table()) == {
        "1": 100,
        "1 1 1": 1000,
        "1 1 1 1": 2000,
        "1 1 1 1 1": 3000,
        "1 1 1 1 1 1": 4000,
        "2 2 2": 200,
        "2 2 2 2": 400,
        "2 2 2 2 2": 600,
        "2 2 2 2 2 2": 800,
        "3 3 3": 300,
        "3 3 3 3": 600,
        "3 3 3 3 3": 900,
        "3 3 3 3 3 3": 1200,
        "4 4 4": 400,
        "4 4 4 4": 800,
        "4 4 4 4 4": 1200,
        "4 4 4 4 4 4": 1600,
        "5": 50,
        "5 5 5": 500,
        "5 5 5 5": 1000,
        "5 5 5 5 5": 1500,
        "5 5 5 5 5 5": 2000,
        "6 6 6": 600,
        "6 6 6 6": 1200,
        "6 6 6 6 6": 1800,
        "6 6 6 6 6 6": 2400,
    }


@pytest.mark.parametrize(
    ("options", "special"),
    [
        ({"straight": 1500}, {"1 2 3 4 5 6": 1500}),
        ({"straight_low": 500, "straight_high": 750}, {"1 2 3 4 5": 500, "2 3 4 5 6": 750}),
        ({"three_pairs": 1500}, {"three pairs": 1500}),
        (
            {"three_pairs": 1400, "four_and_pair": True},
            {"three pairs": 1400, "four of a kind and a pair": 1400},
        ),
        ({"two_triplets": 2500}, {"two triplets": 2500}),
        ({"values": {"2": 20}}, {"2": 20}),
    ],
)
def test_the_table_names_what_is_special(options: dict[str, Any], special: dict[str, int]) -> None:
    usual = dict(rules().table())
    assert {what: points for what, points in rules(**options).table() if what not in usual} == special


def test_what_is_for_the_record_books() -> None:
    assert rules().notable(Banked(seat=8, points=450, score=900)) == (8, "best bank", 450)
    assert rules().notable(Farkled(seat=8, lost=350, score=900)) == (8, "biggest farkle", 350)
    assert rules().notable(TurnBegan(seat=8)) is None


# What dice are worth.


def scoring(**options: Any) -> Scoring:
    return Scoring.of(FarkleOptions.read(options))


@pytest.mark.parametrize("face", range(1, 7))
@pytest.mark.parametrize(("number", "points"), [(4, 1000), (5, 2000), (6, 3000)])
def test_set_values(face: int, number: int, points: int) -> None:
    alone = dict(scoring(table="set-value").combinations)
    assert alone[tuple(number if face == other else 0 for other in range(1, 7))] == points  # type: ignore[index]


@pytest.mark.parametrize("table", ["multiplier", "doubling", "set-value"])
def test_two_of_a_kind_are_no_combination(table: str) -> None:
    shapes = [shape for shape, _ in scoring(table=table).combinations]
    assert not [shape for shape in shapes if sum(shape) == 2]
    assert len(shapes) == 2 + 6 * 4  # the 1, the 5, and three to six of each


@pytest.mark.parametrize(
    ("options", "size", "many"),
    [
        ({"three_pairs": 1500}, 6, 20),  # three of six faces
        ({"three_pairs": 1500, "four_and_pair": True}, 6, 20 + 30),  # and two in order
        ({"two_triplets": 2500}, 6, 15),
        ({"straight": 1500}, 6, 1),
        ({"straight_low": 500}, 5, 1),
        ({"straight_high": 750}, 5, 1),
        ({"values": {"33": 10}}, 2, 1),
    ],
)
def test_every_shape_is_there_once(options: dict[str, Any], size: int, many: int) -> None:
    usual = {shape for shape, _ in scoring().combinations}
    added = [shape for shape, _ in scoring(**options).combinations if shape not in usual]
    assert [sum(shape) for shape in added] == [size] * many


@pytest.mark.parametrize(
    ("dice", "options", "points"),
    [
        ([], {}, 0),
        ([5, 5], {}, 100),
        ([1, 1, 1, 1], {"values": {"1111": 500}}, 1100),  # a triple and a single are better
        ([5, 5, 5], {"values": {"555": 100}}, 150),
        ([1, 1, 1, 2, 2, 2], {}, 1200),
        ([1, 1, 1, 2, 2, 2], {"two_triplets": 1000}, 1200),  # their sum is better
        ([3, 3, 3, 3, 3, 3], {"two_triplets": 2500, "three_pairs": 1500}, 1200),
        ([1, 2, 3, 4, 5, 6], {"straight_low": 500}, None),
        ([1, 2, 3, 4, 5, 6], {"straight_high": 750}, 850),
        ([1, 2, 3, 4, 5], {"straight_high": 750}, None),
        ([2, 3, 4, 5, 6, 1], {"straight_low": 500, "values": {"6": 10}}, 510),
        ([6, 6, 6, 6, 1, 5], {"table": "doubling"}, 1350),
        ([6], {}, None),
    ],
)
def test_the_best_split_counts(dice: list[int], options: dict[str, Any], points: int | None) -> None:
    assert worth(dice, scoring(**options)) == points


def test_selections_are_in_order_shortest_first() -> None:
    found = selections((5, 1, 6, 6, 6, 1), scoring())
    assert list(found.items()) == [
        ("1", 100),
        ("5", 50),
        ("11", 200),
        ("15", 150),
        ("115", 250),
        ("666", 600),
        ("1666", 700),
        ("5666", 650),
        ("11666", 800),
        ("15666", 750),
        ("115666", 850),
    ]
    assert selections((), scoring()) == {}
    assert selections((2, 3, 4), scoring()) == {}


def test_how_a_selection_is_written() -> None:
    assert key_of((5, 1, 6, 1)) == "1156"

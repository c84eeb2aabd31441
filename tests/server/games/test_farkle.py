"""Farkle: every cell of the printed tables, the document's turn, and every environment rule."""

from typing import Any

import pytest

from dicegames_protocol.games.farkle import FarkleOptions, FarkleState
from dicegames_protocol.options import OptionError
from dicegames_protocol.table import Move
from dicegames_server.core.errors import Refused
from dicegames_server.games.farkle import Farkle
from dicegames_server.games.farkle_scoring import Scoring, selections, worth
from dicegames_server.games.match import Match

# The two printed tables: single, double, triple, quad, five and six of a kind.
PRINTED = {
    "multiplier": {
        1: [100, 200, 1000, 2000, 3000, 4000],
        2: [0, 0, 200, 400, 600, 800],
        3: [0, 0, 300, 600, 900, 1200],
        4: [0, 0, 400, 800, 1200, 1600],
        5: [50, 100, 500, 1000, 1500, 2000],
        6: [0, 0, 600, 1200, 1800, 2400],
    },
    "doubling": {
        1: [100, 200, 1000, 2000, 4000, 8000],
        2: [0, 0, 200, 400, 800, 1200],
        3: [0, 0, 300, 600, 1200, 2400],
        4: [0, 0, 400, 800, 1600, 3200],
        5: [50, 100, 500, 1000, 2000, 4000],
        6: [0, 0, 600, 1200, 2400, 4800],
    },
}
CELLS = [
    (table, face, number, points)
    for table, rows in PRINTED.items()
    for face, row in rows.items()
    for number, points in enumerate(row, start=1)
]


def scoring(**options: Any) -> Scoring:
    return Scoring.of(FarkleOptions.read(options))


@pytest.mark.parametrize(("table", "face", "number", "points"), CELLS)
def test_every_printed_cell(table: str, face: int, number: int, points: int) -> None:
    assert (worth([face] * number, scoring(table=table)) or 0) == points


@pytest.mark.parametrize(
    ("dice", "options", "points"),
    [
        ([1, 1, 1, 1], {"table": "set-value"}, 1100),
        ([2, 2, 2, 2], {"table": "set-value"}, 1000),
        ([2] * 5, {"table": "set-value"}, 2000),
        ([2] * 6, {"table": "set-value"}, 3000),
        ([3, 3, 3], {"table": "set-value"}, 300),
        ([1, 5], {}, 150),
        ([1, 1, 1, 5, 5, 5], {}, 1500),
        ([2, 2], {}, None),
        ([1, 2], {}, None),
        ([2, 2, 2, 3], {}, None),
        ([1, 2, 3, 4, 5, 6], {}, None),
        ([1, 2, 3, 4, 5, 6], {"straight": 1500}, 1500),
        ([1, 2, 3, 4, 5], {"straight_low": 500}, 500),
        ([1, 2, 3, 4, 5, 1], {"straight_low": 500}, 600),
        ([2, 3, 4, 5, 6], {"straight_high": 750}, 750),
        ([2, 3, 4, 5, 6, 5], {"straight_high": 750}, 800),
        ([2, 2, 3, 3, 4, 4], {}, None),
        ([2, 2, 3, 3, 4, 4], {"three_pairs": 1500}, 1500),
        ([1, 1, 5, 5, 4, 4], {"three_pairs": 1500}, 1500),
        ([2, 2, 2, 2, 4, 4], {"three_pairs": 1500}, None),
        ([2, 2, 2, 2, 4, 4], {"three_pairs": 1500, "four_and_pair": True}, 1500),
        ([1, 1, 1, 1, 5, 5], {"three_pairs": 1500, "four_and_pair": True}, 2100),
        ([2, 2, 2, 3, 3, 3], {}, 500),
        ([2, 2, 2, 3, 3, 3], {"two_triplets": 2500}, 2500),
        ([2] * 6, {"two_triplets": 2500}, 800),
        ([2] * 6, {"values": {"222222": 1600}, "table": "doubling"}, 1600),
        ([1, 1, 1], {"values": {"111": 300}}, 300),
        ([1, 1, 1], {"values": {"111": 0}}, 300),
        ([2], {"values": {"2": 20}}, 20),
        ([2, 2], {"values": {"22": 50}}, 50),
        ([5], {"values": {"5": 0}}, None),
    ],
)
def test_worth_under_house_rules(dice: list[int], options: dict[str, Any], points: int | None) -> None:
    assert worth(dice, scoring(**options)) == points


def test_part_of_a_set_may_be_taken() -> None:
    assert selections([1, 1, 1, 2, 3, 4], scoring()) == {"1": 100, "11": 200, "111": 1000}
    assert selections([2, 2, 2, 2, 3, 4], scoring()) == {"222": 200, "2222": 400}
    assert selections([1, 1, 2, 3, 4, 5], scoring()) == {"1": 100, "5": 50, "11": 200, "15": 150, "115": 250}
    assert selections([2, 2, 3, 4, 6, 6], scoring()) == {}


class Played:
    def __init__(self, players: int = 2, **options: Any) -> None:
        rules = Farkle(FarkleOptions.read(options))
        self.match, _ = Match.start(rules, range(players), None, ())
        self.events: tuple[Any, ...] = ()

    @property
    def state(self) -> FarkleState:
        assert isinstance(self.match.state, FarkleState)
        return self.match.state

    def do(self, take: str, choice: str | None = None, faces: tuple[int, ...] = ()) -> "Played":
        act = self.match.check(self.state.turn, Move(take=take, choice=choice))
        need = self.match.needs(act)
        assert (need.count if need else 0) == len(faces)
        self.match, self.events = self.match.play(act, faces)
        return self

    def roll(self, *faces: int, keep: str | None = None) -> "Played":
        return self.do("roll", keep, faces)

    def bank(self, choice: str) -> "Played":
        return self.do("bank", choice)

    def farkle(self) -> "Played":
        return self.roll(2, 2, 3, 4, 6, 6)

    def score(self, face: int, number: int) -> "Played":
        rest = [2, 3, 4, 6, 2, 3, 4, 6]
        fill = [die for die in rest if die != face][: 6 - number]
        return self.roll(*[face] * number, *fill).bank(str(face) * number)

    def scores(self) -> list[int]:
        return [seat.score for seat in self.state.seats.values()]


def test_the_documents_turn() -> None:
    game = Played().roll(1, 1, 2, 3, 4, 5)
    assert game.match.offers["roll"].choices and game.match.offers["roll"].choices["11"].rolls == 4
    game.roll(5, 4, 3, 2, keep="11")
    assert game.state.points == 200
    assert list(game.match.offers["bank"].choices or {}) == ["5"]
    game.roll(2, 2, 2, keep="5")
    assert game.state.points == 250
    game.roll(2, 2, 3, 4, 6, 6, keep="222")  # all six used: hot dice, and then a farkle
    assert [event.kind for event in game.events] == ["kept", "rolled", "farkled", "turn_began"]
    assert game.events[0].hot
    assert game.events[2].lost == 450
    assert game.scores() == [0, 0]
    assert game.state.turn == 1


def test_nothing_combines_across_rolls() -> None:
    game = Played().roll(1, 1, 2, 3, 4, 6).roll(1, 2, 3, 4, keep="11").bank("1")
    assert game.scores() == [300, 0]


def test_hot_dice_may_also_be_banked() -> None:
    assert Played().roll(1, 1, 1, 5, 5, 5).bank("111555").scores() == [1500, 0]


@pytest.mark.parametrize("choice", ["2", "22", "12", "", "111", "7", None])
def test_other_selections_are_refused(choice: str | None) -> None:
    game = Played().roll(1, 1, 2, 2, 3, 4)
    with pytest.raises(Refused):
        game.bank(choice)  # type: ignore[arg-type]
    assert game.state.dice == (1, 1, 2, 2, 3, 4)


def test_opening_minimum_counts_until_the_first_bank() -> None:
    game = Played(1, opening=500).roll(1, 1, 2, 3, 4, 6)
    assert set(game.match.offers) == {"roll"}
    game.roll(5, 5, 5, 2, keep="11").bank("555")
    assert game.scores() == [700]
    game.roll(5, 2, 3, 4, 6, 6)
    assert "bank" in game.match.offers


def test_minimum_of_every_bank() -> None:
    game = Played(1, minimum=300).roll(1, 1, 1, 2, 3, 4)
    assert list(game.match.offers["bank"].choices or {}) == ["111"]


def test_three_farkles_in_a_row_cost() -> None:
    game = Played(1, three_farkles=500).score(1, 3)
    game.farkle().farkle().farkle()
    assert game.scores() == [500]
    game.farkle().farkle().score(5, 1).farkle()
    assert game.scores() == [550]


def test_the_target_brings_one_last_turn_for_everyone_else() -> None:
    game = Played(3, target=1000).score(5, 3).score(1, 3)
    assert [event.kind for event in game.events][-2:] == ["last_turns", "turn_began"]
    assert game.match.winners is None
    game.score(1, 3).score(6, 3)  # seat 2, then seat 0
    assert game.scores() == [1100, 1000, 1000]
    assert game.match.winners == (0,)


def test_a_tie_is_shared_and_alone_the_target_ends_it() -> None:
    game = Played(2, target=1000).score(1, 3).score(1, 3)
    assert game.match.winners == (0, 1)
    assert Played(1, target=1000).score(1, 3).match.winners == (0,)


@pytest.mark.parametrize(
    ("preset", "dice", "points"),
    [
        ("seed", [1, 1, 1], 1000),
        ("seed", [1, 2, 3, 4, 5, 6], None),
        ("boxed", [1, 1, 1], 300),
        ("boxed", [2, 2, 2, 2], 1000),
        ("boxed", [3] * 5, 2000),
        ("boxed", [4] * 6, 3000),
        ("boxed", [1, 2, 3, 4, 5, 6], 1500),
        ("boxed", [2, 2, 3, 3, 4, 4], 1500),
        ("boxed", [2, 2, 2, 2, 4, 4], 1500),
        ("boxed", [2, 2, 2, 4, 4, 4], 2500),
        ("zilch", [1, 2, 3, 4, 5, 6], 1500),
        ("zilch", [2, 2, 3, 3, 4, 4], 1500),
        ("zilch", [4] * 5, 1600),
        ("kcd", [1, 2, 3, 4, 5], 500),
        ("kcd", [2, 3, 4, 5, 6], 750),
        ("kcd", [1, 2, 3, 4, 5, 6], 1500),
    ],
)
def test_presets(preset: str, dice: list[int], points: int | None) -> None:
    assert worth(dice, scoring(preset=preset)) == points


def test_presets_set_what_else_belongs_to_them_and_give_way() -> None:
    assert FarkleOptions.read({"preset": "boxed"}).opening == 500
    assert FarkleOptions.read({"preset": "kcd"}).target == 2000
    assert FarkleOptions.read({"preset": "kcd", "target": "3000"}).target == 3000
    boxed = FarkleOptions.read({"preset": "boxed"})
    assert boxed.changed({"opening": 0}).straight == 1500
    assert boxed.changed({"preset": "seed"}) == FarkleOptions.read({})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"target": 10}, "target must be at least 50."),
        ({"preset": "casino"}, "preset must be seed, boxed, zilch or kcd."),
        ({"table": "x"}, "table must be multiplier, doubling or set-value."),
        ({"values": "123=5"}, "values: '123' is not one to six dice of a kind."),
        ({"values": "111"}, "values must look like 111=300,2222=500."),
        ({"values": {"111": -5}}, "values: the points for 111 must be 0 to 1,000,000."),
        ({"target": "2,00"}, "target must be a whole number."),
        ({"four_and_pair": True}, "four-and-pair needs points for three-pairs."),
        ({"four_and_pair": "perhaps"}, "four-and-pair must be yes or no."),
    ],
)
def test_bad_options_get_a_sentence(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(OptionError) as error:
        FarkleOptions.read(options)
    assert str(error.value) == sentence


def test_values_are_read_as_people_type_them() -> None:
    assert FarkleOptions.read({"values": "111=300, 2222=500"}).values == {"111": 300, "2222": 500}

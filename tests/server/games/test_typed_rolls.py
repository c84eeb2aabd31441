"""Typed rolls that are corrected or taken back: which ones, by whom, and what becomes of everything since."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_protocol.games.doubles import DoublesOptions, DoublesState
from dicegames_protocol.games.farkle import FarkleOptions
from dicegames_protocol.games.sevens import SevensOptions, SevensState
from dicegames_protocol.table import Move
from dicegames_server.core.errors import Refused
from dicegames_server.games import typed_rolls
from dicegames_server.games.doubles import Doubles
from dicegames_server.games.farkle import Farkle
from dicegames_server.games.match import Match
from dicegames_server.games.sevens import Sevens


def doubles(seats: int = 3, *, only_last: bool = False, **options: Any) -> Match:
    rules = Doubles(DoublesOptions.read({"window": 0, "dice": "entered", **options}))
    return Match.start(rules, range(seats), None, (), only_last=only_last)[0]


def do(match: Match, seat: int, take: str, faces: str = "", choice: str | None = None) -> Match:
    return told(match, seat, take, faces, choice)[0]


def told(match: Match, seat: int, take: str, faces: str = "", choice: str | None = None) -> tuple[Match, list[Any]]:
    typed = tuple(int(face) for face in faces) or None
    act = match.check(seat, Move(take=take, choice=choice, faces=typed))
    match, events = match.play(act, typed or ())
    return match, [event.model_dump(exclude_defaults=True) for event in events]


def rolled(match: Match, *rolls: str) -> Match:
    """The rolls of Doubles, each by whose turn it is."""
    for faces in rolls:
        assert isinstance(match.state, DoublesState)
        match = do(match, match.state.roller, "roll", faces)
    return match


def pot(match: Match) -> int:
    assert isinstance(match.state, DoublesState)
    return match.state.pot


def numbers(match: Match) -> list[str]:
    return [f"{key} {choice.seat} {choice.label}" for key, choice in (match.offers["correct"].choices or {}).items()]


def test_everything_after_an_earlier_roll_is_worked_out_anew() -> None:
    match = rolled(doubles(), "52", "44", "11")  # 75, 150, 300
    match = do(match, 1, "cash")
    assert pot(match) == 300
    again, events = told(match, 0, "correct", "53", "#1")  # 8, 16, 32
    assert pot(again) == 32 and again.rules.scores(again.state) == {0: 0, 1: 32, 2: 0}
    head, *rest = events
    assert head == {"seat": 0, "faces": (5, 3), "was": (5, 2), "back": 3}
    assert [event.get("points") for event in rest if "points" in event] == [32]
    assert numbers(again) == ["#1 0 5 3", "#2 1 4 4", "#3 2 1 1"]  # and they can be corrected once more
    same = rolled(doubles(), "53", "44", "11")
    assert again.state == do(same, 1, "cash").state


def test_it_is_as_if_it_had_been_typed_right() -> None:
    """However many rolls and cash-outs there are since: a corrected game is the game that was meant."""

    @given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=12), st.data())
    def check(rolls: list[tuple[int, int]], data: st.DataObject) -> None:
        place = data.draw(st.integers(0, len(rolls) - 1))
        wrong = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
        meant, typed = doubles(rounds=1), doubles(rounds=1)
        for number, faces in enumerate(rolls):
            if meant.winners is not None or typed.winners is not None:
                return  # one of both ended early: what came then was taken back, see below
            seat = int(typed.state.roller)  # type: ignore[attr-defined]
            meant = do(meant, seat, "roll", "".join(map(str, faces)))
            typed = do(typed, seat, "roll", "".join(map(str, wrong if number == place else faces)))
        seat = place % 3
        right = do(typed, seat, "correct", "".join(map(str, rolls[place])), f"#{place + 1}")
        assert right.state == meant.state and right.bests == meant.bests
        assert right.offers == meant.offers

    check()


def test_nobody_corrects_the_roll_of_somebody_else() -> None:
    match = rolled(doubles(), "52", "44", "11")
    for seat, own in enumerate(("#1", "#2", "#3")):
        assert list(match.may(seat)["correct"].choices or ()) == [own]
        for other in {"#1", "#2", "#3", "#4", "#0", "#", "1", ""} - {own}:
            with pytest.raises(Refused):
                match.check(seat, Move(take="correct", choice=other, faces=(1, 2)))
        with pytest.raises(Refused):
            match.check(seat, Move(take="correct", faces=(1, 2)))
    with pytest.raises(Refused):
        match.check(7, Move(take="correct", choice="#1", faces=(1, 2)))
    assert [seat for seat in range(3) if "undo" in match.may(seat)] == [2]


def test_what_comes_after_an_earlier_end_is_taken_back() -> None:
    match = rolled(doubles(), "61", "61", "61", "12", "55")
    match, events = told(do(match, 0, "cash"), 0, "correct", "34", "#4")
    assert isinstance(match.state, DoublesState)
    assert (match.state.round, match.state.pot, match.state.rolls) == (2, 0, 0)
    assert events[0]["undone"] == (1, 0)  # the roll of 5 5, and the cash-out after it
    assert match.rules.scores(match.state) == {0: 0, 1: 0, 2: 0}


def test_a_roll_that_did_not_end_the_round_goes_on() -> None:
    match = rolled(doubles(), "61", "61", "61", "34")
    assert isinstance(match.state, DoublesState) and match.state.round == 2
    match = do(match, 0, "correct", "33", "#4")
    assert isinstance(match.state, DoublesState)
    assert (match.state.round, match.state.pot, match.state.roller) == (1, 450, 1)


def test_the_next_round_forgets_the_rolls_of_the_last() -> None:
    match = rolled(doubles(), "61", "61", "61", "34")
    assert numbers(match) == ["#1 0 6 1", "#2 1 6 1", "#3 2 6 1", "#4 0 3 4"]
    match = rolled(match, "12")
    assert numbers(match) == ["#1 1 1 2"]


def test_dice_that_the_server_drew_are_never_drawn_again() -> None:
    match = rolled(doubles(), "52", "44")
    match, _ = match.play(match.check(2, Move(take="roll"), "bot"), (1, 1))
    assert not match.typed and {"correct", "undo"}.isdisjoint(match.offers)


def test_the_last_rolls_are_taken_back_one_by_one() -> None:
    first = rolled(doubles(), "52")
    second = rolled(first, "44")
    match = do(do(second, 0, "cash"), 1, "cash")
    match, events = told(match, 1, "undo")
    assert events == [{"seat": 1, "faces": (4, 4), "undone": (0, 1)}]
    assert match.state == first.state and match.offers == first.offers and match.corrections == 1
    match = do(match, 0, "undo")
    assert match.state == doubles().state and "undo" not in match.offers and match.corrections == 2
    assert rolled(match, "52", "44").state == second.state


def test_undo_after_the_end_of_the_game() -> None:
    match = rolled(doubles(rounds=1), "61", "61", "61", "34")
    assert match.winners is not None
    assert do(match, 0, "undo").winners is None


def test_records_are_corrected_too() -> None:
    match = do(rolled(doubles(), "66"), 1, "cash")
    assert match.bests == {1: {"best pot": 600}}
    assert do(match, 0, "correct", "12", "#1").bests == {1: {"best pot": 3}}
    assert do(match, 0, "undo").bests == {}


def test_a_long_round_keeps_the_last_rolls() -> None:
    match = rolled(doubles(1), *["12"] * (typed_rolls.MOST_ROLLS + 5))
    assert len(match.typed) == typed_rolls.MOST_ROLLS
    assert pot(do(match, 0, "correct", "13", "#1")) == pot(match) + 1


def test_sevens_and_farkle_have_rounds_as_well() -> None:
    sevens = Match.start(Sevens(SevensOptions.read({"dice": "entered", "rounds": 1})), (0, 1), None, ())[0]
    sevens = do(do(sevens, 0, "roll", "666666"), 1, "roll", "111111")
    sevens = do(do(sevens, 0, "roll", "124633"), 0, "roll", "11")
    again, events = told(sevens, 0, "correct", "124653", "#1")  # nothing is left, so the second roll can't be
    assert isinstance(again.state, SevensState) and again.state.turn == 1 and events[0]["undone"] == (0,)
    farkle = Match.start(Farkle(FarkleOptions.read({"dice": "entered"})), (0, 1), None, ())[0]
    farkle = do(farkle, 0, "roll", "223446")  # a farkle, or so it was typed
    farkle = do(farkle, 1, "roll", "111234")
    again, events = told(farkle, 0, "correct", "223445", "#1")
    assert events[0]["undone"] == (1,) and "bank" in again.may(0)
    farkle = do(do(farkle, 1, "bank", choice="111"), 0, "roll", "123446")
    assert numbers(farkle) == ["#1 0 1 2 3 4 4 6"]


def test_rooms_of_an_earlier_version_correct_only_the_last_roll() -> None:
    match = rolled(doubles(only_last=True), "52", "44")
    assert match.offers["correct"].model_dump(exclude_defaults=True) == {
        "label": "Correct",
        "seat": 1,
        "enter": 2,
        "sides": 6,
    }
    assert "undo" not in match.offers
    match, events = told(match, 1, "correct", "12")
    assert pot(match) == 78 and events[0] == {"seat": 1, "faces": (1, 2)}


def test_what_a_correction_plays_again_is_limited() -> None:
    """At a large table everybody holds before each roll: so many acts would hold up all rooms of the server."""
    match = doubles(20, window=10)
    match = rolled(match, "61", "61", "61")
    for _ in range(15):
        for seat in range(20):
            match = do(match, seat, "hold")
        assert isinstance(match.state, DoublesState)
        match = do(match, match.state.roller, "roll", "12")
        acts = sum(1 + len(roll.since) for roll in match.typed)
        assert 0 < acts <= typed_rolls.MOST_ACTS
    assert len(match.typed) < 15 and "correct" in match.offers


def test_so_many_corrections_and_no_more() -> None:
    match = rolled(doubles(), "12")
    for number in range(typed_rolls.MOST_CORRECTIONS):
        match = do(match, 0, "correct", "13" if number % 2 else "14", "#1")
    assert "correct" not in match.offers and "undo" not in match.offers
    assert pot(rolled(match, "12")) == pot(match) + 3

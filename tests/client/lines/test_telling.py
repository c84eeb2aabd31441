"""How it stands is said once after each round, and never after a single move. tests/golden has whole games."""

from typing import Any

import pytest

from dicegames_client.guest.store import Store
from dicegames_client.lines.telling import tell_event
from dicegames_client.play.wording import Wording
from dicegames_client.views import view_of
from dicegames_protocol.games import keys

ROUND_ENDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "doubles": (
        {"kind": "round_over", "round": 1, "why": "bust"},
        {"rounds": 3, "seats": {"0": {"score": 450}, "1": {"score": 1950}}},
    ),
    "farkle": (
        {"kind": "turn_began", "seat": 0},
        {"turn_no": 3, "seats": {"0": {"score": 450}, "1": {"score": 1950}}},
    ),
    "sevens": (
        {"kind": "round_began", "round": 2, "extra": False, "seats": []},
        {"rounds": 3, "seats": {"0": {"total": 450}, "1": {"total": 1950}}},
    ),
    "double-or-nothing": (
        {"kind": "won", "winner": 1, "loser": 0, "number": 26, "over": True},
        {"target": 20, "best_of": 5, "seats": {"0": {"wins": 1}, "1": {"wins": 2}}},
    ),
}


def told(game: str, me: int | None, phase: str = "playing", **change: Any) -> list[str]:
    event, state = ROUND_ENDS[game]
    state = {**state, **change}
    room: dict[str, Any] = {"code": "KQ7M", "game": game, "title": game, "rules": "1", "summary": "", "options": {}}
    room |= {"capacity": 8, "least": 1, "public": True, "locked": False, "phase": phase}
    seats = {seat: {"name": name} for seat, name in zip(state["seats"], ("ana", "bo"), strict=False)}
    store = Store(table={"room": room, "seats": seats, "game": state}, tokens={} if me is None else {me: "t"})
    return tell_event(event, Wording(store))


@pytest.mark.parametrize(
    ("game", "lines"),
    [
        ("doubles", ["Round 1 is over: the fourth seven has come.", "bo 1,950, you 450."]),
        ("farkle", ["bo 1,950, you 450."]),
        ("sevens", ["bo 1,950, you 450.", "Round 2 of 3 begins."]),
        (
            "double-or-nothing",
            ["The number exceeded 20!", "You lose. bo wins the game!", "bo 2, you 1. Best of 5: three wins."],
        ),
    ],
)
def test_after_a_round(game: str, lines: list[str]) -> None:
    assert told(game, 0) == lines


@pytest.mark.parametrize("game", keys())
def test_every_game_has_rounds(game: str) -> None:
    """A new game that has some belongs into the list above."""
    assert view_of(game).says_rounds == (game in ROUND_ENDS)


def test_the_reader_is_the_first_word() -> None:
    assert "You 1,950, ana 450." in told("doubles", 1)
    assert "bo 1,950, ana 450." in told("doubles", None)


def test_not_in_a_single_game_and_not_after_the_last_round() -> None:
    assert told("double-or-nothing", 0, best_of=1) == ["The number exceeded 20!", "You lose. bo wins the game!"]
    assert told("doubles", 0, phase="over") == ["Round 1 is over: the fourth seven has come."]


def test_alone_there_is_nothing_to_compare() -> None:
    assert told("farkle", 0, seats={"0": {"score": 450}}) == []


def test_of_many_players_the_first_few_and_the_reader_are_named() -> None:
    seats = {str(seat): {"score": 100 - seat} for seat in range(100)}
    (line,) = told("farkle", 1, seats=seats, turn_no=101)
    assert line.startswith("ana 100, you 99, seat 3 98, ") and line.endswith(", seat 6 95 and 94 more.")
    store_of_the_last = {**seats, "1": {"score": 0}}
    (line,) = told("farkle", 1, seats=store_of_the_last, turn_no=101)
    assert line.endswith(", you 0 and 94 more.") and line.count(",") == 5

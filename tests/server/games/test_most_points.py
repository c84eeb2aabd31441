"""No score reaches 2**53, whatever is typed: above it, numbers in JSON are not exact, and stores refuse them."""

import pytest

from dicegames_protocol.table import Move
from dicegames_server.games import rules_of
from dicegames_server.games.base import MOST_POINTS
from dicegames_server.games.match import Match

EXACT = 2**53


def play(match: Match, seat: int, take: str, choice: str | None, faces: tuple[int, ...] | None) -> Match:
    act = match.check(seat, Move(take=take, choice=choice, faces=faces))
    return match.play(act, faces or ())[0]


def test_sixty_doublings_of_a_pot() -> None:
    rules = rules_of("doubles")
    assert rules
    match, _ = Match.start(rules(rules.options_type.read({"dice": "entered", "rounds": 1})), [0], None, ())
    for _ in range(60):
        match = play(match, 0, "roll", None, (6, 6))
    assert match.state.pot == MOST_POINTS  # type: ignore[attr-defined]
    match = play(match, 0, "roll", None, (3, 4))
    assert match.state.pot == MOST_POINTS  # type: ignore[attr-defined]
    match = play(match, 0, "cash", None, None)
    assert match.winners == (0,)
    assert rules.options_type.read({"rounds": 1_000_000}) and MOST_POINTS * 1_000_000 < EXACT


def test_a_turn_of_farkle_without_an_end() -> None:
    rules = rules_of("farkle")
    assert rules
    options = rules.options_type.read({"dice": "entered", "straight": 1_000_000, "target": 50})
    match, _ = Match.start(rules(options), [0, 1], None, ())
    match = play(match, 0, "roll", None, (1, 2, 3, 4, 5, 6))
    for _ in range(1100):
        match = play(match, 0, "roll", "123456", (1, 2, 3, 4, 5, 6))
    assert match.state.points == MOST_POINTS  # type: ignore[attr-defined]
    match = play(match, 0, "bank", "123456", None)
    assert rules(options).scores(match.state)[0] == MOST_POINTS


@pytest.mark.parametrize("game", ["doubles", "farkle"])
def test_the_rules_page_says_so(game: str) -> None:
    rules = rules_of(game)
    assert rules
    assert "1,000,000,000" in " ".join(rules(rules.options_type.read({})).explain())

"""Marks in a replay: each move has its word, and N jumps from mistake to mistake."""

import asyncio
import io

import pytest

from dicegames_client.base.glyphs import ASCII
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.base.terminal.keyboard import Keyboard
from dicegames_client.enter.log_reviewer import LogReviewer
from dicegames_client.lines import log_lines
from dicegames_client.review.cleaned import cleaned
from dicegames_client.review.move_marks import MOST_AT_ONCE, MoveMarks
from dicegames_client.screens.replay_screen import ReplayScreen
from dicegames_client.screens.screen import Size
from dicegames_client.widgets.lines import text_of, width_of
from dicegames_protocol.messages.review import GameReview
from support.pure_table import PureTable
from support.reviews import a_review
from support.sitting import STILL

USUAL = Size(80, 24)


def a_game() -> PureTable:
    """ana adds one, bo too; then ana doubles 19, where adding one would have won."""
    table = PureTable("double-or-nothing", "ana", "bo", first="1", start=17, target=20).start()
    table.move(0, "add")
    table.move(1, "add")
    table.move(0, "double")
    return table


def shown(screen: ReplayScreen, size: Size = USUAL) -> str:
    return "\n".join([*map(text_of, screen.paint(size, 0.0)), text_of(screen.footer(size, 0.0))])


async def marked(table: PureTable) -> ReplayScreen:
    screen = ReplayScreen(table.updates, STILL, 0.0, speed=1)
    screen.take_review(await LogReviewer(table.updates).review())
    screen.reviewed()
    return screen


async def test_n_jumps_to_the_next_mistake_and_stops_there() -> None:
    table = a_game()
    screen = await marked(table)
    screen.press("n", 0.0)
    found = shown(screen)
    assert f"PAUSED  {len(table.updates)}/{len(table.updates)}" in found
    assert "ana, blunder -100 %: Adding one" in found.splitlines()[-1]
    screen.press("n", 0.0)
    assert "There are no more mistakes after this." in shown(screen)
    screen.press("home", 0.0)
    screen.press("n", 0.0)
    assert "blunder -100 %" in shown(screen)


async def test_every_move_says_what_it_was() -> None:
    screen = await marked(a_game())
    screen.press("right", 0.0)
    assert "ana, best: Adding one to 18." in shown(screen).splitlines()[-1]


async def test_before_the_marks_are_there_the_keys_say_so() -> None:
    screen = ReplayScreen(a_game().updates, STILL, 0.0, speed=1)
    for key in ("n", "w"):
        screen.press(key, 0.0)
        assert "is being worked out" in shown(screen)
    screen.reviewed("There are no reviews of this.")
    for key in ("n", "w"):
        screen.press(key, 0.0)
        assert "There are no reviews of this." in shown(screen)


async def test_a_game_that_is_not_over_says_so() -> None:
    table = PureTable("double-or-nothing", "ana", "bo", first="1").start()
    screen = ReplayScreen(table.updates, STILL, 0.0, speed=1)
    screen.reviewed()
    screen.press("w", 0.0)
    assert "This game is not over in this log" in shown(screen)


async def test_the_page_and_the_panel_are_in_a_replay_as_well() -> None:
    screen = await marked(a_game())
    screen.press("w", 0.0)
    assert "WHAT COST MOST" in shown(screen)
    screen.press("w", 0.0)
    screen.press("end", 0.0)
    assert "how well" in shown(screen, Size(100, 30))
    screen.press("?", 0.0)
    assert "the next mistake" in shown(screen) and "F, PgDn" in shown(screen)


async def test_rounds_have_another_key() -> None:
    screen = await marked(a_game())
    screen.press("f", 0.0)
    here = shown(screen)
    screen.press("b", 0.0)
    assert shown(screen) != here
    screen.press("pagedown", 0.0)
    assert shown(screen).splitlines()[:-1] == here.splitlines()[:-1]


@pytest.mark.parametrize("size", [Size(60, 20), Size(80, 24), Size(100, 30), Size(120, 40), Size(200, 60)])
async def test_it_fits_in_every_window(size: Size) -> None:
    table = a_game()
    screen = ReplayScreen(table.updates, DisplayOptions(motion=False, glyphs=ASCII), 0.0, speed=1)
    screen.take_review(await LogReviewer(table.updates).review())
    for key in ("n", "w"):
        screen.press(key, 0.0)
        for line in (*screen.paint(size, 0.0), screen.footer(size, 0.0)):
            assert width_of(line) <= size.columns and text_of(line).isascii()


def test_many_who_decide_at_once_are_told_shortly() -> None:
    review = a_review()
    many = review.but(moves=tuple(move.but(seq=7, seat=n) for n, move in enumerate(review.moves * 100)))
    marks = MoveMarks()
    marks.add(cleaned(many))
    assert marks.short(7).count("blunder") == MOST_AT_ONCE
    assert marks.next_mistake(6) == 7 and marks.next_mistake(7) is None
    assert marks.short(8) == marks.told(8) == ""


async def test_in_lines_the_mark_stands_behind_the_move() -> None:
    out = io.StringIO()
    assert await log_lines.replay(a_game().lines, Keyboard(io.StringIO()), out, speed=0, step=False, start=1) == 0
    text = out.getvalue()
    assert "ana chose to add one. New number is 18. (best)" in text
    assert "(blunder -100 %)" in text


async def test_a_review_that_takes_too_long_does_not_hold_up_the_story(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_lines, "MARK_SECONDS", 0.0)

    async def never(self: LogReviewer, number: int | None = None) -> GameReview:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(LogReviewer, "review", never)
    out = io.StringIO()
    await log_lines.replay(a_game().lines, Keyboard(io.StringIO()), out, speed=0, step=False, start=1)
    assert "ana chose to add one. New number is 18.\n" in out.getvalue()

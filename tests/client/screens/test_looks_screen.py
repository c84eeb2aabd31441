"""The settings page: every choice is seen at once, and is there again next time."""

import asyncio

import pytest

from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.glyphs import ASCII
from dicegames_client.base.state.saved_looks import Looks, remember_looks, remembered_looks
from dicegames_client.base.state.state_files import state_folder
from dicegames_client.base.terminal.display_options import DisplayOptions, display_options_of
from dicegames_client.base.terminal.terminal import LocalTerminal
from dicegames_client.screens.forms.looks_screen import CHOSEN, LooksScreen
from support.terminal import terminal


def here() -> LocalTerminal:
    made = LocalTerminal()
    made.environment, made.encoding, made.kind = {}, "utf-8", "xterm-256color"
    return made


def apply(looks: Looks) -> DisplayOptions:
    remember_looks(looks)
    return display_options_of(CommandLine(), here(), looks)


async def test_every_choice_is_seen_and_remembered() -> None:
    async with terminal(LooksScreen(DisplayOptions(), remembered_looks(), apply)) as seen:
        await seen.press("down")
        assert "Colours     default" in seen.text and "Motion      on" in seen.text and "●" in seen.text
        for key, shown in (
            ("1", "dark"),
            ("1", "light"),
            ("2", "ASCII"),
            ("3", "Motion      off"),
            ("4", "Bell        on"),
            ("5", "Hints       off"),
            ("6", "Mouse       on"),
        ):
            await seen.press(key)
            assert shown in seen.text
        assert "●" not in seen.text
        await seen.press("x")
        assert "1 to 6 change something, Q goes back." in seen.text
    assert remembered_looks() == Looks(theme="light", ascii=True, motion=False, bell=True, hints=False, mouse=True)
    display = display_options_of(CommandLine(), here(), remembered_looks())
    assert (display.light, display.glyphs, display.motion) == (True, ASCII, False)
    assert display.bell and display.mouse


async def test_it_can_be_used_with_arrows_and_left() -> None:
    screen = LooksScreen(DisplayOptions(), Looks(), apply)
    for key in ("down", "down", "enter", "q"):
        screen.press(key, 0.0)
    assert remembered_looks() == Looks(motion=False)
    assert screen.result == CHOSEN


async def test_a_flag_comes_before_what_is_remembered() -> None:
    remembered = Looks(theme="mono", ascii=True, motion=False, bell=True, hints=False, mouse=True)
    asked = CommandLine(theme="light", ascii=False, motion=True, bell=False, mouse=False)
    display = display_options_of(asked, here(), remembered)
    assert (display.theme, display.light, display.motion, display.bell) == ("default", True, True, False)
    assert display.glyphs.unicode and not display.mouse


@pytest.mark.parametrize("damage", ["nonsense\n", '{"version":2}\n{"theme":"pink"}\n', ""])
async def test_a_damaged_file_means_the_usual(damage: str) -> None:
    remember_looks(Looks(theme="light"))
    (state_folder() / "looks.jsonl").write_text(damage)
    assert remembered_looks() == Looks()


async def test_the_colours_change_at_once() -> None:
    """What is on the terminal already gets them, too."""
    async with terminal(None) as seen:

        def shown(looks: Looks) -> DisplayOptions:
            display = display_options_of(CommandLine(), here(), looks)
            seen.shell.look(display)
            return display

        screen = LooksScreen(DisplayOptions(), Looks(theme="dark"), shown)
        showing = asyncio.ensure_future(seen.shell.show(screen))
        await seen.until("How it looks")
        before = {cell.fg for row in seen.screen.buffer.values() for cell in row.values()}
        await seen.press("1")
        after = {cell.fg for row in seen.screen.buffer.values() for cell in row.values()}
        assert "light " in seen.text and len(before - after) > 3, (before, after)
        await seen.press("q")
        assert await showing == CHOSEN

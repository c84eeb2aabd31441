"""The mouse wheel scrolls, if the user wants it. Nothing else that a mouse does, or seems to do, does anything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.screens.scenes import SCENES
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.screens.screen import Prompt, Screen
from dicegames_client.screens.terminal.keys.wheel import WHEEL_LINES, wheel_lines
from support.hall import Hall
from support.sitting import begin, sit_down
from support.terminal import terminal

UP, DOWN, CLICK, RELEASE = "\x1b[<64;50;18M", "\x1b[<65;50;18M", "\x1b[<0;50;18M", "\x1b[<0;50;18m"
WITH_MOUSE = DisplayOptions(motion=False, mouse=True)


@pytest.mark.parametrize(
    ("told", "lines"),
    [
        (UP, -WHEEL_LINES),
        (DOWN, WHEEL_LINES),
        ("\x1b[<80;1;1M", -WHEEL_LINES),  # with Ctrl
        ("\x1b[<66;1;1M", 0),  # sideways
        (CLICK, 0),
        (RELEASE, 0),
        ("\x1b[<64;1;1m", 0),
        ("\x1b[31m", 0),
        ("\x1b[M`!!", 0),
        ("\x1b[<64;1M", 0),
        ("\x1b[<64;99999999999;1M", 0),
        ("NONE;SCROLL_UP;3;4", -WHEEL_LINES),
        ("NONE;SCROLL_DOWN;3;4", WHEEL_LINES),
        ("LEFT;MOUSE_DOWN;3;4", 0),
        ("", 0),
    ],
)
def test_what_is_told(told: str, lines: int) -> None:
    assert wheel_lines(told) == lines


@given(st.text())
def test_anything_may_be_told(told: str) -> None:
    assert wheel_lines(told) in (-WHEEL_LINES, 0, WHEEL_LINES)


class Turned(Screen):
    def __init__(self) -> None:
        self.by: list[int] = []
        self.heard: list[str] = []

    def wheel(self, lines: int, now: float) -> None:
        self.by.append(lines)

    def press(self, key: str, now: float) -> None:
        self.heard.append(key)
        if key == "t":
            self.prompt = Prompt("Say: ")


async def test_it_scrolls_also_while_a_line_is_typed_and_types_nothing() -> None:
    screen = Turned()
    async with terminal(screen, display=WITH_MOUSE) as seen:
        await seen.paste(UP + DOWN + CLICK + RELEASE)
        assert screen.by == [-WHEEL_LINES, WHEEL_LINES]
        await seen.press("t", "h")
        await seen.paste(DOWN)
        await seen.paste(CLICK)
        await seen.paste("\x1b[31m")
        await seen.press("i")
        assert seen.lines[-1] == " Say: hi"
        assert screen.by == [-WHEEL_LINES, WHEEL_LINES, WHEEL_LINES] and screen.heard == ["t"]


async def test_without_it_the_mouse_belongs_to_the_terminal() -> None:
    screen = Turned()
    async with terminal(screen, display=DisplayOptions(motion=False)) as seen:
        await seen.paste(UP)
        assert screen.by == [] and screen.heard == []
        assert "1000h" not in "".join(seen.written) and "1006h" not in "".join(seen.written)


async def test_the_feed_and_the_rules() -> None:
    (ana, bo) = await sit_down(Hall(), "farkle", "ana", "bo", display=WITH_MOUSE)
    await begin([ana, bo])
    table = ana.table
    table.stage.feed.add(*(f"entry {number}" for number in range(40)))
    assert "entry 39" in ana.text()
    table.wheel(-WHEEL_LINES, ana.now)
    assert "entry 39" not in ana.text() and table.stage.feed.newer == WHEEL_LINES
    table.wheel(WHEEL_LINES, ana.now)
    assert "entry 39" in ana.text() and table.stage.feed.newer == 0
    await ana.press("?")
    assert "KEYS" not in ana.text()
    for _ in range(40):
        table.wheel(WHEEL_LINES, ana.now)
    assert "Ctrl-C" in ana.text()
    for _ in range(40):
        table.wheel(-WHEEL_LINES, ana.now)
        ana.text()
    assert "Rules" in ana.text() and "Ctrl-C" not in ana.text()
    assert table.stage.feed.newer == 0


@pytest.mark.parametrize("name", SCENES)
async def test_no_screen_minds_it(name: str) -> None:
    screen, now = await SCENES[name](WITH_MOUSE)
    async with terminal(screen, display=WITH_MOUSE, now=lambda: now) as seen:
        for lines in (-WHEEL_LINES, WHEEL_LINES, 1000, -1000):
            screen.wheel(lines, now)
            await seen.painted()
            assert "can't be drawn" not in seen.text

"""Our renderer writes lines, prompt_toolkit's writes characters. What is on the terminal afterwards is the same."""

import asyncio
import random
import re
from typing import Any

import pytest
from prompt_toolkit.input import create_pipe_input

from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.screens.screen import Prompt, Screen, Size, Word
from dicegames_client.screens.terminal import shell as shell_module
from dicegames_client.widgets.lines import Line
from support.terminal import Terminal, terminal

WORDS = ("farkle", "日本", "─────", "╭───╮", "x", "  ", "é", "roll", "", "a very long word that goes on and on and on")
STYLES = ("", "dim", "you", "bad", "status", "die-picked", "link")


class Pictures(Screen):
    """Shows a picture that any key changes."""

    def __init__(self, pictures: list[list[Line]]) -> None:
        self._pictures = pictures
        self._at = 0

    def paint(self, size: Size, now: float) -> list[Line]:
        return self._pictures[self._at]

    def footer(self, size: Size, now: float) -> Line:
        return [("notice", f"picture {self._at}")]

    def press(self, key: str, now: float) -> None:
        if key == "t":
            self.prompt = Prompt("Say: ")
        else:
            self._at = min(self._at + 1, len(self._pictures) - 1)

    def submit(self, text: str, now: float) -> bool:
        self.prompt = None
        self._at = min(self._at + 1, len(self._pictures) - 1)
        return True


def pictures(seed: int, count: int) -> list[list[Line]]:
    dice = random.Random(seed)

    def line() -> Line:
        return [(dice.choice(STYLES), dice.choice(WORDS)) for _ in range(dice.randrange(7))]

    made = [[line() for _ in range(dice.randrange(1, 30))]]
    while len(made) < count:
        same = [one if dice.random() < 0.6 else line() for one in made[-1]]
        made.append(same[: dice.randrange(1, len(same) + 1)] if dice.random() < 0.3 else same)
    return made


def shown(far: Terminal) -> list[list[tuple[Any, ...]]]:
    rows = []
    for row in range(far.screen.lines):
        cells = [far.screen.buffer[row][column] for column in range(far.screen.columns)]
        rows.append(
            [(cell.data, cell.fg if cell.data.strip() else "", cell.bg, cell.bold, cell.underscore) for cell in cells]
        )
    return rows


async def walk(seed: int, size: tuple[int, int], keys: str) -> list[list[list[tuple[Any, ...]]]]:
    found = []
    async with terminal(Pictures(pictures(seed, 12)), display=DisplayOptions(motion=False), size=size) as far:
        for key in keys:
            if key == "R":
                far.resize(size[0] - 7, size[1] - 3)
                await far.painted()
            else:
                await far.press({"\r": "enter", "L": "\x0c"}.get(key, key))
            found.append(shown(far))
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_both_renderers_show_the_same(seed: int, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    keys = "nnnthi\rnnLnRntx\rnn"
    ours = await walk(seed, size, keys)
    monkeypatch.setattr(shell_module, "LineRenderer", lambda app, *_, **__: app.renderer)
    theirs = await walk(seed, size, keys)
    for step, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        assert one == other, f"after {keys[: step + 1]!r}"


async def test_what_has_not_changed_is_not_written() -> None:
    async with terminal(Pictures([[[("", f"line {n}")] for n in range(20)]] * 2)) as far:
        await far.painted()
        far.written.clear()
        await far.press("n")
        await asyncio.sleep(0)
        assert "line" not in "".join(far.written)
        assert "picture 1" in far.text


async def pictures_written(whole: bool) -> list[str]:
    """What goes to the terminal after each key, for keys that change something or nothing."""
    with create_pipe_input() as input:
        far = Terminal(DisplayOptions(motion=False), 80, 24, None, input)
        far.shell._terminal.whole_pictures = whole
        found: list[str] = []
        screen = Pictures([[[("", "one")]], [[("", "two")]]])
        screen.complete = lambda text: [Word("hello", len(text)), Word("help", len(text))]  # type: ignore[method-assign]

        async def flow() -> None:
            showing = asyncio.ensure_future(far.shell.show(screen))
            await far.painted()
            for key in ("n", "n", "t", "h", "\t", "\x0c", "é"):
                far.written.clear()
                await far.press(key)
                found.append("".join(far.written))
            showing.cancel()

        await far.shell.run(flow)
        return found


async def test_a_terminal_is_told_where_a_picture_begins_and_ends() -> None:
    for text in await pictures_written(True):
        parts = re.findall(r"\x1b\[\?2026([hl])", text)
        assert parts == ["h", "l"] * (len(parts) // 2)
        outside = re.sub(r"\x1b\[\?2026h.*?\x1b\[\?2026l", "", text, flags=re.DOTALL)
        assert not re.search(r"one|two|picture|Say|hel", outside), outside
    assert "\x1b[?2026h" in text


async def test_it_is_not_told_if_it_did_not_say_that_it_knows_that() -> None:
    assert not any("2026" in text for text in await pictures_written(False))


async def test_where_nothing_has_changed_nothing_is_written() -> None:
    assert (await pictures_written(True))[1] == (await pictures_written(False))[1] == ""


class Typed(Screen):
    """A line is open from the start."""

    def __init__(self, *, secret: bool = False) -> None:
        self.prompt = Prompt("Say: ", secret=secret)

    def paint(self, size: Size, now: float) -> list[Line]:
        return [[("", "above")]]


async def typed(keys: list[str], *, secret: bool, size: tuple[int, int] = (30, 8)) -> list[tuple[Any, ...]]:
    """After each key: what is shown, where the cursor is, and whether it can be seen."""
    found = []
    async with terminal(Typed(secret=secret), size=size) as far:
        for key in keys:
            await far.press(key)
            cursor = far.screen.cursor
            found.append((shown(far), cursor.x, cursor.y, cursor.hidden))
    return found


@pytest.mark.parametrize("secret", [False, True], ids=["open", "secret"])
async def test_a_typed_line_is_shown_alike(secret: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [
        *"héy 日本",
        "left",
        "left",
        "x",
        "home",
        "é",
        "right",
        "backspace",
        "end",
        "!",
        "\x0c",
        "\x01",
        "\x0b",
        "o",
    ]
    ours = await typed(keys, secret=secret)
    monkeypatch.setattr(shell_module, "LineRenderer", lambda app, *_, **__: app.renderer)
    theirs = await typed(keys, secret=secret)
    for step, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        assert one == other, f"after {keys[: step + 1]!r}"


async def test_a_line_that_is_too_long_moves_with_the_cursor() -> None:
    text = "the quick 日本 fox jumps over the lazy dog, again"
    found = await typed([*text, *["left"] * len(text)], secret=False)
    for step, (rows, column, row, hidden) in enumerate(found):
        at = min(step + 1, 2 * len(text) - step - 1)
        last = "".join(cell[0] for cell in rows[-1])
        assert row == 7 and not hidden
        before = "".join(cell[0] for cell in rows[-1][:column])
        assert (" Say: " + text[:at]).endswith(before), (step, last)
    assert found[-1][1:3] == (6, 7)


@pytest.mark.parametrize("rest", ["", "abc"])
async def test_in_the_end_the_terminal_is_as_it_was(rest: str) -> None:
    """The cursor can be seen, long lines are wrapped, pasted text is not marked, the first screen is back."""
    async with terminal(Pictures([[[("", "line")]]])) as far:
        await far.press("t")
        await far.type(rest)
    end = "".join(far.written)
    for on, off in (("\x1b[?7h", "\x1b[?7l"), ("\x1b[?25h", "\x1b[?25l"), ("\x1b[?2004l", "\x1b[?2004h")):
        assert end.rindex(on) > end.rindex(off)
    assert end.rindex("\x1b[?1049l") > end.rindex("\x1b[?1049h")

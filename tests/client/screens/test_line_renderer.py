"""Our renderer writes lines, prompt_toolkit's writes characters. What is on the terminal afterwards is the same."""

import asyncio
import random
from typing import Any

import pytest

from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.screens.screen import Prompt, Screen, Size
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
    monkeypatch.setattr(shell_module, "LineRenderer", lambda app, lines: app.renderer)
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

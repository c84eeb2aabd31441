"""In which colours the screens are painted, on dark and on light backgrounds, in five sizes.

A snapshot says for each style what is written in it. `DICEGAMES_SNAPSHOTS=write` writes them again, as for the others.
"""

import os
import re
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pyte
import pytest

from client.screens.scenes import SCENES, answer_panels, in_glyphs
from dicegames_client.base.glyphs import UNICODE
from support.terminal import terminal

FOLDER = Path(__file__).parent / "snapshots" / "colours"
SIZES = ((60, 20), (80, 24), (100, 30), (120, 40), (200, 60))
SCENES_IN_COLOUR = ("third-seven", "sevens", "farkle", "double-or-nothing", "recap")
MOST_SAMPLES = 4


def styles_of(screen: pyte.Screen) -> list[str]:
    """Style -> what is written in it first. The terminal's own colour says nothing, so it is left out."""
    found: dict[str, list[str]] = {}
    for row in range(screen.lines):
        cells = [screen.buffer[row][column] for column in range(screen.columns)]
        for style, run in groupby(cells, key=_style):
            text = re.sub(r"\s+", " ", "".join(cell.data for cell in run)).strip()
            if style and text and text not in found.setdefault(style, []):
                found[style].append(text)
    return [f"{style}: {' | '.join(samples[:MOST_SAMPLES])}" for style, samples in sorted(found.items())]


def _style(cell: pyte.screens.Char) -> str:
    marks = [name for name in ("bold", "italics", "underscore", "reverse") if getattr(cell, name)]
    front = [] if cell.fg == "default" else [cell.fg]
    back = [] if cell.bg == "default" else [f"on {cell.bg}"]
    return " ".join([*marks, *front, *back])


@pytest.mark.parametrize("light", [False, True], ids=["dark", "light"])
@pytest.mark.parametrize("name", SCENES_IN_COLOUR)
async def test_colours(name: str, light: bool) -> None:
    display = replace(in_glyphs(UNICODE), light=light)
    screen, now = await SCENES[name](display)
    await answer_panels(screen)
    shown = []
    for size in SIZES:
        async with terminal(screen, display=display, size=size, now=lambda now=now: now) as seen:  # type: ignore[misc]
            await seen.painted()
            shown += [f"=== {size[0]}x{size[1]}", *styles_of(seen.screen)]
    text = re.sub(r"(room |:8765/)[A-Z0-9]{4}\b", r"\1KQ7M", "\n".join([*shown, ""]))
    file = FOLDER / f"{name}-{'light' if light else 'dark'}.txt"
    if os.environ.get("DICEGAMES_SNAPSHOTS") == "write":
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text

"""The pictures in the README are what the client shows.

After an intended change, `DICEGAMES_PICTURES=write pytest tests/client/screens/test_pictures.py` draws them again.
"""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from client.screens.recording import recording
from client.screens.scenes import SCENES, answer_panels, in_glyphs
from dicegames_client.base.glyphs import UNICODE
from support.svg import svg_of
from support.terminal import terminal

FOLDER = Path(__file__).parents[3] / "docs" / "pictures"
PICTURES = {
    "waiting": "The waiting room",
    "third-seven": "Doubles after the third seven",
    "sevens": "Sevens",
    "farkle": "Farkle",
    "double-or-nothing": "Double or Nothing",
    "recap": "The recap of a game of Sevens",
    "spectator": "Watching Doubles",
}


LARGE = {"doubles-large": ("third-seven", (109, 31), "Doubles in a large window")}
"""Picture -> scene, size and title, for windows with panels."""


@pytest.mark.parametrize("light", [False, True], ids=["dark", "light"])
@pytest.mark.parametrize("name", [*PICTURES, *LARGE])
async def test_picture(name: str, light: bool) -> None:
    scene, size, title = LARGE.get(name) or (name, (80, 24), PICTURES[name])
    display = replace(in_glyphs(UNICODE), light=light)
    screen, now = await SCENES[scene](display)
    await answer_panels(screen)
    async with terminal(screen, display=display, size=size, now=lambda: now) as seen:
        await seen.painted()
        drawn = svg_of(seen.screen, title, light=light)
    compare(f"{name}-light" if light else name, drawn)
    assert len(drawn) < 40_000


async def test_recording() -> None:
    """A few turns of Farkle, recorded from play. It is no still picture: dice tumble."""
    drawn = await recording()
    compare("recording", drawn)
    assert len(drawn) < 400_000


def compare(name: str, drawn: str) -> None:
    drawn = re.sub(r"(room |:8765/)[A-Z0-9]{4}\b", r"\1KQ7M", drawn)
    file = FOLDER / f"{name}.svg"
    if os.environ.get("DICEGAMES_PICTURES") == "write":
        FOLDER.mkdir(exist_ok=True)
        file.write_text(drawn, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == drawn


def test_the_readme_shows_them_all() -> None:
    readme = (FOLDER.parents[1] / "README.md").read_text(encoding="utf-8")
    dark = {*PICTURES, *LARGE}
    shown = set(re.findall(r"docs/pictures/([\w-]+)\.svg", readme))
    assert shown == {*dark, *(f"{name}-light" for name in dark), "recording"}

"""The pictures in the README are what the client shows.

After an intended change, `DICEGAMES_PICTURES=write pytest tests/client/screens/test_pictures.py` draws them again.
"""

import os
import re
from pathlib import Path

import pytest

from client.screens.scenes import SCENES, in_glyphs
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


@pytest.mark.parametrize("name", PICTURES)
async def test_picture(name: str) -> None:
    display = in_glyphs(UNICODE)
    screen, now = await SCENES[name](display)
    async with terminal(screen, display=display, now=lambda: now) as seen:
        await seen.painted()
        drawn = re.sub(r"(room |:8765/)[A-Z0-9]{4}\b", r"\1KQ7M", svg_of(seen.screen, PICTURES[name]))
    file = FOLDER / f"{name}.svg"
    if os.environ.get("DICEGAMES_PICTURES") == "write":
        FOLDER.mkdir(exist_ok=True)
        file.write_text(drawn, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == drawn
    assert len(drawn) < 30_000


def test_the_readme_shows_them_all() -> None:
    readme = (FOLDER.parents[1] / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"docs/pictures/([\w-]+)\.svg", readme)) == set(PICTURES)

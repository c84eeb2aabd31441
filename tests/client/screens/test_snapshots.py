"""Every view as a terminal shows it, in five sizes, with Unicode and with ASCII.

After an intended change, `DICEGAMES_SNAPSHOTS=write pytest tests/client/screens/test_snapshots.py` writes them again.
Read what changed before you commit it.
"""

import os
import re
from pathlib import Path

import pytest

from client.screens.scenes import SCENES, Scene, answer_panels, in_glyphs
from dicegames_client.base.glyphs import ASCII, UNICODE
from dicegames_protocol.text import columns
from support.terminal import terminal
from support.views import without_view

SIZES = {
    UNICODE: ((60, 20), (80, 24), (100, 30), (120, 40), (200, 60)),
    ASCII: ((60, 20), (80, 24), (100, 30)),
}
FOLDER = Path(__file__).parent / "snapshots"


@pytest.mark.parametrize("name", SCENES)
async def test_snapshot(name: str) -> None:
    await compare(name, SCENES[name])


async def test_generic_view() -> None:
    """Farkle without its view: drawn from state and offers alone."""
    with without_view("farkle"):
        await compare("generic", SCENES["farkle"])


async def compare(name: str, scene: Scene) -> None:
    shown = []
    for glyphs in SIZES:
        display = in_glyphs(glyphs)
        screen, now = await scene(display)
        await answer_panels(screen)
        for size in SIZES[glyphs]:
            async with terminal(screen, display=display, size=size, now=lambda now=now: now) as seen:  # type: ignore[misc]
                await seen.painted()
                assert all(columns(line) <= size[0] for line in seen.lines)
                if glyphs is ASCII:
                    assert seen.text.isascii()
                shown.append(f"=== {size[0]}x{size[1]} {'unicode' if glyphs.unicode else 'ascii'}\n{seen.text}\n")
    text = re.sub(r"(room |:8765/)[A-Z0-9]{4}\b", r"\1KQ7M", "".join(shown))  # a new room has a new code
    file = FOLDER / f"{name}.txt"
    if os.environ.get("DICEGAMES_SNAPSHOTS") == "write":
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text


def test_every_snapshot_has_its_scene() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == {*SCENES, "generic"}

"""Windows of any size: every screen is painted, however small the window is, and nothing takes long or grows."""

import itertools

import pytest

from client.screens.scenes import SCENES
from dicegames_client.base.glyphs import ASCII, UNICODE, Glyphs
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.screens.forms.question_screen import QuestionScreen
from dicegames_client.screens.screen import Prompt, Screen, Size

COLUMNS = (*range(13), 20, 39, 40, 59, 60, 61, 500)
ROWS = (0, 1, 2, 3, 5, 19, 20, 21, 200)
MOST_CHARACTERS = 200_000


def paint(screen: Screen, now: float) -> None:
    for columns, rows in itertools.product(COLUMNS, ROWS):
        size = Size(columns, rows)
        painted = [*screen.paint(size, now), screen.footer(size, now), screen.warning(size, now)]
        assert sum(len(text) for line in painted for _, text in line) <= MOST_CHARACTERS, size


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize("name", SCENES)
async def test_every_screen(name: str, glyphs: Glyphs) -> None:
    screen, now = await SCENES[name](DisplayOptions(glyphs=glyphs, motion=False))
    paint(screen, now)


@pytest.mark.parametrize("key", ["k", "?", "o", "t", "q"])
async def test_what_is_over_a_table(key: str) -> None:
    for name in ("waiting", "farkle"):
        screen, now = await SCENES[name](DisplayOptions(motion=False))
        screen.paint(Size(80, 24), now)
        screen.press(key, now)
        paint(screen, now)


def test_a_question() -> None:
    paint(QuestionScreen(Prompt("> "), UNICODE, before=["Your name:", "", "Unaussprechlichlangeswort"]), 0.0)

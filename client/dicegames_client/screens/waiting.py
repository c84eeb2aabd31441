"""Shown while something takes time: connecting, or between two screens. The user can give up."""

from collections.abc import Callable

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.screens.page_layout import Action, plain_page
from dicegames_client.screens.screen import Screen, Size
from dicegames_client.widgets.lines import Line, line


class Waiting(Screen):
    def __init__(self, glyphs: Glyphs, stop: Callable[[], None]) -> None:
        """`stop` ends the whole program."""
        self.text = "One moment"
        self._glyphs = glyphs
        self._stop = stop

    def paint(self, size: Size, now: float) -> list[Line]:
        said = [[], line(f"{self.text}{self._glyphs.ellipsis}")]
        return plain_page(size, self._glyphs, said, [Action("Ctrl-C", "Give up")])

    def press(self, key: str, now: float) -> None:
        if key in ("q", "ctrl-c", "ctrl-d", "escape"):
            self._stop()

"""What is shown while something takes its time: connecting, or between two screens. It can be given up."""

from collections.abc import Callable

from dicegames_client.glyphs import Glyphs
from dicegames_client.screens.layout import Action, action_line, small_page, status_line, too_small, whole
from dicegames_client.screens.screen import Screen, Size
from dicegames_client.widgets.lines import Line, inside, line


class Waiting(Screen):
    def __init__(self, glyphs: Glyphs, stop: Callable[[], None]) -> None:
        """`stop` ends everything."""
        self.text = "One moment"
        self._glyphs = glyphs
        self._stop = stop

    def paint(self, size: Size, now: float) -> list[Line]:
        if too_small(size):
            return small_page(size)
        return whole(
            size,
            self._glyphs,
            status=status_line("dicegames", "", size.columns),
            lines=inside([[], line(f"{self.text}{self._glyphs.ellipsis}")], 3),
            actions=action_line([Action("Ctrl-C", "Give up")], size.columns),
        )

    def press(self, key: str, now: float) -> None:
        if key in ("q", "ctrl-c", "ctrl-d", "escape"):
            self._stop()

"""Writes a screen to the terminal line by line: only the lines that have changed.

prompt_toolkit paints every character of every window, looks at each of them, and compares it with the one before. A
screen of ours is a list of lines already. Painting a table of 80x24 takes about a third of the time this way
(tests/bench/screen.py --paint), which counts where a hundred players over ssh share one process. While a menu of
completions hangs on the line that is being typed, prompt_toolkit paints as ever.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Point, Size
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.layout import Layout
from prompt_toolkit.renderer import Renderer
from prompt_toolkit.styles import Attrs

from dicegames_client.screens.terminal.modes import Modes
from dicegames_protocol.text import columns

BEGIN_PICTURE, END_PICTURE = "\x1b[?2026h", "\x1b[?2026l"
"""Terminals that know these show the new picture when it is whole."""


@dataclass(frozen=True, slots=True)
class Picture:
    lines: list[StyleAndTextTuples]
    """All lines of the screen."""
    cursor: int | None = None
    """The column of the cursor in the last line, from 0 on. None: there is no cursor."""


class LineRenderer(Renderer):
    def __init__(
        self, app: Application[Any], picture: Callable[[], Picture | None], modes: Modes, *, whole: bool = False
    ) -> None:
        """`picture`: what is to be shown. None: prompt_toolkit has to paint. `modes` are on while our screen is there.
        `whole`: the terminal is told where a picture begins and ends.
        """
        self._picture, self._modes = picture, modes
        self._begin, self._end = (BEGIN_PICTURE, END_PICTURE) if whole else ("", "")
        self._drawn: list[StyleAndTextTuples] | None = None
        """What is on the terminal. None: that is not known."""
        self._attrs: dict[str, Attrs] = {}
        self._drawn_size: Size | None = None
        super().__init__(app.renderer.style, app.output, full_screen=True)

    def reset(self, _scroll: bool = False, leave_alternate_screen: bool = True) -> None:
        self._drawn = None
        if leave_alternate_screen:
            self._modes.leave()
        super().reset(_scroll, leave_alternate_screen)

    def clear(self) -> None:
        """Whatever is on the terminal is painted anew."""
        if self._in_alternate_screen:
            self._modes.forget()
            self._drawn, self._drawn_size = None, None
            self._last_screen = None
            self._cursor_pos = Point(0, 0)
            self.output.erase_screen()
            self.output.cursor_goto(1, 1)
            self.output.flush()
        else:
            super().clear()

    def forget_colours(self) -> None:
        """Styles mean other colours now: all of it is painted anew."""
        self._attrs.clear()
        self._drawn = None

    def render(self, app: Application[Any], layout: Layout, is_done: bool = False) -> None:
        if is_done:  # there is nothing to paint: the terminal shows again what was there before us, if it can
            self.erase()
            return
        self._modes.enter()
        picture = self._picture()
        if picture is None:
            if self._drawn is not None:  # then prompt_toolkit does not know what is there
                self._drawn = self._last_screen = None
                self._last_style = None
            self._mark(self._begin)
            super().render(app, layout, is_done)
            self._mark(self._end)
            self.output.flush()
            return
        self._enter()
        size = self.output.get_size()
        if self._drawn is None or self._drawn_size != size:
            self._drawn, self._drawn_size = [], size
            self.output.reset_attributes()
            self.output.disable_autowrap()
            self.output.hide_cursor()
        wanted = Point(0, 0) if picture.cursor is None else Point(min(picture.cursor, size.columns - 1), size.rows - 1)
        changed = self._draw(picture.lines[: size.rows], size, app)
        if changed or wanted != self._cursor_pos:
            self._cursor_pos = wanted
            self.output.cursor_goto(wanted.y + 1, wanted.x + 1)
            self.output.hide_cursor() if picture.cursor is None else self.output.show_cursor()
            self._mark(self._end if changed else "")
        self.output.flush()

    def _enter(self) -> None:
        """What prompt_toolkit does before it paints for the first time."""
        output = self.output
        if not self._in_alternate_screen:
            self._in_alternate_screen = True
            output.enter_alternate_screen()
        if not self._bracketed_paste_enabled:
            self._bracketed_paste_enabled = True
            output.enable_bracketed_paste()
        if not self._cursor_key_mode_reset:
            self._cursor_key_mode_reset = True
            output.reset_cursor_key_mode()

    def _draw(self, lines: list[StyleAndTextTuples], size: Size, app: Application[Any]) -> bool:
        """Write the lines that have changed. False: there are none."""
        drawn = self._drawn or []
        output = self.output
        changed = False
        for row in range(size.rows):
            line = lines[row] if row < len(lines) else []
            if row < len(drawn) and drawn[row] == line:
                continue
            self._mark("" if changed else self._begin)
            changed = True
            output.cursor_goto(row + 1, 1)
            room = size.columns
            for style, text, *_ in line:
                shown = _clipped(text, room)
                room -= columns(shown)
                output.set_attributes(self._attributes(style), app.color_depth)
                output.write(shown)
            output.reset_attributes()
            if room > 0:
                output.erase_end_of_line()
        self._drawn = [*lines, *([] for _ in range(size.rows - len(lines)))]
        return changed

    def _mark(self, sequence: str) -> None:
        if sequence:
            self.output.write_raw(sequence)

    def _attributes(self, style: str) -> Attrs:
        found = self._attrs.get(style)
        if found is None:
            found = self._attrs[style] = self.style.get_attrs_for_style_str(style)
        return found


def _clipped(text: str, room: int) -> str:
    """The text, as far as it fits."""
    if columns(text) <= room:
        return text
    used = 0
    for position, char in enumerate(text):
        used += columns(char)
        if used > room:
            return text[:position]
    return text

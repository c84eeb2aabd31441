"""A menu: one of several, chosen by number or with the arrow keys."""

from collections.abc import Sequence

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.screens.page_layout import Action, plain_page
from dicegames_client.screens.screen import Screen, Size
from dicegames_client.widgets.lines import Line, line

CANCELLED = "cancelled"


class Menu(Screen):
    """The result is the index of the choice, from 0, or CANCELLED."""

    def __init__(self, title: str, choices: Sequence[tuple[str, str]], glyphs: Glyphs, leave: str = "Quit") -> None:
        """`leave`: what Q does, in a word."""
        self._leave = leave
        self._title = title
        self._choices = choices
        self._glyphs = glyphs
        self._at = 0
        self._said = ""

    def paint(self, size: Size, now: float) -> list[Line]:
        lines: list[Line] = [[], line(self._title, "big"), []]
        for number, (name, about) in enumerate(self._choices):
            mark, style = (">", "turn") if number == self._at else (" ", "")
            lines.append([(style, f"{mark} "), ("key", f"[{number + 1}]"), (style, f" {name}")])
            lines += [line(f"      {about}", "dim")] if about else []
            lines += [[]] if len(self._choices) <= 6 else []
        keys = [Action(f"1-{len(self._choices)}", "Choose"), Action("Enter", "Take this one"), Action("Q", self._leave)]
        return plain_page(size, self._glyphs, lines, keys)

    def footer(self, size: Size, now: float) -> Line:
        return line(f" {self._said}", "notice")

    def press(self, key: str, now: float) -> None:
        self._said = ""
        if len(key) == 1 and key.isdigit() and 1 <= int(key) <= len(self._choices):
            self.result = int(key) - 1
        elif key in ("up", "down"):
            self._at = (self._at + (1 if key == "down" else -1)) % len(self._choices)
        elif key == "enter":
            self.result = self._at
        elif key in ("q", "escape", "ctrl-c", "ctrl-d"):
            self.result = CANCELLED
        else:
            self._said = f"Press a number from 1 to {len(self._choices)}, or Q to quit."

"""The settings page: colours, characters, motion, bell and mouse. Every choice is shown at once, and remembered."""

from collections.abc import Callable
from typing import get_args

from dicegames_client.base.state.saved_looks import Looks, Theme
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.screens.page_layout import Action, plain_page
from dicegames_client.screens.screen import Screen, Size, key_name
from dicegames_client.widgets.die import Die, large
from dicegames_client.widgets.lines import Line, line, pad

CHOSEN = "chosen"
LOOKS = 6
"""How many settings there are."""
_THEMES: tuple[Theme, ...] = get_args(Theme)
_ABOUT: dict[Theme, str] = {
    "default": "as your background wants them",
    "dark": "for a dark background",
    "light": "for a light background",
    "high-contrast": "black, white and strong colours",
    "colour-blind": "blue, orange and yellow",
    "mono": "no colours",
}


class LooksScreen(Screen):
    def __init__(self, display: DisplayOptions, looks: Looks, apply: Callable[[Looks], DisplayOptions]) -> None:
        """`apply` is called with every choice. It remembers it, and gives what the screen looks like now."""
        self._display = display
        self._looks = looks
        self._apply = apply
        self._at = 0
        self._said = ""

    def paint(self, size: Size, now: float) -> list[Line]:
        display, theme = self._display, self._looks.theme or "default"
        rows = [
            ("Colours", theme, _ABOUT[theme]),
            ("Characters", "Unicode" if display.glyphs.unicode else "ASCII", "what dice and borders are drawn with"),
            ("Motion", _on(display.motion), "dice tumble"),
            ("Bell", _on(display.bell), "rings at your turn; notifies you elsewhere"),
            ("Hints", _on(display.hints), "a line of advice in your first games"),
            ("Mouse", _on(display.mouse), "the wheel scrolls the feed and pages"),
        ]
        lines: list[Line] = [[], line("How it looks", "big"), []]
        for number, (name, value, about) in enumerate(rows):
            mark, style = (">", "turn") if number == self._at else (" ", "")
            shown = f" {pad(name, 12)}{pad(value, 15)}"
            lines.append([(style, f"{mark} "), ("key", f"[{number + 1}]"), (style, shown), ("dim", about)])
        sample: Line = [("you", "you"), ("", "   "), ("turn", "your turn"), ("", "   "), ("good", "+400"), ("", "   ")]
        sample += [("warn", "three sevens"), ("", "   "), ("bad", "FARKLE"), ("", "   "), ("dim", "long ago")]
        dice = [Die(3), Die(5, style="die-scores"), Die(6, style="die-picked")]
        lines += [[], *large(dice, display.glyphs), [], sample]
        keys = [Action(f"1-{LOOKS}", "Change"), Action("Q", "Back")]
        return plain_page(size, display.glyphs, lines, keys)

    def footer(self, size: Size, now: float) -> Line:
        return line(f" {self._said}", "notice")

    def press(self, key: str, now: float) -> None:
        self._said = ""
        if key in ("q", "escape", "ctrl-c", "ctrl-d"):
            self.result = CHOSEN
        elif key in ("up", "down"):
            self._at = (self._at + (1 if key == "down" else -1)) % LOOKS
        elif len(key) == 1 and key.isdigit() and 1 <= int(key) <= LOOKS:
            self._at = int(key) - 1
            self._change()
        elif key in ("enter", " ", "right"):
            self._change()
        else:
            self._said = f"{key_name(key)} does nothing here. 1 to {LOOKS} change something, Q goes back."

    def _change(self) -> None:
        """The next value of the row that is chosen."""
        display, looks = self._display, self._looks
        theme = _THEMES[(_THEMES.index(looks.theme or "default") + 1) % len(_THEMES)]
        changed = (
            {"theme": theme},
            {"ascii": display.glyphs.unicode},
            {"motion": not display.motion},
            {"bell": not display.bell},
            {"hints": not display.hints},
            {"mouse": not display.mouse},
        )[self._at]
        self._looks = looks.but(**changed)
        self._display = self._apply(self._looks)


def _on(value: bool) -> str:
    return "on" if value else "off"

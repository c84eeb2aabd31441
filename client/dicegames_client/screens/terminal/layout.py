"""The layout that prompt_toolkit paints: the screen, its last line or the typing line, and a menu of completions."""

from collections.abc import Callable

from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.layout import (
    CompletionsMenu,
    ConditionalContainer,
    DynamicContainer,
    Float,
    FloatContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)

Painted = Callable[[], StyleAndTextTuples]
_MENU_LINES = 6
_BELOW_MENU = 2
"""Lines below the menu: the typing line, and the one above it, which says what is wrong with it."""


def body_window(body: Painted) -> Window:
    """All lines but the last."""
    control = FormattedTextControl(body, focusable=True, show_cursor=False)
    return Window(control, wrap_lines=False, always_hide_cursor=True)


def laid_out(body: Window, footer: Painted, line: Callable[[], Window], typing: Condition) -> Layout:
    """`line`: the window of the typing line, which is there while `typing`."""
    last = Window(FormattedTextControl(footer), height=1, wrap_lines=False)
    rows = [body, ConditionalContainer(DynamicContainer(line), typing), ConditionalContainer(last, ~typing)]
    menu = Float(CompletionsMenu(max_height=_MENU_LINES), xcursor=True, bottom=_BELOW_MENU)
    return Layout(FloatContainer(HSplit(rows), floats=[menu]), focused_element=body)

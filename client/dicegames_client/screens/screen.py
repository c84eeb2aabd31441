"""What a screen is: it gets keys and typed lines, and it is painted. When it has a result, it is done.

A screen gets keys as names: 'a', '7', 'enter', 'escape', 'backspace', 'ctrl-c'. Letters come in lower case. While
`prompt` is set, there is a typing line at the bottom and keys go there. Only a key may set it, never the network.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from dicegames_client.widgets.lines import Line
from dicegames_protocol.text import strip


class Size(NamedTuple):
    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """A line to type in."""

    label: str
    text: str = ""
    """The text that is already in the line."""
    secret: bool = False
    history: str | None = None
    """The name of a history. Earlier lines of the same history come back with the arrow keys."""
    slash: str = ""
    """The label while the text begins with a slash. Empty: the same as ever."""

    command: bool = False
    """The line is a command, even where its slash was deleted."""

    def label_for(self, text: str) -> str:
        return self.slash if self.slash and text.startswith("/") else self.label


@dataclass(frozen=True, slots=True)
class Word:
    """A completion."""

    text: str
    back: int
    """How many of the typed characters it replaces."""
    about: str = ""


def key_name(key: str) -> str:
    """The name of a key on the keyboard: R, Escape, Ctrl-C."""
    if len(key) == 1:
        return "Space" if key == " " else strip(key.upper()).strip() or "That key"
    return "-".join(part.capitalize() for part in key.split("-"))


class Screen:
    """The base class of all screens; by itself it is empty."""

    prompt: Prompt | None = None
    result: Any = None
    """Set when the screen is done; `Shell.show` returns it."""
    on_change: Callable[[], None] = staticmethod(lambda: None)
    """Called when something changed that no key caused."""
    rings: str = ""
    """The sentence for which the bell must ring, once."""
    title: str = "dicegames"
    """For the title of the window."""
    copies: str = ""
    """A text that goes to the clipboard, once. Only a key sets it, and only to a text of our own."""

    def paint(self, size: Size, now: float) -> list[Line]:
        """All lines but the last."""
        return []

    def footer(self, size: Size, now: float) -> Line:
        """The last line, while no typing line is open."""
        return []

    def warning(self, size: Size, now: float) -> Line:
        """A sentence that must be seen while the typing line is open. It takes the line above."""
        return []

    def press(self, key: str, now: float) -> None:
        """A key was pressed while no typing line is open."""

    def pasted(self, now: float) -> None:
        """Text was pasted while no typing line is open."""

    def wheel(self, lines: int, now: float) -> None:
        """The mouse wheel was turned, whether a typing line is open or not. Negative: up."""

    def submit(self, text: str, now: float) -> bool:
        """Enter was pressed in the typing line. False keeps the line, so that the user can correct it."""
        return True

    def edited(self, now: float) -> None:
        """The text in the typing line was changed: what was wrong with it may be mended."""

    def cancel(self, now: float) -> None:
        """The user has cancelled the typing line."""
        self.prompt = None

    def complete(self, text: str) -> list[Word]:
        return []

    def pulse(self, now: float) -> float | None:
        """Seconds until the screen changes by itself; None if it does not."""
        return None

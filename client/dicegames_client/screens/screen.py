"""What a screen is: it is pressed, typed into and painted; when it has a result, the evening goes on.

A screen gets keys as names: 'a', '7', 'enter', 'escape', 'backspace', 'ctrl-c'. Letters come in lower case. While
`prompt` is set there is a line to type in at the bottom, and keys go there; only a key, never the network, may set it.
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
    """What stands there already."""
    secret: bool = False
    history: str | None = None
    """Lines of the same history can be got back with the arrow keys."""


@dataclass(frozen=True, slots=True)
class Word:
    """A completion."""

    text: str
    back: int
    """How many characters of what is typed it replaces."""
    about: str = ""


def key_name(key: str) -> str:
    """A key as it is called on keyboards: R, Escape, Ctrl-C."""
    if len(key) == 1:
        return "Space" if key == " " else strip(key.upper()) or "That key"
    return "-".join(part.capitalize() for part in key.split("-"))


class Screen:
    """An empty screen, which is what there is before the first one is shown."""

    prompt: Prompt | None = None
    result: Any = None
    """Set when the screen has done its work."""
    on_change: Callable[[], None] = staticmethod(lambda: None)
    """Told when something changed that no key caused."""
    rings: bool = False
    """The bell is to ring once."""

    def paint(self, size: Size, now: float) -> list[Line]:
        """All lines but the last."""
        return []

    def footer(self, size: Size, now: float) -> Line:
        """The last line, while nothing is typed there."""
        return []

    def warning(self, size: Size, now: float) -> Line:
        """A sentence that must be seen while something is typed in the last line; it takes the line above."""
        return []

    def press(self, key: str, now: float) -> None:
        """A key was pressed, while nothing is typed."""

    def pasted(self, now: float) -> None:
        """Somebody pasted a text where keys act."""

    def submit(self, text: str, now: float) -> bool:
        """Enter was pressed in the typing line. False keeps the line as it is, to be put right."""
        return True

    def cancel(self, now: float) -> None:
        """Typing was given up."""
        self.prompt = None

    def complete(self, text: str) -> list[Word]:
        return []

    def pulse(self, now: float) -> float | None:
        """After how many seconds it looks different by itself; None: not before something happens."""
        return None

"""What tells a paste from typing, where the terminal does not mark it: many keys come in one read."""

from collections.abc import Callable, Iterable

from prompt_toolkit.input import Input
from prompt_toolkit.key_binding.key_processor import KeyPress

BURST_KEYS = 3
"""If this many more keys are in the same read, they were pasted, not typed."""
PASTE_SECONDS = 0.3
"""Seconds after such a burst in which keys still belong to it: a long paste comes in several reads."""


def typeable(data: str) -> bool:
    return len(data) == 1 and (data.isprintable() or data in "\r\n")


class Pasting:
    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._until = 0.0

    def notice(self, behind: Iterable[KeyPress]) -> None:
        """Called before each key. `behind`: the keys that came in the same read and are still to be handled."""
        if text_in(behind) >= BURST_KEYS:
            self._until = self._now() + PASTE_SECONDS

    def goes_on(self) -> bool:
        return self._now() < self._until


def text_in(keys: Iterable[KeyPress]) -> int:
    """How many of these keys can be part of a pasted text."""
    return sum(typeable(press.data) for press in keys)


def type_ahead(input: Input, keys: str) -> None:
    """Keys that were pressed before the screen was there come first."""
    parser = getattr(input, "vt100_parser", None)  # a Windows console has none
    if keys and parser is not None:
        parser.feed(keys)

"""What tells a paste from typing, where the terminal does not mark it: many keys come in one read.

On a slow line what a person has typed comes in one read, too. So Enter in such a read is neither obeyed nor lost: the
user is asked, and the next Enter, if it comes alone, means it.
"""

from collections.abc import Callable, Iterable

from prompt_toolkit.key_binding.key_processor import KeyPress

BURST_KEYS = 3
"""If this many more keys are in the same read, they were pasted, not typed."""
PASTE_SECONDS = 0.3
"""Seconds after such a burst in which keys still belong to it: a long paste comes in several reads."""
SEND_THIS = " Send this? Enter sends it. "


def typeable(data: str) -> bool:
    return len(data) == 1 and (data.isprintable() or data in "\r\n")


class Pasting:
    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._until = 0.0
        self._in_burst = False
        """Whether the present key came in one read with many others, however long the screen takes for them."""
        self._more_behind = False
        self._broken = False
        """A line break was pasted. Text that follows in the same paste gets a blank before it."""
        self.asks = False
        """Whether the user is asked if the line is to be sent."""

    def notice(self, behind: Iterable[KeyPress]) -> None:
        """Called before each key. `behind`: the keys that came in the same read and are still to be handled."""
        behind = list(behind)
        self._in_burst = self._in_burst and self._more_behind
        if not self.goes_on():
            self.forget()
        self._in_burst = self._in_burst or text_in(behind) >= BURST_KEYS
        self._more_behind = bool(behind)
        if self._in_burst:
            self._until = self._now() + PASTE_SECONDS

    def goes_on(self) -> bool:
        return self._in_burst or self._now() < self._until

    def enter(self, behind: Iterable[KeyPress]) -> bool:
        """Enter in the typing line. False: it came with text, so the user is asked."""
        if text_in(behind):
            self._until = self._now() + PASTE_SECONDS
        elif not self.goes_on():
            return True
        self.asks = self._broken = True
        return False

    def forget(self) -> None:
        """The line is gone."""
        self.asks = self._broken = False

    def after_break(self) -> bool:
        """Whether text that is inserted now was in another line of the same paste than the text before it."""
        broken, self._broken = self._broken, False
        return broken


def text_in(keys: Iterable[KeyPress]) -> int:
    """How many of these keys can be part of a pasted text."""
    return sum(typeable(press.data) for press in keys)

"""A clock that stands still until the test moves it."""

import heapq
import itertools
from collections.abc import Callable


class _Handle:
    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """It is not called, and forgotten, as by the real clock."""
        self.callback = None


class FakeClock:
    def __init__(self) -> None:
        self._now = 1000.0
        self._due: list[tuple[float, int, _Handle]] = []
        self._order = itertools.count()

    def now(self) -> float:
        return self._now

    def call_later(self, delay: float, callback: Callable[[], None]) -> _Handle:
        handle = _Handle(callback)
        heapq.heappush(self._due, (self._now + delay, next(self._order), handle))
        return handle

    def advance(self, seconds: float) -> None:
        """Move on and call everything that becomes due, in order."""
        until = self._now + seconds
        while self._due and self._due[0][0] <= until:
            at, _, handle = heapq.heappop(self._due)
            self._now = max(self._now, at)
            if handle.callback:
                handle.callback()
        self._now = until

"""A clock that stands still until the test moves it."""

import heapq
import itertools
from collections.abc import Callable


class _Handle:
    def __init__(self) -> None:
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class FakeClock:
    def __init__(self) -> None:
        self._now = 1000.0
        self._due: list[tuple[float, int, _Handle, Callable[[], None]]] = []
        self._order = itertools.count()

    def now(self) -> float:
        return self._now

    def call_later(self, delay: float, callback: Callable[[], None]) -> _Handle:
        handle = _Handle()
        heapq.heappush(self._due, (self._now + delay, next(self._order), handle, callback))
        return handle

    def advance(self, seconds: float) -> None:
        """Move on and call everything that becomes due, in order."""
        until = self._now + seconds
        while self._due and self._due[0][0] <= until:
            at, _, handle, callback = heapq.heappop(self._due)
            self._now = max(self._now, at)
            if not handle.cancelled:
                callback()
        self._now = until

"""The timers of a room. The room says which timers it wants; this module starts and cancels those that differ.

A timer has a key that names what it is for. As long as the same key is wanted, the timer is left running. A timer whose
key is no longer wanted is cancelled and never fires.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from dicegames_server.core.clock import Clock, Handle


@dataclass(slots=True)
class _Running:
    handle: Handle
    due: float


class Timers:
    def __init__(self, clock: Clock, fire: Callable[[Hashable], None]) -> None:
        self._clock = clock
        self._fire = fire
        self._running: dict[Hashable, _Running] = {}

    def sync(self, wanted: Mapping[Hashable, float]) -> None:
        """Make exactly these timers run. `wanted` is key -> seconds from now; a running timer is not reset."""
        for key in [key for key in self._running if key not in wanted]:
            self.cancel(key)
        for key, delay in wanted.items():
            self.start(key, delay)

    def start(self, key: Hashable, delay: float) -> None:
        """Make this timer run, too. If it runs already, it is not reset."""
        if key not in self._running:
            handle = self._clock.call_later(delay, lambda: self._due(key))
            self._running[key] = _Running(handle, self._clock.now() + delay)

    def cancel(self, key: Hashable) -> None:
        if running := self._running.pop(key, None):
            running.handle.cancel()

    def end(self) -> None:
        """Cancel all timers and drop the reference to the callback. Nothing fires any more."""
        self.sync({})
        self._fire = _nobody

    def remaining_ms(self, key: Hashable) -> int | None:
        running = self._running.get(key)
        return None if running is None else max(0, round((running.due - self._clock.now()) * 1000))

    def _due(self, key: Hashable) -> None:
        if self._running.pop(key, None):
            self._fire(key)


def _nobody(key: Hashable) -> None:
    """The callback after `end`: does nothing."""

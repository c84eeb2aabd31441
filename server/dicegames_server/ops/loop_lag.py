"""How late the event loop comes round: what everybody at every table would feel."""

from dicegames_server.core.clock import Clock, Handle
from dicegames_server.core.metrics import Meter

EVERY = 0.05
"""Seconds: a pause that lasts longer is always noticed."""


class Pulse:
    def __init__(self, clock: Clock, meter: Meter) -> None:
        self._clock = clock
        self._meter = meter
        self._next: Handle | None = None

    def start(self) -> None:
        self._due = self._clock.now() + EVERY
        self._next = self._clock.call_later(EVERY, self._beat)

    def stop(self) -> None:
        if self._next:
            self._next.cancel()

    def _beat(self) -> None:
        late = max(0.0, self._clock.now() - self._due)
        self._meter.lag.add(late)
        self._meter.longest_lag = max(self._meter.longest_lag, late)
        self.start()

"""Measures the lag of the event loop: the delay that every player on this server feels."""

from dicegames_server.core.clock import Clock, Handle
from dicegames_server.core.metrics import Metrics

PROBE_SECONDS = 0.05
"""Seconds between two probes. A pause of the event loop that lasts longer is always noticed."""


class LoopLag:
    def __init__(self, clock: Clock, metrics: Metrics) -> None:
        self._clock = clock
        self._metrics = metrics
        self._next: Handle | None = None

    def start(self) -> None:
        self._due = self._clock.now() + PROBE_SECONDS
        self._next = self._clock.call_later(PROBE_SECONDS, self._beat)

    def stop(self) -> None:
        if self._next:
            self._next.cancel()

    def _beat(self) -> None:
        late = max(0.0, self._clock.now() - self._due)
        self._metrics.lag.add(late)
        self._metrics.longest_lag = max(self._metrics.longest_lag, late)
        self.start()

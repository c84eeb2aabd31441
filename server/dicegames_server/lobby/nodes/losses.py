"""Rooms that another node has taken from this one, and how long to keep away from them.

On a starved machine leases end although their nodes are alive. If every node took a room back at once, the room would
wander from node to node and never go on. So whoever has lost a room waits before it tries to acquire it again: longer
each time, and with jitter, so that nodes do not try in step.
"""

import random
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from dicegames_server.core.clock import Clock

LONGEST_LEASES = 4
"""The wait does not grow beyond so many leases."""
LONGEST_WAIT_SECONDS = 10.0
"""Nor beyond so many seconds: a player waits."""
FORGET_LEASES = 20
"""After so many leases without a loss, the next one is the first again."""
MOST_LOSSES = 10_000
"""Most rooms that are remembered. The oldest are forgotten first."""


class _Loss(NamedTuple):
    times: int
    at: float
    until: float


class Losses:
    def __init__(self, clock: Clock, lease_seconds: float, jitter: Callable[[], float] = random.random) -> None:
        self._clock = clock
        self._lease = lease_seconds
        self._jitter = jitter
        self._found: OrderedDict[str, _Loss] = OrderedDict()

    def note(self, code: str) -> float:
        """This node has lost a room. Returns the seconds to wait before it may be acquired again."""
        now = self._clock.now()
        before = self._found.pop(code, None)
        times = before.times + 1 if before and now - before.at < FORGET_LEASES * self._lease else 1
        most = min(self._lease * min(2 ** (times - 1), LONGEST_LEASES), LONGEST_WAIT_SECONDS)
        self._found[code] = _Loss(times, now, now + most * (0.5 + self._jitter() / 2))
        if len(self._found) > MOST_LOSSES:
            self._found.popitem(last=False)
        return self.wait_seconds(code)

    def wait_seconds(self, code: str) -> float:
        """Seconds until this room may be acquired. 0: now."""
        found = self._found.get(code)
        return max(0.0, found.until - self._clock.now()) if found else 0.0

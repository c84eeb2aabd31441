"""Exponential back-off with full jitter: how long to wait before the next try to reconnect."""

import secrets

FIRST_DELAY_SECONDS = 0.5
"""The delay before the first try. It doubles with each try."""
LONGEST_DELAY_SECONDS = 15.0
"""The delay does not grow beyond this. The usual one of the library is too long for a game."""


class Backoff:
    """Each wait is a random part of the delay: clients that lost their server together do not come back together."""

    def __init__(self) -> None:
        self.delay = FIRST_DELAY_SECONDS
        """Seconds: the longest that the next wait can be."""
        self.waited = 0.0
        """Seconds of all delays so far. The full delays are counted, not the random waits."""

    def next(self) -> float:
        """The seconds to wait now. The delay is doubled for the next time."""
        wait = self.delay * secrets.randbelow(1000) / 1000
        self.waited += self.delay
        self.delay = min(2 * self.delay, LONGEST_DELAY_SECONDS)
        return wait

"""Exponential back-off with full jitter: how long to wait before the next try to reconnect."""

import secrets
from collections.abc import Callable

from dicegames_client.base.errors import NETWORK, ClientError

GIVE_UP_SECONDS = 15 * 60.0
"""Seconds after which the guest stops reconnecting, unless the server holds seats for longer."""
STILL_LOST_SECONDS = 30.0
"""Seconds between two StillLost events."""
SEAT_SECONDS = 15.0
"""Seconds for a node to give our seats back. It may have to wait until the lease of another node ends."""
NODE_DELAY_SECONDS = 1.0
"""Seconds of back-off after a node was away: it is soon replaced."""
NODE_SECONDS, NODE_TRIES, MOVE_TRIES = 1.0, 8, 2
"""Seconds between two tries to reach a node, and further tries: a node that is gone is replaced within this time.
On a move there are fewer tries: the node that we leave does not wait as long."""
FIRST_DELAY_SECONDS = 0.5
"""The delay before the first try. It doubles with each try."""
LONGEST_DELAY_SECONDS = 15.0
"""The delay does not grow beyond this. The usual one of the library is too long for a game."""


class Backoff:
    """Each wait is a random part of the delay: clients that lost their server together do not come back together."""

    def __init__(self, now: Callable[[], float]) -> None:
        """`now`: a clock, in seconds."""
        self.delay = FIRST_DELAY_SECONDS
        """Seconds: the longest that the next wait can be."""
        self._now = now
        self._since = self._told = now()

    @property
    def lost_seconds(self) -> float:
        """Seconds for which there has been no connection: waits and tries."""
        return self._now() - self._since

    def failed(self, error: ClientError, hold_seconds: float) -> None:
        """A try has failed. Raises ClientError if it was the last one: the server holds seats for `hold_seconds`."""
        if error.code != NETWORK:
            raise error
        lost = self.lost_seconds
        if lost > max(GIVE_UP_SECONDS, hold_seconds):
            raise ClientError(f"No connection for {lost / 60:.0f} minutes. {error.sentence}", NETWORK)

    def tell(self) -> bool:
        """Whether it is time to say that there is still no connection. Then that is noted."""
        due = self._now() - self._told >= STILL_LOST_SECONDS
        self._told = self._now() if due else self._told
        return due

    def next(self) -> float:
        """The seconds to wait now. The delay is doubled for the next time."""
        wait = self.delay * secrets.randbelow(1000) / 1000
        self.delay = min(2 * self.delay, LONGEST_DELAY_SECONDS)
        return wait

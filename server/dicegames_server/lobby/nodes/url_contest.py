"""Two nodes with one node_url: clients that are sent to one of them may reach the other.

So a node does not become ready while an older node with the same address is alive. The former process of a node that
was killed looks the same at first: its last heartbeat is not long ago. It is waited for until it counts as gone. That
happens at every restart after a crash, so there is no warning.
"""

import logging
from collections.abc import Iterable

from dicegames_server.lobby.nodes.other_nodes import Other

log = logging.getLogger("dicegames.cluster")
SILENT_LEASES = 0.5
"""A node that was silent for this part of a lease counts as gone here. Nodes beat three times in a lease."""
TOLERANCE_SECONDS = 0.25
"""Two looks at the same heartbeat differ by less than this."""


class UrlContest:
    def __init__(self, url: str, lease_seconds: float) -> None:
        self._url = url
        self._most_silent = lease_seconds * SILENT_LEASES
        self._heard: dict[str, float] = {}
        """Rivals -> when their last heartbeat was, at the first look at them."""
        self._warned = False
        self.lost = False
        """Whether another node has the address, so that this one is not ready."""

    def look(self, others: Iterable[Other], now: float) -> None:
        """Compare with the other nodes, as they are at `now` (in seconds)."""
        rivals = {
            other.id: now - other.silent_seconds
            for other in others
            if self._url and other.url == self._url and other.older and other.silent_seconds < self._most_silent
        }
        alive = [id for id, heard in rivals.items() if heard > self._heard.get(id, heard) + TOLERANCE_SECONDS]
        if alive and not self._warned:
            self._warned = True
            log.warning(
                "node %s runs with the same node_url (%s): each needs its own. Until then this one takes nobody",
                alive[0],
                self._url,
            )
        if self.lost and not rivals:
            self._warned = False
            log.info("no other node has the node_url %s any more: this one takes part", self._url)
        self._heard = {id: self._heard.get(id, heard) for id, heard in rivals.items()}
        self.lost = bool(rivals)

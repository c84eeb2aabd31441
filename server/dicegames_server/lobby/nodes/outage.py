"""What a node does while it can't reach storage: tell everybody soon, and send them only where they can play.

A node that can't reach storage can't read there how the other nodes are. So it asks them. If none of them can reach
storage either, clients stay where they are.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from dicegames_server.core.clock import Clock
from dicegames_server.core.room_codes import path_to
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.lobby.nodes.other_nodes import Other, chosen

log = logging.getLogger("dicegames.cluster")
AWAY = "The server can't save anything at the moment. The game goes on when it can."
BACK = "The server can save again: the game goes on."
LONGEST_REDIRECT_SECONDS = 60.0
"""Upper limit of the back-off between two redirects of all clients, in seconds."""
Probe = Callable[[str], Awaitable[bool]]
"""Asks the node at an address whether it is ready. It never fails: no answer means no."""


class Outage:
    def __init__(self, clock: Clock, lobby: Lobby, lease_seconds: float, probe: Probe) -> None:
        self._clock = clock
        self._lobby = lobby
        self._lease = lease_seconds
        self._probe = probe
        self._told = False
        self._send_at, self._send_every = float("-inf"), lease_seconds

    def begins(self, why: object) -> None:
        """Storage does not answer. Everybody is told, once."""
        if not self._told:
            self._told = True
            log.warning("storage does not answer: %s", why)
            self._tell(AWAY)

    def ends(self) -> None:
        """Storage has answered."""
        if self._told:
            self._told = False
            log.info("storage answers again")
            self._tell(BACK)
        self._send_at, self._send_every = float("-inf"), self._lease

    async def send_people_on(self, others: Sequence[Other]) -> None:
        """Redirect all clients to nodes that are ready, because other nodes may own our rooms by now.

        A client that can't play there either stays connected here. It is redirected again later, with a back-off.
        """
        now = self._clock.now()
        if now < self._send_at:
            return
        self._send_at, self._send_every = now + self._send_every, min(2 * self._send_every, LONGEST_REDIRECT_SECONDS)
        ready = await self._ready(others)
        log.warning("cut off from storage; %d of %d other nodes can take over", len(ready), len(others))
        for room in self._lobby.rooms if ready else ():
            room.send_on(path_to(chosen(others, room.code, ready), room.code))

    async def _ready(self, others: Sequence[Other]) -> set[str]:
        urls = list(dict.fromkeys(other.url for other in others))
        answers = await asyncio.gather(*(self._probe(url) for url in urls))
        return {url for url, ready in zip(urls, answers, strict=True) if ready}

    def _tell(self, sentence: str) -> None:
        for room in self._lobby.rooms:
            room.notify(sentence)

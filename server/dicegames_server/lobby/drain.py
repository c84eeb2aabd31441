"""Draining, for example before an update: no new games start, and the process stops when the running games are over.

There is a deadline. Rooms on disk are restored by the next process, so nobody has to wait for the last slow player:
after the deadline the process stops anyway, and games continue in the middle of a turn. If other nodes use the same
storage, nobody waits at all: the rooms move there.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from dicegames_server.core.clock import Clock
from dicegames_server.lobby.lobby import Lobby

log = logging.getLogger("dicegames.drain")
DRAIN_CHECK_SECONDS = 0.5


class Drain:
    def __init__(self, lobby: Lobby, clock: Clock, over: Callable[[], None]) -> None:
        self._lobby = lobby
        self._clock = clock
        self._over = over
        self._deadline: float | None = None
        self.move_all: Callable[[], Awaitable[None]] | None = None
        """Moves every room to another node. None without a cluster."""
        self._moving: asyncio.Future[None] | None = None

    def begin(self, within: float) -> None:
        """Begin to drain, with a deadline `within` seconds from now. A second call only changes the deadline."""
        first = self._deadline is None
        self._deadline = self._clock.now() + within
        if first:
            moves = bool(self.move_all and self._lobby.registry.elsewhere(""))
            after = "its rooms have gone to other nodes" if moves else "the games that run are over"
            log.info("draining: no new games; the server stops when %s", after)
            self._lobby.drain(tell=not moves)
            self._look()

    def _look(self) -> None:
        assert self._deadline is not None
        if self.move_all and self._lobby.registry.elsewhere("") and (self._moving is None or self._moving.done()):
            self._moving = asyncio.ensure_future(self.move_all())
        busy = self._moving is not None and not self._moving.done()
        running = sum(busy or room.state.info.phase in ("dealing", "playing") for room in self._lobby.rooms)
        if running and self._clock.now() < self._deadline:
            self._clock.call_later(DRAIN_CHECK_SECONDS, self._look)
            return
        log.info("drained: %d %s still running", running, "game" if running == 1 else "games")
        self._over()

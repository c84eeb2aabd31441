"""Before an update: no new games, and the end of the process when those that run are over.

Rooms on disk come back with the next process, so nobody has to wait for the last slow player: after a while it ends
anyway, and everybody goes on in the middle of the turn. Where other nodes use the same storage, nobody waits at all:
the rooms go on there.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from dicegames_server.core.clock import Clock
from dicegames_server.lobby.lobby import Lobby

log = logging.getLogger("dicegames.drain")
LOOK_EVERY = 0.5


class Drain:
    def __init__(self, lobby: Lobby, clock: Clock, over: Callable[[], None]) -> None:
        self._lobby = lobby
        self._clock = clock
        self._over = over
        self._deadline: float | None = None
        self.move_all: Callable[[], Awaitable[None]] | None = None
        """Has every room go on at another node, where there are others."""
        self._moving: asyncio.Future[None] | None = None

    def begin(self, within: float) -> None:
        """Asked for again, only the time changes."""
        first = self._deadline is None
        self._deadline = self._clock.now() + within
        if first:
            moves = bool(self.move_all and self._lobby.custody.elsewhere(""))
            after = "its rooms have gone to other nodes" if moves else "the games that run are over"
            log.info("draining: no new games; the server stops when %s", after)
            self._lobby.drain(tell=not moves)
            self._look()

    def _look(self) -> None:
        assert self._deadline is not None
        if self.move_all and self._lobby.custody.elsewhere("") and (self._moving is None or self._moving.done()):
            self._moving = asyncio.ensure_future(self.move_all())
        busy = self._moving is not None and not self._moving.done()
        running = sum(busy or room.state.info.phase in ("dealing", "playing") for room in self._lobby.rooms)
        if running and self._clock.now() < self._deadline:
            self._clock.call_later(LOOK_EVERY, self._look)
            return
        log.info("drained: %d %s still running", running, "game" if running == 1 else "games")
        self._over()

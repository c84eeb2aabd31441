"""Before an update: no new games, and the end of the process when those that run are over.

Rooms on disk come back with the next process, so nobody has to wait for the last slow player: after a while it ends
anyway, and everybody goes on in the middle of the turn.
"""

import logging
from collections.abc import Callable

from dicegames_server.clock import Clock
from dicegames_server.lobby import Lobby

log = logging.getLogger("dicegames.drain")
LOOK_EVERY = 0.5


class Drain:
    def __init__(self, lobby: Lobby, clock: Clock, over: Callable[[], None]) -> None:
        self._lobby = lobby
        self._clock = clock
        self._over = over
        self._deadline: float | None = None

    def begin(self, within: float) -> None:
        """Asked for again, only the time changes."""
        first = self._deadline is None
        self._deadline = self._clock.now() + within
        if first:
            log.info("draining: no new games; the server stops when those that run are over")
            self._lobby.drain()
            self._look()

    def _look(self) -> None:
        assert self._deadline is not None
        running = sum(room.state.info.phase in ("dealing", "playing") for room in self._lobby.rooms)
        if running and self._clock.now() < self._deadline:
            self._clock.call_later(LOOK_EVERY, self._look)
            return
        log.info("drained: %d %s still running", running, "game" if running == 1 else "games")
        self._over()

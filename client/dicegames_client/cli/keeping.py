"""Keeps the logs of the tables that this process hosts: at the end of each game, and when a table closes.

The server of `host` has its rooms in memory only. Files are written in another thread: nobody at the table waits for a
disk.
"""

import asyncio
from collections.abc import Sequence

from dicegames_client.base.state.kept_logs import keep_log
from dicegames_client.base.state.state_files import note_trouble
from dicegames_protocol.system.failures import reason

CLOSE_SECONDS = 3.0
"""Seconds that the disk has at the end."""
_STARTED, _OVER = b'"kind":"game_started"', b'"kind":"game_over"'
"""Parts of an update. No player can bring them in: in a name, quotes are escaped."""


class KeptTables:
    """Hears of every update of every room. A room without a game is not kept."""

    def __init__(self) -> None:
        self._lines: dict[str, list[bytes]] = {}
        self._played: set[str] = set()
        self._writing: asyncio.Future[None] | None = None
        self.kept: set[str] = set()
        """The codes of the rooms whose logs are on the disk."""

    def written(self, room: str, update: bytes) -> None:
        self._lines.setdefault(room, []).append(update)
        if _STARTED in update:
            self._played.add(room)
        if _OVER in update:
            self._keep(room)

    def ended(self, room: str) -> None:
        if room in self._played:
            self._keep(room)
        self._played.discard(room)
        self._lines.pop(room, None)

    async def close(self) -> None:
        """Wait until everything is on the disk, but not for long."""
        if self._writing:
            await asyncio.wait([self._writing], timeout=CLOSE_SECONDS)

    def _keep(self, room: str) -> None:
        self._writing = asyncio.ensure_future(self._write(room, tuple(self._lines[room]), self._writing))

    async def _write(self, room: str, lines: Sequence[bytes], before: asyncio.Future[None] | None) -> None:
        if before:
            await before
        try:
            await asyncio.to_thread(keep_log, room, lines)
            self.kept.add(room)
        except OSError as error:
            note_trouble(f"The log of {room} can't be kept on this machine: {reason(error)}.")

"""Recovery: used when it is not known whether an update was written, or whether this node still owns the room.

The room is acquired again. Acquiring begins a new epoch and so blocks every older write that is still on its way: what
the log says then is final. An update in doubt that is in the log is acknowledged and broadcast. One that is not in the
log is refused; it has not happened. Until then the room decides nothing.

If another node owns the room by now, everybody is sent there, and callers who still wait ask again there.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from dicegames_server.core.clock import pause
from dicegames_server.core.room_codes import path_to
from dicegames_server.room.audience import Audience
from dicegames_server.room.environment import Environment
from dicegames_server.room.mailbox import Gone, Mailbox
from dicegames_server.room.update_log import UpdateLog
from dicegames_server.storage.base import Conflict, Elsewhere, Entry, NotWritten, StoredRoom, Unavailable, Unknown

log = logging.getLogger("dicegames.recovery")
RECOVERY_RETRY_SECONDS = 0.5
"""Seconds between two attempts to reach storage."""
WAIT = "The server can't save right now. Try again in a moment."

Settle = Callable[[Exception | None], None]
"""Called with None if the update was written; it has to be acknowledged then. Else called with the reason."""


@dataclass(frozen=True, slots=True)
class _Doubt:
    entry: Entry
    settle: Settle


class Recovery:
    def __init__(self, environment: Environment, mailbox: Mailbox, update_log: UpdateLog, audience: Audience) -> None:
        self._environment = environment
        self._mailbox = mailbox
        self._update_log = update_log
        self._audience = audience
        self._doubts: list[_Doubt] = []
        self._task: asyncio.Future[None] | None = None
        self._over = False
        self.on_acquired: Callable[[StoredRoom], None] = lambda stored: None
        """Called when this node owns the room again: take over the state from storage."""
        self.on_lost: Callable[[str], None] = lambda url: None
        """Called when this node no longer owns the room: send everybody to this address, if it is not empty."""

    @property
    def under_way(self) -> bool:
        return self._task is not None

    def doubt(self, entry: Entry, settle: Settle) -> None:
        """It is not known whether this update was written. Start a recovery, and call `settle` with the result."""
        if self._over:
            settle(Gone())
            return
        self._doubts.append(_Doubt(entry, settle))
        self.begin()

    async def settled(self, entry: Entry, acknowledge: Callable[[], None]) -> None:
        """The same as `doubt`, for a caller who waits. Returns when the update was written and acknowledged.

        Raises NotWritten (an Unavailable) if it was not written, and Gone if the room is put away first.
        """
        known: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.doubt(entry, partial(_tell, known, acknowledge))
        await known

    def begin(self) -> None:
        """Pause the mailbox and acquire the room again, unless that is already under way."""
        if self._task is None and not self._over:
            self._mailbox.pause(WAIT)
            self._task = asyncio.ensure_future(self._run())

    def end(self) -> None:
        """The room is put away. Stop the recovery; open doubts are settled with Gone."""
        self._over = True
        if self._task:
            self._task.cancel()
        doubts, self._doubts = self._doubts, []
        for doubt in doubts:
            doubt.settle(Gone())

    @property
    def _code(self) -> str:
        return self._update_log.state.info.code

    async def _run(self) -> None:
        try:
            if stored := await self._acquire():
                self._go_on(stored)
        except Exception:
            log.exception("room %s can't go on; it stays in storage as it is", self._code)
            self.on_lost("")

    def _go_on(self, stored: StoredRoom) -> None:
        told, epoch = self._update_log.state.seq, self._update_log.state.epoch
        self.on_acquired(stored)
        state = self._update_log.state
        log.info("room %s goes on at update %d, in epoch %d", self._code, state.seq, stored.epoch)
        recent = set(stored.recent)
        mine = {(doubt.entry.seq, doubt.entry.epoch): doubt for doubt in self._doubts}
        for key, doubt in list(mine.items()):  # older than the snapshot: another node has continued meanwhile
            if doubt.entry.seq <= stored.snapshot.seq and (doubt.entry.seq, doubt.entry.private) in recent:
                mine.pop(key).settle(None)
        for record in stored.records:
            key = (record.seq, record.epoch)
            if key in mine:
                mine.pop(key).settle(None)
            if record.seq > told:
                self._audience.publish(record.update)
        self._audience.tell_private(state, again=True)
        news = [record for record in stored.records if record.seq > told]
        if stored.snapshot.seq > told or any(record.epoch != epoch for record in news):
            self._audience.start_anew(state.seats.people)  # another node may have given their seats to others
        self._doubts = []
        self._task = None
        for doubt in mine.values():
            doubt.settle(NotWritten(f"{doubt.entry} was not written"))
        self._mailbox.go_on()

    async def _acquire(self) -> StoredRoom | None:
        """Acquire the room; retry until storage can be reached. None: the room is not ours any more, and `on_lost` was
        called.
        """
        while True:
            try:
                return await self._environment.storage.acquire(self._code)
            except (Unavailable, Unknown):
                await pause(self._environment.clock, RECOVERY_RETRY_SECONDS)
            except Elsewhere as other:
                self.on_lost(path_to(other.url, self._code))
                return None
            except Conflict:
                log.warning("room %s has ended elsewhere", self._code)
                self.on_lost("")
                return None


def _tell(known: asyncio.Future[None], acknowledge: Callable[[], None], error: Exception | None) -> None:
    """Tell the waiting caller. If the caller is gone, an update that was written is acknowledged all the same."""
    if error is None:
        acknowledge()
    if not known.done():
        known.set_exception(error) if error else known.set_result(None)

"""When it is not known whether an update was written, or whether the room is still ours: acquire it again, and see.

Acquiring shuts out whatever is still on its way, so what the log says then is final. What was in doubt and is in the
log is acknowledged and told; what is not there is refused, and has not happened. Until then nothing is decided here.
Where another node owns the room by now, everybody is sent there, and whoever still waits asks again.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from dicegames_server.core.clock import pause
from dicegames_server.core.room_codes import path_to
from dicegames_server.room.environment import House
from dicegames_server.room.mailbox import Gone
from dicegames_server.room.restore import answered, restore
from dicegames_server.storage.base import Conflict, Elsewhere, Entry, NotWritten, StoredRoom, Unavailable, Unknown

if TYPE_CHECKING:
    from dicegames_server.room.room import Room

log = logging.getLogger("dicegames.recovery")
TRY_EVERY = 0.5
WAIT = "The server can't save right now. Try again in a moment."

Settle = Callable[[Exception | None], None]
"""Called with None where the update was written, which is to be acknowledged then, or with why it was not."""


@dataclass(frozen=True, slots=True)
class _Doubt:
    entry: Entry
    settle: Settle


class Recovery:
    def __init__(self, room: "Room", house: House) -> None:
        self._room: Room | None = room
        self._house = house
        self._doubts: list[_Doubt] = []
        self._task: asyncio.Future[None] | None = None

    @property
    def under_way(self) -> bool:
        return self._task is not None

    def doubt(self, entry: Entry, settle: Settle) -> None:
        """Nobody knows what became of this update: find out."""
        if self._room is None:
            settle(Gone())
            return
        self._doubts.append(_Doubt(entry, settle))
        self.begin()

    async def settled(self, entry: Entry, acknowledge: Callable[[], None]) -> None:
        """The same, for somebody who waits. Returns when it was written and acknowledged; Unavailable where not."""
        known: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.doubt(entry, partial(_tell, known, acknowledge))
        await known

    def begin(self) -> None:
        """Something is wrong about who owns the room."""
        if self._task is None and self._room:
            self._room.inbox.pause(WAIT)
            self._task = asyncio.ensure_future(self._run(self._room))

    def end(self) -> None:
        """The room is put away: what is not known by now will not be."""
        self._room = None
        if self._task:
            self._task.cancel()
        self._give_up()

    async def _run(self, room: "Room") -> None:
        try:
            if stored := await self._acquire(room):
                self._go_on(room, stored)
        except Exception:
            log.exception("room %s can't go on; it stays in storage as it is", room.code)
            room.put_away("")

    def _go_on(self, room: "Room", stored: StoredRoom) -> None:
        told, epoch = room.state.seq, room.state.epoch
        room.recovered(restore(stored), answered(stored))
        log.info("room %s goes on at update %d, in epoch %d", room.code, room.state.seq, stored.epoch)
        recent = set(stored.recent)
        mine = {(doubt.entry.seq, doubt.entry.epoch): doubt for doubt in self._doubts}
        for key, doubt in list(mine.items()):  # so old that it is in the snapshot: another node has played on meanwhile
            if doubt.entry.seq <= stored.snapshot.seq and (doubt.entry.seq, doubt.entry.private) in recent:
                mine.pop(key).settle(None)
        for record in stored.records:
            key = (record.seq, record.epoch)
            if key in mine:
                mine.pop(key).settle(None)
            if record.seq > told:
                room.audience.publish(record.update)
        news = [record for record in stored.records if record.seq > told]
        if stored.snapshot.seq > told or any(record.epoch != epoch for record in news):
            room.audience.start_anew(room.state.seats.people)  # another node may have given their seats to others
        self._doubts = []
        self._task = None
        for doubt in mine.values():
            doubt.settle(NotWritten(f"{doubt.entry} was not written"))
        room.inbox.go_on()

    async def _acquire(self, room: "Room") -> StoredRoom | None:
        """The room, as soon as storage can be asked. None: it is not ours any more, and was put away."""
        while True:
            try:
                return await self._house.storage.acquire(room.code)
            except (Unavailable, Unknown):
                await pause(self._house.clock, TRY_EVERY)
            except Elsewhere as other:
                room.put_away(path_to(other.url, room.code))
                return None
            except Conflict:
                log.warning("room %s has ended elsewhere", room.code)
                room.put_away("")
                return None

    def _give_up(self) -> None:
        doubts, self._doubts = self._doubts, []
        for doubt in doubts:
            doubt.settle(Gone())


def _tell(known: asyncio.Future[None], acknowledge: Callable[[], None], error: Exception | None) -> None:
    """Whoever waited may be gone; what was written is acknowledged all the same."""
    if error is None:
        acknowledge()
    if not known.done():
        known.set_exception(error) if error else known.set_result(None)

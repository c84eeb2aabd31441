"""The rooms in this server's care: how they come out of storage, and how they go on elsewhere.

On one machine rooms come back when the server starts, and stay. Where several nodes share a store, a room comes to
whichever node is asked for it while nobody owns it, and goes away when the node drains, or when another one has it.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from dicegames_protocol.codec import parse_object
from dicegames_server.core.clock import pause
from dicegames_server.core.room_codes import path_to
from dicegames_server.games.base import Refused
from dicegames_server.room.environment import House
from dicegames_server.room.restore import answered, restore
from dicegames_server.room.room import Room
from dicegames_server.storage.base import Conflict, Elsewhere, StoredRoom, Unavailable, Unknown

log = logging.getLogger("dicegames.custody")
LOOK_AGAIN = 0.5
"""Between two looks at a room whose owner has not been heard of lately."""
ALL = 1_000_000


class Moved(Exception):
    """The room is on another node, at this address."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


@dataclass(frozen=True, slots=True)
class Kept:
    room: Room
    password: bytes | None
    place: str = ""
    """Where whoever opened it came from; not known after a restart."""


class Custody:
    def __init__(self, house: House) -> None:
        self._house = house
        self._rooms: dict[str, Kept] = {}
        self._coming: dict[str, asyncio.Future[Kept | None]] = {}
        self.refusing = False
        """No more rooms come here: the node is about to go."""
        self.elsewhere: Callable[[str], str] = lambda key: ""
        """The address of another node that takes rooms, if there is one."""

    def __len__(self) -> int:
        return len(self._rooms)

    def __contains__(self, code: str) -> bool:
        return code in self._rooms

    @property
    def all(self) -> list[Kept]:
        return list(self._rooms.values())

    def take(self, kept: Kept) -> None:
        kept.room.on_put_away = self.let_go
        self._rooms[kept.room.code] = kept

    def let_go(self, room: Room) -> bool:
        """The room is not here any more. False: it was not, or another life of it is."""
        kept = self._rooms.get(room.code)
        if kept is None or kept.room is not room:
            return False
        del self._rooms[room.code]
        return True

    def here(self, code: str) -> Kept | None:
        return self._rooms.get(code)

    async def bring(self, code: str) -> Kept | None:
        """The room, out of storage if nobody has it. None: there is no such room. Moved: another node has it."""
        if (kept := self._rooms.get(code)) or not self._house.storage.shared:
            return kept
        try:
            return await self._once(code)
        except (Unavailable, Unknown):
            raise Refused("unavailable", "The server can't reach its rooms right now. Try again in a moment.") from None

    async def adopt(self, most: int = ALL) -> int:
        """Rooms that nobody owns, at most so many. Gives how many have come."""
        found = [code for code in await self._house.storage.orphans(most) if code not in self._rooms]
        came = await asyncio.gather(*(self._once(code) for code in found), return_exceptions=True)
        return sum(isinstance(one, Kept) for one in came)

    async def move(self, room: Room) -> None:
        """Let the room go on at another node, between two moves. Nobody owns it when everybody is sent there.

        If no other node is there when the time has come, it stays.
        """
        kept = self._rooms.get(room.code)
        if kept and kept.room is room and await room.stand_still():
            url = self.elsewhere(room.code)
            if not url:
                room.inbox.go_on()
                return
            self.let_go(room)  # so that nobody thinks it was lost and gets it back
            try:
                await self._house.storage.release(room.code, room.state.epoch)
            except (Unavailable, Unknown):
                log.warning("room %s can't be released now, so it stays", room.code)
                self.take(kept)
                room.recovery.begin()
            else:
                room.put_away(path_to(url, room.code))

    async def _once(self, code: str) -> Kept | None:
        """However many ask for a room at the same time, it comes once."""
        coming = self._coming.get(code)
        if coming is None:
            coming = self._coming[code] = asyncio.ensure_future(self._fetch(code))
            coming.add_done_callback(lambda done: self._came(code, done))
        return await asyncio.shield(coming)

    def _came(self, code: str, done: "asyncio.Future[Kept | None]") -> None:
        del self._coming[code]
        if not done.cancelled():
            done.exception()  # whoever asked may be gone

    async def _fetch(self, code: str) -> Kept | None:
        left: float | None = None
        while True:
            if self.refusing:
                if url := self.elsewhere(code):
                    raise Moved(path_to(url, code))
                raise Refused("unavailable", "This server is about to restart. Try again in a moment.")
            try:
                return self._open(await self._house.storage.acquire(code))
            except Conflict:
                return None
            except Elsewhere as other:
                former_self = other.url == self._house.settings.node_url  # it was killed, and we are here instead
                if other.fresh and other.url and not former_self:
                    raise Moved(path_to(other.url, code)) from None
                if left is not None and other.seconds > left:  # somebody is alive there, and we can't say where
                    why = "has no node_url" if not other.url else "has the same node_url as this one"
                    log.warning("room %s is on a node that %s: nobody can be sent there", code, why)
                    raise Refused("unavailable", "This room is on a server that can't be reached from here.") from None
                left = other.seconds
            await pause(self._house.clock, LOOK_AGAIN)

    def _open(self, stored: StoredRoom) -> Kept | None:
        try:
            state = restore(stored)
            password = parse_object(stored.private.decode()).get("password")
        except ValueError:  # one unreadable room keeps nobody else from playing
            log.exception("room %s can't be opened again; it stays in storage as it is", stored.code)
            return None
        room = Room(self._house, state, stored.snapshot.seq)
        room.revive(answered(stored))
        if self._house.storage.shared:
            log.info("room %s comes here at update %d, in epoch %d", stored.code, state.seq, state.epoch)
        kept = Kept(room, bytes.fromhex(password) if password else None)
        self.take(kept)
        return kept

"""The rooms on this node: how they are loaded from storage, and how they move to another node.

On a single machine, rooms are loaded when the server starts, and stay. If several nodes share storage, a room without
an owner is loaded by the first node that is asked for it. It leaves the node when the node drains, or when another node
has become its owner.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from dicegames_protocol.codec import parse_object
from dicegames_server.core.clock import pause
from dicegames_server.core.errors import Refused
from dicegames_server.core.room_codes import path_to
from dicegames_server.lobby.nodes.losses import Losses
from dicegames_server.room.environment import Environment
from dicegames_server.room.room import Room
from dicegames_server.storage.base import Conflict, Elsewhere, StoredRoom, Unavailable, Unknown

log = logging.getLogger("dicegames.registry")
OWNER_RETRY_SECONDS = 0.5
"""Seconds between two attempts to acquire a room whose owner can't be reached, or has not renewed its lease lately."""
MOST_ORPHANS = 1_000_000
"""Most rooms without an owner that are loaded at the start."""


class Moved(Exception):
    """The room is on another node. `url` is its address there."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


@dataclass(frozen=True, slots=True)
class RegisteredRoom:
    room: Room
    password: bytes | None
    place: str = ""
    """Address key of the client that opened the room. Empty after a restart."""


class Registry:
    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._rooms: dict[str, RegisteredRoom] = {}
        self._coming: dict[str, asyncio.Future[RegisteredRoom | None]] = {}
        self.losses = Losses(environment.clock, environment.settings.lease_seconds)
        self.refusing = False
        """Whether no more rooms are loaded here, because the node is about to stop, or is not ready yet."""
        self.elsewhere: Callable[[str], str] = lambda key: ""
        """Gives the address of another node that takes rooms, or "" if there is none. See Cluster.elsewhere."""

    def __len__(self) -> int:
        return len(self._rooms)

    def __contains__(self, code: str) -> bool:
        return code in self._rooms

    @property
    def all(self) -> list[RegisteredRoom]:
        return list(self._rooms.values())

    def take(self, kept: RegisteredRoom) -> None:
        kept.room.on_put_away = self.let_go
        self._rooms[kept.room.code] = kept

    def let_go(self, room: Room) -> bool:
        """Remove a room from the registry. False: it was not there, or a newer Room object with its code is."""
        kept = self._rooms.get(room.code)
        if kept is None or kept.room is not room:
            return False
        del self._rooms[room.code]
        return True

    def has(self, room: Room) -> bool:
        """Whether this very room is here."""
        kept = self._rooms.get(room.code)
        return kept is not None and kept.room is room

    def opened_with(self, room: Room) -> list[Room]:
        """All rooms that were opened from the same address as this one. After a restart only this one is known."""
        place = kept.place if (kept := self._rooms.get(room.code)) else ""
        return [kept.room for kept in self._rooms.values() if kept.place == place] if place else [room]

    def here(self, code: str) -> RegisteredRoom | None:
        return self._rooms.get(code)

    async def bring(self, code: str) -> RegisteredRoom | None:
        """The room; it is loaded from storage if nobody owns it. None: there is no such room.

        Raises Moved if another node owns it, and Refused if storage or the owner can't be reached.
        """
        if (kept := self._rooms.get(code)) or not self._environment.storage.shared:
            return kept
        try:
            return await self._once(code)
        except (Unavailable, Unknown):
            raise Refused("unavailable", "The server can't reach its rooms right now. Try again in a moment.") from None

    async def adopt(self, most: int = MOST_ORPHANS) -> int:
        """Load at most `most` rooms that nobody owns. Returns how many were loaded."""
        orphans = await self._environment.storage.orphans(most)
        found = [code for code in orphans if code not in self._rooms and not self.losses.wait_seconds(code)]
        came = await asyncio.gather(*(self._once(code) for code in found), return_exceptions=True)
        for code, one in zip(found, came, strict=True):
            if isinstance(one, Exception) and not isinstance(one, Moved | Refused):
                log.warning("room %s can't be read from storage: %s", code, one)
        return sum(isinstance(one, RegisteredRoom) for one in came)

    async def move(self, room: Room, url: str = "") -> bool:
        """Move the room to another node, between two moves. It is released before everybody is redirected there.

        `url` is the node; empty: any other. If there is none by then, the room stays. Returns whether it has moved.
        """
        kept = self._rooms.get(room.code)
        if kept and kept.room is room and await room.stand_still():
            url = url or self.elsewhere(room.code)
            if not url:
                room.go_on()
                return False
            self.let_go(room)  # so that the cluster does not take it for lost and recover it
            try:
                await self._environment.storage.release(room.code, room.state.epoch)
            except (Unavailable, Unknown):
                log.warning("room %s can't be released now, so it stays", room.code)
                self.take(kept)
                room.recover()
            else:
                room.put_away(path_to(url, room.code))
                return True
        return False

    async def _once(self, code: str) -> RegisteredRoom | None:
        """Load a room. If several callers ask at the same time, it is loaded only once."""
        coming = self._coming.get(code)
        if coming is None:
            coming = self._coming[code] = asyncio.ensure_future(self._fetch(code))
            coming.add_done_callback(lambda done: self._came(code, done))
        return await asyncio.shield(coming)

    def _came(self, code: str, done: "asyncio.Future[RegisteredRoom | None]") -> None:
        del self._coming[code]
        if not done.cancelled():
            done.exception()  # mark it as retrieved: the caller may be gone

    async def _fetch(self, code: str) -> RegisteredRoom | None:
        left: float | None = None
        while True:
            if self.refusing:
                if url := self.elsewhere(code):
                    raise Moved(path_to(url, code))
                raise Refused("unavailable", "This server takes no rooms just now. Try again in a moment.")
            if wait := self.losses.wait_seconds(code):  # we have just lost it: another node shall have its chance
                await pause(self._environment.clock, wait)
            try:
                return self._open(await self._environment.storage.acquire(code))
            except Conflict:
                return None
            except Elsewhere as other:
                former_self = other.url == self._environment.settings.node_url  # this node's process before a crash
                if other.fresh and other.url and not former_self:
                    raise Moved(path_to(other.url, code)) from None
                if left is not None and other.seconds > left:  # lease renewed: the owner lives, we can't say where
                    why = "has no node_url" if not other.url else "has the same node_url as this one"
                    log.warning("room %s is on a node that %s: nobody can be sent there", code, why)
                    raise Refused("unavailable", "This room is on a server that can't be reached from here.") from None
                left = other.seconds
            await pause(self._environment.clock, OWNER_RETRY_SECONDS)

    def _open(self, stored: StoredRoom) -> RegisteredRoom | None:
        try:
            password = parse_object(stored.private.decode()).get("password")
            room = Room.revive(self._environment, stored)
        except (ValueError, KeyError, TypeError, AttributeError):  # one unreadable room must not affect the others
            log.exception("room %s can't be opened again; it stays in storage as it is", stored.code)
            return None
        if self._environment.storage.shared:
            state = room.state
            log.info("room %s comes here at update %d, in epoch %d", stored.code, state.seq, state.epoch)
        kept = RegisteredRoom(room, bytes.fromhex(password) if password else None)
        self.take(kept)
        return kept

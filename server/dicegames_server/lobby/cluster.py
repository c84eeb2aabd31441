"""This node among others that use the same storage.

Every few seconds it gives a sign of life, which renews the leases of its rooms and tells the others how it is and which
public rooms it has. It learns the same about them, and which rooms it has lost. Rooms that nobody owns and nobody asks
for are taken in, so that bots play on. A node that can't reach storage any more sends people to one that perhaps can.
"""

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from dicegames_protocol.codec import encode, parse_object
from dicegames_protocol.messages.server import Redirect, ServerNotice
from dicegames_protocol.table import RoomEntry
from dicegames_server.core.clock import Handle
from dicegames_server.core.room_codes import path_to
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.room.environment import House
from dicegames_server.storage.base import Node, SharedStorage, Unavailable, Unknown

log = logging.getLogger("dicegames.cluster")
BEATS_PER_LEASE = 3
SWEEPS_PER_BEAT = 2
ADOPT_AT_ONCE = 50
MOVE_AT_ONCE = 20
LONGEST_BETWEEN = 60.0
NO_URL = "without a node_url"
SETTLED_SECONDS = 5
"""A balancer may need so long to notice that a node has come."""
AWAY = "The server can't save anything at the moment. The game goes on when it can."
BACK = "The server can save again: the game goes on."


@dataclass(frozen=True, slots=True)
class Other:
    """Another node, as it was a moment ago."""

    id: str
    url: str
    draining: bool
    status: dict[str, float]
    """Its figures."""
    rooms: tuple[RoomEntry, ...]


class Cluster:
    def __init__(
        self, house: House, lobby: Lobby, storage: SharedStorage, status: Callable[[], dict[str, Any]]
    ) -> None:
        """`status` is what this node tells about itself."""
        self._house = house
        self._lobby = lobby
        self._storage = storage
        self._status = status
        self._every = house.settings.lease_seconds / BEATS_PER_LEASE / SWEEPS_PER_BEAT
        self._ticks = 0
        self._heard = house.clock.now()
        self._lenient_until = float("-inf")
        self._send_at, self._send_every = float("-inf"), house.settings.lease_seconds
        self._timer: Handle | None = None
        self._working: asyncio.Future[None] | None = None
        self.others: tuple[Other, ...] = ()
        self._rounds_away = 0
        """How often people were sent on since storage was heard of."""
        self._warned = False
        """It has been said that nodes can't send people to each other."""
        self.lost = 0
        """Rooms that others had taken, and orphans that came here."""
        self.adopted = 0

    async def start(self) -> None:
        self._lobby.custody.elsewhere = self.elsewhere
        await self._beat()
        self._next()

    async def stop(self) -> None:
        if self._timer:
            self._timer.cancel()
        if self._working:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)

    @property
    def cut_off(self) -> bool:
        """Nothing was heard of storage for so long that others may have our rooms."""
        return self._house.clock.now() - self._heard > self._house.settings.lease_seconds

    @property
    def storage_up(self) -> bool:
        return self._storage.up

    @property
    def commits(self) -> int:
        """Transactions, and the updates in them: how many share one."""
        return self._storage.commits

    @property
    def committed(self) -> int:
        return self._storage.written

    def elsewhere(self, key: str) -> str:
        """The address of a node that takes rooms: the same for the same key, as long as the same nodes are there."""
        able = [other for other in self.others if other.url and not other.draining]
        able = [other for other in able if other.status.get("up_seconds", 0) >= SETTLED_SECONDS] or able
        return max(able, key=lambda other: hashlib.sha256(f"{other.id}/{key}".encode()).digest()).url if able else ""

    async def move_all(self) -> None:
        """Let every room go on elsewhere, some at a time, between two moves; none comes here any more."""
        self._lobby.custody.refusing = True
        with contextlib.suppress(Unavailable, Unknown):
            await self._beat()  # so that the others send us nobody
        rooms = self._lobby.rooms
        for start in range(0, len(rooms), MOVE_AT_ONCE):
            some = rooms[start : start + MOVE_AT_ONCE]
            await asyncio.gather(*(self._lobby.custody.move(room) for room in some))

    def _next(self) -> None:
        self._timer = self._house.clock.call_later(self._every, self._tick)

    def _tick(self) -> None:
        self._next()
        if self._working is None or self._working.done():
            self._ticks += 1
            self._working = asyncio.ensure_future(self._work(beat=self._ticks % SWEEPS_PER_BEAT == 0))

    async def _work(self, *, beat: bool) -> None:
        try:
            if beat or self.cut_off:
                await self._beat()
            if not self._lobby.custody.refusing:
                self.adopted += await self._lobby.custody.adopt(ADOPT_AT_ONCE)
        except (Unavailable, Unknown) as error:
            if self.cut_off:
                self._send_people_on(error)
        except Exception:
            log.exception("a sign of life failed")

    async def _beat(self) -> None:
        leaves = self._lobby.draining or self._lobby.custody.refusing
        rooms = () if leaves else self._lobby.own_public_rooms()
        told = {"status": self._status(), "draining": leaves, "rooms": rooms}
        nodes = await self._storage.beat(encode(told))
        others = tuple(_read(node) for node in nodes)
        now = self._house.clock.now()
        if self.cut_off:  # perhaps they were, too: for a moment nobody is taken for gone
            self._lenient_until = now + self._house.settings.lease_seconds / 2
        if now < self._lenient_until:
            there = {other.id for other in others}
            others += tuple(other for other in self.others if other.id not in there)
        self._heard = now
        self._send_every = self._house.settings.lease_seconds
        if self._rounds_away > 1:
            self._tell_all(BACK)
        self._rounds_away = 0
        self._meet(others)
        self._lobby.others = tuple(entry for other in self.others for entry in other.rooms)
        self._lobby.elsewhere = sum(int(other.status.get("rooms", 0)) for other in self.others)
        for room in self._lobby.rooms:
            if not (room.recovery.under_way or self._storage.holds(room.code, room.state.epoch)):
                log.warning("room %s was taken by another node", room.code)
                self.lost += 1
                room.recovery.begin()

    def _meet(self, others: tuple[Other, ...]) -> None:
        """Who has come and who has gone, for whoever reads the log; and what can't work."""
        before, now = {other.id: other.url for other in self.others}, {other.id: other.url for other in others}
        mine = self._house.settings.node_url
        for id in now.keys() - before.keys():
            log.info("node %s is there: %s", id, now[id] or NO_URL)
            if mine and mine == now[id]:
                log.warning("another node has the same node_url (%s): each needs its own", mine)
        for id in before.keys() - now.keys():
            log.info("node %s is gone: %s", id, before[id] or NO_URL)
        if others and not self._warned and not (mine and all(now.values())):
            self._warned = True
            log.warning("several nodes use this database: each needs a node_url, or nobody can be sent to its rooms")
        self.others = others

    def _send_people_on(self, error: Exception) -> None:
        """Nobody can play here. Who finds that they can't there either stays, and waits for us: less and less often
        they are sent to look again.
        """
        now = self._house.clock.now()
        if now < self._send_at:
            return
        log.warning("cut off from storage: %s", error)
        self._send_at, self._send_every = now + self._send_every, min(2 * self._send_every, LONGEST_BETWEEN)
        self._rounds_away += 1
        if self._rounds_away == 2:  # whoever could go elsewhere is there by now
            self._tell_all(AWAY)
        for room in self._lobby.rooms:
            if url := self.elsewhere(room.code):
                room.expect()
                room.audience.publish(encode(Redirect(url=path_to(url, room.code))))

    def _tell_all(self, sentence: str) -> None:
        for room in self._lobby.rooms:
            room.audience.publish(encode(ServerNotice(message=sentence)))


def _read(node: Node) -> Other:
    """What a node tells; one of another version may tell something else."""
    try:
        told = parse_object(node.told.decode())
        rooms = tuple(RoomEntry.model_validate(entry) for entry in told.get("rooms", ()))
        status = {name: value for name, value in dict(told.get("status", {})).items() if isinstance(value, int | float)}
        return Other(node.id, node.url, bool(told.get("draining")), status, rooms)
    except (ValueError, TypeError, ValidationError):
        log.warning("what node %s tells can't be read", node.id)
        return Other(node.id, node.url, False, {}, ())

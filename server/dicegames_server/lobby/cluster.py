"""The cluster: this node and the other nodes that use the same storage.

Every few seconds the node sends a heartbeat to storage. The heartbeat renews the leases of its rooms, and tells the
other nodes its status and its public rooms. The node learns the same about them, and which of its rooms it has lost.
The node also adopts rooms that nobody owns and nobody asks for, so that their bots play on. A node that can't reach
storage any more redirects its clients to a node that perhaps can.
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
from dicegames_protocol.table import RoomEntry
from dicegames_server.core.clock import Handle
from dicegames_server.core.room_codes import path_to
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.room.environment import Environment
from dicegames_server.storage.base import Node, SharedStorage, Unavailable, Unknown

log = logging.getLogger("dicegames.cluster")
BEATS_PER_LEASE = 3
"""Heartbeats in the time of one lease."""
SWEEPS_PER_BEAT = 2
"""Searches for rooms without an owner in the time of one heartbeat."""
ADOPT_AT_ONCE = 50
"""Most rooms adopted in one search."""
MOVE_AT_ONCE = 20
"""Rooms that are moved to other nodes at the same time."""
LONGEST_REDIRECT_SECONDS = 60.0
"""Upper limit of the back-off between two redirects of all clients, in seconds."""
NO_URL = "without a node_url"
SETTLED_SECONDS = 5
"""Seconds that a load balancer may need to notice a new node."""
AWAY = "The server can't save anything at the moment. The game goes on when it can."
BACK = "The server can save again: the game goes on."


@dataclass(frozen=True, slots=True)
class Other:
    """Another node, as of the last heartbeat."""

    id: str
    url: str
    draining: bool
    status: dict[str, float]
    """Its metrics, by name."""
    rooms: tuple[RoomEntry, ...]


class Cluster:
    def __init__(
        self, environment: Environment, lobby: Lobby, storage: SharedStorage, status: Callable[[], dict[str, Any]]
    ) -> None:
        """`status` gives what this node tells the others about itself."""
        self._environment = environment
        self._lobby = lobby
        self._storage = storage
        self._status = status
        self._every = environment.settings.lease_seconds / BEATS_PER_LEASE / SWEEPS_PER_BEAT
        self._ticks = 0
        self._heard = environment.clock.now()
        self._lenient_until = float("-inf")
        self._send_at, self._send_every = float("-inf"), environment.settings.lease_seconds
        self._timer: Handle | None = None
        self._working: asyncio.Future[None] | None = None
        self.others: tuple[Other, ...] = ()
        self._rounds_away = 0
        """How often all clients were redirected since storage last answered."""
        self._warned = False
        """Whether it has been logged that nodes can't redirect clients to each other."""
        self.lost = 0
        """Number of rooms that other nodes have taken from this one."""
        self.adopted = 0
        """Number of rooms without an owner that this node has adopted."""

    async def start(self) -> None:
        self._lobby.registry.elsewhere = self.elsewhere
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
        """Whether storage has not answered for longer than a lease, so that other nodes may own our rooms."""
        return self._environment.clock.now() - self._heard > self._environment.settings.lease_seconds

    @property
    def storage_up(self) -> bool:
        return self._storage.up

    @property
    def commits(self) -> int:
        """Number of transactions that wrote updates."""
        return self._storage.commits

    @property
    def committed(self) -> int:
        """Number of updates in these transactions. Divided by `commits`, it says how many share one transaction."""
        return self._storage.written

    def elsewhere(self, key: str) -> str:
        """The address of another node that takes rooms, or "" if there is none.

        The same key gives the same node, as long as the same nodes are there.
        """
        able = [other for other in self.others if other.url and not other.draining]
        able = [other for other in able if other.status.get("up_seconds", 0) >= SETTLED_SECONDS] or able
        return max(able, key=lambda other: hashlib.sha256(f"{other.id}/{key}".encode()).digest()).url if able else ""

    async def move_all(self) -> None:
        """Move every room to another node, some at a time, each between two moves. This node takes no more rooms."""
        self._lobby.registry.refusing = True
        with contextlib.suppress(Unavailable, Unknown):
            await self._beat()  # so that the other nodes redirect nobody to us
        rooms = self._lobby.rooms
        for start in range(0, len(rooms), MOVE_AT_ONCE):
            some = rooms[start : start + MOVE_AT_ONCE]
            await asyncio.gather(*(self._lobby.registry.move(room) for room in some))

    def _next(self) -> None:
        self._timer = self._environment.clock.call_later(self._every, self._tick)

    def _tick(self) -> None:
        self._next()
        if self._working is None or self._working.done():
            self._ticks += 1
            self._working = asyncio.ensure_future(self._work(beat=self._ticks % SWEEPS_PER_BEAT == 0))

    async def _work(self, *, beat: bool) -> None:
        try:
            if beat or self.cut_off:
                await self._beat()
            if not self._lobby.registry.refusing:
                self.adopted += await self._lobby.registry.adopt(ADOPT_AT_ONCE)
        except (Unavailable, Unknown) as error:
            if self.cut_off:
                self._send_people_on(error)
        except Exception:
            log.exception("a sign of life failed")

    async def _beat(self) -> None:
        leaves = self._lobby.draining or self._lobby.registry.refusing
        rooms = () if leaves else self._lobby.own_public_rooms()
        told = {"status": self._status(), "draining": leaves, "rooms": rooms}
        nodes = await self._storage.beat(encode(told))
        others = tuple(_read(node) for node in nodes)
        now = self._environment.clock.now()
        if self.cut_off:  # perhaps the others were cut off, too: for a moment no node counts as gone
            self._lenient_until = now + self._environment.settings.lease_seconds / 2
        if now < self._lenient_until:
            there = {other.id for other in others}
            others += tuple(other for other in self.others if other.id not in there)
        self._heard = now
        self._send_every = self._environment.settings.lease_seconds
        if self._rounds_away > 1:
            self._tell_all(BACK)
        self._rounds_away = 0
        self._meet(others)
        self._lobby.others = tuple(entry for other in self.others for entry in other.rooms)
        self._lobby.elsewhere = sum(int(other.status.get("rooms", 0)) for other in self.others)
        for room in self._lobby.rooms:
            if not (room.recovering or self._storage.holds(room.code, room.state.epoch)):
                log.warning("room %s was taken by another node", room.code)
                self.lost += 1
                self._lobby.registry.losses.note(room.code)
                room.recover()

    def _meet(self, others: tuple[Other, ...]) -> None:
        """Keep the list of other nodes. Log which nodes have come and gone, and settings that can't work."""
        before, now = {other.id: other.url for other in self.others}, {other.id: other.url for other in others}
        mine = self._environment.settings.node_url
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
        """Redirect all clients to other nodes, because nobody can play here.

        A client that can't play there either stays connected here. It is redirected again later, with a back-off.
        """
        now = self._environment.clock.now()
        if now < self._send_at:
            return
        log.warning("cut off from storage: %s", error)
        self._send_at, self._send_every = now + self._send_every, min(2 * self._send_every, LONGEST_REDIRECT_SECONDS)
        self._rounds_away += 1
        if self._rounds_away == 2:  # clients that could go elsewhere are there by now
            self._tell_all(AWAY)
        for room in self._lobby.rooms:
            if url := self.elsewhere(room.code):
                room.send_on(path_to(url, room.code))

    def _tell_all(self, sentence: str) -> None:
        for room in self._lobby.rooms:
            room.notify(sentence)


def _read(node: Node) -> Other:
    """Decode what a node tells about itself. A node of another version may tell something that can't be read; then its
    status and rooms are empty.
    """
    try:
        told = parse_object(node.told.decode())
        rooms = tuple(RoomEntry.model_validate(entry) for entry in told.get("rooms", ()))
        status = {name: value for name, value in dict(told.get("status", {})).items() if isinstance(value, int | float)}
        return Other(node.id, node.url, bool(told.get("draining")), status, rooms)
    except (ValueError, TypeError, ValidationError):
        log.warning("what node %s tells can't be read", node.id)
        return Other(node.id, node.url, False, {}, ())

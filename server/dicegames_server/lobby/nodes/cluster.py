"""The cluster: this node and the other nodes that use the same storage.

Every few seconds the node sends a heartbeat to storage. The heartbeat renews the leases of its rooms, and tells the
other nodes its status and its public rooms. The node learns the same about them, and which of its rooms it has lost.
The node also adopts rooms that nobody owns and nobody asks for, so that their bots play on, and gives some of its rooms
to a node that has far fewer. outage.py says what it does while it can't reach storage.
"""

import asyncio
import contextlib
import logging
import random
from collections.abc import Callable
from typing import Any

from dicegames_protocol.codec import encode
from dicegames_server.core.clock import Handle
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.lobby.nodes.other_nodes import Other, able, chosen, read_node
from dicegames_server.lobby.nodes.outage import Outage, Probe
from dicegames_server.lobby.nodes.rebalance import Rebalance
from dicegames_server.lobby.nodes.url_contest import UrlContest
from dicegames_server.room.environment import Environment
from dicegames_server.storage.base import SharedStorage, Unavailable, Unknown

log = logging.getLogger("dicegames.cluster")
BEATS_PER_LEASE = 3
"""Heartbeats in the time of one lease."""
TICKS_PER_BEAT = 2
"""Searches for rooms without an owner in the time of one heartbeat."""
LONGEST_TICK_SECONDS = 1.0
"""Searches are not further apart: people are told within two of them when storage is away."""
ADOPT_AT_ONCE = 50
"""Most rooms adopted in one search."""
MOVE_AT_ONCE = 20
"""Rooms that are moved to other nodes at the same time while the node drains."""
NO_URL = "without a node_url"


class Cluster:
    def __init__(
        self,
        environment: Environment,
        lobby: Lobby,
        storage: SharedStorage,
        status: Callable[[], dict[str, Any]],
        probe: Probe,
    ) -> None:
        """`status` gives what this node tells the others. `probe` asks another node whether it is ready."""
        self._environment = environment
        self._lobby = lobby
        self._storage = storage
        self._status = status
        self._url = environment.settings.node_url
        lease = environment.settings.lease_seconds
        self._beat_every = lease / BEATS_PER_LEASE
        self._every = min(self._beat_every / TICKS_PER_BEAT, LONGEST_TICK_SECONDS)
        self._outage = Outage(environment.clock, lobby, lease, probe)
        self._contest = UrlContest(self._url, lease)
        self._rebalance = Rebalance()
        self._heard = self._began = environment.clock.now()
        self._lenient_until = float("-inf")
        self._timer: Handle | None = None
        self._working: asyncio.Future[None] | None = None
        self._leaving = False
        """Whether the node gives all its rooms away, because it is about to stop."""
        self.others: tuple[Other, ...] = ()
        self._warned = False
        """Whether it has been logged that nodes can't redirect clients to each other."""
        self.lost = 0
        """Number of rooms that other nodes have taken from this one."""
        self.adopted = 0
        """Number of rooms without an owner that this node has adopted."""
        self.rebalanced = 0
        """Number of rooms that this node has given to a node with fewer."""

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
    def problem(self) -> str:
        """Why this node can't serve. Empty: it can."""
        if self.cut_off:
            return "cut off from storage"
        return "another node has the same node_url" if self._contest.lost else ""

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
        """The address of another node that takes rooms, or "" if there is none. The same key gives the same node."""
        return chosen(able(self.others, self._url), key)

    async def move_all(self) -> None:
        """Move every room to another node, some at a time, each between two moves. This node takes no more rooms."""
        self._leaving = True
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
        now = self._environment.clock.now()
        if self._working is None or self._working.done():
            self._began = now
            due = self._contest.lost or now - self._heard >= self._beat_every - self._every / 2
            self._working = asyncio.ensure_future(self._work(beat=due))
        elif now - self._began >= self._every:
            self._outage.begins("it takes too long")

    async def _work(self, *, beat: bool) -> None:
        try:
            if beat:
                await self._beat()
            takes = not self._lobby.registry.refusing
            if takes:
                self.adopted += await self._lobby.registry.adopt(ADOPT_AT_ONCE)
            if beat or takes:
                self._outage.ends()
            await self._share()
        except (Unavailable, Unknown) as error:
            self._outage.begins(error)
            if self.cut_off:
                await self._outage.send_people_on(able(self.others, self._url))
        except Exception:
            log.exception("a sign of life failed")

    async def _share(self) -> None:
        """Give some rooms to a node that has far fewer. Rooms without anybody stay: nobody would ask for them there."""
        if self._lobby.registry.refusing or self._lobby.draining:
            return
        now = self._environment.clock.now()
        for url in self._rebalance.plan(len(self._lobby), able(self.others, self._url), now):
            rooms = [room for room in self._lobby.rooms if not (room.empty or room.recovering)]
            if rooms and await self._lobby.registry.move(random.choice(rooms), url):
                self._rebalance.moved(url, now)
                self.rebalanced += 1

    async def _beat(self) -> None:
        leaves = self._lobby.draining or self._lobby.registry.refusing
        rooms = () if leaves else self._lobby.own_public_rooms()
        told = {"status": self._status(), "draining": leaves, "rooms": rooms}
        nodes = await self._storage.beat(encode(told))
        others = tuple(read_node(node) for node in nodes)
        now = self._environment.clock.now()
        if self.cut_off:  # perhaps the others were cut off, too: for a moment no node counts as gone
            self._lenient_until = now + self._environment.settings.lease_seconds / 2
        if now < self._lenient_until:
            there = {other.id for other in others}
            others += tuple(other for other in self.others if other.id not in there)
        self._heard = now
        self._contest.look(others, now)
        self._lobby.registry.refusing = self._leaving or self._contest.lost
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
        for id in now.keys() - before.keys():
            log.info("node %s is there: %s", id, now[id] or NO_URL)
        for id in before.keys() - now.keys():
            log.info("node %s is gone: %s", id, before[id] or NO_URL)
        if others and not self._warned and not (self._url and all(now.values())):
            self._warned = True
            log.warning("several nodes use this database: each needs a node_url, or nobody can be sent to its rooms")
        self.others = others

"""A server node in the simulation: the real lobby, rooms and sessions, on a simulated disk and simulated links."""

import asyncio
import logging
import random
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TypeVar

from dicegames_client.base.wire import LOST
from dicegames_protocol.messages.server import CloseCode
from dicegames_server.core.clock import Handle
from dicegames_server.core.peer import send_each
from dicegames_server.core.worker import TooMuch
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.lobby.server_identity import load_identity
from dicegames_server.lobby.session import Session
from dicegames_server.room.environment import Environment, FairDice
from dicegames_server.settings import Settings
from simulation.checks import Checks
from simulation.disk import Disk, NodeDisk
from simulation.loop import Process, VirtualLoop
from simulation.network import CLOSE_SECONDS, End, Link

T = TypeVar("T")
log = logging.getLogger("dicegames.transport")
SETTINGS = Settings(
    bot_talk=False,
    review_seconds=0,
    rooms_per_address=0,
    new_rooms_per_minute=0,
    failed_joins_per_minute=0,
    leaderboard_one_address=True,
    grace_seconds=4,
    bot_seconds=0.5,
    seat_seconds=60,
    waiting_seat_seconds=30,
    player_buffer=8192,
    spectator_buffer=4096,
    kick_seconds=20,
)


class LoopClock:
    """The server's clock, on the virtual time of the loop."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def call_later(self, delay: float, callback: Callable[[], None]) -> Handle:
        return asyncio.get_running_loop().call_later(delay, callback)


class BusyWorker:
    """Has no time for the long thoughts of bots: they move as they do in a hurry."""

    async def run(self, key: Hashable, work: Callable[[], T]) -> T:
        if isinstance(key, tuple) and key[0] in ("bot", "prepare"):
            raise TooMuch
        return work()


class LinkPeer:
    """The server's end of a link, as sessions and rooms see it."""

    binding = ""

    def __init__(self, link: Link, address: str, checks: Checks) -> None:
        self.link = link
        self.address = address
        self.player: str | None = None
        self.over_ssh = False
        self.buffer_limit = SETTINGS.spectator_buffer
        self.closing = False
        self._batch_at = self._unread = 0.0
        self._checks = checks

    def send(self, data: bytes) -> None:
        if self.closing or self.link.ended:
            return
        self._checks.sends(self.link, data)
        if self._batch_at != (now := asyncio.get_running_loop().time()):
            self._batch_at, self._unread = now, self.link.down.bytes
        self.link.down.push(data)
        if self._unread > self.buffer_limit:  # what is sent at once does not count, as in net/socket_peer.py
            self._checks.faults["cut as too slow"] += 1
            self.link.cut()

    def close(self, code: int, reason: str) -> None:
        if not self.closing:
            self.closing = True
            self.link.down.push(End(code, reason))
            asyncio.get_running_loop().call_later(CLOSE_SECONDS, self.link.inbox.put_nowait, End(LOST))


class Node(Process):
    def __init__(self, name: str, disk: Disk, checks: Checks, rng: random.Random) -> None:
        super().__init__(name)
        self.disk = NodeDisk(disk)
        self._checks = checks
        self._rng = rng
        self._peers: dict[LinkPeer, asyncio.Task[None]] = {}
        self.lobby: Lobby | None = None
        """None: it is starting or stopped."""

    async def start(self) -> None:
        """As app/service.py does it. Call this in the context of the node."""
        environment = Environment(
            settings=SETTINGS,
            clock=LoopClock(),
            dice=FairDice(),
            storage=self.disk,
            broadcast=send_each,
            pace=lambda: self._rng.uniform(0.5, 2.0),
            worker=BusyWorker(),
        )
        lobby = Lobby(environment)
        lobby.know_itself(await load_identity(self.disk, Path("unused")))
        self.disk.failing = False
        await lobby.registry.adopt()
        self.disk.failing = True
        self._environment = environment
        self.lobby = lobby

    def accept(self, link: Link, address: str, hint: str) -> None:
        """A client has connected."""
        peer = LinkPeer(link, address, self._checks)
        loop = asyncio.get_running_loop()
        task = loop.create_task(self._converse(peer, hint), name=f"link {link.number}", context=self.context())
        self._peers[peer] = task
        task.add_done_callback(lambda _: self._peers.pop(peer, None))

    async def _converse(self, peer: LinkPeer, hint: str) -> None:
        """One frame after the other, as net/socket_peer.py does it."""
        assert self.lobby is not None
        self._checks.opened(peer.link)
        session = Session(peer, self.lobby, self._environment, "simulated", hint)
        left = False
        try:
            while True:
                item = await peer.link.inbox.get()
                if isinstance(item, End):
                    left = item.code == CloseCode.LEAVE and not peer.closing
                    if left:
                        peer.link.down.push(item)
                    break
                if not peer.closing:
                    self._checks.hears(peer.link, item)
                    await session.receive(item)
        except Exception:
            log.exception("a message could not be handled")
        finally:
            peer.closing = True
            self._checks.closed(peer.link)
            await session.closed(left=left)

    def crash(self, loop: VirtualLoop) -> None:
        loop.kill(self)
        for peer in list(self._peers):
            self._checks.closed(peer.link)
            peer.link.cut(server_knows=False)

    async def stop(self) -> None:
        """As app/service.py does it, with durable storage."""
        assert self.lobby is not None
        lobby, self.lobby = self.lobby, None
        lobby.take_no_more()
        lobby.quieten()
        for peer in list(self._peers):
            peer.close(CloseCode.RESTARTING, "the server is shutting down")
        while self._peers:
            await asyncio.wait(list(self._peers.values()))
        lobby.suspend()

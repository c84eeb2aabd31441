"""Connections that stay inside this process, for the clients of users who come over ssh.

They speak the same protocol to the same sessions as everybody else, with the same limits. Only the socket is missing.
"""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable

from dicegames_protocol.messages.server import CloseCode
from dicegames_server.core.errors import Ended
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.lobby.session import Session
from dicegames_server.net.frames import unframed
from dicegames_server.net.socket_peer import INTERNAL
from dicegames_server.room.environment import Environment

log = logging.getLogger("dicegames.transport")
BINDING = "process"
"""What proofs of identity are bound to: nobody can be in between."""
NO_CLOSE_FRAME = 1006
"""The close code of a connection that was dropped."""


class InProcessPeer:
    """The server's end: what sessions and rooms see. Sending never waits."""

    def __init__(self, address: str, buffer_limit: int) -> None:
        self.address = address
        self.player: str | None = None
        self.over_ssh = True
        self.binding = BINDING
        self.buffer_limit = buffer_limit
        self.ended: tuple[int, str] | None = None
        """Close code and reason, once one side has ended it."""
        self.on_end: Callable[[], None] = lambda: None
        self._out: deque[bytes] = deque()
        self._unread = 0
        self._news = asyncio.Event()

    def send(self, data: bytes) -> None:
        if self.ended:
            return
        self._out.append(data)
        self._unread += len(data)
        if self._unread - len(data) > self.buffer_limit:
            self._out.clear()
            self.close(CloseCode.TOO_SLOW, "too slow")
        self._news.set()

    def post(self, frame: bytes) -> None:
        """A complete websocket frame, as it goes to many peers at once."""
        self.send(unframed(frame))

    def close(self, code: int, reason: str) -> None:
        if self.ended is None:
            self.ended = (code, reason)
            self._news.set()
            self.on_end()

    async def next(self) -> bytes:
        """The next message for the client. Raises Ended after the last one."""
        while not self._out:
            if self.ended:
                raise Ended(*self.ended)
            self._news.clear()
            await self._news.wait()
        data = self._out.popleft()
        self._unread -= len(data)
        return data


class InProcessLink:
    """One connection. The client sends and reads here; a task hands what it sends to the session, in order."""

    def __init__(self, peer: InProcessPeer, session: Session, most_waiting: int) -> None:
        self.peer = peer
        self._session = session
        self._inbox: asyncio.Queue[str | None] = asyncio.Queue(most_waiting)
        self._left = False
        peer.on_end = self._wake
        self.over = asyncio.ensure_future(self._converse())

    async def send(self, text: str) -> None:
        """Raises Ended."""
        if self.peer.ended:
            raise Ended(*self.peer.ended)
        await self._inbox.put(text)

    async def receive(self) -> bytes:
        """Raises Ended."""
        return await self.peer.next()

    async def close(self, code: int) -> bool:
        """End it. With the code LEAVE the seats are given up. Returns whether the server has noticed."""
        self._left = code == CloseCode.LEAVE and self.peer.ended is None
        self.peer.close(code, "")
        await asyncio.wait([self.over])
        return self._left

    def abort(self) -> None:
        self.peer.close(NO_CLOSE_FRAME, "")

    def _wake(self) -> None:
        """Let the task notice the end, after what was sent before."""
        with contextlib.suppress(asyncio.QueueFull):
            self._inbox.put_nowait(None)

    async def _converse(self) -> None:
        try:
            while self.peer.ended is None or not self._inbox.empty():
                text = await self._inbox.get()
                if text is not None:
                    await self._session.receive(text)
        except Exception:
            log.exception("%s: a message could not be handled", self.peer.address)
            self.peer.close(INTERNAL, "internal error")
        finally:
            await self._session.closed(left=self._left)


class InProcess:
    """Opens such connections, and ends them all when the server stops."""

    def __init__(self, environment: Environment, lobby: Lobby, version: str) -> None:
        self._environment = environment
        self._lobby = lobby
        self._version = version
        self._open: set[InProcessLink] = set()
        self._stopped = False

    def open(self, address: str, room: str) -> InProcessLink:
        """A connection for a client whose user has this network address. Raises Ended where it is not let in."""
        settings, limits = self._environment.settings, self._lobby.address_limits
        if self._stopped:
            raise Ended(CloseCode.RESTARTING, "The server is shutting down.")
        if limits.inside >= settings.max_connections:
            raise Ended(CloseCode.RATE, "This server is full. Try again later.")
        if not limits.enters(address):
            raise Ended(CloseCode.RATE, "Too many connections from your address.")
        self._environment.metrics.connected += 1
        peer = InProcessPeer(address, settings.player_buffer)
        session = Session(peer, self._lobby, self._environment, self._version, room)
        link = InProcessLink(peer, session, settings.queue_frames)
        self._open.add(link)

        def gone(_: object) -> None:
            self._open.discard(link)
            limits.leaves(address)

        link.over.add_done_callback(gone)
        return link

    async def stop(self) -> None:
        """End all of them. The seats are held."""
        self._stopped = True
        links = list(self._open)
        for link in links:
            link.peer.close(CloseCode.RESTARTING, "the server is shutting down")
        if links:
            await asyncio.wait([link.over for link in links])

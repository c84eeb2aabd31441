"""One websocket as sessions and rooms see it. Frames come in one at a time; sending a frame never waits."""

import asyncio
import logging
from collections.abc import Awaitable, Iterable

from websockets.exceptions import ConnectionClosed
from websockets.protocol import State
from websockets.typing import BytesLike

from dicegames_protocol.messages.server import CloseCode
from dicegames_server.core.eager import run_eagerly
from dicegames_server.core.peer import NOT_HERE, Peer
from dicegames_server.lobby.session import Session
from dicegames_server.net.batching import Batching
from dicegames_server.net.connection import Connection
from dicegames_server.net.frames import framed
from dicegames_server.room.environment import Environment

log = logging.getLogger("dicegames.transport")
INTERNAL = 1011
REDIRECTED = "redirected"
"""Cause of a connection that was closed because its room is on another node. It is not counted as a cut."""
CAUSES: dict[int, str] = {
    1002: "protocol",
    1007: "protocol",
    1009: "too_large",
    1011: "silent",
    CloseCode.VERSION: "version",
    CloseCode.BAD_MESSAGE: "bad_message",
    CloseCode.RATE: "rate",
    CloseCode.REPLACED: "replaced",
    CloseCode.RESTARTING: "restarting",
}
"""Close code sent by the server -> the cause under which the end of the connection is counted."""


class SocketPeer:
    """The far end of one websocket. Sending never waits. A peer that does not read is cut off at its buffer limit."""

    def __init__(
        self, socket: Connection, address: str, environment: Environment, batching: Batching, binding: str = ""
    ) -> None:
        self.socket = socket
        self.address = address
        self.buffer_limit = environment.settings.spectator_buffer
        self.player: str | None = None
        self.over_ssh = False
        self.binding = binding
        self.cause: str | None = None
        """Why the server ends this connection. None: it does not."""
        self._metrics = environment.metrics
        self._most_waiting = environment.settings.queue_frames
        self._batching = batching
        self._out: list[bytes] = []
        self._session: Session | None = None
        self._under_way: asyncio.Task[None] | None = None
        """Task for a command that has to wait, and for the commands that came after it."""
        self._arrived: list[BytesLike] = []
        self._pauses = False
        self._by_hand = False
        """Whether a frame from the library's `recv` is being handled. `handle` does nothing meanwhile."""
        self._closing: asyncio.Task[None] | None = None

    def send(self, data: bytes) -> None:
        self.post(framed(data))

    def post(self, frame: bytes) -> None:
        """Queue a complete frame. It is written at the end of this batch, together with all others for this peer.

        The frame is not built again for each peer, as the library would do. That is correct because nothing is
        compressed, nothing is sent in fragments, and frames are written only while the connection is open. The
        library's own frames (ping, close) are written at once, between ours.
        """
        if not self._out:
            self._batching.leaves(self)
        self._out.append(frame)

    def write(self) -> None:
        if not self._out:
            return
        data = self._out[0] if len(self._out) == 1 else b"".join(self._out)
        self._out.clear()
        if self.socket.protocol.state is not State.OPEN:
            return
        transport = self.socket.transport
        transport.write(data)
        if transport.get_write_buffer_size() > self.buffer_limit:
            self._cut_if_slow(len(data))

    def close(self, code: int, reason: str) -> None:
        if self._closing is None:
            self.write()
            self.cause = CAUSES.get(code, "other") if reason != NOT_HERE else REDIRECTED
            self._closing = asyncio.ensure_future(self.socket.close(code, reason))

    async def converse(self, session: Session) -> None:
        """Pass each frame to the session, one at a time and in order. Ends by raising ConnectionClosed.

        Whole text frames, which is what clients send, come through `arrive` and `handle`. If a client sends anything
        else, the library assembles its messages from then on, and they come through `recv`.
        """
        try:
            while len(self.socket.recv_messages.frames):  # frames that arrived with the handshake
                await self._hand_over(session)
            self._session = session
            self.socket.arrive = self.arrive
            while True:
                await self._hand_over(session)
        finally:
            self.socket.arrive = self._session = None
            if self._under_way:
                await self._under_way

    async def _hand_over(self, session: Session) -> None:
        """Handle one message from the library. All frames that arrived before it are handled first."""
        frame = await self.socket.recv()
        self._by_hand = True
        if self._under_way:
            await self._under_way
        await self._work_off(session)
        if self._closing:
            await self._closing
            raise ConnectionClosed(None, None)
        await session.receive(frame)
        self._by_hand = False

    def arrive(self, frame: BytesLike) -> None:
        """A whole text frame has arrived. It is handled in the next batch. Reading pauses if too many wait."""
        self._arrived.append(frame)
        self._batching.arrives(self)
        if len(self._arrived) > self._most_waiting and not self._pauses:
            self._pauses = True
            self.socket.transport.pause_reading()

    def handle(self) -> None:
        """Handle the oldest frame. A command that has nothing to wait for is answered when this returns, without a
        task.
        """
        if self._under_way or self._by_hand or self._session is None:
            return  # it is handled after what is under way, or the session has ended
        text = self._next()
        if text is None:
            return
        try:
            coroutine = self._session.begin(text)
            rest = run_eagerly(coroutine) if coroutine else None
        except Exception:
            self._failed()
        else:
            if rest:
                self._under_way = asyncio.ensure_future(self._finish(rest, self._session))

    def _next(self) -> str | None:
        """The oldest frame that was not handled yet. None: there is none, or the connection is being closed."""
        frame = self._arrived.pop(0) if self._arrived and not self._closing else None
        if self._pauses and (self._closing or not self._arrived):
            self._pauses = False
            self.socket.transport.resume_reading()
        if frame is None:
            return None
        try:
            return str(frame, "utf-8")
        except UnicodeDecodeError:
            self._arrived.clear()
            self.socket.queue(frame)  # the library reports the error and ends the connection
            return None

    async def _finish(self, rest: Awaitable[object], session: Session) -> None:
        try:
            await rest
            await self._work_off(session)
        except Exception:
            self._failed()
        finally:
            self._under_way = None

    async def _work_off(self, session: Session) -> None:
        while (text := self._next()) is not None:
            await session.receive(text)

    def _failed(self) -> None:
        log.exception("%s: a message could not be handled", self.address)
        self.close(INTERNAL, "internal error")
        self.cause = "other"

    def _cut_if_slow(self, fresh: int) -> None:
        """Cut off a peer that does not read. The `fresh` bytes of this batch do not count: a peer that was sent just
        one large message is not slow.
        """
        transport = self.socket.transport
        unsent = transport.get_write_buffer_size()
        if unsent - fresh > self.buffer_limit and not transport.is_closing():
            log.info("%s does not read: cut off", self.address)
            self.cause = "too_slow"
            self._metrics.most_unsent = max(self._metrics.most_unsent, unsent)
            transport.abort()


def broadcast_to_peers(peers: Iterable[Peer], data: bytes) -> None:
    """Send one frame to many peers without waiting. The frame is built once."""
    frame = framed(data)
    for peer in peers:
        peer.post(frame)  # type: ignore[attr-defined]  # a room on sockets has no other peers

"""The far end of one websocket, as sessions and rooms see it: frames in, one at a time; frames out, never waiting."""

import asyncio
import logging
from collections.abc import Iterable

from websockets.exceptions import ConnectionClosed
from websockets.protocol import State
from websockets.typing import BytesLike

from dicegames_protocol.messages.server import CloseCode
from dicegames_server.core.eager import Begun, begin
from dicegames_server.core.peer import NOT_HERE, Link
from dicegames_server.lobby.session import Session
from dicegames_server.net.batching import Rounds
from dicegames_server.net.connection import Connection
from dicegames_server.net.frames import framed
from dicegames_server.room.environment import House

log = logging.getLogger("dicegames.transport")
INTERNAL = 1011
REDIRECTED = "redirected"
"""Whose room is on another node: that is no fault of anybody."""
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
"""What the end of a connection is counted as, by the code with which the server closed it."""


class SocketLink:
    """The far end of one websocket. Sending never waits; a peer that does not read is cut off at its buffer limit."""

    def __init__(self, socket: Connection, address: str, house: House, rounds: Rounds) -> None:
        self.socket = socket
        self.address = address
        self.buffer_limit = house.settings.spectator_buffer
        self.player: str | None = None
        self.cause: str | None = None
        """Why we end this connection, if we do."""
        self._meter = house.meter
        self._most_waiting = house.settings.queue_frames
        self._rounds = rounds
        self._out: list[bytes] = []
        self._session: Session | None = None
        self._under_way: asyncio.Task[None] | None = None
        """A command that had to wait for something, and those that came after it."""
        self._arrived: list[BytesLike] = []
        self._pauses = False
        self._by_hand = False
        """A frame that came from the library is being handled, after all that arrived before it."""
        self._closing: asyncio.Task[None] | None = None

    def send(self, data: bytes) -> None:
        self.post(framed(data))

    def post(self, frame: bytes) -> None:
        """Have a whole frame written at the end of this round, in one piece with all others for this peer.

        It is not made anew for each peer, as the library would. That is right because nothing is compressed, nothing is
        sent in fragments, and no frame goes out before or after the connection is open; the library's own frames
        (pings, the goodbye) are written at once, between ours.
        """
        if not self._out:
            self._rounds.leaves(self)
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
        """Hand each frame to the session, one at a time and in order, until ConnectionClosed.

        Whole text frames, which is what clients send, come through `arrive` and `handle`. For somebody who sends
        anything else the library puts the pieces together, from then on.
        """
        try:
            while len(self.socket.recv_messages.frames):  # they came with the handshake
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
        """What comes from the library is later than all that has arrived before."""
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
        """A whole text frame has come; it is handled in the next round."""
        self._arrived.append(frame)
        self._rounds.arrives(self)
        if len(self._arrived) > self._most_waiting and not self._pauses:
            self._pauses = True
            self.socket.transport.pause_reading()

    def handle(self) -> None:
        """The answer to a command that waits for nothing is ready when this returns: no task was woken for it."""
        if self._under_way or self._by_hand or self._session is None:
            return  # it has its turn after what is under way, or nobody listens any more
        text = self._next()
        if text is None:
            return
        try:
            coroutine = self._session.begin(text)
            rest = begin(coroutine) if coroutine else None
        except Exception:
            self._failed()
        else:
            if rest:
                self._under_way = asyncio.ensure_future(self._finish(rest, self._session))

    def _next(self) -> str | None:
        """The oldest frame that nobody has looked at. Who is being shown out is not listened to any more."""
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
            self.socket.queue(frame)  # the library says what is wrong with it, and ends the connection
            return None

    async def _finish(self, rest: Begun, session: Session) -> None:
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
        """The `fresh` bytes of this round do not count: nobody is slow who was told just one large thing."""
        transport = self.socket.transport
        unsent = transport.get_write_buffer_size()
        if unsent - fresh > self.buffer_limit and not transport.is_closing():
            log.info("%s does not read: cut off", self.address)
            self.cause = "too_slow"
            self._meter.most_unsent = max(self._meter.most_unsent, unsent)
            transport.abort()


def broadcast_links(links: Iterable[Link], data: bytes) -> None:
    """One frame to many, waiting for none."""
    frame = framed(data)
    for link in links:
        link.post(frame)  # type: ignore[attr-defined]  # a room on sockets has no other links

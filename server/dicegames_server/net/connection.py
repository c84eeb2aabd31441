"""One websocket, from its first byte on."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import Event
from websockets.typing import BytesLike

from dicegames_server.net.frames import between_frames, lone_frame
from dicegames_server.net.gate import Gate, peer_address

READ_BYTES = 16 * 1024
"""Asked of the kernel at once. asyncio asks for 256 KiB, for which malloc maps fresh pages at every single read."""
CONTROL = frozenset({Opcode.PING, Opcode.PONG, Opcode.CLOSE})


class Connection(ServerConnection):
    """A connection that is counted from its first byte on, before anybody has said anything."""

    def __init__(self, *arguments: Any, gate: Gate, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._gate = gate
        self._knocked = ""
        self.arrive: Callable[[BytesLike], None] | None = None
        """Who takes whole text frames as they come, before they would be queued for `recv`."""

    def data_received(self, data: bytes) -> None:
        """One small text frame and nothing else, as clients send it, is read here; all else is for the library."""
        if self.arrive and (text := lone_frame(data)) is not None and between_frames(self.protocol):
            self.arrive(text)
        else:
            super().data_received(data)

    def process_event(self, event: Event) -> None:
        if self.arrive and isinstance(event, Frame):
            if event.opcode is Opcode.TEXT and event.fin:
                self.arrive(event.data)
                return
            if event.opcode not in CONTROL:
                self.arrive = None
        super().process_event(event)

    def queue(self, text: BytesLike) -> None:
        """Leave this frame, and whatever comes after it, to `recv`."""
        self.arrive = None
        with contextlib.suppress(EOFError):  # the connection has ended meanwhile
            super().process_event(Frame(Opcode.TEXT, text))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if hasattr(transport, "max_size"):  # a transport of asyncio itself
            transport.max_size = READ_BYTES
        peer = peer_address(transport)
        if self._gate.opens_for(peer):
            self._knocked = peer
        else:
            self.transport.abort()

    def forget_handshake(self) -> None:
        """Its headers are not asked for again, and are a sixth of what a connection keeps in memory."""
        for part in (self.request, self.response):
            if part:
                part.headers.clear()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._knocked:
            self._gate.goes(self._knocked)
        super().connection_lost(exc)

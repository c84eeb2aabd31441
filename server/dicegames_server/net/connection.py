"""One websocket connection, from the moment it is accepted."""

import asyncio
import contextlib
import re
from collections.abc import Callable
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import Event, State
from websockets.typing import BytesLike

from dicegames_server.net.frames import between_frames, lone_frame
from dicegames_server.net.gate import Gate, peer_address
from dicegames_server.net.web.http import HEAD_TOO_LARGE, NO_BODY

READ_BYTES = 16 * 1024
"""Bytes asked of the kernel at once. asyncio asks for 256 KiB, for which malloc maps new pages at every read."""
END_OF_REQUEST = b"\r\n\r\n"
HEAD_BYTES = 16 * 1024
"""Most bytes of a request. The library takes 128 headers of 8 KiB each."""
CONTROL = frozenset({Opcode.PING, Opcode.PONG, Opcode.CLOSE})
_BODY = re.compile("body|transfer", re.IGNORECASE)
"""What the library's reason says of a request that it does not read because of its body."""
PART_BYTES = 2048
"""Bytes that the library parses at once. A flood of tiny frames is noticed after so many, not after all that came."""


class Connection(ServerConnection):
    """A websocket connection that is counted from the moment it is accepted, before its handshake."""

    def __init__(self, *arguments: Any, gate: Gate, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._gate = gate
        self.counted = ""
        """The address under which the gate has counted this connection. Empty: not yet."""
        self.certificate = ""
        """SHA-256 of the certificate that the server has shown on it, in hex. Empty without TLS of its own."""
        self._other_frames = gate.frame_limit()
        """Limits control frames and fragments. Whole messages are counted by the session."""
        self._flooded = False
        self._tail: bytes | None = b""
        """The last bytes of the request, while it is not complete. None: it is."""
        self._head_bytes = 0
        self._told = False
        """It was said that a request with a body is not taken."""
        self.arrive: Callable[[BytesLike], None] | None = None
        """Called with each whole text frame as it arrives, instead of queueing it for `recv`. None: they are queued."""

    def data_received(self, data: bytes) -> None:
        """Bytes have arrived. A single small text frame, which is what clients send, is decoded here. Everything else
        is left to the library.
        """
        if self.arrive and (text := lone_frame(data)) is not None and between_frames(self.protocol):
            self.arrive(text)
            return
        if self.protocol.state is State.CONNECTING:
            data = self._request_in(data)
        for start in range(0, len(data), PART_BYTES):
            super().data_received(data[start : start + PART_BYTES])
            if self._flooded:
                return

    def _request_in(self, data: bytes) -> bytes:
        """What of this belongs to the request. A connection has one; whoever sends more before it was answered is not
        heard. The library would take it for frames, and fail.
        """
        if self._tail is None or self.protocol.handshake_exc is not None:  # the last: it was refused already
            return b""
        self._head_bytes += len(data)
        if self._head_bytes > HEAD_BYTES:
            self._tail = None
            self.transport.write(HEAD_TOO_LARGE)
            self.transport.close()
            return b""
        known = self._tail + data
        end = known.find(END_OF_REQUEST)
        taken = len(known) if end < 0 else end + len(END_OF_REQUEST)
        request = known[len(self._tail) : taken]
        self._tail = known[1 - len(END_OF_REQUEST) :] if end < 0 else None
        return request

    def send_data(self) -> None:
        """Write what the library has to say. To a request with a body it would say nothing at all."""
        failed = self.protocol.handshake_exc
        if failed is not None and not self._told and _BODY.search(str(failed.__cause__)):
            self._told = True
            self.transport.write(NO_BODY)
        super().send_data()

    def process_event(self, event: Event) -> None:
        if isinstance(event, Frame) and self._is_too_much(event):
            self._cut_off()
            return
        if self.arrive and isinstance(event, Frame):
            if event.opcode is Opcode.TEXT and event.fin:
                self.arrive(event.data)
                return
            if event.opcode not in CONTROL:
                self.arrive = None
        super().process_event(event)

    def _is_too_much(self, frame: Frame) -> bool:
        """Count a frame that is no whole message, and say whether there are too many."""
        message = frame.opcode is Opcode.TEXT and frame.fin
        return not message and not self._other_frames.take() and frame.opcode is not Opcode.CLOSE

    def _cut_off(self) -> None:
        """Too many frames that are no messages. What is already in the parser's queue is not looked at any more."""
        if not self._flooded:
            self._flooded = True
            self._gate.flooded(self.counted)
            self.transport.abort()

    def queue(self, text: BytesLike) -> None:
        """Queue this frame, and all that come after it, for `recv`."""
        self.arrive = None
        with contextlib.suppress(EOFError):  # the connection has ended meanwhile
            super().process_event(Frame(Opcode.TEXT, text))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if hasattr(transport, "max_size"):  # asyncio's own transport
            transport.max_size = READ_BYTES
        if not self.counted:
            peer = peer_address(transport)
            if not self._gate.opens_for(peer):
                self.transport.abort()
                return
            self.counted = peer
        self._gate.in_handshake.add(transport)

    def forget_handshake(self) -> None:
        """The handshake is done. Drop its headers: nobody uses them again, and they take a sixth of the memory."""
        self._gate.in_handshake.discard(self.transport)
        for part in (self.request, self.response):
            if part:
                part.headers.clear()

    def connection_lost(self, exc: Exception | None) -> None:
        self._gate.in_handshake.discard(self.transport)
        if self.counted:
            self._gate.goes(self.counted)
        super().connection_lost(exc)

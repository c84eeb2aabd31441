"""The load: websocket clients by hand, as cheap as possible, so that the server is what is measured."""

import asyncio
from collections.abc import Callable

from support.raw import UPGRADE, frame

PING, CLOSE = 9, 8


class Wire(asyncio.Protocol):
    """One connection. `hear` is called with each message; `taken` counts the received bytes."""

    def __init__(self, hear: "Callable[[Wire, bytes], None]") -> None:
        self.hear = hear
        self.taken = 0
        self.awaits: tuple[bytes, Callable[[], None]] | None = None
        """Text to wait for, and whom to tell: for a flood of messages nobody wants to read."""
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._buffer = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(UPGRADE)

    def send(self, message: bytes) -> None:
        self._transport.write(frame(message))

    def close(self) -> None:
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self.taken += len(data)
        if self.awaits:
            self._scan(data)
            return
        buffer = self._buffer + data if self._buffer else data
        if not self.opened.done():
            end = buffer.find(b"\r\n\r\n")
            if end < 0:
                self._buffer = buffer
                return
            buffer = buffer[end + 4 :]
            self.opened.set_result(None)
        start, whole = 0, len(buffer)
        while whole - start >= 2:
            size, head = buffer[start + 1] & 0x7F, 2
            if size == 126:
                size, head = int.from_bytes(buffer[start + 2 : start + 4], "big"), 4
            elif size == 127:
                size, head = int.from_bytes(buffer[start + 2 : start + 10], "big"), 10
            end = start + head + size
            if end > whole:
                break
            opcode = buffer[start] & 0x0F
            if opcode == PING:
                self._transport.write(b"\x8a" + bytes([0x80 | size]) + b"\0\0\0\0" + buffer[start + head : end])
            elif opcode != CLOSE:
                self.hear(self, buffer[start + head : end])
            start = end
        self._buffer = buffer[start:]

    def _scan(self, data: bytes) -> None:
        assert self.awaits
        text, found = self.awaits
        self._buffer += data
        if text in self._buffer:
            found()
        self._buffer = self._buffer[-len(text) :]

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(exc or ConnectionResetError())


async def connect(port: int, hear: Callable[[Wire, bytes], None]) -> Wire:
    _, wire = await asyncio.get_running_loop().create_connection(lambda: Wire(hear), "127.0.0.1", port)
    await wire.opened
    return wire


def seq_of(message: bytes) -> int:
    """The number of an update, without reading the rest of it."""
    start = message.index(b'"seq":') + 6
    end = start
    while 48 <= message[end] <= 57:
        end += 1
    return int(message[start:end])

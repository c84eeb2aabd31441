"""Sockets: the only importer of websockets on the server's side."""

import asyncio
import logging
from collections.abc import Iterable

from websockets.asyncio.server import Server as WebSocketServer
from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from dicegames_protocol.codec import encode
from dicegames_protocol.server_messages import CloseCode, Error
from dicegames_server.house import House
from dicegames_server.link import Link
from dicegames_server.lobby import Lobby
from dicegames_server.session import Session
from dicegames_server.settings import Settings

log = logging.getLogger("dicegames.transport")
LEAVE = 1000
"""The close code with which a client says that it leaves for good. Whatever else ends a connection keeps the seat."""


class SocketLink:
    """The far end of one websocket. Sending never waits; a peer that does not read is cut off at its buffer limit."""

    def __init__(self, socket: ServerConnection, buffer_limit: int) -> None:
        self.socket = socket
        self.address = str(socket.remote_address[0]) if socket.remote_address else "?"
        self.buffer_limit = buffer_limit
        self.player: str | None = None
        self._closing: asyncio.Task[None] | None = None

    def send(self, data: bytes) -> None:
        broadcast((self.socket,), data, text=True)
        self.cut_if_slow()

    def close(self, code: int, reason: str) -> None:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self.socket.close(code, reason))

    def cut_if_slow(self) -> None:
        transport = self.socket.transport
        if transport.get_write_buffer_size() > self.buffer_limit and not transport.is_closing():
            log.info("%s does not read: cut off", self.address)
            transport.abort()


def broadcast_links(links: Iterable[Link], data: bytes) -> None:
    """One frame to many: written to each socket at once, waiting for none."""
    sockets = [link for link in links if isinstance(link, SocketLink)]
    broadcast([link.socket for link in sockets], data, text=True)
    for link in sockets:
        link.cut_if_slow()


class Server:
    """Listens, and makes a session of every connection."""

    def __init__(self, house: House, lobby: Lobby, version: str) -> None:
        self._house = house
        self._lobby = lobby
        self._version = version
        self._server: WebSocketServer | None = None

    @property
    def port(self) -> int:
        assert self._server
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    async def start(self) -> None:
        """Bring the rooms back and listen. StorageError, or OSError where the address can't be had."""
        settings: Settings = self._house.settings
        await self._house.storage.start()
        if rooms := await self._lobby.restore():
            log.info("%d %s open again", rooms, "room is" if rooms == 1 else "rooms are")
        self._server = await serve(
            self._connected,
            settings.host,
            settings.port,
            compression=None,
            max_size=2 * settings.frame_bytes,
            max_queue=16,
            origins=[None, *(Origin(origin) for origin in settings.origins)],  # programs send none; web pages do
            ping_interval=settings.heartbeat_seconds,
            ping_timeout=settings.heartbeat_seconds,
            close_timeout=1,
            server_header=None,
            logger=logging.getLogger("dicegames.websockets"),
        )

    async def stop(self, why: str = "The server is shutting down.") -> None:
        """Take no more rooms, close all connections, and flush. Rooms that outlive us wait; others end politely."""
        durable = self._house.storage.durable
        self._lobby.take_no_more()
        if not durable:
            await self._lobby.close_all(why)
        if self._server:
            self._server.close(code=CloseCode.RESTARTING, reason="the server is shutting down")
            await self._server.wait_closed()
        if durable:
            self._lobby.suspend()
        await self._house.storage.stop()

    async def _connected(self, socket: ServerConnection) -> None:
        link = SocketLink(socket, self._house.settings.spectator_buffer)
        doorman = self._lobby.doorman
        if not doorman.enters(link.address):
            log.info("%s has too many connections: refused", link.address)
            link.send(encode(Error(code="rate_limited", message="Too many connections from your address.")))
            await socket.close(CloseCode.RATE, "too many connections")
            return
        session = Session(link, self._lobby, self._house, self._version)
        log.info("%s connected", link.address)
        left = False
        try:
            while True:
                await session.receive(await socket.recv())
        except ConnectionClosed as closed:
            left = bool(closed.rcvd and closed.rcvd.code == LEAVE and closed.rcvd_then_sent)
        finally:
            doorman.leaves(link.address)
            log.info("%s %s", link.address, "left" if left else "disconnected")
            await session.closed(left=left)

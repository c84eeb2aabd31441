"""Listens, and makes a session of every connection."""

import logging
import ssl
from functools import partial

from websockets.asyncio.server import Server as WebSocketServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.server import CloseCode, Error
from dicegames_server.core.room_codes import code_in
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.lobby.session import Session
from dicegames_server.net.batching import Rounds
from dicegames_server.net.bind import listening_socket
from dicegames_server.net.connection import Connection
from dicegames_server.net.gate import Gate, peer_address
from dicegames_server.net.host_names import Site
from dicegames_server.net.proxy_headers import client_address
from dicegames_server.net.socket_peer import CAUSES, REDIRECTED, SocketLink
from dicegames_server.room.environment import House

log = logging.getLogger("dicegames.transport")
LEAVE = 1000
"""The close code with which a client says that it leaves for good. Whatever else ends a connection keeps the seat."""


class Server:
    """Listens, and makes a session of every connection."""

    def __init__(self, house: House, lobby: Lobby, version: str) -> None:
        self._house = house
        self._lobby = lobby
        self._version = version
        self._gate = Gate(house, lobby.doorman)
        self._site = Site(house.settings.node_url)
        self._rounds = Rounds()
        self._server: WebSocketServer | None = None

    @property
    def port(self) -> int:
        assert self._server
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    async def listen(self, tls: ssl.SSLContext | None = None) -> None:
        """OSError where the address can't be had."""
        settings = self._house.settings
        self._server = await serve(
            self._connected,
            sock=listening_socket(settings.host, settings.port, settings.kernel_buffer),
            ssl=tls,
            compression=None,
            max_size=2 * settings.frame_bytes,
            max_queue=settings.queue_frames,
            origins=[None, *(Origin(origin) for origin in settings.origins)],  # programs send none; web pages do
            open_timeout=settings.handshake_seconds,
            ping_interval=settings.ping_seconds,
            ping_timeout=settings.ping_timeout_seconds,
            close_timeout=settings.close_seconds,
            server_header=None,
            create_connection=partial(Connection, gate=self._gate),  # type: ignore[arg-type]  # called, never subclassed
            logger=logging.getLogger("dicegames.websockets"),
        )

    def stop_listening(self) -> None:
        """Say goodbye to everyone; `wait_closed` is when they are gone."""
        self._rounds.write_all()
        if self._server:
            self._server.close(code=CloseCode.RESTARTING, reason="the server is shutting down")

    async def wait_closed(self) -> None:
        if self._server:
            await self._server.wait_closed()

    async def _connected(self, socket: ServerConnection) -> None:
        assert isinstance(socket, Connection)
        house, doorman = self._house, self._lobby.doorman
        link = SocketLink(socket, self._address(socket), house, self._rounds)
        room = ""
        if request := socket.request:
            room = code_in(request.path)
            self._site.visited_as(request.headers.get_all("Host"))
        socket.forget_handshake()
        if refusal := self._refusal(link.address):
            log.info("%s refused: %s", link.address, refusal)
            house.meter.cuts["rate"] += 1
            link.send(encode(Error(code="rate_limited", message=refusal)))
            link.write()
            await socket.close(CloseCode.RATE, "too many connections")
            return
        house.meter.connected += 1
        session = Session(link, self._lobby, house, self._version, room)
        log.info("%s connected", link.address)
        left = False
        try:
            await link.converse(session)
        except ConnectionClosed as closed:
            left = bool(closed.rcvd and closed.rcvd.code == LEAVE and closed.rcvd_then_sent)
            if (cause := _cause(link, closed)) and cause != REDIRECTED:
                house.meter.cuts[cause] += 1
        finally:
            doorman.leaves(link.address)
            log.info("%s %s", link.address, "left" if left else "disconnected")
            await session.closed(left=left)

    def _address(self, socket: ServerConnection) -> str:
        headers = socket.request.headers.get_all("X-Forwarded-For") if socket.request else []
        return client_address(peer_address(socket.transport), headers, self._gate.proxies)

    def _refusal(self, address: str) -> str:
        """Why this one may not come in; nothing if it may, and is counted."""
        if self._lobby.doorman.inside >= self._house.settings.max_connections:
            return "This server is full. Try again later."
        return "" if self._lobby.doorman.enters(address) else "Too many connections from your address."


def _cause(link: SocketLink, closed: ConnectionClosed) -> str | None:
    """Why the server ended a connection; None where it was not the server."""
    if link.cause:
        return link.cause
    if closed.sent is None or closed.rcvd_then_sent:
        return None
    return CAUSES.get(closed.sent.code, "other")

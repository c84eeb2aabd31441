"""The listener: it accepts connections and starts a session for each."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from websockets.asyncio.server import Server as WebSocketServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.server import CloseCode, Error
from dicegames_protocol.network.identity import address_binding, certificate_binding
from dicegames_server.core.room_codes import code_in
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.lobby.session import Session
from dicegames_server.net.batching import Batching
from dicegames_server.net.bind import ACCEPT_BURST, BACKLOG, listening_socket
from dicegames_server.net.connection import Connection
from dicegames_server.net.gate import Gate, peer_address
from dicegames_server.net.socket_peer import CAUSES, REDIRECTED, SocketPeer
from dicegames_server.net.tls.certificate import Certificate
from dicegames_server.net.tls.tls_handshake import TlsHandshake
from dicegames_server.net.web.host_names import HostNameCheck
from dicegames_server.net.web.http import TOO_MANY, Page, response_of, takes_gzip
from dicegames_server.net.web.landing_page import PageRequest, landing_page, no_page
from dicegames_server.net.web.origins import FOREIGN, may_connect
from dicegames_server.net.web.proxy_headers import client_address, is_proxy
from dicegames_server.net.web.static_files import static_files
from dicegames_server.net.web.table_page import table_page
from dicegames_server.room.environment import Environment

log = logging.getLogger("dicegames.transport")
READY_PATH = "/ready"
"""End of the path at which the server says whether it is ready, on the port where people play."""


class Listener:
    """Accepts connections and starts a session for each."""

    def __init__(
        self, environment: Environment, lobby: Lobby, version: str, problem: Callable[[], str] = lambda: ""
    ) -> None:
        """`problem` says why nobody should be sent here; empty if there is nothing."""
        self.ssh_port = 0
        """The port for players over ssh, which the page for browsers names. 0: there is none."""
        self._problem = problem
        self._environment = environment
        self._lobby = lobby
        self._version = version
        self.gate = Gate(environment, lobby.address_limits)
        self._host_names = HostNameCheck(environment.settings.node_url)
        self._batching = Batching()
        self._server: WebSocketServer | None = None
        self._certificate: Certificate | None = None

    @property
    def port(self) -> int:
        assert self._server
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    async def listen(self, certificate: Certificate | None = None) -> None:
        """Start to listen, encrypted if there is a certificate. Raises OSError if the address can't be used."""
        settings = self._environment.settings
        if settings.web:
            static_files()  # read before the first visitor comes
        self._certificate = certificate
        listening = listening_socket(settings.host, settings.port, settings.kernel_buffer)
        self._server = await serve(
            self._connected,
            sock=listening,
            backlog=ACCEPT_BURST,
            compression=None,
            max_size=2 * settings.frame_bytes,
            max_queue=settings.queue_frames,
            process_request=self._answer_plainly,
            open_timeout=settings.handshake_seconds,
            ping_interval=settings.ping_seconds,
            ping_timeout=settings.ping_timeout_seconds,
            close_timeout=settings.close_seconds,
            server_header=None,
            create_connection=self._accepted,  # type: ignore[arg-type]  # called, never subclassed
            logger=logging.getLogger("dicegames.websockets"),
        )
        listening.listen(BACKLOG)  # asyncio has taken the burst for the queue of the kernel as well

    def _accepted(self, *arguments: Any, **settings: Any) -> asyncio.Protocol:
        """The protocol of a connection that was just accepted: TLS first, if there is a certificate."""
        connection = Connection(*arguments, gate=self.gate, **settings)
        if self._certificate is None:
            return connection
        return TlsHandshake(connection, self._certificate, self.gate, self._environment.settings.handshake_seconds)

    def _answer_plainly(self, socket: ServerConnection, request: Request) -> Response | None:
        """Answer a request that wants no websocket: another node asks whether this one is ready, or a browser came."""
        if request.path.endswith(READY_PATH) and request.method in ("GET", "HEAD"):
            problem = self._problem()
            return socket.respond(503 if problem else 200, f"{problem or 'ok'}\n")
        settings, headers = self._environment.settings, request.headers
        hosts = headers.get_all("Host")
        assert isinstance(socket, Connection)
        encrypted = self._encrypted(socket, request)
        if any("websocket" in upgrade.lower() for upgrade in headers.get_all("Upgrade")):
            origins = headers.get_all("Origin")
            ours = may_connect(origins, hosts, settings.origins, settings.node_url, encrypted=encrypted)
            return None if ours else socket.respond(403, FOREIGN)
        visit = PageRequest(request.method, request.path, hosts, encrypted)
        address = client_address(peer_address(socket.transport), headers.get_all("X-Forwarded-For"), self.gate.proxies)
        page = self._page(visit) if self._lobby.address_limits.may_load(address) else TOO_MANY
        return response_of(page, request.method, gzip=takes_gzip(headers.get_all("Accept-Encoding")))

    def _page(self, visit: PageRequest) -> Page:
        settings = self._environment.settings
        if settings.web:
            return table_page(visit, static_files(), ssh_port=self.ssh_port, nodes=bool(settings.node_url))
        return landing_page(visit, ssh_port=self.ssh_port) if settings.page else no_page(visit)

    def _encrypted(self, socket: Connection, request: Request) -> bool:
        """Whether the far end uses TLS: with us, or with a proxy that we trust."""
        if socket.certificate:
            return True
        forwarded = request.headers.get_all("X-Forwarded-Proto")
        return forwarded == ["https"] and is_proxy(peer_address(socket.transport), self.gate.proxies)

    def stop_listening(self) -> None:
        """Accept no more connections, and begin to close all that are open. Call `wait_closed` next."""
        self._batching.write_all()
        for transport in list(self.gate.in_handshake):  # nobody is there yet: do not wait for them
            transport.abort()  # type: ignore[attr-defined]  # of asyncio or uvloop: both have it
        if self._server:
            self._server.close(code=CloseCode.RESTARTING, reason="the server is shutting down")

    async def wait_closed(self) -> None:
        if self._server:
            await self._server.wait_closed()

    async def _connected(self, socket: ServerConnection) -> None:
        assert isinstance(socket, Connection)
        environment, address_limits = self._environment, self._lobby.address_limits
        peer = SocketPeer(socket, self._address(socket), environment, self._batching, self._binding(socket))
        room = ""
        if request := socket.request:
            room = code_in(request.path)
            self._host_names.visited_as(request.headers.get_all("Host"))
        socket.forget_handshake()
        if refusal := self._refusal(peer.address):
            log.info("%s refused: %s", peer.address, refusal)
            environment.metrics.cuts["rate"] += 1
            peer.send(encode(Error(code="rate_limited", message=refusal)))
            peer.write()
            await socket.close(CloseCode.RATE, "too many connections")
            return
        environment.metrics.connected += 1
        session = Session(peer, self._lobby, environment, self._version, room)
        log.info("%s connected", peer.address)
        left = False
        try:
            await peer.converse(session)
        except ConnectionClosed as closed:
            left = bool(closed.rcvd and closed.rcvd.code == CloseCode.LEAVE and closed.rcvd_then_sent)
            if (cause := _cause(peer, closed)) and cause != REDIRECTED:
                environment.metrics.cuts[cause] += 1
        finally:
            address_limits.leaves(peer.address)
            log.info("%s %s", peer.address, "left" if left else "disconnected")
            await session.closed(left=left)

    def _address(self, socket: ServerConnection) -> str:
        headers = socket.request.headers.get_all("X-Forwarded-For") if socket.request else []
        return client_address(peer_address(socket.transport), headers, self.gate.proxies)

    def _binding(self, socket: Connection) -> str:
        """What a proof of our identity is bound to here. Behind a proxy we do not know what clients see."""
        if is_proxy(peer_address(socket.transport), self.gate.proxies):
            return ""
        if socket.certificate:
            return certificate_binding(socket.certificate)
        host, port, *_ = socket.transport.get_extra_info("sockname") or ("", 0)
        return address_binding(str(host), port)

    def _refusal(self, address: str) -> str:
        """Why a client with this address is not let in. Empty: it is let in, and has been counted."""
        if self._lobby.address_limits.inside >= self._environment.settings.max_connections:
            return "This server is full. Try again later."
        return "" if self._lobby.address_limits.enters(address) else "Too many connections from your address."


def _cause(peer: SocketPeer, closed: ConnectionClosed) -> str | None:
    """The cause for which the server ended a connection. None: the server did not end it."""
    if peer.cause:
        return peer.cause
    if closed.sent is None or closed.rcvd_then_sent:
        return None
    return CAUSES.get(closed.sent.code, "other")

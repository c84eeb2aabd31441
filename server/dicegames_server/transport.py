"""Sockets: the only importer of websockets on the server's side."""

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Callable, Iterable
from functools import partial
from http import HTTPStatus
from typing import Any

from websockets.asyncio.server import Server as WebSocketServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import Event, State
from websockets.typing import Origin

from dicegames_protocol.codec import encode
from dicegames_protocol.server_messages import CloseCode, Error
from dicegames_server.admin import Page
from dicegames_server.begun import Begun, begin
from dicegames_server.doorman import Doorman
from dicegames_server.forwarded import client_address, is_proxy, networks
from dicegames_server.house import House
from dicegames_server.link import Link
from dicegames_server.listening import BACKLOG, listening_socket
from dicegames_server.lobby import Lobby
from dicegames_server.rounds import Rounds
from dicegames_server.session import Session

log = logging.getLogger("dicegames.transport")
LEAVE = 1000
"""The close code with which a client says that it leaves for good. Whatever else ends a connection keeps the seat."""
INTERNAL = 1011
READ_BYTES = 16 * 1024
"""Asked of the kernel at once. asyncio asks for 256 KiB, for which malloc maps fresh pages at every single read."""
CONTROL = frozenset({Opcode.PING, Opcode.PONG, Opcode.CLOSE})
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

    def __init__(self, socket: "_Connection", address: str, house: House, rounds: Rounds[Frame]) -> None:
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
        self._waiting: list[str] = []
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
            self.cause = CAUSES.get(code, "other")
            self._closing = asyncio.ensure_future(self.socket.close(code, reason))

    async def converse(self, session: Session) -> None:
        """Hand each frame to the session, one at a time and in order, until ConnectionClosed.

        Whole text frames, which is what clients send, come through `handle`. For somebody who sends anything else the
        library puts the pieces together, from then on.
        """
        try:
            while len(self.socket.recv_messages.frames):  # they came with the handshake
                await self._hand_over(session)
            self._session = session
            self.socket.arrives = partial(self._rounds.arrives, self)
            while True:
                await self._hand_over(session)
        finally:
            self.socket.arrives = self._session = None
            if self._under_way:
                await self._under_way

    async def _hand_over(self, session: Session) -> None:
        frame = await self.socket.recv()
        if self._under_way:
            await self._under_way
        if self._closing:
            await self._closing
            raise ConnectionClosed(None, None)
        await session.receive(frame)

    def handle(self, frame: Frame) -> None:
        """The answer to a command that waits for nothing is ready when this returns: no task was woken for it."""
        if self._closing or self._session is None:
            return  # who is being shown out is not listened to any more
        try:
            text = str(frame.data, "utf-8")
        except UnicodeDecodeError:
            self.socket.queue(frame)
            return
        if self._under_way:
            self._wait(text)
            return
        try:
            coroutine = self._session.begin(text)
            rest = begin(coroutine) if coroutine else None
        except Exception:
            self._failed()
        else:
            if rest:
                self._under_way = asyncio.ensure_future(self._finish(rest, self._session))

    def _wait(self, text: str) -> None:
        self._waiting.append(text)
        if len(self._waiting) > self._most_waiting:
            self.socket.transport.pause_reading()

    async def _finish(self, rest: Begun, session: Session) -> None:
        try:
            await rest
            while self._waiting and not self._closing:
                await session.receive(self._waiting.pop(0))
        except Exception:
            self._failed()
        finally:
            self._under_way = None
            self.socket.transport.resume_reading()

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


def framed(data: bytes) -> bytes:
    """A text frame of a server: it has no mask."""
    size = len(data)
    if size < 126:
        return b"\x81%c%b" % (size, data)
    if size < 65536:
        return b"\x81\x7e%b%b" % (size.to_bytes(2, "big"), data)
    return b"\x81\x7f%b%b" % (size.to_bytes(8, "big"), data)


class _Connection(ServerConnection):
    """A connection that is counted from its first byte on, before anybody has said anything."""

    def __init__(self, *arguments: Any, gate: "Gate", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._gate = gate
        self._knocked = ""
        self.arrives: Callable[[Frame], None] | None = None
        """Who takes whole text frames as they come, before they would be queued for `recv`."""

    def process_event(self, event: Event) -> None:
        if self.arrives and isinstance(event, Frame):
            if event.opcode is Opcode.TEXT and event.fin:
                self.arrives(event)
                return
            if event.opcode not in CONTROL:
                self.arrives = None
        super().process_event(event)

    def queue(self, frame: Frame) -> None:
        """Leave this frame, and whatever comes after it, to `recv`."""
        self.arrives = None
        with contextlib.suppress(EOFError):  # the connection has ended meanwhile
            super().process_event(frame)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if hasattr(transport, "max_size"):  # a transport of asyncio itself
            transport.max_size = READ_BYTES
        peer = peer_address(transport)
        if self._gate.opens_for(peer):
            self._knocked = peer
        else:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._knocked:
            self._gate.goes(self._knocked)
        super().connection_lost(exc)


class Gate:
    """Which bare connections are listened to at all."""

    def __init__(self, house: House, doorman: Doorman) -> None:
        self._doorman = doorman
        self._most = house.settings.max_connections
        self._meter = house.meter
        self.proxies = networks(house.settings.trusted_proxies)
        self._open = 0

    def opens_for(self, peer: str) -> bool:
        crowd = self._open >= self._most + BACKLOG  # beyond what can be told politely
        if crowd or not (is_proxy(peer, self.proxies) or self._doorman.knocks(peer)):
            self._meter.cuts["crowd"] += 1
            return False
        self._open += 1
        return True

    def goes(self, peer: str) -> None:
        self._open -= 1
        if not is_proxy(peer, self.proxies):
            self._doorman.goes(peer)


class Server:
    """Listens, and makes a session of every connection."""

    def __init__(self, house: House, lobby: Lobby, version: str) -> None:
        self._house = house
        self._lobby = lobby
        self._version = version
        self._gate = Gate(house, lobby.doorman)
        self._rounds: Rounds[Frame] = Rounds()
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
            create_connection=partial(_Connection, gate=self._gate),  # type: ignore[arg-type]  # called, never subclassed
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
        assert isinstance(socket, _Connection)
        house, doorman = self._house, self._lobby.doorman
        link = SocketLink(socket, self._address(socket), house, self._rounds)
        if refusal := self._refusal(link.address):
            log.info("%s refused: %s", link.address, refusal)
            house.meter.cuts["rate"] += 1
            link.send(encode(Error(code="rate_limited", message=refusal)))
            link.write()
            await socket.close(CloseCode.RATE, "too many connections")
            return
        house.meter.connected += 1
        session = Session(link, self._lobby, house, self._version)
        log.info("%s connected", link.address)
        left = False
        try:
            await link.converse(session)
        except ConnectionClosed as closed:
            left = bool(closed.rcvd and closed.rcvd.code == LEAVE and closed.rcvd_then_sent)
            if cause := _cause(link, closed):
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


def peer_address(transport: asyncio.BaseTransport) -> str:
    """Where a connection comes from; an IPv4 address looks like one, whatever the socket listens on."""
    name = transport.get_extra_info("peername")
    return str(name[0]).removeprefix("::ffff:") if name else "?"


async def serve_pages(host: str, port: int, answer: Callable[[str, str, str], Page]) -> WebSocketServer:
    """Plain HTTP for whoever runs the server. `answer` is given method, path and authorisation."""

    def respond(connection: ServerConnection, request: Request) -> Response:
        page = answer(request.method, request.path, request.headers.get("Authorization", ""))
        text = page.text.encode()
        body = b"" if request.method == "HEAD" else text
        headers = Headers(
            {
                "Content-Type": page.kind,
                "Content-Length": str(len(text)),
                "Cache-Control": "no-store",
                "Connection": "close",
            }
        )
        return Response(page.status, HTTPStatus(page.status).phrase, headers, body)

    async def nobody(socket: ServerConnection) -> None:
        """Every request is answered with a page, so no websocket is ever opened."""

    return await serve(
        nobody,
        sock=listening_socket(host, port),
        process_request=respond,
        compression=None,
        open_timeout=5,
        server_header=None,
        logger=logging.getLogger("dicegames.websockets"),
    )

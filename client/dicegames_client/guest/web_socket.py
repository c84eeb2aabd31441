"""A websocket to a server. The only importer of websockets in the client."""

import ssl
from dataclasses import replace

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage, InvalidStatus

from dicegames_client.base import visit
from dicegames_client.base.address import Address
from dicegames_client.base.errors import NETWORK, ClientError, network_error
from dicegames_client.base.wire import LOST, Closed
from dicegames_client.guest import trust
from dicegames_client.guest.trust import CONNECT_SECONDS
from dicegames_protocol.network.certificates import certificate_hash
from dicegames_protocol.network.identity import address_binding, certificate_binding

_LARGEST_FRAME = 16 * 1024 * 1024
"""Bytes of the largest message that is accepted."""
GATEWAY_ERRORS = (502, 503, 504)
"""HTTP status codes of a proxy that reaches no server behind it."""


class WebSocket:
    """A Wire over the network."""

    def __init__(self, socket: ClientConnection, *, secure: bool) -> None:
        self._socket = socket
        transport = socket.transport
        self.certificate = b""
        if secure:
            self.certificate = transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
            self.binding = certificate_binding(certificate_hash(self.certificate))
        else:
            host, port, *_ = transport.get_extra_info("peername") or ("", 0)
            self.binding = address_binding(str(host), port)

    async def send(self, text: str) -> None:
        try:
            await self._socket.send(text)
        except ConnectionClosed as closed:
            raise _closed(closed) from None

    async def receive(self) -> str | bytes:
        try:
            return await self._socket.recv()
        except ConnectionClosed as closed:
            raise _closed(closed) from None

    async def close(self, code: int) -> bool:
        await self._socket.close(code)
        return self._socket.close_code == code

    def abort(self) -> None:
        self._socket.transport.abort()


async def open_socket(address: Address) -> WebSocket:
    """Connect to a server that we trust. Raises ClientError."""
    context = await trust.context_for(address)
    try:
        socket = await _connect(address, context)
    except ssl.SSLError as error:
        context = await trust.after_failure(address, error)
        try:
            socket = await _connect(address, context)
        except ssl.SSLError:
            raise trust.shows_another_key(address) from None
    return WebSocket(socket, secure=address.secure)


async def _connect(address: Address, context: ssl.SSLContext | None) -> ClientConnection:
    here = visit.current()
    try:
        return await connect(
            address.url,
            ssl=context,
            compression=None,
            proxy=None,
            additional_headers={"X-Forwarded-For": here.caller} if here else None,
            open_timeout=CONNECT_SECONDS,
            ping_interval=10,
            ping_timeout=10,
            close_timeout=1,
            max_size=_LARGEST_FRAME,
        )
    except ssl.SSLError:
        raise
    except (InvalidMessage, ConnectionResetError) as error:
        told = network_error(error, address.host, address.port, CONNECT_SECONDS)
        if address.secure:
            raise (trust.broken_off(address) if isinstance(error, ConnectionResetError) else told) from None
        hint = f"If it encrypts: {replace(address, secure=True, plain=False).shown}"
        raise ClientError(f"{told.sentence} {hint}", told.code) from None
    except InvalidStatus as error:
        if error.response.status_code in GATEWAY_ERRORS:
            raise ClientError(
                f"{address.place} answers, but its games are not there just now. Try again in a moment.", NETWORK
            ) from None
        raise network_error(error, address.host, address.port, CONNECT_SECONDS) from None
    except (OSError, TimeoutError, InvalidHandshake, EOFError) as error:
        raise network_error(error, address.host, address.port, CONNECT_SECONDS) from None


def _closed(error: ConnectionClosed) -> Closed:
    return Closed(error.rcvd.code if error.rcvd else LOST, error.rcvd.reason if error.rcvd else "")

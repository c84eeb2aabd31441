"""One connection to a server. The only importer of websockets in the client."""

import asyncio
import contextlib
import secrets
import ssl
from dataclasses import replace
from types import TracebackType
from typing import Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage, InvalidStatus

from dicegames_client.base.address import Address
from dicegames_client.base.errors import NETWORK, REFUSED, VERSION, ClientError, network_error
from dicegames_client.base.player_identity import PlayerIdentity
from dicegames_client.guest import known_servers, trust
from dicegames_client.guest.trust import CONNECT_SECONDS
from dicegames_protocol.base import PROTOCOL_MAX, PROTOCOL_MIN
from dicegames_protocol.codec import BadMessage, decode_server, encode
from dicegames_protocol.messages.client import ClientMessage, Hello, Identify
from dicegames_protocol.messages.server import CloseCode, Error, Identified, Redirect, ServerMessage, Welcome
from dicegames_protocol.network.certificates import certificate_facts, certificate_hash
from dicegames_protocol.network.fingerprint import fingerprint
from dicegames_protocol.network.identity import (
    CHALLENGE_BYTES,
    address_binding,
    certificate_binding,
    player_statement,
    server_statement,
)
from dicegames_protocol.network.signatures import Signer, is_signed
from dicegames_protocol.text import strip

NODE_CONNECT_SECONDS = 3.0
"""Timeout of connecting to a node that we were sent to, in seconds.

It is shorter: the node is there, or it is soon replaced.
"""
_LARGEST_FRAME = 16 * 1024 * 1024
"""Bytes of the largest message that is accepted."""
LOST = 1006
NONSENSE = 0
"""Our own code for a connection that we have ended because the server makes no sense."""
GATEWAY_ERRORS = (502, 503, 504)
"""HTTP status codes of a proxy that reaches no server behind it."""
MOST_REDIRECTS = 3
"""Most redirects that are followed in a row."""
FINAL = {
    CloseCode.VERSION: "The server does not speak our version any more.",
    CloseCode.BAD_MESSAGE: "The server did not understand us. Is one of the two out of date?",
    CloseCode.AUTH: "The server does not let us in any more.",
    CloseCode.NO_SUCH_ROOM: "The room is no longer there.",
    CloseCode.RATE: "The server closed the connection: too many messages.",
    CloseCode.REPLACED: "You joined this table from somewhere else; it goes on there.",
}
"""Close codes after which a client does not come back, each with a sentence for the player."""
_EXIT_CODES: dict[str, int] = {"unsupported_version": VERSION, "unavailable": NETWORK}


class Closed(Exception):
    """The connection has ended. Code 1006 (LOST) means that it ended without a close frame."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Refusal(ClientError):
    """The server answers, but refuses us. The sentence says whose words these are."""

    def __init__(self, address: Address, error: Error) -> None:
        self.said = strip(error.message)
        super().__init__(f"{address.place} says: {self.said}", _EXIT_CODES.get(error.code, REFUSED))


class SentOn(Exception):
    """What we asked for is on another node, at `url`."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


class NodeAway(ClientError):
    """The server has sent us to a node that is not there. Another node will have the room soon."""


class ServerLink:
    """Open with `await ServerLink.open(address)`; messages go through `send` and `receive`."""

    def __init__(self, socket: ClientConnection, address: Address) -> None:
        self._socket = socket
        self.address = address
        self.welcome: Welcome
        self.server_id = ""
        """The server's lasting id, proven. Empty: it has none."""
        self.certain = False
        """Whether the proof is bound to this connection, so that nobody can be in between."""
        self.before: known_servers.KnownServer | None = None
        """What was known about the server before this connection."""

    @classmethod
    async def open(
        cls,
        address: Address,
        client: str,
        player: PlayerIdentity | None = None,
        node: Address | None = None,
        server_id: str = "",
    ) -> Self:
        """Connect and exchange greetings. Raises ClientError.

        A server with several nodes may redirect us. `node` is a node that it has sent us to before. `server_id`: it
        must be this very server.
        """
        for _ in range(1 + MOST_REDIRECTS):
            if node is None:
                answer = await cls._greeted(address, client, player, server_id, address.host)
            else:
                try:
                    async with asyncio.timeout(NODE_CONNECT_SECONDS):
                        answer = await cls._greeted(node, client, player, server_id, address.host)
                except TimeoutError:
                    raise NodeAway(
                        f"No answer from {node.place} after {NODE_CONNECT_SECONDS:.0f} s.", NETWORK
                    ) from None
                except Refusal:
                    raise
                except ClientError as error:
                    raise NodeAway(error.sentence, error.code) if error.code == NETWORK else error from None
            if not isinstance(answer, Redirect):
                return answer
            node = address.sent_to(answer.url)
        raise ClientError(f"{address.place} sends us from one machine to the next. Try again in a moment.", NETWORK)

    @classmethod
    async def _greeted(
        cls, address: Address, client: str, player: PlayerIdentity | None, server_id: str, site: str
    ) -> "Self | Redirect":
        context = await trust.context_for(address)
        try:
            socket = await _connect(address, context)
        except ssl.SSLError as error:
            context = await trust.after_failure(address, error)
            try:
                socket = await _connect(address, context)
            except ssl.SSLError:
                raise trust.shows_another_key(address) from None
        self = cls(socket, address)
        challenge = secrets.token_hex(CHALLENGE_BYTES)
        try:
            with contextlib.suppress(Closed):  # refused before our hello: the reason can still be read
                await self.send(Hello(protocol=(PROTOCOL_MIN, PROTOCOL_MAX), client=client, challenge=challenge))
            async with asyncio.timeout(CONNECT_SECONDS):
                answer = await self.receive()
                if isinstance(answer, Welcome):
                    self.welcome = answer
                    self._meet(challenge, server_id)
                    if player and self.server_id:
                        await self._identify(player, site)
                    return self
        except TimeoutError as error:
            self.abort()
            raise network_error(error, address.host, address.port, CONNECT_SECONDS) from None
        except (Closed, BadMessage):
            raise network_error(EOFError(), address.host, address.port, CONNECT_SECONDS) from None
        except ClientError:
            self.abort()
            raise
        if isinstance(answer, Redirect):
            self.abort()
            return answer
        await self.close()
        if isinstance(answer, Error):
            raise Refusal(address, answer)
        raise network_error(EOFError(), address.host, address.port, CONNECT_SECONDS)

    def _meet(self, challenge: str, expected: str) -> None:
        """Check who the server says it is, and remember the server.

        Raises ClientError if it can't prove its id, or if it is another server than the `expected` one.
        """
        welcome, address = self.welcome, self.address
        if expected and welcome.id != expected:
            raise ClientError(
                f"Another server than before answers at {address.place}. Your seat was not shown to it. Ask the host.",
                REFUSED,
            )
        if welcome.id:
            bound = server_statement(welcome.id, challenge, welcome.challenge, self._binding())
            plain = server_statement(welcome.id, challenge, welcome.challenge, "")
            self.certain = is_signed(welcome.id, bound, welcome.bound)
            if not (self.certain or is_signed(welcome.id, plain, welcome.proof)):
                raise ClientError(f"{address.place} says that it is a server which it is not. Ask the host.", REFUSED)
            self.server_id = welcome.id
        proven = self.server_id if self.certain else ""  # else it may be passed on
        self.before = trust.met(address, proven)

    @property
    def shown(self) -> str:
        """Fingerprint of the certificate that the server shows, if it vouches for itself. Empty otherwise."""
        if not self.address.secure:
            return ""
        der = self._socket.transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
        return fingerprint(der) if certificate_facts(der).own else ""

    def _binding(self) -> str:
        """What we see of the way to the server: its certificate, or its address."""
        if not self.address.secure:
            host, port, *_ = self._socket.transport.get_extra_info("peername") or ("", 0)
            return address_binding(str(host), port)
        der = self._socket.transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
        return certificate_binding(certificate_hash(der))

    async def _identify(self, player: PlayerIdentity, site: str) -> None:
        """Prove to the server who we are. Raises Refusal if it finds somebody in between. `site`: the host as typed."""
        signer = Signer(player.seed_for(self.server_id, "" if self.certain else site.lower()))
        binding = self._binding() if self.address.secure else ""
        known = known_servers.known(self.address.place)
        former = () if known and known.taken_over else player.former(self.address)
        proof = signer.sign(player_statement(self.server_id, self.welcome.challenge, binding))
        await self.send(Identify(id="identify", key=signer.key, binding=binding, proof=proof, former=former))
        answer = await self.receive()
        if isinstance(answer, Error) and answer.code == "unauthorized":
            raise Refusal(self.address, answer)
        if isinstance(answer, Identified) and not (known and known.taken_over):
            known_servers.mark_taken_over(self.address.place)

    async def send(self, message: ClientMessage) -> None:
        await self.send_text(encode(message).decode())

    async def send_text(self, text: str) -> None:
        try:
            await self._socket.send(text)
        except ConnectionClosed as closed:
            raise _closed(closed) from None

    async def receive(self) -> ServerMessage:
        """The next message. Raises Closed at the end, and BadMessage for a message that it does not know."""
        return (await self.receive_with_text())[0]

    async def receive_with_text(self) -> tuple[ServerMessage, bytes]:
        """The next message, and its text as it was sent."""
        text = await self.receive_text()
        return decode_server(text), text.encode() if isinstance(text, str) else text

    async def receive_text(self) -> str | bytes:
        try:
            return await self._socket.recv()
        except ConnectionClosed as closed:
            raise _closed(closed) from None

    async def close(self) -> bool:
        """Leave for good. Returns whether the other side has confirmed it."""
        await self._socket.close(CloseCode.LEAVE)
        return self._socket.close_code == CloseCode.LEAVE

    def abort(self) -> None:
        """Drop the connection without a close frame, as a broken network would. The seat is held."""
        self._socket.transport.abort()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def _connect(address: Address, context: ssl.SSLContext | None) -> ClientConnection:
    try:
        return await connect(
            address.url,
            ssl=context,
            compression=None,
            proxy=None,
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

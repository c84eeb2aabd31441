"""One connection to a server: the greeting, who is at the other end, and messages in both directions."""

import asyncio
import contextlib
import secrets
from types import TracebackType
from typing import Self

from dicegames_client.base import visit
from dicegames_client.base.address import Address
from dicegames_client.base.errors import NETWORK, REFUSED, VERSION, ClientError, network_error
from dicegames_client.base.player_identity import PlayerIdentity
from dicegames_client.base.wire import Closed, Wire
from dicegames_client.guest import known_servers, trust
from dicegames_client.guest.trust import CONNECT_SECONDS
from dicegames_protocol.base import PROTOCOL_MAX, PROTOCOL_MIN
from dicegames_protocol.codec import BadMessage, decode_server, encode
from dicegames_protocol.messages.client import ClientMessage, Hello, Identify
from dicegames_protocol.messages.server import CloseCode, Error, Identified, Redirect, ServerMessage, Welcome
from dicegames_protocol.network.certificates import certificate_facts
from dicegames_protocol.network.fingerprint import fingerprint
from dicegames_protocol.network.identity import CHALLENGE_BYTES, player_statement, server_statement
from dicegames_protocol.network.signatures import Signer, is_signed
from dicegames_protocol.text import strip

NODE_CONNECT_SECONDS = 3.0
"""Timeout of connecting to a node that we were sent to, in seconds.

It is shorter: the node is there, or it is soon replaced.
"""
NONSENSE = 0
"""Our own code for a connection that we have ended because the server makes no sense."""
ONLY_HERE = "Over ssh you play on this server only. Type the code of a room."
MOST_REDIRECTS = 3
"""Most redirects that are followed in a row."""
FINAL = {
    CloseCode.VERSION: "The server does not speak our version any more.",
    CloseCode.BAD_MESSAGE: "The server did not understand us. Is one of the two out of date?",
    CloseCode.AUTH: "The server does not let us in any more.",
    CloseCode.NO_SUCH_ROOM: "The room is no longer there.",
    CloseCode.RATE: "The server closed the connection: too many messages.",
    CloseCode.REPLACED: "Your seat was taken over in another window; it goes on there.",
}
"""Close codes after which a client does not come back, each with a sentence for the player."""
_EXIT_CODES: dict[str, int] = {"unsupported_version": VERSION, "unavailable": NETWORK}


class Refusal(ClientError):
    """The server answers, but refuses us. The sentence says whose words these are."""

    def __init__(self, address: Address, error: Error) -> None:
        self.said, self.reason = strip(error.message), error.code
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

    def __init__(self, wire: Wire, address: Address) -> None:
        self._wire = wire
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
        *,
        over_ssh: bool = False,
    ) -> Self:
        """Connect and exchange greetings. Raises ClientError.

        A server with several nodes may redirect us. `node` is a node that it has sent us to before. `server_id`: it
        must be this very server. `over_ssh`: the server is told that this user came over ssh.
        """
        hello = Hello(protocol=(PROTOCOL_MIN, PROTOCOL_MAX), client=client, over_ssh=over_ssh)
        for _ in range(1 + MOST_REDIRECTS):
            if node is None:
                answer = await cls._greeted(address, hello, player, server_id, address.host)
            else:
                try:
                    async with asyncio.timeout(NODE_CONNECT_SECONDS):
                        answer = await cls._greeted(node, hello, player, server_id, address.host, sent=True)
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
        cls,
        address: Address,
        hello: Hello,
        player: PlayerIdentity | None,
        server_id: str,
        site: str,
        *,
        sent: bool = False,
    ) -> "Self | Redirect":
        """`sent`: the server itself has sent us to this address."""
        self = cls(await _wire(address, sent=sent), address)
        challenge = secrets.token_hex(CHALLENGE_BYTES)
        try:
            with contextlib.suppress(Closed):  # refused before our hello: the reason can still be read
                await self.send(hello.but(challenge=challenge))
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
            bound = server_statement(welcome.id, challenge, welcome.challenge, self._wire.binding)
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
        der = self._wire.certificate
        return fingerprint(der) if der and certificate_facts(der).own else ""

    async def _identify(self, player: PlayerIdentity, site: str) -> None:
        """Prove to the server who we are. Raises Refusal if it finds somebody in between. `site`: the host as typed."""
        signer = Signer(player.seed_for(self.server_id, "" if self.certain else site.lower()))
        binding = self._wire.binding if self._wire.certificate else ""
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
        await self._wire.send(text)

    async def receive(self) -> ServerMessage:
        """The next message. Raises Closed at the end, and BadMessage for a message that it does not know."""
        return (await self.receive_with_text())[0]

    async def receive_with_text(self) -> tuple[ServerMessage, bytes]:
        """The next message, and its text as it was sent."""
        text = await self.receive_text()
        return decode_server(text), text.encode() if isinstance(text, str) else text

    async def receive_text(self) -> str | bytes:
        return await self._wire.receive()

    async def close(self) -> bool:
        """Leave for good. Returns whether the other side has confirmed it."""
        return await self._wire.close(CloseCode.LEAVE)

    def abort(self) -> None:
        """Drop the connection without a close frame, as a broken network would. The seat is held."""
        self._wire.abort()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def _wire(address: Address, *, sent: bool) -> Wire:
    """The way to a server. A visitor goes nowhere but to the server that is visited, and where that one sends us."""
    here = visit.current()
    if here is None or sent:
        from dicegames_client.guest.web_socket import open_socket  # loads websockets, which a visit rarely needs

        return await open_socket(address)
    if address.place != here.home.place:
        raise ClientError(ONLY_HERE, REFUSED)
    return await here.connect(address.room or "")

"""How a connection says who its player is: by a signature, and on a further device by a code."""

import hashlib
import secrets

from dicegames_protocol.messages.client import Hello, Identify, Link
from dicegames_protocol.messages.server import Identified, LinkCode
from dicegames_protocol.network.identity import player_statement
from dicegames_protocol.network.signatures import is_signed
from dicegames_server.core.errors import Refused
from dicegames_server.core.peer import Peer
from dicegames_server.core.room_codes import ALPHABET, tidy
from dicegames_server.lobby.server_identity import ServerIdentity
from dicegames_server.storage.players import Players

LINK_SECONDS = 600
"""Seconds for which a code can be used."""
LINK_CHARACTERS = 8
IN_BETWEEN = (
    "You see another certificate than the one of this server. Somebody is in between, or a proxy that should not be."
)


class Identification:
    """Of one connection: its challenge, and the player once that is known."""

    def __init__(self, peer: Peer, server: ServerIdentity, players: Players) -> None:
        self._peer = peer
        self._server = server
        self._players = players
        self._challenge = ""

    def greet(self, hello: Hello) -> dict[str, str]:
        """The fields of `welcome` that show the server's identity. They are proven if the client has asked for it."""
        if not hello.challenge:
            return {"id": self._server.id}
        proof = self._server.prove(hello.challenge, self._peer.binding)
        self._challenge = proof["challenge"]
        return {"id": self._server.id, **proof}

    async def identify(self, message: Identify) -> Identified:
        """Check the proof, and remember who it is. Raises Refused."""
        challenge, self._challenge = self._challenge, ""
        if not challenge:
            raise Refused("bad_message", "Send a challenge with your hello, and say once who you are.")
        if self._peer.binding.startswith("certificate:") and message.binding != self._peer.binding:
            raise Refused("unauthorized", IN_BETWEEN)
        if not is_signed(message.key, player_statement(self._server.id, challenge, message.binding), message.proof):
            raise Refused("unauthorized", "That signature does not fit your key.")
        key = hashlib.sha256(bytes.fromhex(message.key)).hexdigest()
        player = await self._players.player_of(key)
        for bearer in message.former:
            await self._players.take_over(hashlib.sha256(bearer.encode()).hexdigest(), player)
        self._peer.player = player
        return Identified(id=message.id, player=player)

    async def link(self, message: Link) -> LinkCode | Identified:
        """Give a code for another device, or take the code of another one. Raises Refused."""
        if self._peer.player is None:
            raise Refused("unauthorized", "Say who you are first.")
        if message.code is None:
            code = "".join(secrets.choice(ALPHABET) for _ in range(LINK_CHARACTERS))
            await self._players.offer(_hashed(code), self._peer.player, LINK_SECONDS)
            return LinkCode(id=message.id, code=tidy(code), seconds=LINK_SECONDS)
        player = await self._players.redeem(_hashed(message.code), self._peer.player)
        if player is None:
            raise Refused("wrong_password", "There is no such code, or it is too old. Ask for a new one.")
        self._peer.player = player
        return Identified(id=message.id, player=player)


def _hashed(code: str) -> str:
    return hashlib.sha256(tidy(code).encode()).hexdigest()

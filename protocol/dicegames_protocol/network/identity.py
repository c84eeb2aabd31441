"""Who is who: what servers and players sign to prove it.

A server has a lasting key. Its public half is the server's id, however its address is spelled. A player has a key of
its own for each server, so that two servers can't compare notes. Both prove their keys by signing fresh challenges.

A proof may be bound to the way that it came: to the certificate of the connection, or to the address that it reached.
Somebody in between, who passes the challenges on, has another certificate and another address. So a bound proof shows
that there is nobody in between. Without a binding it only shows that the server can be reached from there.
"""

import base64
import hashlib
import hmac

from dicegames_protocol.codec import canonical

CHALLENGE_BYTES = 32
SHORT_BYTES = 10


def certificate_binding(certificate: str) -> str:
    """The binding to a certificate, given by its SHA-256 in hex."""
    return f"certificate:{certificate}"


def address_binding(host: str, port: int) -> str:
    """The binding to the address at which a server was reached without encryption."""
    return f"address:{host.partition('%')[0].removeprefix('::ffff:')}:{port}"


def server_statement(server: str, asked: str, asks: str, binding: str) -> bytes:
    """What a server signs. `asked`: the client's challenge. `asks`: its own. `binding` is empty for the plain proof."""
    return canonical({"asked": asked, "asks": asks, "binding": binding, "for": "dicegames server 1", "server": server})


def player_statement(server: str, asked: str, binding: str) -> bytes:
    """What a player signs for one server. `asked`: the challenge of the server."""
    return canonical({"asked": asked, "binding": binding, "for": "dicegames player 1", "server": server})


def player_seed(secret: bytes, server: str, site: str = "") -> bytes:
    """The seed of a player's key on one server. `secret` never leaves the player's machine.

    `site`: the host as it was typed, where the server's proof is not bound. Whoever passes the id of another server on
    is at another host, so they get another key, which is worth nothing at that server.
    """
    at = f"|at {site}" if site else ""
    return hmac.new(secret, f"dicegames player 1|{server}{at}".encode(), "sha256").digest()


def short_id(server: str) -> str:
    """The id of a server for people to compare: 80 bits of SHA-256, as 16 letters and digits."""
    digest = hashlib.sha256(bytes.fromhex(server)).digest()[:SHORT_BYTES]
    return base64.b32encode(digest).decode().lower()

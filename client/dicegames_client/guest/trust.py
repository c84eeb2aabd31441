"""Which servers we trust: certificates are checked by the system's authorities, or pinned when first seen.

A server with an ordinary certificate is checked as in a browser. A self-signed certificate is remembered: by the
fingerprint in the join line if there is one, else as it was the first time. If a server later shows another
certificate, we do not connect, whatever the reason, until the user allows it (`dicegames-client forget`).
"""

import asyncio
import base64
import contextlib
import ssl
from dataclasses import asdict, dataclass, replace
from typing import Literal

from dicegames_client.base.address import Address
from dicegames_client.base.errors import REFUSED, ClientError, network_error
from dicegames_client.base.saved_state import read_lines, write_lines
from dicegames_protocol.codec import BadMessage, encode, parse_object
from dicegames_protocol.network.fingerprint import fingerprint

SERVERS_FILE = "servers.jsonl"
CONNECT_SECONDS = 10.0
"""Timeout of connecting to a server, in seconds."""
SELF_SIGNED = 18
EXPIRED, WRONG_NAME = 10, (62, 64)
"""SELF_SIGNED, EXPIRED and WRONG_NAME are OpenSSL's codes for what is wrong with a certificate."""


@dataclass(frozen=True, slots=True)
class KnownServer:
    """What we remember about a server."""

    place: str
    trust: Literal["plain", "authority", "pin"]
    certificate: str = ""
    told: bool = False
    """Whether the user was told how well this server is protected."""


_ours: dict[str, bytes] = {}
"""Servers in this process, with their certificates: there is nothing to find out about them."""


def is_ours(place: str, certificate: bytes) -> None:
    _ours[place] = certificate


def known(place: str) -> KnownServer | None:
    return next((server for server in _all() if server.place == place), None)


def is_encrypted(place: str) -> bool:
    """Whether this server has ever shown a certificate. If so, we never use it unencrypted on our own."""
    server = known(place)
    return server is not None and server.trust != "plain"


def with_pin(address: Address) -> Address:
    """The address with the fingerprint that we know, for the people whom we invite."""
    server = known(address.place)
    if not address.secure or server is None or server.trust != "pin":
        return address
    return replace(address, pin=fingerprint(base64.b64decode(server.certificate)))


def forget(place: str) -> bool:
    """Forget the certificate of a server. Returns whether there was one."""
    others = [server for server in _all() if server.place != place]
    there = len(others) < len(_all())
    _write(others)
    return there


async def context_for(address: Address) -> ssl.SSLContext | None:
    """The TLS context for this server; None if it is not encrypted. Raises ClientError if we must not connect."""
    if not address.secure:
        return None
    if address.place in _ours:
        return _pinned(_ours[address.place])
    server = known(address.place)
    pinned = base64.b64decode(server.certificate) if server and server.trust == "pin" else None
    if address.pin and (pinned is None or fingerprint(pinned) != address.pin):
        der = await shown_by(address)
        if fingerprint(der) != address.pin:
            raise ClientError(
                f"The server at {address.place} has another key than the join line says. Somebody may be in between: "
                "ask the host for the line again.",
                REFUSED,
            )
        if pinned is not None:
            raise changed(address)
        remember(address, "pin", der)
        return _pinned(der)
    return _pinned(pinned) if pinned is not None else ssl.create_default_context()


async def after_failure(address: Address, error: ssl.SSLError) -> ssl.SSLContext:
    """A certificate was not accepted: pin it if that is allowed. Raises ClientError if not."""
    server = known(address.place)
    if not isinstance(error, ssl.SSLCertVerificationError):
        raise ClientError(f"{address.place} does not encrypt. Try it without wss://", REFUSED) from None
    if server and server.trust == "pin":
        raise changed(address) from None
    if error.verify_code == EXPIRED:
        raise ClientError(f"The certificate of {address.place} has expired. Tell whoever runs it.", REFUSED) from None
    if error.verify_code in WRONG_NAME:
        raise ClientError(f"The certificate of {address.place} is for another name.", REFUSED) from None
    if error.verify_code != SELF_SIGNED:
        why = error.verify_message.rstrip(".")
        raise ClientError(f"The certificate of {address.place} can't be checked: {why}.", REFUSED) from None
    if server and server.trust == "authority":
        raise changed(address) from None
    der = await shown_by(address)
    remember(address, "pin", der)
    return _pinned(der)


def remember(address: Address, trust: Literal["plain", "authority", "pin"], der: bytes = b"") -> None:
    if address.place in _ours or (trust == "plain" and address.on_this_machine):
        return
    before = known(address.place)
    certificate = base64.b64encode(der).decode()
    if before and (before.trust != "plain" or trust == "plain"):
        return  # an encrypted server keeps its entry until the user forgets it
    _write(
        [
            *(server for server in _all() if server.place != address.place),
            KnownServer(address.place, trust, certificate),
        ]
    )


def first_word(address: Address) -> str:
    """What the user should know at the first visit to this server; empty at later visits."""
    server = known(address.place)
    if server is None or server.told or address.on_this_machine:
        return ""
    _write([replace(other, told=True) if other.place == server.place else other for other in _all()])
    if not address.secure:
        return f"The connection to {address.place} is not encrypted: others on the way could read along."
    if server.trust == "authority" or address.pin:
        return ""
    der = base64.b64decode(server.certificate)
    return f"First time at {address.place}: its key {fingerprint(der)} is remembered from now on."


def _pinned(der: bytes) -> ssl.SSLContext:
    """A TLS context that accepts exactly this certificate, whatever name the server has today."""
    context = ssl.create_default_context(cadata=der)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


async def shown_by(address: Address) -> bytes:
    """The certificate that a server shows. No message is sent to the server."""
    look = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    look.check_hostname = False
    look.verify_mode = ssl.CERT_NONE
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(address.host, address.port, ssl=look)
    except ssl.SSLError:
        raise ClientError(f"{address.place} does not encrypt. Try it without wss://", REFUSED) from None
    except (OSError, TimeoutError) as error:
        raise network_error(error, address.host, address.port, CONNECT_SECONDS) from None
    try:
        shown: bytes | None = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    if not shown:
        raise network_error(EOFError(), address.host, address.port, CONNECT_SECONDS)
    return shown


def changed(address: Address) -> ClientError:
    line = " The line that you were given fits the new key." if address.pin else ""
    return ClientError(
        f"STOP: {address.place} has another key than before. Either the host has made a new one, or somebody is in "
        f"between.{line} Ask the host; only if it is new: dicegames-client forget {address.server}",
        REFUSED,
    )


def _all() -> list[KnownServer]:
    found = []
    for line in read_lines(SERVERS_FILE):
        with contextlib.suppress(BadMessage, TypeError):
            found.append(KnownServer(**parse_object(line)))
    return found


def _write(servers: list[KnownServer]) -> None:
    write_lines(SERVERS_FILE, [encode(asdict(server)).decode() for server in servers])

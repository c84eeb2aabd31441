"""Which servers we trust: certificates are checked by the system's authorities, or pinned when first seen.

A server with an ordinary certificate is checked as in a browser. A self-signed certificate is remembered: by the
fingerprint in the join line if there is one, else as it was the first time. If a server later shows another
certificate, we do not connect, whatever the reason, until the user allows it (`dicegames-client forget`). A host that
was ever encrypted is not spoken to in the clear, unless the user types `ws://`.
"""

import asyncio
import contextlib
import datetime
import ssl
from dataclasses import replace

from dicegames_client.base.address import Address
from dicegames_client.base.command_line import program
from dicegames_client.base.errors import NETWORK, REFUSED, ClientError, network_error
from dicegames_client.guest import known_servers
from dicegames_client.guest.key_verdict import Keys, verdict
from dicegames_protocol.network.certificates import CertificateFacts, certificate_facts
from dicegames_protocol.network.fingerprint import fingerprint

CONNECT_SECONDS = 10.0
"""Timeout of connecting to a server, in seconds."""
NOT_YET_VALID, EXPIRED, SELF_SIGNED, WRONG_NAME, UNKNOWN_AUTHORITY = 9, 10, 18, (62, 64), (19, 20, 21)
"""OpenSSL's codes for what is wrong with a certificate."""


class UnsureKey(ClientError):
    """The server was known before, but its entry is damaged: only the user can say whether `pin` is its key."""

    def __init__(self, address: Address, pin: str) -> None:
        self.pin = pin
        super().__init__(
            f"What this machine knew about {address.place} can't be read any more. The server shows the key {pin}. "
            "Ask the host whether that is right, and join with the line that ends with the key.",
            REFUSED,
        )


_ours: dict[str, bytes] = {}
"""Servers in this process, with their certificates: there is nothing to find out about them."""


def is_ours(place: str, certificate: bytes) -> None:
    _ours[place] = certificate


async def context_for(address: Address) -> ssl.SSLContext | None:
    """The TLS context for this server; None if it is not encrypted. Raises ClientError if we must not connect."""
    if not address.secure:
        if not address.plain:
            _check_clear(address)
        return None
    if address.place in _ours:
        return _pinned(_ours[address.place])
    server = known_servers.known(address.place)
    pin = server.pin if server else None
    if address.pin and address.pin != pin:
        der = await shown_by(address)
        _judge(address, der)
        _check_dates(address, der)
        _pin(address, der)
        return _pinned(der)
    return _pinned(server.der) if server and pin else ssl.create_default_context()


def _check_clear(address: Address) -> None:
    """Raise ClientError if we must not speak to this server without encryption."""
    if known_servers.encrypted_before(address):
        raise _in_the_clear(address)
    server = known_servers.known(address.place)
    if server and server.trust == "ask" and not address.on_this_machine:
        raise ClientError(
            f"What this machine knew about {address.place} can't be read any more, and it may have been encrypted. "
            f"Ask the host. If it was: {replace(address, secure=True).shown}. To start anew with it: "
            f"{program()} forget {address.place}",
            REFUSED,
        )


async def after_failure(address: Address, error: ssl.SSLError) -> ssl.SSLContext:
    """A certificate was not accepted: pin it if that is allowed. Raises ClientError if not."""
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):  # it ended in the middle of the handshake
        raise broken_off(address) from None
    if not isinstance(error, ssl.SSLCertVerificationError):
        raise not_encrypted(address, error) from None
    server = known_servers.known(address.place)
    code = error.verify_code
    if code in WRONG_NAME:
        raise ClientError(f"The certificate of {address.place} is for another name. Check the address.", REFUSED)
    der = await shown_by(address)
    if code in UNKNOWN_AUTHORITY:
        _judge(address, der)
        raise ClientError(
            f"The certificate of {address.place} is from an authority that this machine does not know: "
            f"{_facts(der).issuer}. Tell whoever runs it.",
            REFUSED,
        )
    if server and server.pin:
        _judge(address, der)
    _check_dates(address, der)
    if code != SELF_SIGNED or (server and server.pin):
        why = error.verify_message.rstrip(".")
        raise ClientError(f"The certificate of {address.place} can't be checked: {why}.", REFUSED)
    _judge(address, der)
    if server and server.trust == "ask":
        raise UnsureKey(address, fingerprint(der))
    _pin(address, der)
    return _pinned(der)


def _pin(address: Address, der: bytes) -> None:
    if not address.glance:
        known_servers.remember(address, "pin", der)


def _judge(address: Address, der: bytes) -> None:
    """Raise ClientError if the key that the server shows is not the one that the line names or that we know."""
    server = known_servers.known(address.place)
    authority = bool(server and server.trust == "authority")
    keys = Keys(fingerprint(der), address.pin, server.pin if server else None, authority)
    if sentence := verdict(keys, address.place, address.server):
        raise ClientError(sentence, REFUSED)


def _facts(der: bytes) -> CertificateFacts:
    try:
        return certificate_facts(der)
    except ValueError:
        raise ClientError("The server shows a certificate that can't be read.", REFUSED) from None


def _check_dates(address: Address, der: bytes) -> None:
    """Raise ClientError for a certificate that is no longer valid, or not yet."""
    facts, now = _facts(der), datetime.datetime.now(datetime.UTC)
    if facts.ends < now:
        raise ClientError(
            f"The certificate of {address.place} has expired on {facts.ends:%Y-%m-%d}. Tell whoever runs it.", REFUSED
        )
    if facts.begins > now:
        raise ClientError(
            f"The certificate of {address.place} is not valid before {facts.begins:%Y-%m-%d %H:%M} UTC. "
            "Is the clock of this machine right, and that of the server?",
            REFUSED,
        )


def met(address: Address, id: str) -> known_servers.KnownServer | None:
    """We are connected: remember the server, and its id if it has one. Returns what was known about it before."""
    if address.place in _ours or address.glance:
        return None
    before = known_servers.known(address.place)
    known_servers.remember(address, "authority" if address.secure else "plain")
    clear = not address.secure and before is not None and before.trust in ("pin", "authority")
    if id and not clear:  # what is said in the clear changes nothing about an encrypted server
        known_servers.meet(address, id)
    return before


def first_word(address: Address, before: known_servers.KnownServer | None = None) -> str:
    """What the user should know at the first visit to this server; empty at later visits.

    `before`: what was known about the server before this visit.
    """
    server = known_servers.known(address.place)
    if server and not address.secure and server.trust in ("pin", "authority"):
        return f"The connection to {address.place} is not encrypted now, as you wanted with ws://. It was before."
    if server and before and before.id and server.id != before.id:
        return f"{address.place} is another server than last time. Your games and results there are not the same."
    if server is None or server.told or address.on_this_machine:
        return ""
    known_servers.mark_told(server.place)
    twins = [other.place for other in known_servers.with_certificate(server) if other.place != server.place]
    if not address.secure:
        return f"The connection to {address.place} is not encrypted: others on the way could read along."
    if twins:
        return f"{address.place} is the server that you know as {twins[-1]}: it shows the same key."
    if server.pin is None or address.pin:
        return ""
    return f"First time at {address.place}: its key {server.pin} is remembered from now on."


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
    except ssl.SSLError as error:
        raise not_encrypted(address, error) from None
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


def broken_off(address: Address) -> ClientError:
    """The server ended the connection before it was encrypted. It may be restarting, so we may try again."""
    if not known_servers.encrypted_before(address):
        return network_error(ConnectionResetError(), address.host, address.port, CONNECT_SECONDS)
    return ClientError(
        f"{address.place} breaks off before it is encrypted. It was encrypted when this machine met it: if that does "
        "not change, ask the host.",
        NETWORK,
    )


def not_encrypted(address: Address, error: ssl.SSLError) -> ClientError:
    """No encrypted connection could be made. No sentence here advises to do without encryption."""
    before = known_servers.encrypted_before(address)
    alert = (error.reason or "").lower().replace("_", " ")
    if not alert or any(words in alert for words in ("wrong version", "packet length", "unknown protocol")):
        if before:
            return _in_the_clear(address)
        return ClientError(
            f"{address.place} does not answer as an encrypted server. Ask the host for the line again.", REFUSED
        )
    known = " It was encrypted when this machine met it." if before else ""
    return ClientError(
        f"No encrypted connection to {address.place} can be made ({alert}).{known} If that does not change, ask the "
        "host.",
        REFUSED,
    )


def shows_another_key(address: Address) -> ClientError:
    """The key has changed between two looks."""
    return ClientError(
        f"STOP: {address.place} shows another key each time. Somebody may be in between. Ask the host.", REFUSED
    )


def _in_the_clear(address: Address) -> ClientError:
    return ClientError(
        f"STOP: {address.place} was encrypted when this machine met it, and it is not now. Somebody may be in between. "
        "Ask the host, not over this network. Only if the host has turned encryption off: "
        f"{program()} forget {address.place}",
        REFUSED,
    )

"""The servers that this machine has met: how each was protected, its certificate if we pinned it, and its lasting id.

What was once encrypted stays encrypted. An entry is left only by `dicegames-client forget`.
"""

import base64
from dataclasses import replace
from typing import Literal, Self

from pydantic import model_validator

from dicegames_client.base.address import Address, parse_address
from dicegames_client.base.state.state_files import Records
from dicegames_protocol.base import JsonObject, Model
from dicegames_protocol.network.certificates import certificate_facts
from dicegames_protocol.network.fingerprint import fingerprint

SERVERS_FILE = "servers.jsonl"
EVERYWHERE = "*"
"""Stands for a server whose entry could not be read at all: it may be any."""
Trust = Literal["plain", "authority", "pin", "ask"]
"""How we know a server: unencrypted, by an authority's word, by its own certificate, or known before but its entry is
damaged, so that the user has to say which key is right.
"""


MOST_PLAIN = 500
"""Most unencrypted servers that are remembered. The oldest are forgotten first; an encrypted one never is."""
_STRENGTH: tuple[Trust, ...] = ("plain", "ask", "authority", "pin")
"""From the weakest to the strongest promise."""


class KnownServer(Model):
    """What we remember about a server at one place."""

    place: str
    """Host and port."""
    trust: Trust
    certificate: str = ""
    """The pinned certificate: DER in base64."""
    told: bool = False
    """Whether the user was told how well this server is protected."""
    id: str = ""
    """The server's lasting id, if it has ever proven one here."""
    visited: bool = False
    """Whether the user was at a table there, and more than an announcement vouched for it."""
    taken_over: bool = False
    """Whether this server knows us by our present key, also for the games that we played with an older kind of key."""

    @model_validator(mode="after")
    def _readable(self) -> Self:
        if self.trust == "pin":
            certificate_facts(self.der)
        return self

    @property
    def host(self) -> str:
        return _host(self.place)

    @property
    def pin(self) -> str | None:
        """The fingerprint of the pinned certificate."""
        return fingerprint(self.der) if self.trust == "pin" else None

    @property
    def der(self) -> bytes:
        return base64.b64decode(self.certificate)


def _salvage(found: JsonObject) -> KnownServer:
    place = found.get("place")
    return KnownServer(place=place if isinstance(place, str) and place else EVERYWHERE, trust="ask")


_records: Records[KnownServer] = Records(SERVERS_FILE, KnownServer, _salvage)


def known(place: str) -> KnownServer | None:
    """What is known about the server at this place. None: nothing, so it is the first visit."""
    servers = _records.read()
    found = _at(servers, place)
    if found is None and (_records.newer or any(server.place == EVERYWHERE for server in servers)):
        return KnownServer(place=place, trust="ask")
    return found


def _at(servers: list[KnownServer], place: str) -> KnownServer | None:
    """The entry of a place. After damage there may be several: the one that promises most counts."""
    found = [server for server in servers if server.place == place]
    return max(found, key=lambda server: _STRENGTH.index(server.trust), default=None)


def encrypted_before(address: Address) -> list[KnownServer]:
    """The encrypted servers that we know at the host of this address; on this machine itself, at its port only."""
    servers = [server for server in _records.read() if server.trust in ("authority", "pin")]
    if address.on_this_machine:  # however it is spelled
        here = [(server, parse_address(server.place)) for server in servers]
        return [server for server, at in here if at.on_this_machine and at.port == address.port]
    return [server for server in servers if server.host == address.host.lower()]


def typed_address(typed: str) -> Address:
    """The address that was typed, as it has to be used. Raises ClientError."""
    return as_known(parse_address(typed))


def as_known(address: Address) -> Address:
    """The address as it has to be used: encrypted where its host was ever encrypted, unless `ws://` was typed."""
    if address.secure or address.plain or address.anywhere:
        return address
    before = encrypted_before(address)
    if not before:
        return address
    port = address.port
    if address.any_port and not any(server.place == address.place for server in before):
        port = int(before[-1].place.rpartition(":")[2])
    return replace(address, secure=True, port=port)


def with_pin(address: Address) -> Address:
    """The address with the fingerprint that we know, for the people whom we invite."""
    server = known(address.place)
    return replace(address, pin=server.pin) if address.secure and server and server.pin else address


def remember(address: Address, trust: Trust, der: bytes = b"") -> None:
    """Remember how a server is protected. An encrypted server keeps its entry until the user forgets it."""
    if trust == "plain" and address.on_this_machine:
        return
    certificate = base64.b64encode(der).decode()

    def change(servers: list[KnownServer]) -> list[KnownServer]:
        before = _at(servers, address.place)
        if before and before.trust != "ask" and (before.trust != "plain" or trust == "plain"):
            return servers
        fresh = KnownServer(place=address.place, trust=trust, certificate=certificate, id=before.id if before else "")
        return _bounded([*(server for server in servers if server.place != address.place), fresh])

    _records.change(change)


def _bounded(servers: list[KnownServer]) -> list[KnownServer]:
    """The list without the oldest unencrypted servers, if there are too many."""
    plain = [server for server in servers if server.trust == "plain"]
    gone = {id(server) for server in plain[: max(0, len(plain) - MOST_PLAIN)]}
    return [server for server in servers if id(server) not in gone] if gone else servers


def forget(address: Address) -> bool:
    """Forget all about a server; without a port, about all servers of its host. Returns whether there was anything."""
    unsure = known(address.place)
    gone = [unsure] if unsure and unsure.trust == "ask" else []

    def goes(server: KnownServer) -> bool:
        at = server.host == address.host.lower() if address.any_port else server.place == address.place
        gone.extend([server] if at else [])
        return at

    def change(servers: list[KnownServer]) -> list[KnownServer]:
        kept = [server for server in servers if not goes(server)]
        if any(server.place == EVERYWHERE for server in kept):  # else it would still count as known before
            kept.append(KnownServer(place=address.place, trust="plain"))
        return kept

    _records.change(change)
    return bool(gone)


def mark_told(place: str) -> None:
    _change_one(place, told=True)


def mark_visited(place: str) -> None:
    _change_one(place, visited=True)


def mark_taken_over(place: str) -> None:
    _change_one(place, taken_over=True)


def meet(address: Address, id: str) -> KnownServer | None:
    """A server has proven its id. Remember it; returns what was known about the place before."""
    before = known(address.place)

    def change(servers: list[KnownServer]) -> list[KnownServer]:
        entry = _at(servers, address.place)
        if entry is None:
            trust: Trust = "authority" if address.secure else "plain"
            return _bounded([*servers, KnownServer(place=address.place, trust=trust, id=id)])
        if entry.id == id:
            return servers
        return [server if server is not entry else entry.but(id=id, taken_over=False) for server in servers]

    if before is None or before.id != id:
        _records.change(change)
    return before


def places_of(id: str) -> list[KnownServer]:
    """All places at which the server with this id was met."""
    return [server for server in _records.read() if id and server.id == id]


def with_certificate(server: KnownServer) -> list[KnownServer]:
    """All places at which a server with the same pinned certificate was met."""
    return [other for other in _records.read() if other.trust == "pin" and other.certificate == server.certificate]


def same_server(one: Address, other: Address) -> bool:
    """Whether two addresses lead to the same server, as far as we know."""
    if one.place == other.place:
        return True
    mine, theirs = known(one.place), known(other.place)
    return bool(mine and theirs and mine.id and mine.id == theirs.id)


def _change_one(place: str, **changes: object) -> None:
    """Change one entry. Nothing is written where it is so already."""
    _records.change(lambda servers: [server.but(**changes) if server.place == place else server for server in servers])


def _host(place: str) -> str:
    return place.rpartition(":")[0].strip("[]").lower()

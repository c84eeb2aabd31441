"""The real address of a client behind a proxy, from X-Forwarded-For. The header is trusted only from known proxies.

Anybody can send the header. Each proxy appends the address that it saw, so the list is read from the end: as long as
an address is that of a trusted proxy, the address before it is trusted as well.
"""

import ipaddress
from collections.abc import Iterable, Sequence

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def networks(listed: Iterable[str]) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(entry, strict=False) for entry in listed)


def is_proxy(address: str, trusted: Sequence[Network]) -> bool:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return any(found in network for network in trusted)


def client_address(peer: str, headers: Iterable[str], trusted: Sequence[Network]) -> str:
    """The address that is used for limits and logs."""
    hops = [hop.strip() for header in headers for hop in header.split(",")]
    address = peer
    while hops and is_proxy(address, trusted):
        named = _plain(hops.pop())
        if named is None:
            break
        address = named
    return address


def _plain(hop: str) -> str | None:
    """The address without the port that some proxies add. None if it is not an address."""
    if hop.startswith("["):
        hop = hop[1:].partition("]")[0]
    elif hop.count(":") == 1:
        hop = hop.partition(":")[0]
    try:
        return str(ipaddress.ip_address(hop))
    except ValueError:
        return None

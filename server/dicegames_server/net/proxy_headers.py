"""Who is really at the far end, where a proxy stands in between: X-Forwarded-For, believed only from proxies we know.

Anybody can send the header. Each proxy appends the address that it saw, so the list is read from the end: as long as
the one who says it is a proxy of ours, the next one is believed.
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
    """The address that counts for limits and logs."""
    hops = [hop.strip() for header in headers for hop in header.split(",")]
    address = peer
    while hops and is_proxy(address, trusted):
        named = _plain(hops.pop())
        if named is None:
            break
        address = named
    return address


def _plain(hop: str) -> str | None:
    """The address alone; some proxies add a port."""
    if hop.startswith("["):
        hop = hop[1:].partition("]")[0]
    elif hop.count(":") == 1:
        hop = hop.partition(":")[0]
    try:
        return str(ipaddress.ip_address(hop))
    except ValueError:
        return None

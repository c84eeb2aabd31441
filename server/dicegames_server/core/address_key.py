"""The key under which an address is counted, for limits and bans.

For IPv6 it is the first 64 bits: a home or a rented machine is usually given all addresses below them.
"""

import ipaddress
from hashlib import blake2b


def address_key(address: str) -> str:
    """The IPv4 address itself, or the IPv6 /64 network. Text that is no address stays as it is."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))


def hash_place(address: str) -> str:
    """A short hash of an address key, to compare addresses without keeping them. It is no secret: few bits remain."""
    return blake2b(address_key(address).encode(), digest_size=6, person=b"place").hexdigest()

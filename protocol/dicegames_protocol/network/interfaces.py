"""The addresses at which other machines can reach this one, the most likely first."""

import contextlib
import ipaddress
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ifaddr

VIRTUAL = (
    *("docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "tun", "tap", "wg", "zt", "tailscale", "utun", "lxc"),
    *("hyper-v", "virtualbox", "vmware", "wireguard", "zerotier"),  # as Windows describes them; its names are numbers
)
"""Name prefixes of virtual interfaces, which other machines can rarely reach. In small letters."""
ANYWHERE = ("", "0.0.0.0", "::")


def adapters() -> "Iterable[ifaddr.Adapter]":
    """The network adapters of this machine, as the system tells them. Who only joins never asks for them."""
    import ifaddr

    return ifaddr.get_adapters()


def reachable(host: str) -> list[str]:
    """The addresses at which a server that listens on `host` can be reached. A loopback address works only locally."""
    if host not in ANYWHERE:
        return [host]
    found = list(_all(adapters()))
    if host == "0.0.0.0":
        found = [(name, address) for name, address in found if ":" not in address]
    return ranked(found, default_route())


def ranked(found: Iterable[tuple[str, str]], likely: Sequence[str]) -> list[str]:
    """Addresses, the most promising first. `found` has interface name and address of each; `likely` are preferred."""

    def order(entry: tuple[str, str]) -> tuple[bool, bool, bool]:
        name, address = entry
        return ":" in address, address not in likely, name.lower().startswith(VIRTUAL)

    return [address for _, address in sorted(found, key=order)]


def _all(found: "Iterable[ifaddr.Adapter]") -> Iterable[tuple[str, str]]:
    for adapter in found:
        for ip in adapter.ips:
            text = ip.ip if isinstance(ip.ip, str) else ip.ip[0]
            address = ipaddress.ip_address(text)
            if not address.is_loopback and not address.is_link_local:
                yield adapter.nice_name, text


@dataclass(frozen=True, slots=True)
class LocalNetwork:
    """A network adapter: its addresses here, and the networks that they belong to."""

    name: str
    addresses: tuple[str, ...]
    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]

    def has(self, address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
        """Whether a machine with this address can be in this network."""
        return not address.is_multicast and any(address in network for network in self.networks)


def local_networks(named: Sequence[str] = ()) -> list[LocalNetwork]:
    """The adapters of this machine, the loopback included. `named`: only those with one of these addresses."""
    found = []
    for adapter in adapters():
        ips = [(ip.ip if isinstance(ip.ip, str) else ip.ip[0], ip.network_prefix) for ip in adapter.ips]
        usable = [(text, prefix) for text, prefix in ips if not ipaddress.ip_address(text).is_link_local]
        if named:
            usable = [(text, prefix) for text, prefix in usable if text in named]
        if usable:
            networks = tuple(ipaddress.ip_network(ip, strict=False) for ip in usable)
            found.append(LocalNetwork(adapter.name, tuple(text for text, _ in usable), networks))
    return found


def default_route() -> list[str]:
    """The addresses that this machine would use to reach the internet, IPv4 and IPv6. Nothing is sent."""
    found = []
    for family, anywhere in ((socket.AF_INET, "198.18.0.1"), (socket.AF_INET6, "2001:2::1")):
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((anywhere, 9))
            found.append(str(probe.getsockname()[0]))
    return found

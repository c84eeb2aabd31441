"""Servers on the local network, as they announce themselves. Only for addresses: nothing that they say is trusted.

The only importer of zeroconf in the client. It takes a moment to load, so it is loaded only where it is needed.
"""

import asyncio
import contextlib
import ipaddress
import logging
import os
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from zeroconf import DNSQuestionType, IPVersion, ServiceStateChange
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from dicegames_client.base.address import LOOPBACK, Address
from dicegames_client.guest import trust
from dicegames_protocol.network.announcement import SERVICE, Announcement
from dicegames_protocol.network.interfaces import own_networks, reachable

logging.getLogger("zeroconf").setLevel(logging.CRITICAL)  # a server that can't be reached is just not listed
FIRST_LOOK_SECONDS = 1.3
"""Seconds that the first search takes at most."""
QUIET_SECONDS = 0.5
"""Seconds without a new server after which the first search is complete."""
ANSWER_MS = 1000
"""Milliseconds that a server has to answer with its address."""
MOST_SERVERS = 50
"""Most servers that are kept. Nobody has so many, but somebody may announce more."""


@dataclass(frozen=True, slots=True)
class NearbyServer:
    address: Address
    told: Announcement


class NearbyBrowser:
    """Searches for servers while it is open; `servers` are those that it sees now."""

    def __init__(self) -> None:
        self._found: dict[str, NearbyServer] = {}
        self._zeroconf: AsyncZeroconf | None = None
        self._browser: AsyncServiceBrowser | None = None
        self._asking: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()

    @property
    def servers(self) -> list[NearbyServer]:
        """The servers that speak our protocol, each address once."""
        return list({near.address: near for near in self._found.values() if near.told.understood}.values())

    async def __aenter__(self) -> Self:
        on = interfaces()
        with contextlib.suppress(OSError):  # no network, or none with multicast: nothing to see
            self._zeroconf = AsyncZeroconf(interfaces=on, ip_version=IPVersion.All)
            self._browser = AsyncServiceBrowser(
                self._zeroconf.zeroconf,
                SERVICE,
                handlers=[self._changed],
                question_type=DNSQuestionType.QM,  # a unicast answer may reach another listener here
            )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._asking:
            task.cancel()
        with contextlib.suppress(OSError):
            if self._browser:
                await self._browser.async_cancel()
            if self._zeroconf:
                await self._zeroconf.async_close()

    async def first_look(self) -> list[NearbyServer]:
        """The servers that answer within a moment."""
        if self._browser is None:
            return []
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FIRST_LOOK_SECONDS):
                await self._news.wait()
                while True:
                    self._news.clear()
                    await asyncio.wait_for(self._news.wait(), QUIET_SECONDS)
        return self.servers

    async def each(self) -> AsyncIterator[NearbyServer]:
        """Yield servers as they are found, for FIRST_LOOK_SECONDS."""
        given: set[Address] = set()
        now = asyncio.get_running_loop().time
        until = now() + (FIRST_LOOK_SECONDS if self._browser else 0)
        while (left := until - now()) > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), left)
            self._news.clear()
            for server in self.servers:
                if server.address not in given:
                    given.add(server.address)
                    yield server

    def _changed(self, zeroconf: Any, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        if state_change is ServiceStateChange.Removed:
            self._found.pop(name, None)
        elif name in self._found or len(self._found) < MOST_SERVERS:
            task = asyncio.ensure_future(self._ask(zeroconf, service_type, name))
            self._asking.add(task)
            task.add_done_callback(self._asking.discard)

    async def _ask(self, zeroconf: Any, service_type: str, name: str) -> None:
        info = AsyncServiceInfo(service_type, name)
        if not await info.async_request(zeroconf, ANSWER_MS) or not info.port:
            return
        host = closest(info.parsed_addresses(), own_networks())
        if host is None:
            return
        told = Announcement.read(info.properties)
        plain = Address(host, info.port)
        secure = told.tls or trust.is_encrypted(plain.place)
        self._found[name] = NearbyServer(Address(host, info.port, secure=secure), told)
        self._news.set()


def interfaces() -> list[str]:
    """The interfaces to search on: all, or those that DICEGAMES_INTERFACES names."""
    listed = os.environ.get("DICEGAMES_INTERFACES", "")
    named = [part.strip() for part in listed.split(",") if part.strip()]
    return named or [LOOPBACK, *reachable("")]


def closest(addresses: Iterable[str], networks: Sequence[ipaddress.IPv4Network | ipaddress.IPv6Network]) -> str | None:
    """The address by which we most likely reach a server.

    It prefers this machine, then a network that we are on, then IPv4.
    """
    found = [ipaddress.ip_address(address.partition("%")[0]) for address in addresses]

    def order(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> tuple[bool, bool, bool]:
        return not address.is_loopback, not any(address in network for network in networks), address.version == 6

    return str(min(found, key=order)) if found else None

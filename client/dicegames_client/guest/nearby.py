"""Servers on the local network, as they announce themselves. For addresses only: nothing they say is trusted.

The only importer of zeroconf on the client's side; it takes a moment to load, so it is loaded where it is needed.
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

from dicegames_client.base.address import LOCAL, Address
from dicegames_client.guest import trust
from dicegames_protocol.network.announcement import SERVICE, Announcement
from dicegames_protocol.network.interfaces import own_networks, reachable

logging.getLogger("zeroconf").setLevel(logging.CRITICAL)  # whoever can not be heard is not there
LONGEST = 1.3
"""So long does a first look take at the most, in seconds."""
SETTLED = 0.5
"""When nobody new was heard for so long, those who are there have spoken."""
ANSWER_MS = 1000
MOST = 50
"""More servers than this are not kept: nobody has so many, but somebody may pretend to."""


@dataclass(frozen=True, slots=True)
class Nearby:
    address: Address
    told: Announcement


class Lookout:
    """Looks for servers for as long as it is open; `servers` is what it sees now."""

    def __init__(self) -> None:
        self._found: dict[str, Nearby] = {}
        self._zeroconf: AsyncZeroconf | None = None
        self._browser: AsyncServiceBrowser | None = None
        self._asking: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()

    @property
    def servers(self) -> list[Nearby]:
        """Each once, those that speak our protocol."""
        return list({near.address: near for near in self._found.values() if near.told.understood}.values())

    async def __aenter__(self) -> Self:
        on = interfaces()
        with contextlib.suppress(OSError):  # no network, or none that carries this: then there is nothing to see
            self._zeroconf = AsyncZeroconf(interfaces=on, ip_version=IPVersion.All)
            self._browser = AsyncServiceBrowser(
                self._zeroconf.zeroconf,
                SERVICE,
                handlers=[self._changed],
                question_type=DNSQuestionType.QM,  # an answer to us alone may reach another program that listens here
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

    async def first_look(self) -> list[Nearby]:
        """Who is there, within a moment."""
        if self._browser is None:
            return []
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LONGEST):
                await self._news.wait()
                while True:
                    self._news.clear()
                    await asyncio.wait_for(self._news.wait(), SETTLED)
        return self.servers

    async def each(self) -> AsyncIterator[Nearby]:
        """Servers as they are heard, for as long as a first look may take."""
        given: set[Address] = set()
        now = asyncio.get_running_loop().time
        until = now() + (LONGEST if self._browser else 0)
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
        elif name in self._found or len(self._found) < MOST:
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
        self._found[name] = Nearby(Address(host, info.port, secure=secure), told)
        self._news.set()


def interfaces() -> list[str]:
    """Where we look: everywhere, or where DICEGAMES_INTERFACES says."""
    listed = os.environ.get("DICEGAMES_INTERFACES", "")
    named = [part.strip() for part in listed.split(",") if part.strip()]
    return named or [LOCAL, *reachable("")]


def closest(addresses: Iterable[str], networks: Sequence[ipaddress.IPv4Network | ipaddress.IPv6Network]) -> str | None:
    """The address of a server that we most likely reach: on this machine, on a network that we are on, IPv4."""
    found = [ipaddress.ip_address(address.partition("%")[0]) for address in addresses]

    def order(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> tuple[bool, bool, bool]:
        return not address.is_loopback, not any(address in network for network in networks), address.version == 6

    return str(min(found, key=order)) if found else None

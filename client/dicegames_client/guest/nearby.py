"""Servers on the local network, as they announce themselves. Only for addresses: nothing that they say is trusted.

Each network adapter is searched by itself. A server counts only with an address in the networks of the adapter on which
it was announced: a stranger on the Wi-Fi can't send us to this machine itself, or out into the internet.

The only importer of zeroconf in the client. It takes a moment to load, so it is loaded only where it is needed.
"""

import asyncio
import contextlib
import ipaddress
import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from zeroconf import DNSQuestionType, IPVersion, ServiceStateChange
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from dicegames_client.base import visit
from dicegames_client.base.address import LOOPBACK, Address
from dicegames_client.base.system import hear_own_groups
from dicegames_client.guest import known_servers
from dicegames_protocol.network.announcement import SERVICE, Announcement
from dicegames_protocol.network.interfaces import LocalNetwork, local_networks

logging.getLogger("zeroconf").setLevel(logging.CRITICAL)  # a server that can't be reached is just not listed
FIRST_LOOK_SECONDS = 2.0
"""Seconds that the first search takes at most. A server answers in public once a second, so there must be time for a
second question.
"""
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
        self._found: dict[tuple[str, str], NearbyServer] = {}
        """By adapter, and by the name under which a server announces itself there."""
        self._open: list[tuple[AsyncZeroconf, AsyncServiceBrowser]] = []
        self._asking: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()

    @property
    def servers(self) -> list[NearbyServer]:
        """The servers that speak our protocol, each address once."""
        return list({near.address: near for near in self._found.values() if near.told.understood}.values())

    async def __aenter__(self) -> Self:
        if visit.current():  # a user over ssh has no business in the server's network
            return self
        for network in searched():
            with contextlib.suppress(OSError):  # no network, or none with multicast: nothing to see
                self._open.append(self._search(network))
        return self

    def _search(self, network: LocalNetwork) -> tuple[AsyncZeroconf, AsyncServiceBrowser]:
        search = AsyncZeroconf(interfaces=list(network.addresses), ip_version=network_version(network))
        _hear_only_own(search)

        def changed(zeroconf: Any, service_type: str, name: str, state_change: ServiceStateChange) -> None:
            self._changed(network, zeroconf, service_type, name, state_change)

        browser = AsyncServiceBrowser(
            search.zeroconf,
            SERVICE,
            handlers=[changed],
            question_type=DNSQuestionType.QM,  # a unicast answer may reach another listener here
        )
        return search, browser

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._asking:
            task.cancel()
        for search, browser in self._open:
            with contextlib.suppress(OSError):
                await browser.async_cancel()
                await search.async_close()

    async def first_look(self, *, patient: bool = False) -> list[NearbyServer]:
        """The servers that answer within a moment. `patient`: all that answer in time, also to a second question."""
        if not self._open:
            return []
        if patient:
            await asyncio.sleep(FIRST_LOOK_SECONDS)
            return self.servers
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FIRST_LOOK_SECONDS):
                await self._news.wait()
                while True:
                    self._news.clear()
                    await asyncio.wait_for(self._news.wait(), QUIET_SECONDS)
        return self.servers

    def _changed(
        self, network: LocalNetwork, zeroconf: Any, service_type: str, name: str, change: ServiceStateChange
    ) -> None:
        if change is ServiceStateChange.Removed:
            self._found.pop((network.name, name), None)
        elif (network.name, name) in self._found or len(self._found) < MOST_SERVERS:
            task = asyncio.ensure_future(self._ask(network, zeroconf, service_type, name))
            self._asking.add(task)
            task.add_done_callback(self._asking.discard)

    async def _ask(self, network: LocalNetwork, zeroconf: Any, service_type: str, name: str) -> None:
        info = AsyncServiceInfo(service_type, name)
        if not await info.async_request(zeroconf, ANSWER_MS) or not info.port:
            return
        host = closest(info.parsed_addresses(), network)
        if host is None:
            return
        told = Announcement.read(info.properties)
        address = Address(host, info.port, secure=told.tls, announced=told.name)
        self._found[network.name, name] = NearbyServer(known_servers.as_known(address), told)
        self._news.set()


def network_version(network: LocalNetwork) -> IPVersion:
    versions = {ipaddress.ip_address(address.partition("%")[0]).version for address in network.addresses}
    return IPVersion.All if len(versions) > 1 else IPVersion.V6Only if 6 in versions else IPVersion.V4Only


def _hear_only_own(search: AsyncZeroconf) -> None:
    """Hear only what comes in on the adapter of this search."""
    engine = search.zeroconf.engine  # its sockets have no public name: without them, all adapters are heard
    for ear in (getattr(engine, "_listen_socket", None), *getattr(engine, "_respond_sockets", ())):
        if ear is not None:
            with contextlib.suppress(OSError):
                hear_own_groups(ear)


def searched() -> Sequence[LocalNetwork]:
    """The adapters to search on: all, or those with an address that DICEGAMES_INTERFACES names."""
    listed = os.environ.get("DICEGAMES_INTERFACES", "")
    found = local_networks([part.strip() for part in listed.split(",") if part.strip()])
    return [replace(network, addresses=(LOOPBACK,)) if LOOPBACK in network.addresses else network for network in found]


def closest(addresses: Iterable[str], network: LocalNetwork) -> str | None:
    """The address by which we reach a server that was announced in this network: IPv4 first.

    None where all of them lead elsewhere.
    """
    found = [ipaddress.ip_address(address.partition("%")[0]) for address in addresses]
    there = [address for address in found if network.has(address)]
    return str(min(there, key=lambda address: address.version)) if there else None

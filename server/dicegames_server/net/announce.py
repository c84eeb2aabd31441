"""Announces the server on the local network while it runs. On the server side, only this module imports zeroconf."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Sequence

from zeroconf import IPVersion, NonUniqueNameException, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

from dicegames_protocol.network.announcement import SERVICE, Announcement
from dicegames_server.core.clock import Clock, Handle

log = logging.getLogger("dicegames.announce")
logging.getLogger("zeroconf").setLevel(logging.CRITICAL)  # an unstable network is not worth a log line
ANNOUNCE_CHECK_SECONDS = 2.0
"""Seconds between two checks whether the announcement has changed."""


class Announcer:
    def __init__(self, clock: Clock, port: int, addresses: Sequence[str], tell: Callable[[], Announcement]) -> None:
        """`addresses`: the addresses of the interfaces to announce on. `tell` gives the current announcement."""
        self._clock = clock
        self._port = port
        self._addresses = addresses
        self._tell = tell
        self._zeroconf: AsyncZeroconf | None = None
        self._told = Announcement()
        self._next: Handle | None = None
        self._work: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to announce. If the network does not allow it, that is logged, and the server runs on without it."""
        try:
            self._zeroconf = AsyncZeroconf(interfaces=list(self._addresses), ip_version=IPVersion.All)
            self._told = self._tell()
            registered = await self._zeroconf.async_register_service(self._info(), allow_name_change=True)
            await registered
        except (OSError, NonUniqueNameException) as error:
            log.warning("the local network is not told about this server: %s", error)
            await self.stop()
            return
        log.info("announced on %s", ", ".join(self._addresses))
        self._next = self._clock.call_later(ANNOUNCE_CHECK_SECONDS, self._look)

    async def stop(self) -> None:
        if self._next:
            self._next.cancel()
        zeroconf, self._zeroconf = self._zeroconf, None
        if zeroconf:
            with contextlib.suppress(OSError):
                await zeroconf.async_unregister_all_services()
                await zeroconf.async_close()

    def _look(self) -> None:
        """Update the announcement if something has changed."""
        told = self._tell()
        if told != self._told and self._zeroconf:
            self._told = told
            self._work = asyncio.ensure_future(self._update(self._zeroconf))
        self._next = self._clock.call_later(ANNOUNCE_CHECK_SECONDS, self._look)

    async def _update(self, zeroconf: AsyncZeroconf) -> None:
        with contextlib.suppress(OSError):
            await (await zeroconf.async_update_service(self._info()))

    def _info(self) -> ServiceInfo:
        machine = socket.gethostname().partition(".")[0] or "dicegames"
        return ServiceInfo(
            SERVICE,
            f"{machine}-{self._port}.{SERVICE}",
            port=self._port,
            parsed_addresses=[address.partition("%")[0] for address in self._addresses],
            properties=self._told.properties(),
            server=f"{machine}-{self._port}.local.",
        )

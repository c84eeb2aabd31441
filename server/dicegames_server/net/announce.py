"""The server makes itself known on the local network, as long as it runs. The only importer of zeroconf on its side."""

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
logging.getLogger("zeroconf").setLevel(logging.CRITICAL)  # a network that comes and goes is nothing to complain about
LOOK_EVERY = 2.0


class Announcer:
    def __init__(self, clock: Clock, port: int, addresses: Sequence[str], tell: Callable[[], Announcement]) -> None:
        """`addresses` are those of the interfaces; `tell` gives what is true now."""
        self._clock = clock
        self._port = port
        self._addresses = addresses
        self._tell = tell
        self._zeroconf: AsyncZeroconf | None = None
        self._told = Announcement()
        self._next: Handle | None = None
        self._work: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to announce. A network that does not allow it keeps nobody from playing."""
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
        self._next = self._clock.call_later(LOOK_EVERY, self._look)

    async def stop(self) -> None:
        if self._next:
            self._next.cancel()
        zeroconf, self._zeroconf = self._zeroconf, None
        if zeroconf:
            with contextlib.suppress(OSError):
                await zeroconf.async_unregister_all_services()
                await zeroconf.async_close()

    def _look(self) -> None:
        """Tell anew when something has changed."""
        told = self._tell()
        if told != self._told and self._zeroconf:
            self._told = told
            self._work = asyncio.ensure_future(self._update(self._zeroconf))
        self._next = self._clock.call_later(LOOK_EVERY, self._look)

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

"""Decides which new connections are accepted, before their handshake."""

import asyncio
import logging
import math

from dicegames_server.core.system import open_files
from dicegames_server.core.token_bucket import Bucket
from dicegames_server.lobby.address_limits import AddressLimits
from dicegames_server.net.bind import ACCEPT_BURST, BACKLOG
from dicegames_server.net.web.proxy_headers import is_proxy, networks
from dicegames_server.room.environment import Environment

log = logging.getLogger("dicegames.transport")
RESERVE = 64 + 2 * 3 * ACCEPT_BURST
"""Descriptors that connections never use. Those inside need them: for the data, PostgreSQL, backups and status.

The rest is for connections that were accepted, by two listeners, and have not come here or are not closed yet.
"""
COMPLAIN_SECONDS = 60.0
"""Seconds between two log lines about the same shortage."""


class Gate:
    """Decides which new connections are accepted, before their handshake."""

    def __init__(self, environment: Environment, address_limits: AddressLimits) -> None:
        self._address_limits = address_limits
        self._room = max(1, open_files() - RESERVE)
        """Most connections, in and before their handshake, so that RESERVE descriptors stay free."""
        self._most = min(environment.settings.max_connections + BACKLOG, self._room)
        if self._room < environment.settings.max_connections:
            log.warning(
                "max_connections is %d, but this process may open %d files, so it takes %d connections",
                environment.settings.max_connections,
                open_files(),
                self._room,
            )
        self._complained = -math.inf
        self._environment = environment
        self._metrics = environment.metrics
        self.proxies = networks(environment.settings.trusted_proxies)
        self._open = 0
        self.in_handshake: set[asyncio.BaseTransport] = set()
        """The transports of connections whose handshake is not done. They are aborted when the server stops."""

    def opens_for(self, peer: str) -> bool:
        crowd = self._open >= self._most  # too many to send each an error message
        if crowd:
            self._complain()
        if crowd or not (is_proxy(peer, self.proxies) or self._address_limits.knocks(peer)):
            self._metrics.cuts["crowd"] += 1
            return False
        self._open += 1
        return True

    def _complain(self) -> None:
        now = self._environment.clock.now()
        if now - self._complained >= COMPLAIN_SECONDS:
            self._complained = now
            short = "open files are running short" if self._most == self._room else "there are too many connections"
            log.warning("%s: %d connections are open, and more are cut off", short, self._open)

    def frame_limit(self) -> Bucket:
        """The limit of a connection for frames that are no whole messages, such as pings: the same as for messages."""
        settings = self._environment.settings
        return Bucket(self._environment.clock, settings.messages_per_second, settings.message_burst)

    def flooded(self, peer: str) -> None:
        """A connection has sent too many of these frames and is cut off."""
        log.info("%s floods with frames that are no messages: cut off", peer)
        self._metrics.cuts["rate"] += 1

    def goes(self, peer: str) -> None:
        self._open -= 1
        if not is_proxy(peer, self.proxies):
            self._address_limits.goes(peer)


def peer_address(transport: asyncio.BaseTransport) -> str:
    """The address of the far end. An IPv4 address is written as one, also if the socket listens on IPv6."""
    name = transport.get_extra_info("peername")
    return str(name[0]).removeprefix("::ffff:") if name else "?"

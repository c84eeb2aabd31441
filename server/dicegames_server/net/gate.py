"""Decides which new connections are accepted, before their handshake."""

import asyncio
import logging

from dicegames_server.core.token_bucket import Bucket
from dicegames_server.lobby.address_limits import AddressLimits
from dicegames_server.net.bind import BACKLOG
from dicegames_server.net.proxy_headers import is_proxy, networks
from dicegames_server.room.environment import Environment

log = logging.getLogger("dicegames.transport")


class Gate:
    """Decides which new connections are accepted, before their handshake."""

    def __init__(self, environment: Environment, address_limits: AddressLimits) -> None:
        self._address_limits = address_limits
        self._most = environment.settings.max_connections
        self._environment = environment
        self._metrics = environment.metrics
        self.proxies = networks(environment.settings.trusted_proxies)
        self._open = 0
        self.in_handshake: set[asyncio.BaseTransport] = set()
        """The transports of connections whose handshake is not done. They are aborted when the server stops."""

    def opens_for(self, peer: str) -> bool:
        crowd = self._open >= self._most + BACKLOG  # too many to send each an error message
        if crowd or not (is_proxy(peer, self.proxies) or self._address_limits.knocks(peer)):
            self._metrics.cuts["crowd"] += 1
            return False
        self._open += 1
        return True

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

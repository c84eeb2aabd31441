"""Which bare connections are listened to at all."""

import asyncio

from dicegames_server.lobby.address_limits import Doorman
from dicegames_server.net.bind import BACKLOG
from dicegames_server.net.proxy_headers import is_proxy, networks
from dicegames_server.room.environment import House


class Gate:
    """Which bare connections are listened to at all."""

    def __init__(self, house: House, doorman: Doorman) -> None:
        self._doorman = doorman
        self._most = house.settings.max_connections
        self._meter = house.meter
        self.proxies = networks(house.settings.trusted_proxies)
        self._open = 0

    def opens_for(self, peer: str) -> bool:
        crowd = self._open >= self._most + BACKLOG  # beyond what can be told politely
        if crowd or not (is_proxy(peer, self.proxies) or self._doorman.knocks(peer)):
            self._meter.cuts["crowd"] += 1
            return False
        self._open += 1
        return True

    def goes(self, peer: str) -> None:
        self._open -= 1
        if not is_proxy(peer, self.proxies):
            self._doorman.goes(peer)


def peer_address(transport: asyncio.BaseTransport) -> str:
    """Where a connection comes from; an IPv4 address looks like one, whatever the socket listens on."""
    name = transport.get_extra_info("peername")
    return str(name[0]).removeprefix("::ffff:") if name else "?"

"""The name that people come by, and the one in node_url: clients let nobody send them to another site."""

import logging
from collections.abc import Sequence
from urllib.parse import urlsplit

from dicegames_protocol.network.same_site import same_site

log = logging.getLogger("dicegames.site")


class Site:
    """Says once if people who come can't be sent to the other nodes, long before it is needed."""

    def __init__(self, node_url: str) -> None:
        self._node = _host(node_url)
        self._told = not self._node

    def visited_as(self, hosts: Sequence[str]) -> None:
        """Somebody has come, with these Host headers."""
        if self._told or not hosts:
            return
        visited = _host(f"//{hosts[0]}")
        if visited and not same_site(visited, self._node):
            self._told = True
            log.warning(
                "somebody came by another host name than that of node_url (%s): "
                "their client will not follow when it is sent to another node",
                self._node,
            )


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""

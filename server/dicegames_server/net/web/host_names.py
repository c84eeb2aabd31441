"""Compares the host name that clients connect to with the one in node_url.

Clients do not follow a redirect to another site. So if the names do not belong together, redirects will fail.
"""

import logging
from collections.abc import Sequence
from urllib.parse import urlsplit

from dicegames_protocol.network.same_site import same_site

log = logging.getLogger("dicegames.site")


class HostNameCheck:
    """Logs one warning if clients can't be redirected to the other nodes, long before a redirect is needed."""

    def __init__(self, node_url: str) -> None:
        self._node = _host(node_url)
        self._told = not self._node

    def visited_as(self, hosts: Sequence[str]) -> None:
        """A client has connected with these Host headers: check the first one."""
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

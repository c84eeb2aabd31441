"""Which web pages may open a websocket: our own, and those that the operator names. Programs send no Origin. Pure."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from dicegames_protocol.network.same_site import same_site
from dicegames_server.net.web.landing_page import place_of

FOREIGN = "Pages of other sites may not connect to this server.\n"
_ORIGIN = re.compile(r"(https?)://([^/\s@]+)")
_PORTS = {"http": 80, "https": 443}


def may_connect(
    origins: Sequence[str],
    hosts: Sequence[str],
    configured: Sequence[str] = (),
    node_url: str = "",
    *,
    encrypted: bool = False,
) -> bool:
    """Whether a request with these Origin and Host headers may open a websocket.

    A page is ours if it came from the host and port to which it connects, and with encryption if the request has it.
    With several nodes, it may have come from the site that the name of this node belongs to, with the same encryption.
    """
    if not origins:
        return True
    if len(origins) > 1:
        return False
    if origins[0] in configured:
        return True
    found = _ORIGIN.fullmatch(origins[0])
    page, here = place_of((found[2],), False) if found else None, place_of(hosts, False)
    if not found or page is None or here is None:
        return False
    if encrypted and found[1] != "https":
        return False
    usual = _PORTS[found[1]]
    if (page.host, page.port or usual) == (here.host, here.port or usual):
        return True
    node = urlsplit(node_url)
    plain = "https" if node.scheme == "wss" else "http"
    return "." in page.host and found[1] == plain and bool(node.hostname and same_site(page.host, node.hostname))

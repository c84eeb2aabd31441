"""The table in the browser: which page or file a request gets, and what a browser may do with it. Pure."""

import re

from dicegames_server.core.room_codes import possible_code
from dicegames_server.net.web.http import HTML, Page
from dicegames_server.net.web.landing_page import STRICT, PageRequest, Place, landing_page, place_of
from dicegames_server.net.web.static_files import StaticFiles

IN_A_TERMINAL = "terminal"
"""The query with which the page about terminals is asked for."""
_TYPED = re.compile(r"[A-Za-z0-9-]{1,12}")
"""What somebody may have typed for a code, though it is none. The page says so, and shows the open tables."""


def table_page(request: PageRequest, static: StaticFiles, *, ssh_port: int = 0, nodes: bool = False) -> Page:
    """What a browser gets. `nodes`: rooms may be at other nodes, to which it may be sent on."""
    path, _, query = request.path.partition("?")
    place = place_of(request.hosts, request.encrypted)
    wanted = request.method in ("GET", "HEAD") and place
    if wanted and (asset := static.page(path)):
        return asset
    name = path.rstrip("/").rpartition("/")[2]
    room = path.endswith("/") or possible_code(name)
    tricky = "//" in path  # the page would take what follows for a host
    if not wanted or place is None or query == IN_A_TERMINAL or tricky or not (room or _TYPED.fullmatch(name)):
        return landing_page(request, ssh_port=ssh_port, playable=True)
    return Page(static.index, 200 if room else 404, HTML, _headers(place, nodes))


def _headers(place: Place, nodes: bool) -> dict[str, str]:
    """Own scripts and styles only, nothing inline, no way from a string to markup, and no connection but to us."""
    scheme = "wss" if place.encrypted else "ws"
    port = f":{place.port}" if place.port is not None else ""
    connect = ["'self'"]
    if ":" not in place.host:  # a policy can't name an IPv6 address; 'self' covers it
        connect.append(f"{scheme}://{place.host}{port}")  # old browsers do not take 'self' for websockets
        connect += [f"{scheme}://{place.host}:*", f"{scheme}://*.{place.host}:*"] if nodes else []
    policy = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": " ".join(connect),
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return {**STRICT, "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items())}

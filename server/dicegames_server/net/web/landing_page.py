"""The page for a browser that comes to the port of the game: what this is, and the line with which to join.

Pure: from what is known of a request to a page. It is static: no script, no cookie, nothing is loaded. Whether a room
exists is not said. Two things on it come from the visitor: the Host header and the room code in the path. Each is
taken only if it has the form of a host or of a code; nothing else of a request is ever repeated.
"""

import base64
import hashlib
import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from dicegames_server.core.room_codes import possible_code
from dicegames_server.net.web.http import HTML, Page

LONGEST_HOST = 253
"""Most characters of a host name in the DNS."""
_HTTP_PORT, _HTTPS_PORT, _SSH_PORT = 80, 443, 22
"""Ports that need not be named: the usual ones."""
UV_URL = "https://docs.astral.sh/uv/"
PIPX_URL = "https://pipx.pypa.io/"
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_PORT = re.compile(r"[1-9][0-9]{0,4}")

STYLE = """
:root { color-scheme: light dark; --paper: #fbfaf7; --ink: #1d1f21; --soft: #5c6166; --line: #d9d5cc; --code: #fff;
  --accent: #00577d; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181a; --ink: #e8e6e1; --soft: #a4a9ae; --line: #34383c;
  --code: #1f2225; --accent: #6cc7ee; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1.1rem 2rem; max-width: 44rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 .6rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 1.6rem 0 .3rem; font-size: 1rem; }
p { margin: .4rem 0; }
a { color: var(--accent); }
.room { margin: 1rem 0; }
.room b { display: block; color: var(--accent); font: 700 2rem/1.3 ui-monospace, monospace; letter-spacing: .12em; }
.soft { margin-top: 1.6rem; color: var(--soft); }
code { display: block; margin: .35rem 0; padding: .55rem .7rem; border: 1px solid var(--line); border-radius: .4rem;
  background: var(--code); font: .95rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; user-select: all; }
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
STRICT = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Headers with which a browser runs, loads, frames and passes on nothing."""
IN_BROWSER = '<a href="?">Play in this browser.</a>'
ON_A_COMPUTER = "Open this page on a computer, or read the line out to whoever sits at one."
NO_PAGE = "This is a server for dicegames, which are played in a terminal. A browser can't join here.\n"


@dataclass(frozen=True, slots=True)
class PageRequest:
    """What is known of a request that wants no websocket."""

    method: str
    path: str
    hosts: Sequence[str]
    """All Host headers. A request has one."""
    encrypted: bool = False
    """The visitor's side is encrypted: here, or at a proxy that we trust."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the visitor has found this server."""

    host: str
    port: int | None
    """None: the usual port of the scheme."""
    encrypted: bool

    def address(self, code: str) -> str:
        """What is typed after `join`. The client takes another port than a browser if none is named."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = self.port if self.port is not None else _HTTPS_PORT if self.encrypted else _HTTP_PORT
        named = "" if self.encrypted and port == _HTTPS_PORT else f":{port}"
        return f"{'wss://' if self.encrypted else ''}{host}{named}{f'/{code}' if code else ''}"


def landing_page(request: PageRequest, *, ssh_port: int = 0, playable: bool = False) -> Page:
    """The page for this visitor. `ssh_port`: where the server can be reached by SSH; 0 is nowhere.

    `playable`: the table itself can be had in a browser, too.
    """
    if refused := _refused(request):
        return refused
    place = place_of(request.hosts, request.encrypted)
    if place is None:
        return _text("This request does not say which host it wants (the header Host).\n", 400)
    path = request.path.partition("?")[0]
    code = possible_code(path.rstrip("/").rpartition("/")[2])
    return Page(_html(place, code, ssh_port, playable), 200 if code or path.endswith("/") else 404, HTML, STRICT)


def no_page(request: PageRequest) -> Page:
    """The answer where the page is switched off."""
    return _refused(request) or _text(NO_PAGE, 426, {"Upgrade": "websocket"})


def place_of(hosts: Sequence[str], encrypted: bool) -> Place | None:
    """The place that a Host header names. None if there is not exactly one, or if it is not a host and a port."""
    if len(hosts) != 1 or len(hosts[0]) > LONGEST_HOST + len("[]:65535") or not hosts[0].isascii():
        return None
    named = hosts[0].lower()
    host, colon, digits = named, "", ""
    if not named.endswith("]"):  # the last colon of a bare IPv6 address belongs to it
        host, colon, digits = named.rpartition(":") if ":" in named else (named, "", "")
    if colon and not (_PORT.fullmatch(digits) and int(digits) < 65536):
        return None
    plain = _ipv6(host[1:-1]) if host.startswith("[") and host.endswith("]") else _name_or_ipv4(host)
    return Place(plain, int(digits) if colon else None, encrypted) if plain else None


def _ipv6(text: str) -> str:
    try:
        return "" if "%" in text else str(ipaddress.IPv6Address(text))
    except ValueError:
        return ""


def _name_or_ipv4(text: str) -> str:
    """The host without a dot at the end. Empty if it is none. What ends with a number is an IPv4 address or nothing."""
    name = text.removesuffix(".")
    if len(name) > LONGEST_HOST or not _NAME.fullmatch(name):
        return ""
    if not name.rpartition(".")[2].isdecimal():
        return name
    try:
        return str(ipaddress.IPv4Address(name))
    except ValueError:
        return ""


def _refused(request: PageRequest) -> Page | None:
    if request.method in ("GET", "HEAD"):
        return None
    return _text("Here is a page to read: only GET and HEAD work.\n", 405, {"Allow": "GET, HEAD"})


def _text(sentence: str, status: int, more: dict[str, str] | None = None) -> Page:
    return Page(sentence, status, headers={**STRICT, **(more or {})})


def _html(place: Place, code: str, ssh_port: int, playable: bool) -> str:
    address = place.address(code)
    title = f"Room {code} · dicegames" if code else "dicegames"
    room = f'<p class="room">Room code <b>{escape(code)}</b></p>' if code else ""
    whole = "" if code else "<p>With a room code you get to the table at once; without one you see the open tables.</p>"
    ways = "\n".join(f"<h2>{head}</h2>\n{_lines(*lines)}" for head, lines in _ways(place, code, ssh_port, address))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<h1>Dice games, played together in the terminal</h1>
<p>This is a dicegames server. Each player sits at a computer, with a window in which commands are typed:
PowerShell on Windows, Terminal on macOS and Linux.</p>
{room}{whole}
<p>Type one of these there:</p>
{ways}
<p class="soft">On a phone? {IN_BROWSER if playable else ON_A_COMPUTER}</p>
</body>
</html>
"""


def _ways(place: Place, code: str, ssh_port: int, address: str) -> list[tuple[str, list[str]]]:
    """Heading (HTML) and lines to type of each way to join, the shortest first."""
    ways: list[tuple[str, list[str]]] = []
    if ssh_port:
        port = "" if ssh_port == _SSH_PORT else f"-p {ssh_port} "
        ways.append(("Nothing to install", [f"ssh {port}{f'{code}@' if code else ''}{place.host}"]))
    on = "Windows, macOS, Linux"
    ways += [
        (f"{on}, with {_link('uv', UV_URL)}", [f"uvx dicegames join {address}"]),
        (f"{on}, with {_link('pipx', PIPX_URL)}", ["pipx install dicegames", f"dicegames join {address}"]),
        ("A file that you have downloaded", [f"python3 dicegames.pyz join {address}", f"./dicegames join {address}"]),
        ("dicegames is installed already", [f"dicegames join {address}"]),
    ]
    return ways


def _link(text: str, url: str) -> str:
    return f'<a href="{url}" rel="noreferrer">{text}</a>'


def _lines(*lines: str) -> str:
    return "\n".join(f"<code>{escape(line)}</code>" for line in lines)

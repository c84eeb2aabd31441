"""Addresses as people type and paste them: `KQ7M`, `host`, `host:8765/KQ7M`, `wss://host/KQ7M`, `[::1]:8765`, or a
whole join line. The fingerprint of a certificate may follow the room: `wss://192.168.1.23:8765/KQ7M+mzxw6ytboi…`.
"""

import ipaddress
import re
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from dicegames_client.base.command_line import DEFAULT_PORT
from dicegames_client.base.errors import REFUSED, USAGE, ClientError
from dicegames_protocol.network.fingerprint import PATTERN as _PIN
from dicegames_protocol.network.same_site import same_site

LOOPBACK = "127.0.0.1"
SCHEMES = {"ws": False, "wss": True, "http": False, "https": True}
HARMLESS = re.compile(r"[\w .:/+%\[\]@-]+")
"""What lines to type are made of. Nothing in it means anything to the shell that it is pasted into."""
_CODE = re.compile(r"[A-Za-z0-9]{4,8}|[A-Za-z0-9]{4}-[A-Za-z0-9]{4}")
_HOST = re.compile(r"[\w.:%-]+")
_COMMAND = re.compile(r"^(?:.*?\bdicegames[\w.-]*\s+)?(?:join|watch)\s+", re.IGNORECASE)
_FLAGS = re.compile(r"\s+--ask-password$")


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server, and of a room on it if one was named."""

    host: str
    port: int
    secure: bool = False
    room: str | None = None
    pin: str | None = None
    """The fingerprint that the server's certificate must have."""
    anywhere: bool = False
    """Only a code was typed: the server must still be found, on this machine or on the local network."""
    route: str = ""
    """The part of the path that leads to one of several nodes. It is set only by a redirect of the server."""
    plain: bool = field(default=False, compare=False)
    """`ws://` was typed: the user wants no encryption, whatever is known about the server."""
    any_port: bool = field(default=False, compare=False)
    """No port was typed: `port` is only the usual one."""
    announced: str | None = field(default=None, compare=False)
    """Who the server says it is, if only an announcement on the local network leads to it."""
    glance: bool = field(default=False, compare=False)
    """Only a look at its rooms: the server is not remembered."""

    @property
    def url(self) -> str:
        """The URL to connect to. It names the room as a hint for a proxy in front of several nodes."""
        return f"{'wss' if self.secure else 'ws'}://{self.place}{self.route}/{f'r/{self.room}' if self.room else ''}"

    @property
    def place(self) -> str:
        """Host and port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def server(self) -> str:
        """The server without a room, as it is typed."""
        scheme = "wss://" if self.secure else "ws://" if self.plain else ""
        return f"{scheme}{self.place}"

    @property
    def shown(self) -> str:
        """The address as it is typed after `join`."""
        room, pin = self.room or "", f"+{self.pin}" if self.pin else ""
        return f"{self.server}/{room}{pin}" if room or pin else self.server

    @property
    def page(self) -> str:
        """The page of the room, for a browser. Empty where no browser takes the address: one with a zone (`%eth0`)."""
        if "%" in self.host:
            return ""
        usual = 443 if self.secure else 80
        host = f"[{self.host}]" if ":" in self.host else self.host
        place = host if self.port == usual else self.place
        return f"{'https' if self.secure else 'http'}://{place}/{self.room or ''}"

    @property
    def on_this_machine(self) -> bool:
        if self.host.lower() == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host.partition("%")[0]).is_loopback
        except ValueError:
            return False

    def at(self, room: str) -> "Address":
        return replace(self, room=room)

    def sent_to(self, url: str) -> "Address":
        """The address that this server redirects us to.

        It must be on the same site, and encrypted if this address is. Raises ClientError otherwise.
        """
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            parts, host, port = urlsplit(""), "", None
        secure = parts.scheme == "wss"
        if self.secure and parts.scheme == "ws":
            raise ClientError(f"{self.place} wants to send us on without encryption, and we do not go.", REFUSED)
        if not same_site(self.host, host) or parts.scheme not in ("ws", "wss"):
            raise ClientError(
                f"{self.place} wants to send us to another site, and we do not go. "
                "Whoever runs it: each node_url needs the host that people join.",
                REFUSED,
            )
        route, _, room = parts.path.rpartition("/r/") if "/r/" in parts.path else (parts.path, "", "")
        return replace(
            self,
            host=host,
            port=port or (443 if secure else 80),
            secure=secure,
            room=room or None,
            route=route.rstrip("/"),
            plain=self.plain and host.lower() == self.host.lower(),
            any_port=False,
        )


def parse_address(typed: str) -> Address:
    """Parse what was typed. A bare room code means that the server must still be found. Raises ClientError."""
    text = _tidied(typed)
    if looks_like_code(text):
        return Address(LOOPBACK, DEFAULT_PORT, room=text.upper(), anywhere=True)
    scheme, found, rest = text.partition("://")
    if not found:
        scheme, rest = ("wss" if "+" in text else "ws"), text  # only an encrypted server has a fingerprint
    if scheme.lower() not in SCHEMES or not rest:
        raise _unreadable(typed)
    try:
        parts = urlsplit(f"//{_bracketed(rest)}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _unreadable(typed) from None
    room, plus, pin = parts.path.strip("/").removeprefix("r/").partition("+")
    secure = SCHEMES[scheme.lower()]
    if (
        not host
        or not _HOST.fullmatch(host)
        or _too_long(host)
        or parts.username
        or parts.query
        or parts.fragment
        or (room and not _CODE.fullmatch(room))
        or (plus and not secure)
    ):
        raise _unreadable(typed)
    if plus and not _PIN.fullmatch(pin.lower()):
        raise ClientError("The fingerprint at the end of this line is not whole: it has 26 letters and digits.", USAGE)
    default = 443 if secure else DEFAULT_PORT
    return Address(
        host,
        port if port is not None else default,
        secure,
        room.upper() or None,
        pin.lower() or None,
        plain=bool(found) and not secure,
        any_port=port is None,
    )


def _too_long(host: str) -> bool:
    """Whether no name server knows such a name: a part of a name has at most 63 characters, all of it 253."""
    return len(host) > 253 or (":" not in host and any(not 0 < len(part) < 64 for part in host.rstrip(".").split(".")))


def _tidied(typed: str) -> str:
    """The text without what people often copy with it: a prompt, the command, quotes, line breaks, a full stop."""
    text = typed.strip().removeprefix("$ ")
    text = _FLAGS.sub("", _COMMAND.sub("", text)).strip().strip("\"'`<>").rstrip(".,")
    parts = text.split()
    if "://" in text or all(len(part) == 1 for part in parts):
        return "".join(parts)
    return "/".join(parts) if len(parts) == 2 and looks_like_code(parts[1]) else text


def looks_like_code(text: str) -> bool:
    """Whether the text can be a room code: `KQ7M` and `kq7m`, but not `localhost`.

    A code of more than 4 characters must have a digit or be all in capitals.
    """
    text = text.strip()
    return bool(_CODE.fullmatch(text)) and (any(c.isdigit() for c in text) or text.isupper() or len(text) == 4)


def _bracketed(rest: str) -> str:
    """Add the brackets to an IPv6 address that was typed without them."""
    host, slash, room = rest.partition("/")
    return f"[{host}]{slash}{room}" if host.count(":") > 1 and not host.startswith("[") else rest


def _unreadable(typed: str) -> ClientError:
    return ClientError(
        f'"{typed.strip()[:60]}" is not an address. It looks like 192.168.1.23:8765/KQ7M or wss://host/KQ7M.', USAGE
    )

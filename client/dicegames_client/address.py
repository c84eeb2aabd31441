"""Addresses as people type and paste them: `KQ7M`, `host`, `host:8765/KQ7M`, `wss://host/KQ7M`, `[::1]:8765`."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from dicegames_client.errors import USAGE, ClientError

DEFAULT_PORT = 8765
LOCAL = "127.0.0.1"
_CODE = re.compile(r"[A-Za-z0-9]{4,8}|[A-Za-z0-9]{4}-[A-Za-z0-9]{4}")

_HOST = re.compile(r"[\w.:%-]+")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is, and which room there, if one was named."""

    host: str
    port: int
    secure: bool = False
    room: str | None = None

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'wss' if self.secure else 'ws'}://{host}:{self.port}/"

    @property
    def server(self) -> str:
        """The server without a room, as it is typed."""
        return Address(self.host, self.port, self.secure).shown

    @property
    def shown(self) -> str:
        """As it is typed after `join`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        scheme = "wss://" if self.secure else ""
        return f"{scheme}{host}:{self.port}" + (f"/{self.room}" if self.room else "")


def parse_address(typed: str) -> Address:
    """The address, or ClientError. A bare room code means a server on this machine."""
    text = typed.strip()
    if looks_like_code(text):
        return Address(LOCAL, DEFAULT_PORT, room=text.upper())
    scheme, found, rest = text.partition("://")
    if not found:
        scheme, rest = "ws", text
    if scheme.lower() not in ("ws", "wss") or not rest:
        raise _unreadable(typed)
    try:
        parts = urlsplit(f"//{_bracketed(rest)}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _unreadable(typed) from None
    room = parts.path.strip("/") or None
    if (
        not host
        or not _HOST.fullmatch(host)
        or parts.username
        or parts.query
        or parts.fragment
        or (room and not _CODE.fullmatch(room))
    ):
        raise _unreadable(typed)
    secure = scheme.lower() == "wss"
    default = 443 if secure else DEFAULT_PORT
    return Address(host, port if port is not None else default, secure, room.upper() if room else None)


def looks_like_code(text: str) -> bool:
    """A code has at least one digit or is all capitals: `KQ7M` and `kq7m`, but not `localhost`."""
    return bool(_CODE.fullmatch(text)) and (any(c.isdigit() for c in text) or text.isupper() or len(text) == 4)


def _bracketed(rest: str) -> str:
    """An IPv6 address that was typed without its brackets."""
    host, slash, room = rest.partition("/")
    return f"[{host}]{slash}{room}" if host.count(":") > 1 and not host.startswith("[") else rest


def _unreadable(typed: str) -> ClientError:
    return ClientError(
        f'"{typed.strip()[:60]}" is not an address. It looks like 192.168.1.23:8765/KQ7M or wss://host/KQ7M.', USAGE
    )

"""For whoever runs the server: is it well, how much is going on, and a polite way to stop it.

Pages without side effects are open to whoever reaches the admin address, which is the loopback unless told otherwise.
`drain` wants a token that lies in the data folder, readable for the server's own user only.
"""

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hmac import compare_digest
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from dicegames_protocol.codec import encode
from dicegames_server.house import House
from dicegames_server.lobby import Lobby

TOKEN_FILE = "admin.token"
TEXT = "text/plain; charset=utf-8"
DRAIN_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Page:
    text: str
    status: int = 200
    kind: str = TEXT


class Admin:
    def __init__(self, house: House, lobby: Lobby, version: str, token: str, drain: Callable[[float], None]) -> None:
        """`drain` is called with the seconds that games may take to end."""
        self._house = house
        self._lobby = lobby
        self._version = version
        self._token = token
        self._drain = drain
        self._began = house.clock.now()

    def answer(self, method: str, target: str, authorization: str) -> Page:
        try:
            parts = urlsplit(target)
        except ValueError:
            return Page("That is no address.\n", 400)
        match "GET" if method == "HEAD" else method, parts.path:
            case ("GET", "/healthz"):
                return self._health()
            case ("GET", "/status"):
                return Page(encode(self.status()).decode() + "\n", kind="application/json")
            case ("GET", "/metrics"):
                return self._metrics()
            case ("POST", "/drain"):
                if not self._token or not compare_digest(authorization.encode(), f"Bearer {self._token}".encode()):
                    return Page("The token is missing or wrong.\n", 401)
                return self._begin_to_drain(parse_qs(parts.query).get("within", [""])[0])
            case _:
                return Page("There is /healthz, /status and /metrics.\n", 404)

    def status(self) -> dict[str, Any]:
        house, lobby = self._house, self._lobby
        rooms = list(lobby.rooms)
        return {
            "version": self._version,
            "up_seconds": round(house.clock.now() - self._began),
            "draining": lobby.draining,
            "connections": lobby.doorman.inside,
            "rooms": len(rooms),
            "playing": sum(room.state.playing for room in rooms),
            "players": sum(len(room.state.seats.people) for room in rooms),
            "bots": sum(len(room.state.seats.bots) for room in rooms),
            "spectators": sum(room.audience.watching for room in rooms),
            "moves": house.meter.moves,
            "cuts": dict(house.meter.cuts),
            "most_unsent": house.meter.most_unsent,
            "longest_pause": round(house.meter.longest_lag, 4),
        }

    def _health(self) -> Page:
        return Page("draining\n", 503) if self._lobby.draining else Page("ok\n")

    def _metrics(self) -> Page:
        try:
            from dicegames_server.exposition import CONTENT_TYPE, exposition
        except ImportError:
            return Page("Metrics need one more package: pip install 'dicegames[metrics]'\n", 501)
        return Page(exposition(self._house.meter, self.status()), kind=CONTENT_TYPE)

    def _begin_to_drain(self, within: str) -> Page:
        try:
            seconds = float(within) if within else DRAIN_SECONDS
        except ValueError:
            seconds = -1
        if not 0 <= seconds <= 24 * 3600:
            return Page("'within' is a number of seconds, at most a day.\n", 400)
        self._drain(seconds)
        return Page(encode(self.status()).decode() + "\n", kind="application/json")


def write_token(folder: Path | None) -> str:
    """A new token for this run of the server; without a folder there is none, and nobody can drain from outside."""
    if folder is None:
        return ""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    token = secrets.token_urlsafe(32)
    handle = os.open(folder / TOKEN_FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(token)
    return token

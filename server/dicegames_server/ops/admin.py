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
from urllib.parse import parse_qs, urlsplit

from dicegames_protocol.codec import encode
from dicegames_server.core.metrics import Meter
from dicegames_server.ops.status import Status
from dicegames_server.settings import SettingsError

TOKEN_FILE = "admin.token"
TEXT = "text/plain; charset=utf-8"
DRAIN_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Page:
    text: str
    status: int = 200
    kind: str = TEXT


class Admin:
    def __init__(self, meter: Meter, status: Status, token: str, drain: Callable[[float], None]) -> None:
        """`drain` is called with the seconds that games may take to end."""
        self._meter = meter
        self._status = status
        self._token = token
        self._drain = drain

    def answer(self, method: str, target: str, authorization: str) -> Page:
        try:
            parts = urlsplit(target)
        except ValueError:
            return Page("That is no address.\n", 400)
        match "GET" if method == "HEAD" else method, parts.path:
            case ("GET", "/healthz"):
                return self._health(503)
            case ("GET", "/ready"):  # balancers that end connections to what is ill keep those to what is not there
                return self._health(404)
            case ("GET", "/status"):
                return self._told()
            case ("GET", "/metrics"):
                return self._metrics()
            case ("POST", "/drain"):
                if not self._token or not compare_digest(authorization.encode(), f"Bearer {self._token}".encode()):
                    return Page("The token is missing or wrong.\n", 401)
                return self._begin_to_drain(parse_qs(parts.query).get("within", [""])[0])
            case _:
                return Page("There is /healthz, /ready, /status and /metrics.\n", 404)

    def _told(self) -> Page:
        return Page(encode(self._status.told()).decode() + "\n", kind="application/json")

    def _health(self, otherwise: int) -> Page:
        problem = self._status.problem
        return Page(f"{problem}\n", otherwise) if problem else Page("ok\n")

    def _metrics(self) -> Page:
        try:
            from dicegames_server.ops.prometheus import CONTENT_TYPE, exposition
        except ImportError:
            return Page("Metrics need one more package: pip install 'dicegames[metrics]'\n", 501)
        return Page(exposition(self._meter, self._status.told()), kind=CONTENT_TYPE)

    def _begin_to_drain(self, within: str) -> Page:
        try:
            seconds = float(within) if within else DRAIN_SECONDS
        except ValueError:
            seconds = -1
        if not 0 <= seconds <= 24 * 3600:
            return Page("'within' is a number of seconds, at most a day.\n", 400)
        self._drain(seconds)
        return self._told()


def write_token(folder: Path | None) -> str:
    """A new token for this run of the server; without a folder there is none, and nobody can drain from outside."""
    if folder is None:
        return ""
    token = secrets.token_urlsafe(32)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(folder / TOKEN_FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise SettingsError(f"The folder {folder} can't be used: {(error.strerror or str(error)).lower()}.") from None
    with os.fdopen(handle, "w") as file:
        file.write(token)
    return token

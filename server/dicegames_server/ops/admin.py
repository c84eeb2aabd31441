"""The admin pages, for the operator: health, status, metrics, and draining.

Pages without side effects are open to everybody who can reach the admin address, which is the loopback by default.
`drain` needs a token. It is in a file in the data folder that only the server's own user can read.
"""

import os
import secrets
from collections.abc import Callable
from hmac import compare_digest
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from dicegames_protocol.codec import encode
from dicegames_protocol.system.private_files import open_private, private_folder
from dicegames_server.core.metrics import Metrics
from dicegames_server.net.web.http import Page
from dicegames_server.ops.status import Status
from dicegames_server.settings import SettingsError

TOKEN_FILE = "admin.token"
DRAIN_SECONDS = 600.0
"""Seconds after which a draining server stops anyway, if the request does not say."""


class Admin:
    def __init__(self, metrics: Metrics, status: Status, token: str, drain: Callable[[float], None]) -> None:
        """`drain` is called with the seconds that running games have to end."""
        self._metrics = metrics
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
            case ("GET", "/ready"):  # on 503 some balancers cut open connections, on 404 they do not
                return self._health(404)
            case ("GET", "/status"):
                return self._told()
            case ("GET", "/metrics"):
                return self._metrics_page()
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

    def _metrics_page(self) -> Page:
        try:
            from dicegames_server.ops.prometheus import CONTENT_TYPE, metrics_text
        except ImportError:
            return Page("Metrics need one more package: pip install 'dicegames[metrics]'\n", 501)
        return Page(metrics_text(self._metrics, self._status.told()), kind=CONTENT_TYPE)

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
    """Write a new token for this run of the server to a file, and return it. Raises SettingsError if that fails.

    Without a folder the token is empty, and the server can't be drained over HTTP.
    """
    if folder is None:
        return ""
    token = secrets.token_urlsafe(32)
    try:
        private_folder(folder)
        handle = open_private(folder / TOKEN_FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    except OSError as error:
        raise SettingsError(f"The folder {folder} can't be used: {(error.strerror or str(error)).lower()}.") from None
    with os.fdopen(handle, "w") as file:
        file.write(token)
    return token

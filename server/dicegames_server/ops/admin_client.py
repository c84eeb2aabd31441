"""`dicegames-server status` and `drain`: they query a running server at its admin address."""

import http.client
import time
from collections.abc import Iterator, Mapping
from typing import Any

from dicegames_protocol.codec import parse_object
from dicegames_protocol.network.identity import short_id
from dicegames_protocol.text import strip
from dicegames_server.net.web.http import HTML
from dicegames_server.ops.admin import TOKEN_FILE
from dicegames_server.settings import Settings, split_address
from dicegames_server.storage import data_folder

ANSWER_SECONDS = 5.0
"""Timeout of a request, in seconds."""
STATUS_CHECK_SECONDS = 0.5
"""Seconds between two checks whether a draining server has stopped."""
SOON_DAYS = 14
"""Days before its end from which a certificate should be renewed."""
NETWORK, REFUSED = 3, 4
"""Exit codes: the server can't be reached; the request was refused or can't be made."""


class AdminError(Exception):
    """A request that failed or can't be made. str() is a sentence for the operator, `code` the exit code."""

    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(sentence)
        self.code = code


def status(settings: Settings) -> dict[str, Any]:
    return _read(settings, _ask(settings, "GET", "/status"))


def drain(settings: Settings, within: float) -> dict[str, Any]:
    """Make a server begin to drain. Returns its status. Raises AdminError."""
    folder = data_folder(settings)
    if folder is None:
        raise AdminError("A server that keeps its rooms in memory can't be drained: end it with Ctrl-C.", REFUSED)
    try:
        token = (folder / TOKEN_FILE).read_text()
    except OSError as error:
        why = error.strerror or error
        raise AdminError(
            f"The token in {folder} can't be read ({why}). "
            "Use the --config of the server, or its --data and --port, and its user.",
            REFUSED,
        ) from None
    asked = _ask(settings, "POST", f"/drain?within={within:g}", {"Authorization": f"Bearer {token}"})
    return _read(settings, asked)


def wait_for_the_end(settings: Settings) -> None:
    """Wait until a draining server has stopped. Raises AdminError."""
    while True:
        try:
            status(settings)
        except AdminError as error:
            if error.code == NETWORK:
                return
            raise
        time.sleep(STATUS_CHECK_SECONDS)


def _ask(settings: Settings, method: str, path: str, headers: Mapping[str, str] | None = None) -> str:
    where = split_address(settings.admin)
    if where is None:
        raise AdminError("The setting 'admin' is empty: there is no address to ask at.", REFUSED)
    connection = http.client.HTTPConnection(*where, timeout=ANSWER_SECONDS)
    try:
        connection.request(method, path, headers={**(headers or {}), "Content-Length": "0"})
        answer = connection.getresponse()
        text = answer.read().decode()
    except ConnectionRefusedError:
        raise AdminError(f"No server answers at {settings.admin}. Is it running?", NETWORK) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise AdminError(f"The server at {settings.admin} gives no answer: {error}.", NETWORK) from None
    finally:
        connection.close()
    if _is_for_players(answer):
        raise AdminError(f"{settings.admin} is where people play. The setting 'admin' names another port.", REFUSED)
    if answer.status != http.HTTPStatus.OK:
        raise AdminError(strip(text)[:200].strip() or f"{settings.admin} does not want to answer.", REFUSED)
    return text


def _is_for_players(answer: http.client.HTTPResponse) -> bool:
    """Whether it is the port of the game that has answered: with its page, or as one without a page does."""
    not_here = (http.HTTPStatus.UPGRADE_REQUIRED, http.HTTPStatus.METHOD_NOT_ALLOWED)
    return answer.status in not_here or answer.getheader("Content-Type") == HTML


def _read(settings: Settings, text: str) -> dict[str, Any]:
    try:
        return parse_object(text)
    except ValueError:
        raise AdminError(f"What answers at {settings.admin} is not a dicegames server.", REFUSED) from None


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def lines(told: Mapping[str, Any]) -> Iterator[str]:
    """The status as lines of text for people."""
    hours, minutes = divmod(told["up_seconds"] // 60, 60)
    yield f"dicegames {told['version']}, up {hours} h {minutes:02} min" + (", draining" if told["draining"] else "")
    yield f"rooms        {told['rooms']} ({told['playing']} playing)"
    yield f"players      {told['players']}, bots {told['bots']}, spectators {told['spectators']}"
    yield f"connections  {told['connections']}"
    yield f"moves        {told['moves']}"
    cuts = ", ".join(f"{cause} {count}" for cause, count in sorted(told["cuts"].items()))
    yield f"ended by us  {cuts or 'nobody'}"
    if told.get("id"):
        yield f"server id    {short_id(told['id'])}"
    if "ssh_fingerprint" in told:
        yield f"over ssh     {told['ssh_sessions']}; the host key is {told['ssh_fingerprint']}"
    if "certificate_ends" in told:
        days = int((told["certificate_ends"] - time.time()) // (24 * 3600))
        end = time.strftime("%Y-%m-%d", time.gmtime(told["certificate_ends"]))
        left = "EXPIRED" if days < 0 else _counted(days, "day") + (", RENEW IT" if days < SOON_DAYS else "")
        yield f"certificate  until {end} ({left})"
    if "cluster" in told:
        yield from _of_nodes(told)


def _of_nodes(told: Mapping[str, Any]) -> Iterator[str]:
    shared = told["committed"] / told["commits"] if told["commits"] else 0
    away = "" if told["storage_up"] else ", AWAY"
    yield f"storage      PostgreSQL{away}, {shared:.1f} updates per commit"
    mine = f"this node    {told['url'] or 'no node_url'} ({told['version']})"
    yield mine + (f", {told['problem']}" if told["problem"] else "")
    for node in told["others"]:
        load = f"{_counted(node['rooms'], 'room')}, {_counted(node['connections'], 'connection')}"
        version = f" ({node['version'] or 'of an unknown version'})"
        marks = ", takes no rooms" if node["draining"] else ""
        yield f"other node   {node['url'] or 'no node_url'}{version}: {load}{marks}"
    total = told["cluster"]
    yield (
        f"all nodes    {total['nodes']}: {_counted(total['rooms'], 'room')} ({total['playing']} playing), "
        f"{_counted(total['players'], 'player')}, {_counted(total['connections'], 'connection')}"
    )

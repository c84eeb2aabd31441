"""`host`: the server, in this very process."""

import errno
import os
import socket
from typing import TYPE_CHECKING

from dicegames_client.address import Address
from dicegames_client.errors import USAGE, ClientError

if TYPE_CHECKING:
    from dicegames_server.service import Service

LONG = 7 * 24 * 3600
"""A table in somebody's own window waits for friends as long as the window is open."""


async def start_server(host: str, port: int, **settings: object) -> "Service":
    """A server of our own, or ClientError."""
    from dicegames_server.assembly import assemble
    from dicegames_server.settings import SettingsError, load

    try:
        usual = {"host": host, "port": port, "admin": "", "data": "memory", "lobby_idle_seconds": LONG}
        server = assemble(load({**usual, **settings}))
        await server.start()
    except SettingsError as error:
        raise ClientError(str(error), USAGE) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ClientError(
                f"Port {port} is already in use. Are you hosting in another window? Name another with --port.", USAGE
            ) from None
        why = os.strerror(error.errno).lower() if error.errno else str(error)
        raise ClientError(f"Can't listen on {host} port {port}: {why}.", USAGE) from None
    return server


def own_address(host: str, port: int) -> Address:
    """How this process reaches its own server."""
    anywhere = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}
    return Address(anywhere.get(host, host), port)


def join_address(host: str, port: int) -> Address:
    """What friends type. Where we listen everywhere, the address that this machine's name stands for."""
    if host not in ("0.0.0.0", "", "::"):
        return Address(host, port)
    try:
        found = socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET, socket.SOCK_STREAM)
        others = [str(entry[4][0]) for entry in found if not str(entry[4][0]).startswith("127.")]
    except OSError:
        others = []
    return Address(others[0] if others else socket.gethostname(), port)

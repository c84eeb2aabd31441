"""`host`: the wish for a table from the command line, and the server for it in this very process."""

import argparse
import errno
import os
from typing import TYPE_CHECKING, Any

from dicegames_client.base.address import DEFAULT_PORT, Address
from dicegames_client.base.errors import USAGE, ClientError
from dicegames_protocol.messages.client import Create
from dicegames_protocol.network.interfaces import ANYWHERE, reachable

if TYPE_CHECKING:
    from dicegames_server.app.service import Service

LONG = 7 * 24 * 3600
"""A table in somebody's own window waits for friends as long as the window is open."""
FAST = 0.15
"""How long bots think with --fast-bots, in seconds."""
USUAL_SEATS = 8
"""What a room has if nobody says how many."""
DEFAULTS: dict[str, Any] = {
    "bots": 0,
    "level": None,
    "no_bots": False,
    "fast_bots": False,
    "quiet_bots": False,
    "seats": None,
    "now": False,
    "private": False,
    "turn_limit": 0,
    "bind": "",
    "port": DEFAULT_PORT,
    "on": None,
    "announce": True,
    "tls": None,
    "tls_cert": None,
    "tls_key": None,
}
"""The flags of `host`, for a table that is opened from the start screen."""


def with_defaults(arguments: argparse.Namespace) -> argparse.Namespace:
    return argparse.Namespace(**{**DEFAULTS, **vars(arguments)})


def wish(
    arguments: argparse.Namespace, game: str, options: dict[str, Any], names: list[str], password: str | None
) -> tuple[Create, int]:
    """The table that is asked for, and the number of bots at it."""
    if arguments.no_bots and arguments.bots:
        raise ClientError("--bots and --no-bots do not go together.", USAGE)
    if arguments.level not in (None, "easy", "steady", "expert"):
        raise ClientError("--level must be easy, steady or expert.", USAGE)
    bots = _in_range(arguments.bots, "--bots", 0, 1000) or 0
    seats = _in_range(arguments.seats, "--seats", 1, 1000)
    if seats is None and bots + len(names) > USUAL_SEATS:
        seats = bots + len(names)  # the server says no where the game takes fewer
    create = Create(
        id="create",
        game=game,
        options=options,
        public=not arguments.private,
        password=password,
        seats=seats,
        turn_limit=_in_range(arguments.turn_limit, "--turn-limit", 0, 3600) or 0,
        bots=not arguments.no_bots,
        name=names[0],
    )
    return create, bots


async def start_server(arguments: argparse.Namespace, name: str) -> "Service":
    """A server of our own, or ClientError. `name` is whose table it is."""
    from dicegames_server.app.wiring import assemble
    from dicegames_server.settings import SettingsError, load

    host, port = arguments.bind, _in_range(arguments.port, "--port", 0, 65535) or 0
    wanted: dict[str, object] = {
        "host": host,
        "port": port,
        "admin": "",
        "data": "memory",
        "lobby_idle_seconds": LONG,
        "announce": arguments.announce,
        "tls": arguments.tls or "",
        "tls_cert": arguments.tls_cert or "",
        "tls_key": arguments.tls_key or "",
        **({"bot_seconds": FAST} if arguments.fast_bots else {}),
        **({"bot_talk": False} if arguments.quiet_bots else {}),
    }
    try:
        server = assemble(load(wanted), name=name)
        await server.start()
    except SettingsError as error:
        raise ClientError(str(error), USAGE) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ClientError(
                f"Port {port} is already in use. Are you hosting in another window? Name another with --port.", USAGE
            ) from None
        why = os.strerror(error.errno).lower() if error.errno and error.errno > 0 else str(error)
        raise ClientError(f"Can't listen on {host or 'all addresses'} port {port}: {why}.", USAGE) from None
    return server


def own_address(server: "Service", bind: str) -> Address:
    """How this process reaches its own server."""
    host = {"::": "::1"}.get(bind, "127.0.0.1") if bind in ANYWHERE else bind
    return _address(server, host)


def ways_in(server: "Service", bind: str, room: str) -> list[Address]:
    """How others reach the room, the likely way first."""
    hosts = reachable(bind) or [own_address(server, bind).host]
    return [_address(server, host).at(room) for host in hosts]


def _address(server: "Service", host: str) -> Address:
    certificate = server.certificate
    pin = certificate.fingerprint if certificate else None
    return Address(host, server.port, secure=certificate is not None, pin=pin)


def _in_range(value: int | None, flag: str, low: int, high: int) -> int | None:
    if value is not None and not low <= value <= high:
        raise ClientError(f"{flag} must be {low} to {high}.", USAGE)
    return value

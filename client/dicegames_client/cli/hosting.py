"""`host`: the message that creates the table, from the flags, and a server for it in this process."""

import errno
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from dicegames_client.base.address import Address
from dicegames_client.base.command_line import HostFlags
from dicegames_client.base.errors import USAGE, ClientError
from dicegames_client.enter.table_rows import MOST_BOTS, USUAL_SEATS
from dicegames_protocol.bot_levels import LEVELS
from dicegames_protocol.messages.client import Create
from dicegames_protocol.network.interfaces import ANYWHERE, reachable
from dicegames_protocol.system.failures import reason

if TYPE_CHECKING:
    from dicegames_server.app.service import Service
    from dicegames_server.app.ssh_guests import Run
    from dicegames_server.net.ssh.ssh_door import GuestsFactory
    from dicegames_server.storage.memory import LogKeeper

Visitors = Callable[[], "Run"]
LONG_IDLE_SECONDS = 7 * 24 * 3600
"""Seconds that a waiting room may be idle. The host's own table waits for friends while the window is open."""
FAST_BOT_SECONDS = 0.15
"""Seconds that bots think with --fast-bots."""


def create_message(flags: HostFlags, game: str, names: list[str], password: str | None) -> tuple[Create, int]:
    """The message that creates the table, and the number of bots at it. Raises ClientError for a wrong flag."""
    if flags.no_bots and flags.bots:
        raise ClientError("--bots and --no-bots do not go together.", USAGE)
    if flags.level not in (None, *LEVELS):
        raise ClientError(f"--level must be {', '.join(LEVELS[:-1])} or {LEVELS[-1]}.", USAGE)
    bots = _in_range(flags.bots, "--bots", 0, MOST_BOTS) or 0
    seats = _in_range(flags.seats, "--seats", 1, 1000)
    if seats is None and bots + len(names) > USUAL_SEATS:
        seats = bots + len(names)  # the server refuses it if the game takes fewer players
    create = Create(
        id="create",
        game=game,
        options=dict(flags.options),
        public=not flags.private,
        password=password,
        seats=seats,
        turn_limit=_in_range(flags.turn_limit, "--turn-limit", 0, 3600) or 0,
        bots=not flags.no_bots,
        name=names[0],
    )
    return create, bots


async def start_server(flags: HostFlags, name: str, visitors: Visitors, keeper: "LogKeeper") -> "Service":
    """Start a server in this process. `name` is the player whose table it is. Raises ClientError.

    `visitors` gives the client for friends who come over ssh. `keeper` keeps the logs of the tables.
    """
    from dicegames_server.app.wiring import assemble
    from dicegames_server.settings import SettingsError, load
    from dicegames_server.storage.memory import MemoryStorage

    host, port = flags.bind, _in_range(flags.port, "--port", 0, 65535) or 0
    wanted: dict[str, object] = {
        "host": host,
        "port": port,
        "admin": "",
        "data": "memory",
        "lobby_idle_seconds": LONG_IDLE_SECONDS,
        "bots_per_address": MOST_BOTS,
        "announce": flags.announce,
        "ssh": flags.ssh,
        "tls": flags.tls or "",
        "tls_cert": flags.tls_cert or "",
        "tls_key": flags.tls_key or "",
        **({"bot_seconds": FAST_BOT_SECONDS} if flags.fast_bots else {}),
        **({"bot_talk": False} if flags.quiet_bots else {}),
    }
    try:
        guests = _guests(visitors) if flags.ssh else None
        server = assemble(load(wanted), storage=MemoryStorage(keeper), name=name, guests=guests)
        await server.start()
    except SettingsError as error:
        raise ClientError(str(error), USAGE) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ClientError(
                f"Port {port} is already in use. Are you hosting in another window? Name another with --port.", USAGE
            ) from None
        raise ClientError(f"Can't listen on {host or 'all addresses'} port {port}: {reason(error)}.", USAGE) from None
    return server


def _guests(visitors: Visitors) -> "GuestsFactory":
    try:
        from dicegames_server.app.ssh_guests import SshGuests
    except ImportError:
        raise ClientError("--ssh needs one more package: pip install 'dicegames[ssh]'", USAGE) from None
    return partial(SshGuests, visitors())


def own_address(server: "Service", bind: str) -> Address:
    """The address by which this process reaches its own server."""
    host = {"::": "::1"}.get(bind, "127.0.0.1") if bind in ANYWHERE else bind
    return _address(server, host)


def ways_in(server: "Service", bind: str, room: str) -> list[Address]:
    """The addresses by which others reach the room, the most likely one first."""
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

"""`host`: what the flags say, checked before anything is asked; and a server for the table, in this process."""

import errno
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from dicegames_client.base.address import Address
from dicegames_client.base.command_line import HostFlags
from dicegames_client.base.errors import USAGE, ClientError
from dicegames_client.enter.table_rows import MOST_BOTS, USUAL_SEATS
from dicegames_protocol.games import types_of
from dicegames_protocol.messages.client import Create
from dicegames_protocol.network.interfaces import ANYWHERE, reachable
from dicegames_protocol.options import OptionError
from dicegames_protocol.system.failures import reason

if TYPE_CHECKING:
    from dicegames_server.app.service import Service
    from dicegames_server.app.ssh_guests import Run, SshGuests
    from dicegames_server.settings import Settings
    from dicegames_server.storage.memory import LogKeeper

Visitors = Callable[[], "Run"]
LONG_IDLE_SECONDS = 7 * 24 * 3600
"""Seconds that a waiting room may be idle. The host's own table waits for friends while the window is open."""
FAST_BOT_SECONDS = 0.15
"""Seconds that bots think with --fast-bots."""


def check_flags(flags: HostFlags, *, here: bool) -> None:
    """Raise ClientError for a wrong flag, as far as no game is needed to know it. `here`: the server is ours."""
    if flags.no_bots and flags.bots:
        raise ClientError("--bots and --no-bots do not go together.", USAGE)
    if flags.level and not flags.bots:
        raise ClientError("--level says how well bots play: it needs --bots.", USAGE)
    _check_range(flags.bots, "--bots", 0, MOST_BOTS)
    _check_range(flags.seats, "--seats", 1, 1000)
    _check_range(flags.turn_limit, "--turn-limit", 0, 3600)
    _check_range(flags.port, "--port", 0, 65535)
    if here:
        _check_server(flags)


def table_wish(flags: HostFlags, game: str, people: int) -> Create:
    """The message that creates the table, without a name and a password."""
    seats = flags.seats
    if seats is None and flags.bots + people > USUAL_SEATS:
        seats = flags.bots + people  # the server refuses it if the game takes fewer players
    return Create(
        id="create",
        game=game,
        options=dict(flags.options),
        public=not flags.private,
        seats=seats,
        turn_limit=flags.turn_limit,
        bots=not flags.no_bots,
        name="",
    )


async def check_table(flags: HostFlags, wish: Create, people: int, *, here: bool) -> None:
    """Raise ClientError where the table can't be opened like this. A server elsewhere may refuse more than we know."""
    if here:
        seats: int | None = await _seats_here(flags, wish)
    else:
        seats = wish.seats
        try:
            if types := types_of(wish.game):
                types.options.read(wish.options)
        except OptionError as error:
            raise ClientError(str(error), USAGE) from None
    if seats is not None and flags.bots + people > seats:
        players = "1 player" if people == 1 else f"{people} players"
        who = f"--bots {flags.bots} and {players}" if flags.bots else players
        raise ClientError(f"{who} need {flags.bots + people} seats, but the table has {seats}.", USAGE)


async def _seats_here(flags: HostFlags, wish: Create) -> int:
    from dicegames_server.app.wiring import seats_for
    from dicegames_server.settings import SettingsError

    try:
        return await seats_for(_settings(flags), wish)
    except SettingsError as error:
        raise ClientError(str(error), USAGE) from None


def _check_server(flags: HostFlags) -> None:
    """Raise ClientError where the server can't be started like this."""
    from dicegames_server.net.tls.certificate import certificate_for
    from dicegames_server.settings import SettingsError
    from dicegames_server.storage import usual_folder

    try:
        certificate_for(_settings(flags), usual_folder())
    except SettingsError as error:
        raise ClientError(str(error), USAGE) from None
    if flags.ssh:
        _ssh_guests()


async def start_server(flags: HostFlags, name: str, visitors: Visitors, keeper: "LogKeeper") -> "Service":
    """Start a server in this process. `name` is the player whose table it is. Raises ClientError.

    `visitors` gives the client for friends who come over ssh. `keeper` keeps the logs of the tables.
    """
    from dicegames_server.app.wiring import assemble
    from dicegames_server.settings import SettingsError
    from dicegames_server.storage.memory import MemoryStorage

    host, port = flags.bind, flags.port
    try:
        guests = partial(_ssh_guests(), visitors()) if flags.ssh else None
        server = assemble(_settings(flags), storage=MemoryStorage(keeper), name=name, guests=guests)
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


def _settings(flags: HostFlags) -> "Settings":
    """The settings of the server for these flags. Raises SettingsError."""
    from dicegames_server.settings import load

    wanted: dict[str, object] = {
        "host": flags.bind,
        "port": flags.port,
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
    return load(wanted)


def _ssh_guests() -> "type[SshGuests]":
    try:
        from dicegames_server.app.ssh_guests import SshGuests
    except ImportError:
        raise ClientError("--ssh needs one more package: pip install 'dicegames[ssh]'", USAGE) from None
    return SshGuests


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


def _check_range(value: int | None, flag: str, low: int, high: int) -> None:
    if value is not None and not low <= value <= high:
        raise ClientError(f"{flag} must be {low} to {high}.", USAGE)

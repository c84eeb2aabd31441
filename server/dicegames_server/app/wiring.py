"""Assembles the server from its parts: for the stand-alone command, for `dicegames-client host` and for tests."""

import asyncio
from typing import TYPE_CHECKING

from dicegames_protocol import __version__
from dicegames_protocol.messages.client import Create
from dicegames_server.app.service import Service
from dicegames_server.core.clock import Clock, SystemClock
from dicegames_server.core.errors import Refused
from dicegames_server.core.worker import WorkerThread
from dicegames_server.games.dice import Dice
from dicegames_server.lobby.lobby import Lobby, rules_and_seats
from dicegames_server.net.socket_peer import broadcast_to_peers
from dicegames_server.room.environment import Environment, FairDice
from dicegames_server.settings import Settings, SettingsError
from dicegames_server.storage import make_storage
from dicegames_server.storage.base import Storage

if TYPE_CHECKING:
    from dicegames_server.net.ssh.ssh_door import GuestsFactory


def assemble(
    settings: Settings,
    *,
    clock: Clock | None = None,
    dice: Dice | None = None,
    storage: Storage | None = None,
    name: str = "",
    guests: "GuestsFactory | None" = None,
) -> Service:
    """A server that is ready: call `start` next. Call this inside a running event loop."""
    environment = Environment(
        settings=settings,
        clock=clock or SystemClock(),
        dice=dice or FairDice(),
        storage=storage or make_storage(settings),
        broadcast=broadcast_to_peers,
        worker=WorkerThread(),
    )
    return Service(environment, Lobby(environment), __version__, name, guests)


async def seats_for(settings: Settings, wish: Create) -> int:
    """The seats of the room that a server with these settings would open. Raises SettingsError where it would not."""
    try:
        rules, seats = rules_and_seats(wish, settings)
    except Refused as refused:
        raise SettingsError(refused.message) from None
    if sentence := await asyncio.to_thread(rules.endless):
        raise SettingsError(sentence)
    return seats

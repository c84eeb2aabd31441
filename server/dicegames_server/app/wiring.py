"""Assembles the server from its parts: for the stand-alone command, for `dicegames-client host` and for tests."""

from typing import TYPE_CHECKING

from dicegames_protocol import __version__
from dicegames_server.app.service import Service
from dicegames_server.core.clock import Clock, SystemClock
from dicegames_server.core.worker import WorkerThread
from dicegames_server.games.dice import Dice
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.net.socket_peer import broadcast_to_peers
from dicegames_server.room.environment import Environment, FairDice
from dicegames_server.settings import Settings
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

"""Assembles the server from its parts: for the stand-alone command, for `dicegames-client host` and for tests."""

from importlib.metadata import PackageNotFoundError, version

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


def assemble(
    settings: Settings,
    *,
    clock: Clock | None = None,
    dice: Dice | None = None,
    storage: Storage | None = None,
    name: str = "",
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
    return Service(environment, Lobby(environment), installed_version(), name)


def installed_version() -> str:
    try:
        return version("dicegames")
    except PackageNotFoundError:
        return "from source"

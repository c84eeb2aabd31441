"""The parts put together: the same server for the stand-alone command, for `dicegames-client host` and for tests."""

from importlib.metadata import PackageNotFoundError, version

from dicegames_server.app.service import Service
from dicegames_server.core.clock import Clock, SystemClock
from dicegames_server.games.dice import Dice, FairDice
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.net import broadcast_links
from dicegames_server.room.environment import House
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
    """A server that is ready to `start`. Call this inside a running event loop."""
    house = House(
        settings=settings,
        clock=clock or SystemClock(),
        dice=dice or FairDice(),
        storage=storage or make_storage(settings),
        broadcast=broadcast_links,
    )
    return Service(house, Lobby(house), installed_version(), name)


def installed_version() -> str:
    try:
        return version("dicegames")
    except PackageNotFoundError:
        return "from source"

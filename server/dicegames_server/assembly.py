"""The parts put together: the same server for the stand-alone command, for `dicegames-client host` and for tests."""

from importlib.metadata import PackageNotFoundError, version

from dicegames_server.clock import Clock, SystemClock
from dicegames_server.dice import Dice, FairDice
from dicegames_server.house import House
from dicegames_server.lobby import Lobby
from dicegames_server.service import Service
from dicegames_server.settings import Settings
from dicegames_server.storage import make_storage
from dicegames_server.storage.base import Storage
from dicegames_server.transport import broadcast_links


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

"""What a room is handed: time, chance, storage, and the way out to its listeners. Tests hand in their own."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from dicegames_server.core.clock import Clock
from dicegames_server.core.metrics import Meter
from dicegames_server.core.peer import Broadcast
from dicegames_server.games.dice import Dice
from dicegames_server.settings import Settings
from dicegames_server.storage.base import Storage


def human_pace() -> float:
    """Now quick, now slow."""
    return random.uniform(0.5, 2.0)


@dataclass(frozen=True, slots=True)
class House:
    settings: Settings
    clock: Clock
    dice: Dice
    storage: Storage
    broadcast: Broadcast
    pace: Callable[[], float] = human_pace
    """How much of the usual time a bot thinks, each time."""
    meter: Meter = field(default_factory=Meter)

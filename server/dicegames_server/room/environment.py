"""What a room depends on: clock, dice, storage, and the broadcast to its audience. Tests pass in their own."""

import random
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from dicegames_protocol.fairness import chain
from dicegames_protocol.table import Listed
from dicegames_server.core.clock import Clock
from dicegames_server.core.errors import Refused
from dicegames_server.core.metrics import Metrics
from dicegames_server.core.peer import Broadcast
from dicegames_server.core.worker import AtOnce, TooMuch, Worker
from dicegames_server.games.base import Rules
from dicegames_server.games.dice import Dice, KeyedDice
from dicegames_server.settings import Settings
from dicegames_server.storage.base import Storage


def human_pace() -> float:
    """A random factor from 0.5 to 2 for the thinking time of a bot."""
    return random.uniform(0.5, 2.0)


class FairDice(KeyedDice):
    """The dice of a real server: the secret comes from the operating system."""

    def secret(self) -> bytes:
        return secrets.token_bytes(chain.SEED_BYTES)


async def _unlisted(room_id: str | None, commit: str) -> Listed | None:
    """There is no list."""
    return None


@dataclass(slots=True)
class Register:
    """How a commitment gets its place in the server's public list. The lobby sets it."""

    add: Callable[[str | None, str], Awaitable[Listed | None]] = _unlisted


def _nobody_asks(room: str, game_no: int) -> None:
    """Nobody wants to know of games that have ended."""


@dataclass(slots=True)
class GamesOver:
    """Who is told that a game has ended: code of the room, number of the game. The lobby sets it."""

    tell: Callable[[str, int], None] = _nobody_asks


@dataclass(frozen=True, slots=True)
class Environment:
    settings: Settings
    clock: Clock
    dice: Dice
    storage: Storage
    broadcast: Broadcast
    pace: Callable[[], float] = human_pace
    """Called for each bot move. Gives the factor by which the usual thinking time is multiplied."""
    metrics: Metrics = field(default_factory=Metrics)
    worker: Worker = field(default_factory=AtOnce)
    """Calculates what may take long. The default is for tests."""
    register: Register = field(default_factory=Register)
    games_over: GamesOver = field(default_factory=GamesOver)

    async def check_ends(self, place: str, rules: Rules[Any, Any]) -> None:
        """Raise Refused where games under these rules would never end. `place`: address key of whoever asks.

        Call this before a room is opened with these rules or changed to them.
        """
        try:
            sentence = await self.worker.run(("options", place), rules.endless)
        except TooMuch:
            raise Refused("rate_limited", "The server can't check these options at the moment. Try again.") from None
        if sentence:
            raise Refused("bad_message", sentence)

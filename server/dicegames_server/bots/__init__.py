"""Bots: how a seat without a person picks one of its offers. They see what a player sees, and nothing else.

A module `some_game.py` here defines `strategies(rng)`: the levels of that game. A game without one gets a bot that
takes any of its offers.
"""

import importlib
import pkgutil
import random
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol

from dicegames_protocol.table import Move, Player
from dicegames_server.bots.anything import Anything
from dicegames_server.bots.harmless import Harmless
from dicegames_server.games.base import Rules
from dicegames_server.games.match import Match

LEVELS = ("easy", "steady", "expert")
"""Careless, sound, and as well as mathematics allows."""
DEFAULT_LEVEL = "steady"


class Strategy(Protocol):
    def wakes(self, match: Match, seat: int) -> bool:
        """Whether there is something to think about. True at least where the game waits for the seat."""

    def choose(self, match: Match, seat: int) -> Move | None:
        """One of match.may(seat), filled in; None to let it pass, where the game does not wait for the seat."""


STANDIN: Strategy = Harmless()
"""Who plays for people: those who are away, and those who have left."""


def strategy_for(game: str, player: Player) -> Strategy:
    """Who thinks for a seat that the server plays: its bot, or the stand-in of a person."""
    if player.bot is None:
        return STANDIN
    known = _known(game)
    return known.get(player.bot) or known[DEFAULT_LEVEL]


def prepare(rules: Rules[Any, Any]) -> None:
    """Work out beforehand what takes long. Called in a thread, before the first bot has to think."""
    module = rules.key.replace("-", "_")
    if module in {found.name for found in pkgutil.iter_modules(__path__)}:
        getattr(importlib.import_module(f"{__name__}.{module}"), "prepare", lambda rules: None)(rules)


@lru_cache(maxsize=64)
def _known(game: str) -> Mapping[str, Strategy]:
    return strategies_of(game, random.Random())


def strategies_of(game: str, rng: random.Random) -> Mapping[str, Strategy]:
    """All strategies of a game by name: the levels, and perhaps some to compare them with."""
    module = game.replace("-", "_")
    if module not in {found.name for found in pkgutil.iter_modules(__path__)}:
        return dict.fromkeys(LEVELS, Anything(rng))
    known: Mapping[str, Strategy] = importlib.import_module(f"{__name__}.{module}").strategies(rng)
    return known

"""Bots: how the server picks one of the offers for a seat without a person. They see what a player sees, not more.

A module `some_game.py` here defines `strategies(rng)`, the levels of that game. It may also define `prepare(rules)`,
which does slow calculations beforehand, `remarks(event)`, what its bots say, `exploiters(rng)`, strategies that look
for weak points of the others, for the arena, and `EXPERT_SHARE`, how much of the game is skill. A game without such a
module gets a bot that takes any of its offers.
"""

import importlib
import pkgutil
import random
from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any, Protocol

from dicegames_protocol.bot_levels import DEFAULT_LEVEL, LEVELS
from dicegames_protocol.table import Move, Player
from dicegames_server.bots.anything import Anything
from dicegames_server.bots.harmless import Harmless
from dicegames_server.bots.talk import Remarks
from dicegames_server.games.base import Rules
from dicegames_server.games.match import Match

BOTS_VERSION = 2
"""Must change whenever a bot could choose another move than before. Every game tells it, so that `verify` knows whether
it can work the moves of bots out again.
"""


class Strategy(Protocol):
    @property
    def deep(self) -> bool:
        """Whether `choose` may take long, so that it has to be called in the worker."""

    def watches(self, match: Match) -> bool:
        """Whether it may act now although the game does not wait for it. False in most games."""

    def wakes(self, match: Match, seat: int) -> bool:
        """Whether `choose` should be called now. True at least where the game waits for the seat."""

    def waits(self, match: Match, seat: int) -> bool:
        """Whether it leaves the first word to others: it decides when all others have, or when the time is up."""

    def sees(self, match: Match, seat: int) -> Hashable:
        """What its choice depends on, besides `Rules.basis`. When this changes, it is asked again. None: nothing."""

    def choose(self, match: Match, seat: int) -> Move | None:
        """One of match.may(seat), filled in. None for no move, which is allowed where the game does not wait."""


STANDIN: Strategy = Harmless()
"""Plays for people who are away or have left."""


def strategy_for(game: str, player: Player) -> Strategy:
    """The strategy of a seat that the server plays: its bot's level, or the stand-in for a person."""
    if player.bot is None:
        return STANDIN
    known = _known(game)
    return known.get(player.bot) or known[DEFAULT_LEVEL]


def strategy_with(game: str, player: Player, luck: int, *, hurried: bool = False) -> Strategy:
    """The same for one choice: where it chooses by chance, the chance follows from `luck`.

    `hurried`: its own strategy takes too long. Then it is the best level that decides at once.
    """
    if player.bot is None:
        return STANDIN
    known = _made(game)(random.Random(luck))
    if hurried:
        return next((known[level] for level in reversed(LEVELS) if not known[level].deep), STANDIN)
    return known.get(player.bot) or known[DEFAULT_LEVEL]


def prepare(rules: Rules[Any, Any]) -> None:
    """Do the slow calculations of a game. Called in a thread, before the first bot has to move."""
    if worked_out := _defined(rules.key, "prepare"):
        worked_out(rules)


def remarks_of(game: str) -> Remarks:
    """The function that gives what the bots of a game may say about an event."""
    return _defined(game, "remarks") or (lambda event: ())


USUAL_EXPERT_SHARE = 0.75


def expert_share(game: str) -> float:
    """The part of games that the level expert wins from the level easy, one against one: how much is skill, and how
    much is luck. It was measured in the arena. For games where nobody has measured it, it is a guess.
    """
    share: float = _defined(game, "EXPERT_SHARE") or USUAL_EXPERT_SHARE
    return share


def _defined(game: str, name: str) -> Any:
    """What the module of a game defines under this name. None where there is no module or no such name."""
    module = game.replace("-", "_")
    if module not in {found.name for found in pkgutil.iter_modules(__path__)}:
        return None
    return getattr(importlib.import_module(f"{__name__}.{module}"), name, None)


@lru_cache(maxsize=64)
def _known(game: str) -> Mapping[str, Strategy]:
    return strategies_of(game, random.Random())


def strategies_of(game: str, rng: random.Random) -> Mapping[str, Strategy]:
    """All strategies of a game by name: the levels, and perhaps others to compare them with."""
    return _made(game)(rng)


def exploiters_of(game: str, rng: random.Random) -> Mapping[str, Strategy]:
    """Strategies by name that look for weak points of other bots. Empty where the game has none."""
    made = _defined(game, "exploiters")
    found: Mapping[str, Strategy] = made(rng) if made else {}
    return found


@lru_cache(maxsize=64)
def _made(game: str) -> Callable[[random.Random], Mapping[str, Strategy]]:
    return _defined(game, "strategies") or (lambda rng: dict.fromkeys(LEVELS, Anything(rng)))

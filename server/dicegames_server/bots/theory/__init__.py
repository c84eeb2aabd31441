"""The mathematics of the games: exact chances, and best play. Pure functions, for bots and for odds.

A module `some_game.py` here may define `chances(rules, state, seat)`, the odds that a player may ask for, and
`afterwards(rules, state)`, a sentence about a game that is over.
"""

import importlib
import pkgutil
from typing import Any

from dicegames_protocol.messages.server import Chance


def chances(rules: Any, state: Any, seat: int) -> tuple[Chance, ...]:
    """The odds for a seat; empty where there are none. They never tell the best move."""
    told = _of(rules, "chances")
    found: tuple[Chance, ...] = told(rules, state, seat) if told else ()
    return found


def afterwards(rules: Any, state: Any) -> str:
    """A sentence about a game that is over."""
    told = _of(rules, "afterwards")
    return str(told(rules, state)) if told else "The game is over: there is nothing left to roll."


def _of(rules: Any, name: str) -> Any:
    """What the module of a game defines under this name. None where there is no module or no such name."""
    module = rules.key.replace("-", "_")
    if module not in {found.name for found in pkgutil.iter_modules(__path__)}:
        return None
    return getattr(importlib.import_module(f"{__name__}.{module}"), name, None)


def about(what: str, share: float) -> Chance:
    """A chance from a floating-point number, rounded to a millionth."""
    return Chance(what=what, good=round(share * 1_000_000), of=1_000_000)

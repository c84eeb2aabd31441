"""What mathematics says about the games: exact chances, and best play. Pure; for bots and for odds.

A module `some_game.py` here may define `chances(rules, state, seat)`, what a player may ask about the dice to come, and
`afterwards(rules, state)`, what there is to say about a game that is over.
"""

import importlib
import pkgutil
from typing import Any

from dicegames_protocol.messages.server import Chance


def chances(rules: Any, state: Any, seat: int) -> tuple[Chance, ...]:
    """The odds of a seat, if there is anything to tell. Never what the best move is."""
    told = _of(rules, "chances")
    found: tuple[Chance, ...] = told(rules, state, seat) if told else ()
    return found


def afterwards(rules: Any, state: Any) -> str:
    """What there is to say about a game that is over."""
    told = _of(rules, "afterwards")
    return str(told(rules, state)) if told else "The game is over: there is nothing left to roll."


def _of(rules: Any, name: str) -> Any:
    """What the module of a game defines under this name, if anything."""
    module = rules.key.replace("-", "_")
    if module not in {found.name for found in pkgutil.iter_modules(__path__)}:
        return None
    return getattr(importlib.import_module(f"{__name__}.{module}"), name, None)


def about(what: str, share: float) -> Chance:
    """A chance that was worked out in numbers with a point: to a millionth."""
    return Chance(what=what, good=round(share * 1_000_000), of=1_000_000)

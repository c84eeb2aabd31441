"""The types of each game: options, state and events. There is one module per game, found by its name.

A module `some_game.py` here defines `KEY`, `TITLE`, `BLURB`, `OPTIONS`, `STATE` and `EVENT`. It may define `PRACTICE`:
the options of a short game to learn with; and `POINTS = False`, where the game is about winning alone. It does not
have to be registered anywhere. The modules are imported one by one when needed, which keeps the command line fast.
"""

import importlib
import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dicegames_protocol.base import Model
    from dicegames_protocol.options import Options


@dataclass(frozen=True, slots=True)
class GameTypes:
    key: str
    title: str
    blurb: str
    options: "type[Options]"
    state: "type[Model]"
    event: Any
    practice: dict[str, Any]
    """Options of a short game, for people who learn it."""
    points: bool
    """Whether its scores are points. Otherwise the game is about winning alone."""


def keys() -> list[str]:
    """The keys of all games. No game is imported for this."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__))


def types_of(key: str) -> GameTypes | None:
    """The types of a game. None: there is no such game."""
    if key not in keys():
        return None
    module = importlib.import_module(f"{__name__}.{key.replace('-', '_')}")
    practice = getattr(module, "PRACTICE", {})
    points = getattr(module, "POINTS", True)
    return GameTypes(
        module.KEY, module.TITLE, module.BLURB, module.OPTIONS, module.STATE, module.EVENT, practice, points
    )

"""The rules of each game. A module `some_game.py` here defines `RULES`; it is found by its name."""

import importlib
from typing import Any

from dicegames_protocol.games import keys
from dicegames_server.games.base import Rules


def rules_of(key: str) -> type[Rules[Any, Any]] | None:
    """The rules of a game. None where there is no game of that name."""
    if key not in keys():
        return None
    rules: type[Rules[Any, Any]] = importlib.import_module(f"{__name__}.{key.replace('-', '_')}").RULES
    return rules


__all__ = ["keys", "rules_of"]

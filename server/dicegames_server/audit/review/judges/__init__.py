"""The judges, one file per game. Each has `judge(rules, seats)`, which gives the judge for a game of so many seats."""

import importlib
import pkgutil
from typing import Any

from dicegames_server.audit.review.judge import Judge
from dicegames_server.games.base import Rules


def judge_for(rules: Rules[Any, Any], seats: int) -> Judge | None:
    """The judge of a game. None: nobody can judge it."""
    module = rules.key.replace("-", "_")
    if module not in {found.name for found in pkgutil.iter_modules(__path__)}:
        return None
    found: Judge = importlib.import_module(f"{__name__}.{module}").judge(rules, seats)
    return found

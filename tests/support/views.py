"""A client without the view of some game."""

import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from unittest.mock import patch

from dicegames_client import views


@contextmanager
def without_view(game: str) -> Iterator[None]:
    """As if views/GAME.py did not exist."""
    kept = [module for module in pkgutil.iter_modules(views.__path__) if module.name != game.replace("-", "_")]
    views.view_of.cache_clear()
    with patch("dicegames_client.views.pkgutil", SimpleNamespace(iter_modules=lambda path: kept)):
        yield
    views.view_of.cache_clear()

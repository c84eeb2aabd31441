"""The games of tests/throwaway, put where the product looks for games, for the duration of a test."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dicegames_client.views
import dicegames_protocol.games
import dicegames_server.bots.theory
import dicegames_server.games
from dicegames_server.bots import _known as bots_of_games

FOLDER = Path(__file__).parents[1] / "throwaway"
PLACES = {
    "types": dicegames_protocol.games,
    "rules": dicegames_server.games,
    "theory": dicegames_server.bots.theory,
    "views": dicegames_client.views,
}
GAMES = ("liars-dice", "sealed-bid", "yacht")


@contextmanager
def throwaway_games() -> Iterator[None]:
    """Each is found by its file name, like every game; the product contains nothing about them."""
    added: list[str] = []
    for kind, package in PLACES.items():
        package.__path__.append(str(FOLDER / kind))
        for path in (FOLDER / kind).glob("[a-z]*.py"):
            name = f"{package.__name__}.{path.stem}"
            sys.modules[name] = importlib.import_module(f"throwaway.{kind}.{path.stem}")
            added.append(name)
    try:
        yield
    finally:
        for package in PLACES.values():
            package.__path__.pop()
        for name in added:
            del sys.modules[name]
        dicegames_client.views.view_of.cache_clear()
        bots_of_games.cache_clear()

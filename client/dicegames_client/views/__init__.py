"""How each game looks and reads. A module `some_game.py` here defines `VIEW`; other games get the generic view.

Views know pictures and words, not rules: the offers in the state say what may be done.
"""

import importlib
import pkgutil
from functools import lru_cache

from dicegames_client.guest.store import Store
from dicegames_client.play.parse_input import Idle
from dicegames_client.play.wording import Wording
from dicegames_client.views.generic import GenericView


@lru_cache(maxsize=64)
def view_of(key: str) -> GenericView:
    module = key.replace("-", "_")
    if module not in {found.name for found in pkgutil.iter_modules(__path__)}:
        return GenericView()
    view: GenericView = importlib.import_module(f"{__name__}.{module}").VIEW
    return view


def lying_at(store: Store) -> tuple[int, ...]:
    """The dice that lie on this table, as far as its view knows."""
    return view_of(store.info.game).lying(store) if store.game else ()


def idle_at(store: Store) -> Idle:
    """A function that says why a seat of this table can't act now, in the words of its game."""
    return lambda seat: view_of(store.info.game).idle(Wording(store), seat)

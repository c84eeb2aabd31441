"""How each game looks and reads. A module `some_game.py` here defines `VIEW`; a game without one gets the generic view.

Views know pictures and words, not rules: what may be done comes from the offers in the state.
"""

import importlib
import pkgutil
from functools import lru_cache

from dicegames_client.views.generic import GenericView


@lru_cache(maxsize=64)
def view_of(key: str) -> GenericView:
    module = key.replace("-", "_")
    if module not in {found.name for found in pkgutil.iter_modules(__path__)}:
        return GenericView()
    view: GenericView = importlib.import_module(f"{__name__}.{module}").VIEW
    return view

"""How each game looks and reads. A module `some_game.py` here defines `VIEW`; other games get the generic view.

Views know pictures and words, not rules: the offers in the state say what may be done.
"""

import importlib
import pkgutil
from functools import lru_cache

from dicegames_client.guest.store import Store
from dicegames_client.play.parse_input import Reasons
from dicegames_client.play.real_dice import why_not_mended
from dicegames_client.play.scene import Scene
from dicegames_client.play.wording import Wording
from dicegames_client.views.generic import GenericView


@lru_cache(maxsize=64)
def view_of(key: str) -> GenericView:
    module = key.replace("-", "_")
    if module not in {found.name for found in pkgutil.iter_modules(__path__)}:
        return GenericView()
    view: GenericView = importlib.import_module(f"{__name__}.{module}").VIEW
    return view


def reasons_at(store: Store) -> Reasons:
    """Why something can't be done at this table now, in the words of its game."""
    view = view_of(store.info.game)

    def dead(seat: int, take: str, chosen: str) -> str:
        told = view.dead(take, Scene(store, seat=seat, picked=chosen)) if store.game else ""
        return told or why_not_mended(take, store)

    lying = view.lying(store) if store.game else ()
    return Reasons(lambda seat: view.idle(Wording(store), seat), dead, lying)

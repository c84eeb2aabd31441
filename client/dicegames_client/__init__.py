"""The client: it shows the offers of the server and sends back those that the player takes.

Programs import what they need from here. These names stay here, even when their modules move inside the package. A
`Guest` is a connection that reconnects by itself. Its `store` is what is known about the table, and its `news()`
yields what happens. docs/bots.md shows how to use them. The messages are in `dicegames_protocol`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dicegames_client.base.address import Address, parse_address
    from dicegames_client.base.errors import ClientError
    from dicegames_client.guest.events import Alarm, Back, Finished, GuestEvent, Lost, News, StillLost
    from dicegames_client.guest.guest import Guest
    from dicegames_client.guest.store import Store

__all__ = [
    "Address",
    "Alarm",
    "Back",
    "ClientError",
    "Finished",
    "Guest",
    "GuestEvent",
    "Lost",
    "News",
    "StillLost",
    "Store",
    "parse_address",
]

_MODULES = {
    "base.address": ("Address", "parse_address"),
    "base.errors": ("ClientError",),
    "guest.events": ("Alarm", "Back", "Finished", "GuestEvent", "Lost", "News", "StillLost"),
    "guest.guest": ("Guest",),
    "guest.store": ("Store",),
}


def __getattr__(name: str) -> Any:
    """Import the module of a name only when the name is used: `dicegames-client --help` needs none of them."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""The protocol between client and server: messages, the table, and how both are encoded as JSON.

The names below are the public interface. Import them from here: the modules inside the package may change.
docs/protocol.md describes every message; docs/bots.md shows a program that plays.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dicegames_protocol.codec import BadMessage, decode_client, decode_server, encode
    from dicegames_protocol.messages.client import (
        AddBot,
        Chat,
        ClientMessage,
        Create,
        Hello,
        Join,
        Leave,
        ListRooms,
        MakeMove,
        Ready,
        Rematch,
        Request,
        Resume,
        Sit,
        Start,
        Watch,
    )
    from dicegames_protocol.messages.server import Ack, Error, Joined, Left, Rooms, Said, ServerMessage, Update
    from dicegames_protocol.table import Choice, Move, Offer, Player, RoomEntry, RoomInfo, may_take

__all__ = [
    "Ack",
    "AddBot",
    "BadMessage",
    "Chat",
    "Choice",
    "ClientMessage",
    "Create",
    "Error",
    "Hello",
    "Join",
    "Joined",
    "Leave",
    "Left",
    "ListRooms",
    "MakeMove",
    "Move",
    "Offer",
    "Player",
    "Ready",
    "Rematch",
    "Request",
    "Resume",
    "RoomEntry",
    "RoomInfo",
    "Rooms",
    "Said",
    "ServerMessage",
    "Sit",
    "Start",
    "Update",
    "Watch",
    "decode_client",
    "decode_server",
    "encode",
    "may_take",
]

__version__ = "0.1.0"
"""The version of dicegames: of server, client and protocol alike. The metadata of the package is made from it."""

_MODULES = ("table", "messages.client", "messages.server", "codec")


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used. The list of games, for example, needs none of them."""
    if name in __all__:
        for module in _MODULES:
            loaded = import_module(f"{__name__}.{module}")
            if name in vars(loaded):
                return getattr(loaded, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""The protocol as JSON Schema, for clients in other languages: `dicegames-server schema`."""

from typing import Any

from pydantic import TypeAdapter

from dicegames_protocol.base import PROTOCOL_MAX, PROTOCOL_MIN
from dicegames_protocol.games import keys, types_of
from dicegames_protocol.messages.client import ClientMessage
from dicegames_protocol.messages.room_events import RoomEvent
from dicegames_protocol.messages.server import ServerMessage


def schema() -> dict[str, Any]:
    """Schemas of both message unions, of the room events, and of options, state and events of every game."""
    games: dict[str, Any] = {}
    for key in keys():
        types = types_of(key)
        assert types
        games[key] = {
            "title": types.title,
            "options": types.options.model_json_schema(),
            "state": types.state.model_json_schema(),
            "events": TypeAdapter[Any](types.event).json_schema(),
        }
    return {
        "protocol": [PROTOCOL_MIN, PROTOCOL_MAX],
        "client": TypeAdapter[Any](ClientMessage).json_schema(),
        "server": TypeAdapter[Any](ServerMessage).json_schema(),
        "room_events": TypeAdapter[Any](RoomEvent).json_schema(),
        "games": games,
    }

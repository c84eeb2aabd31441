"""Checks what a server or a log has made of the table, before anything is built upon it.

A message is checked as a whole when it is decoded. But patches, events and the state of a game are plain JSON there. A
server that is broken or evil could make a table of them that no view can draw. So what a message has changed is checked
against the types of the game. Whatever does not fit is a Nonsense.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import get_args

from dicegames_protocol.base import Event, JsonObject
from dicegames_protocol.games import types_of
from dicegames_protocol.table import Fair, Offer, Player, RoomInfo

WHOLE: JsonObject = {"room": {}, "seats": None, "offers": None, "fair": {}, "game": {}}
"""The parts of a table, as if a patch had changed all of them."""


class Nonsense(ValueError):
    """The server has sent something that makes no sense."""


def check_table(table: JsonObject, changed: JsonObject) -> None:
    """Check those parts of the table that a patch has changed. Raises Nonsense."""
    try:
        if "room" in changed:
            RoomInfo.model_validate(table["room"])
        if "seats" in changed:
            _check_each(Player, table["seats"], changed["seats"])
            for seat in changed["seats"] or table["seats"]:
                int(seat)
        if "offers" in changed:
            _check_each(Offer, table["offers"], changed["offers"])
        if "fair" in changed and table.get("fair") is not None:
            Fair.model_validate(table["fair"])
        if "game" in changed and table.get("game") is not None:
            check_game(table["room"]["game"], table["game"], changed["game"])
    except Nonsense:
        raise
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise Nonsense(f"The table makes no sense ({type(error).__name__}).") from None


def check_game(game: str, state: JsonObject, changed: JsonObject | None = None) -> None:
    """Check the state of a game. A game that this client does not know is shown as it is. Raises Nonsense.

    `changed`: the patch that led to it. Of a thousand seats, only those in the patch are looked at.
    """
    if types := types_of(game):
        try:
            seats = state["seats"]
            if changed:
                seats = {seat: seats[seat] for seat in changed.get("seats", ()) if seat in seats}
            types.state.model_validate({**state, "seats": seats})
            for seat in seats:
                int(seat)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise Nonsense(f"The game makes no sense ({type(error).__name__}).") from None


def check_whole(table: JsonObject) -> None:
    """Check that no part of the table is missing. Raises Nonsense."""
    if {"room", "seats", "offers"} - table.keys():
        raise Nonsense("A part of the table is missing.")


def check_events(game: str, events: Iterable[JsonObject]) -> None:
    """Check the events of an update. Raises Nonsense."""
    for event in events:
        model = _events_of(game).get(str(event.get("kind")))
        if model is None and types_of(game):
            raise Nonsense("An event is not known.")
        if model is not None:
            try:
                model.model_validate(event)
            except ValueError:
                raise Nonsense("An event makes no sense.") from None


def _check_each(kind: type[Player] | type[Offer], table: JsonObject, changed: JsonObject | None) -> None:
    for key in table if changed is None else changed.keys() & table.keys():
        kind.model_validate(table[key])


@cache
def room_events() -> dict[str, type[Event]]:
    """Kind -> model, for the events of the room. They are loaded with the first update that a client sees."""
    from dicegames_protocol.messages.room_events import RoomEvent

    return {model.model_fields["kind"].default: model for model in get_args(RoomEvent)}


@lru_cache(maxsize=32)
def _events_of(game: str) -> dict[str, type[Event]]:
    """Kind -> model, for the events of the room and of this game."""
    types = types_of(game)
    models = (get_args(types.event) or (types.event,)) if types else ()
    return {**room_events(), **{model.model_fields["kind"].default: model for model in models}}

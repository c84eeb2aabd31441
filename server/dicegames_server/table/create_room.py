"""Opens a room: makes the first update of its stream, with an empty table. Pure."""

from typing import Any

from dicegames_protocol.messages.room_events import RoomOpened
from dicegames_protocol.messages.server import Cause
from dicegames_protocol.options import OptionError
from dicegames_protocol.table import RoomInfo
from dicegames_server.core.errors import Refused
from dicegames_server.games import keys, rules_of
from dicegames_server.games.base import Rules
from dicegames_server.table.seats import Seats
from dicegames_server.table.state import Change, State

LOG_FORMAT = 2
"""Since 2 there is a tally of the evening, and all typed rolls of a round can be corrected."""


def rules_for(game: str, options: dict[str, Any]) -> Rules[Any, Any]:
    """The rules of a game with these options. Refused where there is no such game or option."""
    kind = rules_of(game)
    if kind is None:
        raise Refused("bad_message", f"There is no game of that name. The games are: {', '.join(keys())}.")
    try:
        return kind(kind.options_type.read(options))
    except OptionError as error:
        raise Refused("bad_message", str(error)) from None


def open_room(
    code: str,
    game: str,
    options: dict[str, Any],
    capacity: int,
    public: bool,
    locked: bool,
    turn_limit: int,
    bots: bool = True,
    id: str | None = None,
    format: int | None = LOG_FORMAT,
) -> Change:
    """An empty table. The player who opened it sits down next, with `take_seat`.

    `format`: that of the room's log. Rooms of an earlier version have none, and are played as they were then.
    """
    rules = rules_for(game, options)
    info = RoomInfo(
        code=code,
        id=id,
        game=rules.key,
        title=rules.title,
        rules=rules.version,
        summary=rules.summary(),
        options=rules.options.model_dump(mode="json", exclude_none=True),
        capacity=capacity,
        least=rules.least,
        public=public,
        locked=locked,
        turn_limit=turn_limit,
        bots=bots,
        format=format,
    )
    args = {
        "code": code,
        "game": game,
        "options": info.options,
        "capacity": capacity,
        "public": public,
        "locked": locked,
        "turn_limit": turn_limit,
        "bots": bots,
        **({"id": id} if id else {}),
        **({"format": format} if format else {}),
    }
    cause = Cause(kind="open", args=args)
    return Change(State(info, Seats(capacity), rules, seq=1), cause, (RoomOpened(code=code),))

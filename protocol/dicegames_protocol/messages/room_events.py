"""What can happen in a room, whatever the game: somebody sits down or leaves, a game begins or ends.

Updates carry these beside the events of the game. Clients read both as plain JSON, and check them against these models
when the first update comes. So a client is at the table before it has to load them.
"""

from typing import Literal

from pydantic import Field

from dicegames_protocol.base import Event, Int


class RoomOpened(Event):
    kind: Literal["room_opened"] = "room_opened"
    code: str


class TookSeat(Event):
    kind: Literal["took_seat"] = "took_seat"
    seat: Int
    name: str


class LeftSeat(Event):
    kind: Literal["left_seat"] = "left_seat"
    seat: Int
    name: str
    why: Literal["left", "kicked", "expired", "dropped"]
    bot_plays: bool = False


class HostChanged(Event):
    kind: Literal["host_changed"] = "host_changed"
    seat: Int


class ReadyChanged(Event):
    kind: Literal["ready_changed"] = "ready_changed"
    seat: Int
    ready: bool


class OptionsChanged(Event):
    kind: Literal["options_changed"] = "options_changed"
    summary: str


class WantsRematch(Event):
    kind: Literal["wants_rematch"] = "wants_rematch"
    seat: Int
    votes: Int
    of: Int


class Dealing(Event):
    """The server has committed to its secret. The game begins when its first dice are drawn."""

    kind: Literal["dealing"] = "dealing"
    commit: str


class Dealt(Event):
    """Scheme 1: the secret and the seeds are combined, and all dice of the game are fixed."""

    kind: Literal["dealt"] = "dealt"
    seats: tuple[Int, ...]
    missing: tuple[Int, ...] = ()


class NotDealt(Event):
    """Too many players left before the game began. The room waits for players again."""

    kind: Literal["not_dealt"] = "not_dealt"


class DrawnAnew(Event):
    """Some seats did not show their link in time. They are out, and the dice are drawn anew without them."""

    kind: Literal["drawn_anew"] = "drawn_anew"
    seats: tuple[Int, ...]
    names: tuple[str, ...]


class GameStarted(Event):
    kind: Literal["game_started"] = "game_started"
    game_no: Int
    seats: tuple[Int, ...]


class GameOver(Event):
    kind: Literal["game_over"] = "game_over"
    winners: tuple[Int, ...]


class StandIn(Event):
    """A bot plays for an absent player, or the player is back."""

    kind: Literal["stand_in"] = "stand_in"
    seat: Int
    on: bool


class OverSsh(Event):
    """A seat is played over ssh from now on, or no longer."""

    kind: Literal["over_ssh"] = "over_ssh"
    seat: Int
    on: bool


class TimeUp(Event):
    """A turn took too long. The server plays a harmless move for the player."""

    kind: Literal["time_up"] = "time_up"
    seat: Int


class Corrected(Event):
    """A typed roll was wrong and is corrected. The moves made since then were played again: their events follow."""

    kind: Literal["corrected"] = "corrected"
    seat: Int
    faces: tuple[Int, ...]
    undone: tuple[Int, ...] = Field((), description="seats whose later move no longer fits and is taken back")
    was: tuple[Int, ...] | None = Field(None, description="the faces that were wrong")
    back: Int | None = Field(None, description="1: it was the last typed roll, 2: the one before, and so on")


class TakenBack(Event):
    """The last typed roll is taken back, and all that was done since. It is to be rolled, or typed, again."""

    kind: Literal["taken_back"] = "taken_back"
    seat: Int
    faces: tuple[Int, ...]
    undone: tuple[Int, ...] = Field((), description="seats whose later move is taken back, too")


class GameGoesOn(Event):
    """A typed roll was corrected or taken back, and the game is not over any more. It continues."""

    kind: Literal["game_goes_on"] = "game_goes_on"


RoomEvent = (
    RoomOpened
    | TookSeat
    | LeftSeat
    | HostChanged
    | ReadyChanged
    | OptionsChanged
    | WantsRematch
    | Dealing
    | Dealt
    | NotDealt
    | DrawnAnew
    | GameStarted
    | GameOver
    | GameGoesOn
    | StandIn
    | OverSsh
    | TimeUp
    | Corrected
    | TakenBack
)

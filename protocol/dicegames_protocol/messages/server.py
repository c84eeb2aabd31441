"""What the server sends: one union, told apart by `type`."""

from typing import Annotated, Literal

from pydantic import Field

from dicegames_protocol.base import JsonObject, Model
from dicegames_protocol.messages.history import LeaderRow, OpponentRow, PlayedGame, StatsRow
from dicegames_protocol.table import Move, RoomEntry, Table

ErrorCode = Literal[
    "bad_message",
    "unsupported_version",
    "unauthorized",
    "no_such_room",
    "room_full",
    "name_taken",
    "wrong_password",
    "not_your_turn",
    "illegal_move",
    "stale",
    "rate_limited",
    "too_large",
    "unavailable",
    "internal",
]


class CloseCode:
    """Why the server ended a connection. 1000 from a client means that it leaves; all else keeps the seat."""

    VERSION = 4001
    BAD_MESSAGE = 4002
    AUTH = 4003
    NO_SUCH_ROOM = 4004
    RATE = 4008
    REPLACED = 4009
    TOO_SLOW = 4010
    RESTARTING = 4012


class Limits(Model):
    """What this server accepts, so that a client need not find out by being refused."""

    frame_bytes: int
    messages_per_second: float
    message_burst: int
    chat_per_second: float
    chat_burst: int
    chat_length: int
    name_columns: int
    seats: int
    seat_seconds: float = Field(description="for how long the seat of somebody away is held")


class Welcome(Model):
    type: Literal["welcome"] = "welcome"
    protocol: int
    server: str
    limits: Limits
    heartbeat_ms: int


class Rooms(Model):
    type: Literal["rooms"] = "rooms"
    id: str
    rooms: tuple[RoomEntry, ...]


class Joined(Model):
    """You are in. `snapshot` is the state after update `seq`; `timer_ms` is what remains of its timer now."""

    type: Literal["joined"] = "joined"
    id: str
    room: str
    seat: int | None = None
    seat_token: str | None = None
    epoch: int
    seq: int
    timer_ms: int | None = None
    snapshot: Table


class Snapshot(Model):
    """The whole state, for a client whose missed updates are no longer at hand."""

    type: Literal["snapshot"] = "snapshot"
    epoch: int
    seq: int
    snapshot: Table


class Drawn(Model):
    """Dice that went into an update. Without faces: drawn in secret, shown when the game needs them."""

    r: int | None = Field(None, description="number of the draw in this game; absent when the dice were real")
    sides: int
    count: int
    faces: tuple[int, ...] | None = None


class Cause(Model):
    """Why an update happened: enough to play the game again from the log."""

    kind: str = Field(description="the command's name, or 'open', 'time', 'deal', 'stand_in', 'abandon'")
    seat: int | None = None
    by: Literal["player", "bot", "clock"] = "player"
    move: Move | None = None
    args: JsonObject | None = Field(None, description="what the command said besides")
    drawn: Drawn | None = None


class Update(Model):
    """One step of the room's one stream: what is logged, sent, replayed and verified."""

    type: Literal["update"] = "update"
    seq: int
    cause: Cause
    events: tuple[JsonObject, ...]
    patch: JsonObject


class Log(Model):
    """A page of a room's stream. An empty one is the end of what there is."""

    type: Literal["log"] = "log"
    id: str
    room: str
    updates: tuple[Update, ...]


class History(Model):
    type: Literal["history"] = "history"
    id: str
    games: tuple[PlayedGame, ...]


class Stats(Model):
    type: Literal["stats"] = "stats"
    id: str
    games: tuple[StatsRow, ...]
    opponents: tuple[OpponentRow, ...]


class Leaderboard(Model):
    type: Literal["leaderboard"] = "leaderboard"
    id: str
    rows: tuple[LeaderRow, ...]


class Worth(Model):
    """A line of the table of points: what has to be there, and what it brings."""

    what: str
    points: str


class RulesPage(Model):
    """The rules as they are played in this room, for people."""

    type: Literal["rules"] = "rules"
    id: str
    title: str
    text: tuple[str, ...] = Field(description="one paragraph each")
    table: tuple[Worth, ...] = ()


class Chance(Model):
    """How likely something is: `of` counts all cases, `good` those in which it happens."""

    what: str
    good: int
    of: int


class Odds(Model):
    type: Literal["odds"] = "odds"
    id: str
    seat: int | None = None
    chances: tuple[Chance, ...] = ()
    note: str | None = Field(None, description="why there is nothing to say, or what else there is")


class CaughtUp(Model):
    """The answer to `resume`: you now have everything up to `seq`."""

    type: Literal["caught_up"] = "caught_up"
    id: str
    room: str
    seat: int
    epoch: int
    seq: int
    hash: str
    timer_ms: int | None = None


class Ack(Model):
    """Done, and it will stay done: the change was committed as update `seq` before this was sent."""

    type: Literal["ack"] = "ack"
    id: str
    seq: int


class Error(Model):
    type: Literal["error"] = "error"
    id: str | None = None
    code: ErrorCode
    message: str
    hint: str | None = Field(None, description="what would be accepted instead, such as a free name")


class Said(Model):
    """Table talk. Unnumbered; may be lost."""

    type: Literal["chat"] = "chat"
    seat: int | None = None
    name: str
    text: str


class ServerNotice(Model):
    """What whoever runs the server wants everybody in a room to know. Unnumbered; may be lost."""

    type: Literal["notice"] = "notice"
    message: str


class Presence(Model):
    """Who is there. Unnumbered; only what changed, and everything after joining."""

    type: Literal["presence"] = "presence"
    away: dict[str, int] = Field(default_factory=dict, description="seat -> ms for which it is still held")
    here: tuple[int, ...] = ()
    watching: int


class Heartbeat(Model):
    """A sign of life, with the hash of the state after update `seq`. A client that differs resumes."""

    type: Literal["heartbeat"] = "heartbeat"
    seq: int
    hash: str
    timer_ms: int | None = None


class Pong(Model):
    type: Literal["pong"] = "pong"
    id: str


class Redirect(Model):
    """The room is on another node: connect to `url`, and ask again there. Without an id it answers `hello`, or comes by
    itself when the room goes there. Follow at most three times, to the same site only, and show no token before.
    """

    type: Literal["redirect"] = "redirect"
    id: str | None = None
    url: str


class Left(Model):
    """You are no longer in the room, or no longer on this seat."""

    type: Literal["left"] = "left"
    room: str
    seat: int | None = None
    reason: Literal["left", "kicked", "closed", "expired"]
    message: str


ServerMessage = Annotated[
    Welcome
    | Rooms
    | Joined
    | Snapshot
    | Update
    | Log
    | History
    | Stats
    | Leaderboard
    | RulesPage
    | Odds
    | CaughtUp
    | Ack
    | Error
    | Said
    | ServerNotice
    | Presence
    | Heartbeat
    | Pong
    | Redirect
    | Left,
    Field(discriminator="type"),
]

"""The messages that the server sends: one union, discriminated by `type`."""

from typing import Annotated, Literal

from pydantic import Field

from dicegames_protocol.base import Int, JsonObject, Model, SeatKey
from dicegames_protocol.messages.history import CommitmentEntry, LeaderRow, OpponentRow, PlayedGame, StatsRow
from dicegames_protocol.messages.review import Review
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


Die = Annotated[int, Field(ge=1, le=1000)]
"""A face of a die, or the number of its sides."""


class CloseCode:
    """Close codes: why a connection ended. LEAVE from a client gives up its seats; any other code keeps them."""

    LEAVE = 1000
    VERSION = 4001
    BAD_MESSAGE = 4002
    AUTH = 4003
    NO_SUCH_ROOM = 4004
    RATE = 4008
    REPLACED = 4009
    TOO_SLOW = 4010
    RESTARTING = 4012


class Limits(Model):
    """The limits of this server, so that a client knows them before a message is refused."""

    frame_bytes: Int
    messages_per_second: float
    message_burst: Int
    chat_per_second: float
    chat_burst: Int
    chat_length: Int
    name_columns: Int
    seats: Int
    seat_seconds: float = Field(description="for how long the seat of somebody away is held")
    waiting_seat_seconds: float | None = Field(
        None, description="the same before the first game; left out: `seat_seconds`"
    )


class Welcome(Model):
    type: Literal["welcome"] = "welcome"
    protocol: Int
    server: str
    limits: Limits
    heartbeat_ms: Int
    id: str = Field("", description="the server's lasting id: its public Ed25519 key in hex")
    challenge: str = Field("", description="random; sign it with `identify`; only if you sent a challenge")
    proof: str = Field("", description="the server's signature; only if you sent a challenge")
    bound: str = Field("", description="the same, bound to the certificate or the address that you have reached")
    ssh_port: int = Field(0, ge=0, le=65535, description="where this host takes players over ssh; 0 is nowhere")


class Identified(Model):
    """The server knows who you are."""

    type: Literal["identified"] = "identified"
    id: str
    player: str = Field(description="stands for you on this server; the same on all devices that are linked")


class LinkCode(Model):
    """Type this code on another device (`link`), and it is the same player as this one. It can be used once."""

    type: Literal["link_code"] = "link_code"
    id: str
    code: str
    seconds: Int = Field(description="for how long it can be used")


class Rooms(Model):
    """A page of the list of public rooms. The list may be a second old."""

    type: Literal["rooms"] = "rooms"
    id: str
    rooms: tuple[RoomEntry, ...]
    more: bool = Field(False, description="there are more: ask again, and skip those that you have")


class Joined(Model):
    """You are in the room. `snapshot` is the state after update `seq`. `timer_ms` is the time left on its timer."""

    type: Literal["joined"] = "joined"
    id: str
    room: str
    seat: Int | None = None
    seat_token: str | None = None
    epoch: Int
    seq: Int
    head: str | None = Field(None, description="SHA-256 of update `seq`, as it was sent, in hex")
    timer_ms: Int | None = None
    snapshot: Table


class Snapshot(Model):
    """The whole state, for a client whose missed updates are no longer available."""

    type: Literal["snapshot"] = "snapshot"
    epoch: Int
    seq: Int
    head: str | None = None
    snapshot: Table


class Private(Model):
    """What only one seat sees: a merge patch that the client applies to the table for this seat.

    The patch is complete and replaces the previous one; an empty patch removes it. Whenever it has changed, it comes
    right before update `seq`, and only to the player who holds the seat. It is sent again with every heartbeat and
    every `resume`.
    """

    type: Literal["private"] = "private"
    seat: Int
    seq: Int
    patch: JsonObject


class Drawn(Model):
    """The dice of an update. Without faces: they were drawn in secret and are shown when the game needs them."""

    r: Int | None = Field(None, description="number of the roll in this game; absent when the dice were real")
    sides: Die
    count: Annotated[int, Field(ge=0, le=1000)]
    faces: tuple[Die, ...] | None = Field(None, max_length=1000)


class Cause(Model):
    """Why an update happened. It is enough to replay the game from the log."""

    kind: str = Field(
        description="the command's name, or 'open', 'time', 'roll', 'redraw', 'stand_in', 'over_ssh', 'abandon'"
    )
    seat: Int | None = None
    by: Literal["player", "bot", "clock"] = "player"
    move: Move | None = None
    args: JsonObject | None = Field(None, description="what the command said besides")
    draw: Int | None = Field(None, description="number of the draw that was decided; its dice come later")
    drawn: Drawn | None = None
    seal: str | None = Field(None, description="binds the server to what was chosen in a sealed move")
    opened: dict[str, Move] | None = Field(
        None,
        description="update -> the sealed move in it, for those that are shown now: all of them when the game is over",
    )


class Update(Model):
    """One step of the room's stream of updates. The same update is logged, sent, replayed and verified."""

    type: Literal["update"] = "update"
    seq: Int
    prev: str | None = Field(None, description="SHA-256 of the update before it, as it was sent, in hex")
    cause: Cause
    events: tuple[JsonObject, ...]
    patch: JsonObject


class Log(Model):
    """A page of a room's updates. An empty page is the end. Each line is an update exactly as it was sent."""

    type: Literal["log"] = "log"
    id: str
    room: str
    lines: tuple[str, ...]


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
    game: str | None = None
    meaningful_after: Int | None = Field(None, description="by skill: about so many games tell who plays well")


class CommitmentPage(Model):
    """A page of the server's public list of commitments. An empty page is the end."""

    type: Literal["commitments"] = "commitments"
    id: str
    server: str = Field(description="the server's lasting id, with whose key the entries are signed")
    list: str = Field(description="id of the list; empty: this server keeps none")
    entries: tuple[CommitmentEntry, ...]


class Worth(Model):
    """A line of the scoring table: the combination, and its points."""

    what: str
    points: str


class OptionEntry(Model):
    """An option of the game: its name, what it is about, and what it can be. Its value is in the table."""

    name: str
    about: str
    choices: tuple[str, ...] | None = Field(None, description="all that it can be; absent where that is no list")


class RulesPage(Model):
    """The rules of this room, as text for people."""

    type: Literal["rules"] = "rules"
    id: str
    title: str
    text: tuple[str, ...] = Field(description="one paragraph each")
    table: tuple[Worth, ...] = ()
    options: tuple[OptionEntry, ...] = Field((), description="the options of the game, for whoever may change them")


class Chance(Model):
    """How likely something is: `of` counts all cases, `good` those in which it happens."""

    what: str
    good: Int
    of: Int


class Odds(Model):
    type: Literal["odds"] = "odds"
    id: str
    seat: Int | None = None
    chances: tuple[Chance, ...] = ()
    note: str | None = Field(None, description="why there is nothing to say, or what else there is")


class Preview(Model):
    """What a correction would lead to: the events, and what would be different on the table."""

    type: Literal["preview"] = "preview"
    id: str
    events: tuple[JsonObject, ...]
    patch: JsonObject = Field(description="for `game`, and for `room` where the game would end or go on")
    hidden: bool = Field(
        False, description="the round would end, and the rest depends on what is hidden: it is told when it is done"
    )


class CaughtUp(Model):
    """The answer to `resume`: you now have everything up to `seq`."""

    type: Literal["caught_up"] = "caught_up"
    id: str
    room: str
    seat: Int
    epoch: Int
    seq: Int
    hash: str
    head: str | None = None
    timer_ms: Int | None = None


class Ack(Model):
    """The command was carried out for good: its change was committed as update `seq` before this was sent."""

    type: Literal["ack"] = "ack"
    id: str
    seq: Int


class Error(Model):
    type: Literal["error"] = "error"
    id: str | None = None
    code: ErrorCode
    message: str
    hint: str | None = Field(None, description="what would be accepted instead, such as a free name")


class Said(Model):
    """Chat at the table. It has no update number and may be lost."""

    type: Literal["chat"] = "chat"
    seat: Int | None = None
    name: str
    text: str


class ServerNotice(Model):
    """A notice about the server to everybody in a room. It has no update number and may be lost."""

    type: Literal["notice"] = "notice"
    message: str


class Presence(Model):
    """Who is here and who is away: all of it after joining, later only what changed. It has no update number."""

    type: Literal["presence"] = "presence"
    away: dict[SeatKey, Int] = Field(default_factory=dict, description="seat -> ms for which it is still held")
    here: tuple[Int, ...] = ()
    watching: Int


class Heartbeat(Model):
    """Shows that the server is alive, with the hash of the state after update `seq`. A client whose own hash differs
    should resume.
    """

    type: Literal["heartbeat"] = "heartbeat"
    epoch: Int
    seq: Int
    hash: str
    head: str | None = Field(None, description="SHA-256 of update `seq`, as it was sent, in hex")
    timer_ms: Int | None = None


class Pong(Model):
    type: Literal["pong"] = "pong"
    id: str


class Redirect(Model):
    """The room is on another node. Connect to `url` and ask again there.

    Without an id, this answers `hello`, or it comes unasked because the room moves there. Follow at most three
    redirects, only to the same site, and send no token before the `welcome` of the other node.
    """

    type: Literal["redirect"] = "redirect"
    id: str | None = None
    url: str


class Left(Model):
    """You are no longer in the room, or no longer on this seat."""

    type: Literal["left"] = "left"
    room: str
    seat: Int | None = None
    reason: Literal["left", "kicked", "closed", "expired"]
    message: str


ServerMessage = Annotated[
    Welcome
    | Identified
    | LinkCode
    | Rooms
    | Joined
    | Snapshot
    | Private
    | Update
    | Log
    | History
    | Stats
    | Leaderboard
    | CommitmentPage
    | RulesPage
    | Odds
    | Preview
    | Review
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

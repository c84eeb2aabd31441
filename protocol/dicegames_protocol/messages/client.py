"""The messages that a client may send: one union, discriminated by `type`.

Every message but `hello` has an `id` that the client chooses. Its one answer has the same id.
"""

from typing import Annotated, Literal

from pydantic import Field

from dicegames_protocol.base import Count, Int, JsonObject, Model, SeatKey
from dicegames_protocol.table import Move

Id = Annotated[str, Field(min_length=1, max_length=64)]
Code = Annotated[str, Field(max_length=16)]
Name = Annotated[str, Field(max_length=64)]
Commit = Annotated[
    str | None, Field(pattern=r"^[0-9a-f]{64}$", description="tip of a new hash chain for the dice, in hex")
]
Password = Annotated[str, Field(min_length=1, max_length=128)]
Hex32 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""32 bytes in hex."""
Hex64 = Annotated[str, Field(pattern=r"^[0-9a-f]{128}$")]
"""64 bytes in hex: a signature."""
SeatNo = Annotated[int, Field(ge=0, lt=100_000)]
MySeat = Annotated[SeatNo | None, Field(description="which of my seats; not needed with one seat")]


class Hello(Model):
    """The first message. Answer: `welcome`, or `error` and close code 4001 or 4012, or `redirect`."""

    type: Literal["hello"] = "hello"
    protocol: tuple[Int, Int] = Field(description="lowest and highest version that the client speaks")
    client: str = Field(max_length=64)
    challenge: Hex32 | None = Field(None, description="random; the server signs it to prove its id")
    over_ssh: bool = Field(False, description="I run on the server, for a user over ssh; my seats say so")


class Identify(Model):
    """Say who you are, for history, statistics and the leaderboard. It needs the challenge of the `welcome`.

    The key is an Ed25519 key of yours for this server. Answer: `identified`.
    """

    type: Literal["identify"] = "identify"
    id: Id
    key: Hex32 = Field(description="your public key")
    binding: str = Field(
        "", max_length=128, description="`certificate:` and the SHA-256 of the certificate that you see; else empty"
    )
    proof: Hex64 = Field(description="your signature, as docs/protocol.md says")
    former: tuple[Hex32, ...] = Field((), max_length=8, description="keys of the older kind, whose games are yours")


class Link(Model):
    """Make another device the same player.

    On the first device, without a code: answer `link_code`. On the other one, with that code: answer `identified`.
    """

    type: Literal["link"] = "link"
    id: Id
    code: str | None = Field(None, min_length=1, max_length=16)


class ListRooms(Model):
    """List the public rooms, page by page. Answer: `rooms`."""

    type: Literal["rooms"] = "rooms"
    id: Id
    skip: int = Field(0, ge=0, le=1_000_000, description="how many you have already")


class Create(Model):
    """Open a room and sit down in it as host. Answer: `joined`."""

    type: Literal["create"] = "create"
    id: Id
    game: str = Field(max_length=32)
    options: JsonObject = Field(default_factory=dict)
    public: bool = True
    password: Password | None = None
    seats: int | None = Field(None, ge=1, le=100_000)
    turn_limit: int = Field(0, ge=0, le=3600)
    bots: bool = Field(True, description="bots may sit here: the server's, and programs that say that they are one")
    name: Name
    commit: Commit = None


class Join(Model):
    """Take a seat; a second `join` on the same connection takes a second one. Answer: `joined`."""

    type: Literal["join"] = "join"
    id: Id
    room: Code
    name: Name
    password: Password | None = None
    program: bool = Field(False, description="I am a bot, not a person; rooms without bots refuse me")
    commit: Commit = None


class Watch(Model):
    """Watch without a seat. Answer: `joined` without seat and token. The name is for chat only."""

    type: Literal["watch"] = "watch"
    id: Id
    room: Code
    name: Name | None = None
    password: Password | None = None


class Resume(Model):
    """Come back to a seat. Answer: the missed updates or a `snapshot`, then `caught_up`."""

    type: Literal["resume"] = "resume"
    id: Id
    room: Code
    seat_token: str = Field(max_length=128)
    epoch: Count
    last_seq: Count


class FetchLog(Model):
    """Read the updates of a room, open or ended, page by page. Answer: `log`."""

    type: Literal["log"] = "log"
    id: Id
    room: Code
    password: Password | None = None
    seat_token: str | None = Field(
        None, max_length=128, description="of a seat that you hold or held there, instead of the password"
    )
    after: Count = Field(0, description="the last update that you have")


SEASON = r"^20\d\d-(0[1-9]|1[0-2])$"


class AskHistory(Model):
    """The games of your player key, newest first. Answer: `history`."""

    type: Literal["history"] = "history"
    id: Id
    most: int = Field(20, ge=1, le=500)


class AskStats(Model):
    """Statistics of the games of your player key. Answer: `stats`."""

    type: Literal["stats"] = "stats"
    id: Id


class AskLeaderboard(Model):
    """Who has won most on this server, or who plays best. Answer: `leaderboard`.

    Only games of different people, at different addresses, count. By skill a game must be named.
    """

    type: Literal["leaderboard"] = "leaderboard"
    id: Id
    game: str | None = Field(None, max_length=32)
    by: Literal["wins", "skill"] | None = Field(None, description="left out: wins")
    season: str | None = Field(
        None, pattern=SEASON, description="a month in UTC, such as 2026-11; left out: games of all times"
    )
    bots: bool | None = Field(None, description="true: only games with bots at the table, else only those without")


class AskCommitments(Model):
    """Read the server's public list of commitments: one entry for each game that it has begun.

    Answer: `commitments`.
    """

    type: Literal["commitments"] = "commitments"
    id: Id
    after: Count = Field(0, description="the last entry that you have")
    most: int = Field(200, ge=1, le=200)


class AskRules(Model):
    """The rules of the game in my room, with its options. Answer: `rules`."""

    type: Literal["rules"] = "rules"
    id: Id


class AskOdds(Model):
    """The chances of one of my seats. For a spectator: of the player whose turn it is. Answer: `odds`."""

    type: Literal["odds"] = "odds"
    id: Id
    seat: MySeat = None


class AskPreview(Model):
    """What would come of it if a typed roll were corrected or taken back: moves `correct`, `undo`. Nothing is changed.

    `seq` is the newest update that the player had seen. Answer: `preview` or `error`.
    """

    type: Literal["preview"] = "preview"
    id: Id
    seq: Count
    seat: MySeat = None
    move: Move


class AskReview(Model):
    """How well everybody played a game of my room that is over; without a number, the last one. Answer: `review`.

    It may take a while. Meanwhile other messages are answered. While a game is running the answer is an `error`.
    """

    type: Literal["review"] = "review"
    id: Id
    game_no: int | None = Field(None, ge=1, le=1_000_000)


class ChainLink(Model):
    """The next link of a seat's hash chain."""

    link: Hex32
    tip: Hex32 | None = Field(None, description="tip of a new chain, where this one ends with this link")


class MakeMove(Model):
    """Take an offer. `seq` is the newest update that the player had seen. Answer: `ack` or `error`.

    If the move rolls, links that are given with it need not be asked for. Give them only where nobody else could use
    them: when all other seats are bots.
    """

    type: Literal["move"] = "move"
    id: Id
    seq: Count
    seat: MySeat = None
    move: Move
    links: dict[SeatKey, ChainLink] | None = Field(None, max_length=8, description="my seat -> its next link")


class Ready(Model):
    """I am ready to play, or no longer ready. When all are ready (at least two), the game starts. Answer: `ack`."""

    type: Literal["ready"] = "ready"
    id: Id
    seat: MySeat = None
    ready: bool = True
    commit: Commit = None


class Start(Model):
    """The host starts the game with everyone who has a seat. Answer: `ack`."""

    type: Literal["start"] = "start"
    id: Id
    commit: Commit = None


class AddBot(Model):
    """The host puts `count` bots on free seats: all of them, or none if there are too few seats. Answer: `ack`."""

    type: Literal["add_bot"] = "add_bot"
    id: Id
    level: str | None = Field(None, max_length=16)
    count: int = Field(1, ge=1, le=1000)


class RemoveBot(Model):
    """The host removes a bot. Without a target: the one that came last. Answer: `ack`."""

    type: Literal["remove_bot"] = "remove_bot"
    id: Id
    target: SeatNo | None = None


class Kick(Model):
    """The host removes a player. In a running game a bot plays on. Answer: `ack`.

    Who is removed stays outside for a while. With `away` the host only frees the seat of somebody who is away, and that
    player may sit down again. If the player is back by then, the answer is an `error`.
    """

    type: Literal["kick"] = "kick"
    id: Id
    target: SeatNo
    away: bool | None = Field(None, description="free the seat only if its player is away; nobody is kept out")


class GiveHost(Model):
    """The host makes another player the host. Answer: `ack`."""

    type: Literal["give_host"] = "give_host"
    id: Id
    target: SeatNo


class ChangeOptions(Model):
    """The host changes some options before the game. Answer: `ack`."""

    type: Literal["options"] = "options"
    id: Id
    options: JsonObject


class Rematch(Model):
    """Vote to play again, after the game is over. It starts when all people at the table want it. Answer: `ack`."""

    type: Literal["rematch"] = "rematch"
    id: Id
    seat: MySeat = None
    commit: Commit = None


class Show(Model):
    """Show the next link of my hash chain, when `fair.pending` asks for it. Answer: `ack`."""

    type: Literal["show"] = "show"
    id: Id
    seat: MySeat = None
    draw: Count = Field(description="the draw that it is for")
    link: Hex32
    tip: Hex32 | None = Field(None, description="tip of a new chain, where this one ends with this link")


class Leave(Model):
    """Give up a seat. Without a seat: give up all my seats and leave the room. Answer: `ack`."""

    type: Literal["leave"] = "leave"
    id: Id
    seat: MySeat = None


class Sit(Model):
    """A spectator takes a seat. Answer: `joined`."""

    type: Literal["sit"] = "sit"
    id: Id
    name: Name
    commit: Commit = None


class Chat(Model):
    """Chat at the table. Answer: `ack`; everyone gets `chat`."""

    type: Literal["chat"] = "chat"
    id: Id
    seat: MySeat = None
    text: str = Field(max_length=2000)


class Ping(Model):
    """Measure the latency. Answer: `pong`."""

    type: Literal["ping"] = "ping"
    id: Id


RoomCommand = (
    MakeMove
    | Ready
    | Start
    | AddBot
    | RemoveBot
    | Kick
    | GiveHost
    | ChangeOptions
    | Rematch
    | Show
    | Leave
    | Sit
    | Chat
)
Request = (
    Identify
    | Link
    | ListRooms
    | Create
    | Join
    | Watch
    | Resume
    | FetchLog
    | AskHistory
    | AskStats
    | AskLeaderboard
    | AskCommitments
    | AskRules
    | AskOdds
    | AskPreview
    | AskReview
    | Ping
    | RoomCommand
)
"""The messages that have an id and get an answer with the same id."""

ClientMessage = Annotated[Hello | Request, Field(discriminator="type")]

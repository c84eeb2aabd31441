"""What all games share: the table that everyone sees, and the offers on it.

The public state of a room is one JSON object, `Table`. The server decides everything: it writes into the table what
each seat may do next (an `Offer`), and a player answers by taking one (a `Move`). A client therefore needs no rules,
and whatever is not offered is refused in one place for all games.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from dicegames_protocol.base import Event, JsonObject, Model

Phase = Literal["waiting", "dealing", "playing", "over"]


class Choice(Model):
    """One legal way to fill in an offer."""

    worth: int
    rolls: int | None = Field(None, description="how many dice are rolled if this is chosen")


class Offer(Model):
    """A legal move, and who may take it.

    Either `seat` names the one seat, or `where` and `unless` name all seats whose entry in the game's `seats` has
    (`where`) or does not have (`unless`) these values. So a table of a thousand has the same offers as a table of two.
    """

    label: str
    seat: int | None = None
    where: dict[str, str | int] | None = None
    unless: dict[str, str | int] | None = None
    needed: bool = Field(False, description="the game waits until this (or another needed offer) is taken")
    loses: bool = Field(False, description="taking it loses at once: a client may ask first")
    choices: dict[str, Choice] | None = Field(None, description="legal choices; the key goes into the move")
    enter: int | None = Field(
        None, description="roll so many dice by hand (0: as many as the choice says); the faces go into the move"
    )
    sides: int | None = Field(None, description="sides of the dice to enter")


class Move(Model):
    """The answer to an offer: which one, and what was to be filled in."""

    take: str = Field(max_length=32)
    choice: str | None = Field(None, max_length=32)
    faces: tuple[int, ...] | None = Field(None, max_length=16)


def may_take(offer: Offer, seat: int, entry: Mapping[str, Any] | None) -> bool:
    """Whether a seat, with its entry in the game's `seats` (None: not in this game), may take the offer."""
    if entry is None:
        return False
    if offer.seat is not None:
        return offer.seat == seat
    return all(entry.get(key) == value for key, value in (offer.where or {}).items()) and not any(
        entry.get(key) == value for key, value in (offer.unless or {}).items()
    )


class Player(Model):
    """Who sits on a seat of the room."""

    name: str
    bot: str | None = Field(None, description="level of the bot that plays this seat for good")
    program: bool = Field(False, description="somebody's own bot, which plays over the network")
    standin: bool = Field(False, description="a bot plays until the player is back")
    ready: bool = False
    rematch: bool = False
    commit: str | None = Field(None, description="hash of the seed that the player will show")
    left: bool = Field(False, description="the player has left; the seat is cleared before the next game")


class Timer(Model):
    """Something that happens by itself so many ms after update `since`; never a time of day."""

    kind: Literal["window", "turn", "deal"]
    ms: int
    since: int


class RoomInfo(Model):
    code: str
    game: str
    title: str
    rules: str = Field(description="version of the rules that are played, such as 'doubles-1'")
    summary: str = Field(description="the options in a few words, such as '10 rounds'")
    options: JsonObject
    capacity: int
    least: int = Field(description="how many players the game needs")
    public: bool
    locked: bool = Field(description="a password is needed")
    turn_limit: int = Field(0, description="seconds for a turn; 0 is no limit")
    bots: bool = Field(True, description="bots may sit here")
    host: int | None = None
    phase: Phase = "waiting"
    game_no: int = 0
    winners: tuple[int, ...] | None = None
    timer: Timer | None = None


class Fair(Model):
    """What the dice of the game are bound to; docs/fair-dice.md says how they follow from it."""

    commit: str = Field(description="SHA-256 of the server's secret, in hex")
    epoch: int
    seeds: dict[str, str] | None = Field(None, description="seat -> its seed in hex, once they are shown")
    missing: tuple[int, ...] | None = Field(None, description="seats that sent a hash and did not show the seed")
    secret: str | None = Field(None, description="the server's secret in hex, once the game is over")


class Table(Model):
    """The public state of a room: what `snapshot` carries and what patches change."""

    room: RoomInfo
    seats: dict[str, Player]
    fair: Fair | None = None
    game: JsonObject | None = Field(None, description="the state of the game; see docs/protocol.md for each game")
    offers: dict[str, Offer]


class RoomEntry(Model):
    """A line in the list of rooms."""

    code: str
    game: str
    title: str
    summary: str
    seated: int
    capacity: int
    phase: Phase
    locked: bool
    host: str | None = None
    watching: int = 0


class RoomOpened(Event):
    kind: Literal["room_opened"] = "room_opened"
    code: str


class TookSeat(Event):
    kind: Literal["took_seat"] = "took_seat"
    seat: int
    name: str


class LeftSeat(Event):
    kind: Literal["left_seat"] = "left_seat"
    seat: int
    name: str
    why: Literal["left", "kicked", "expired", "dropped"]
    bot_plays: bool = False


class HostChanged(Event):
    kind: Literal["host_changed"] = "host_changed"
    seat: int


class ReadyChanged(Event):
    kind: Literal["ready_changed"] = "ready_changed"
    seat: int
    ready: bool


class OptionsChanged(Event):
    kind: Literal["options_changed"] = "options_changed"
    summary: str


class WantsRematch(Event):
    kind: Literal["wants_rematch"] = "wants_rematch"
    seat: int
    votes: int
    of: int


class Dealing(Event):
    """The server is bound to its secret; the seeds are to be shown now."""

    kind: Literal["dealing"] = "dealing"
    commit: str


class Dealt(Event):
    """Secret and seeds are put together."""

    kind: Literal["dealt"] = "dealt"
    seats: tuple[int, ...]
    missing: tuple[int, ...] = ()


class NotDealt(Event):
    """Too many left before the game began: it waits again."""

    kind: Literal["not_dealt"] = "not_dealt"


class GameStarted(Event):
    kind: Literal["game_started"] = "game_started"
    game_no: int
    seats: tuple[int, ...]


class GameOver(Event):
    kind: Literal["game_over"] = "game_over"
    winners: tuple[int, ...]


class StandIn(Event):
    """A bot sits in for an absent player, or the player is back."""

    kind: Literal["stand_in"] = "stand_in"
    seat: int
    on: bool


class TimeUp(Event):
    """A turn took too long; the mild move is played."""

    kind: Literal["time_up"] = "time_up"
    seat: int


class Corrected(Event):
    """The last entered roll was typed wrong and is put right; moves made since then were played again."""

    kind: Literal["corrected"] = "corrected"
    seat: int
    faces: tuple[int, ...]
    undone: tuple[int, ...] = Field((), description="seats whose later move no longer fits and is taken back")


class GameGoesOn(Event):
    """A correction has shown that the game is not over after all."""

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
    | GameStarted
    | GameOver
    | GameGoesOn
    | StandIn
    | TimeUp
    | Corrected
)

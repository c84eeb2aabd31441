"""What all games have in common: the table that everyone sees, and the offers on it.

The public state of a room is one JSON object, `Table`. The server decides everything. It writes into the table what
each seat may do next (an `Offer`), and a player takes one of the offers (a `Move`). So a client does not need to know
the rules, and a move that is not offered is refused in one place for all games.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from dicegames_protocol.base import Int, JsonObject, Model

Phase = Literal["waiting", "dealing", "playing", "over"]
ChoiceKind = Literal["faces", "name", "number"]
CORRECT = "correct"
"""Key of the offer to correct a typed roll, in every game where dice are typed."""
UNDO = "undo"
"""Key of the offer to take the last typed roll back."""


class Choice(Model):
    """One legal way to fill in an offer."""

    worth: Int
    rolls: Int | None = Field(None, description="how many dice are rolled if this is chosen")
    label: str | None = Field(None, description="what people call it, where that is not its key")
    seat: Int | None = Field(None, description="the only seat that may choose it")


class Offer(Model):
    """A legal move, and who may take it.

    Either `seat` names the one seat that may take it. Or `where` and `unless` describe the seats: their entry in the
    game's `seats` has the values in `where`, and none of those in `unless`. So a table of a thousand seats has no more
    offers than a table of two.
    """

    label: str
    seat: Int | None = None
    where: dict[str, str | Int] | None = None
    unless: dict[str, str | Int] | None = None
    needed: bool = Field(False, description="the game waits until this (or another needed offer) is taken")
    loses: bool = Field(False, description="taking it loses at once: a client may ask first")
    choices: dict[str, Choice] | None = Field(None, description="legal choices; the key goes into the move")
    choice_kind: ChoiceKind | None = Field(
        None,
        description="what the choices are: faces of dice, in order and written together ('115'), as also where this is "
        "left out; names, each taken as a whole; or a number from `least` to `most`, without a list",
    )
    least: Int | None = Field(None, description="smallest number that may be chosen")
    most: Int | None = Field(None, description="largest number that may be chosen")
    enter: Int | None = Field(
        None, description="roll so many dice by hand (0: as many as the choice says); the faces go into the move"
    )
    sides: Int | None = Field(None, description="sides of the dice to enter")
    sealed: bool | None = Field(None, description="what is chosen stays secret until the game shows it")

    @property
    def asks(self) -> ChoiceKind | None:
        """What the player has to choose with this offer. None: nothing."""
        if self.choice_kind == "number":
            return "number"
        return None if self.choices is None else self.choice_kind or "faces"

    def for_seat(self, seat: int) -> "Offer | None":
        """The offer without the choices of other seats. None: no choice is left."""
        if not self.choices or all(choice.seat is None for choice in self.choices.values()):
            return self
        mine = {key: choice for key, choice in self.choices.items() if choice.seat in (None, seat)}
        return self.but(choices=mine) if mine else None

    def admits(self, choice: str | None) -> bool:
        """Whether a choice is legal. A number is written in decimal, without blanks, plus sign or leading zeros."""
        match self.asks:
            case None:
                return choice is None
            case "number":
                if choice is None or not choice.removeprefix("-").isdecimal() or not choice.isascii():
                    return False
                return str(int(choice)) == choice and (self.least or 0) <= int(choice) <= (self.most or 0)
        return choice in (self.choices or {})


class Move(Model):
    """The answer to an offer: which offer is taken, and what the player chose."""

    take: str = Field(max_length=32)
    choice: str | None = Field(None, max_length=32, description="a key of `choices`, or a number in decimal")
    faces: tuple[Int, ...] | None = Field(None, max_length=16)


def offers_to(seat: int, offers: Mapping[str, Offer], entry: Mapping[str, Any] | None) -> dict[str, Offer]:
    """What a seat may do, as far as it may choose. `entry` is its entry in the game's `seats`."""
    allowed = {key: offer.for_seat(seat) for key, offer in offers.items() if may_take(offer, seat, entry)}
    return {key: offer for key, offer in allowed.items() if offer}


def may_take(offer: Offer, seat: int, entry: Mapping[str, Any] | None) -> bool:
    """Whether a seat may take the offer. `entry` is its entry in the game's `seats`; None: it is not in this game."""
    if entry is None:
        return False
    if offer.seat is not None:
        return offer.seat == seat
    return all(entry.get(key) == value for key, value in (offer.where or {}).items()) and not any(
        entry.get(key) == value for key, value in (offer.unless or {}).items()
    )


class Player(Model):
    """The player on a seat of the room."""

    name: str
    bot: str | None = Field(None, description="level of the bot that plays this seat for good")
    program: bool = Field(False, description="somebody's own bot, which plays over the network")
    over_ssh: bool | None = Field(
        None, description="played over ssh: this player's share of the dice comes from the server"
    )
    standin: bool = Field(False, description="a bot plays until the player is back")
    ready: bool = False
    rematch: bool = False
    commit: str | None = Field(None, description="tip of the hash chain that this player gave for the next game")
    left: bool = Field(False, description="the player has left; the seat is cleared before the next game")
    won: Int | None = Field(None, description="games that this player has won in this room; absent while there is none")
    points: Int | None = Field(
        None, description="sum of this player's final scores in this room; absent while it is 0, or the game has none"
    )


class Timer(Model):
    """A timeout: something happens automatically `ms` milliseconds after update `since`. Never a time of day."""

    kind: Literal["window", "turn", "deal"]
    ms: Int
    since: Int


class RoomInfo(Model):
    code: str
    id: str | None = Field(None, description="random; tells this room from others that have or had the same code")
    game: str
    title: str
    rules: str = Field(description="version of the rules that are played, such as 'doubles-1'")
    summary: str = Field(description="the options in a few words, such as '10 rounds'")
    options: JsonObject
    capacity: Int
    least: Int = Field(description="how many players the game needs")
    public: bool
    locked: bool = Field(description="a password is needed")
    turn_limit: Int = Field(0, description="seconds for a turn; 0 is no limit")
    bots: bool = Field(True, description="bots may sit here")
    format: Int | None = Field(
        None,
        description="2: `won` and `points` of players are counted, and all typed rolls of a round can be corrected; "
        "absent in rooms of an earlier version",
    )
    host: Int | None = None
    phase: Phase = "waiting"
    game_no: Int = 0
    winners: tuple[Int, ...] | None = None
    timer: Timer | None = None


class Pending(Model):
    """A draw that is decided, and whose dice are not known yet. Its members have to show their next link."""

    draw: Int = Field(description="1, 2, … in this game; a draw that is done anew has a new number")
    seq: Int = Field(description="the update that has decided it")
    members: tuple[Int, ...] = Field(description="seats whose links are asked for")
    seat: Int | None = Field(None, description="who rolls")
    count: Int = Field(description="how many dice")
    sides: Int
    hidden: bool | None = Field(None, description="the faces stay secret until the game is over")


class Listed(Model):
    """The place of a commitment in the server's public list. docs/fair-dice.md says what is signed."""

    server: str = Field(description="the server's lasting id")
    list: str = Field(description="id of the list")
    number: Int
    before: str = Field(description="hash of the entry before it, in hex")
    proof: str = Field(description="the server's signature")


class Fair(Model):
    """The values from which the dice of the game follow. docs/fair-dice.md says how. All of them are in hex."""

    commit: str = Field(description="tip of the server's hash chain")
    epoch: Int
    scheme: Int | None = Field(None, description="2; absent in games of the first scheme")
    committee: tuple[Int, ...] | None = Field(None, description="seats whose links decide the dice")
    links: dict[str, str] | None = Field(None, description="seat -> its last link; at first, its tip")
    tips: dict[str, str] | None = Field(None, description="seat -> tip of a new chain, from which its next link is")
    link: str | None = Field(None, description="the server's last link")
    tip: str | None = Field(None, description="tip of a new chain of the server, from which its next link is")
    rolls: tuple[str, ...] | None = Field(None, description="offers of this game that always roll")
    bots: Int | None = Field(None, description="version of the server's bots: the same version plays the same moves")
    without: tuple[Int, ...] | None = Field(None, description="seats of people whose client gave no tip")
    out: dict[str, str] | None = Field(None, description="seat -> name, for seats that did not show a link in time")
    redraws: Int | None = Field(None, description="how often dice were drawn anew because of that")
    pending: Pending | None = None
    entry: Listed | None = None
    seeds: dict[str, str] | None = Field(None, description="scheme 1: seat -> its seed, once they are shown")
    missing: tuple[Int, ...] | None = Field(None, description="scheme 1: seats that did not show their seed")
    secret: str | None = Field(None, description="the server's secret, once the game is over")


class Table(Model):
    """The public state of a room: `snapshot` contains it, and patches change it."""

    room: RoomInfo
    seats: dict[str, Player]
    fair: Fair | None = None
    game: JsonObject | None = Field(None, description="the state of the game; see docs/protocol.md for each game")
    offers: dict[str, Offer]


class RoomEntry(Model):
    """An entry in the list of rooms."""

    code: str
    game: str
    title: str
    summary: str
    seated: Int
    capacity: Int
    phase: Phase
    locked: bool
    host: str | None = None
    watching: Int = 0

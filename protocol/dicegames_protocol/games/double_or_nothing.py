"""Double or Nothing: two players and one number. Add one or double it, and hit the target exactly."""

from typing import Literal

from pydantic import Field, model_validator

from dicegames_protocol.base import Event, Model
from dicegames_protocol.options import Options

KEY = "double-or-nothing"
TITLE = "Double or Nothing"
BLURB = "add one or double it, and hit 20 exactly"
PRACTICE = {"best_of": 3}
POINTS = False


class DoubleOrNothingOptions(Options):
    target: int = Field(20, ge=2, le=1000, description="the number to reach exactly")
    start: int = Field(1, ge=1, le=999, description="the number to begin with")
    best_of: int = Field(1, ge=1, le=99, description="play until somebody has won more than half of so many games")
    first: Literal["toss", "1", "2"] = Field("toss", description="who begins: a coin toss, or seat 1 or 2 as agreed")

    @model_validator(mode="after")
    def _fits_together(self) -> "DoubleOrNothingOptions":
        if self.start >= self.target:
            raise ValueError(f"start must be below the target of {self.target:,}.")
        if self.best_of % 2 == 0:
            raise ValueError("best-of must be odd, so that somebody wins.")
        return self


class DoubleOrNothingSeat(Model):
    wins: int = 0


class Ended(Model):
    """How the latest game of the series ended."""

    number: int
    winner: int
    loser: int
    over: bool = Field(description="the mover went over the target")


class DoubleOrNothingState(Model):
    number: int
    target: int
    start: int
    turn: int
    starter: int
    game: int = Field(description="which game of the series this is, from 1")
    best_of: int
    moves: int = Field(description="moves made in the series")
    trail: dict[str, int] = Field(description="numbers of this game after the start -> the seat that made them")
    seats: dict[str, DoubleOrNothingSeat]
    ended: Ended | None = None
    winners: tuple[int, ...] | None = None


class Tossed(Event):
    kind: Literal["tossed"] = "tossed"
    seat: int


class Began(Event):
    """A game of the series begins."""

    kind: Literal["began"] = "began"
    game: int
    seat: int
    number: int


class Chose(Event):
    kind: Literal["chose"] = "chose"
    seat: int
    what: Literal["add", "double"]
    number: int


class Slip(Model):
    """The move that lost a game: the number before it, the choice taken, and the choice that would have won."""

    number: int
    took: Literal["add", "double"]
    instead: Literal["add", "double"]


class Won(Event):
    kind: Literal["won"] = "won"
    winner: int
    loser: int
    number: int
    over: bool
    slip: Slip | None = Field(None, description="absent where the loser could not have won from the start")


DoubleOrNothingEvent = Tossed | Began | Chose | Won

OPTIONS, STATE, EVENT = DoubleOrNothingOptions, DoubleOrNothingState, DoubleOrNothingEvent

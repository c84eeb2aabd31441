"""Doubles: one pot for the whole table, and any number of players who may cash out of it."""

import re
from typing import ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from dicegames_protocol.base import Event, Model
from dicegames_protocol.options import DiceOptions

KEY = "doubles"
TITLE = "Doubles"
BLURB = "a shared pot; cash out before the fourth seven"
PRACTICE = {"rounds": 3}

_MOST_ROUNDS = 1_000_000
_WIDEST_RANGE = 256


class DoublesOptions(DiceOptions):
    later: ClassVar[tuple[str, ...]] = ("sealed",)
    rounds: int | str = Field(10, description="number of rounds, or a range such as 8-12 with a hidden end")
    window: int = Field(
        10,
        ge=0,
        le=600,
        description="seconds to cash out or hold before each roll after the third seven; 0 = none",
    )
    next_round: Literal["after-roller", "rotate"] = Field(
        "after-roller",
        description="who begins the next round: the seat after the last roller, or rotate the starter",
    )
    sealed: bool = Field(
        False,
        description="after the third seven all decide in secret, and nobody has the last word: what they decided is "
        "shown when the window closes",
    )

    @field_validator("rounds", mode="before")
    @classmethod
    def _read_rounds(cls, value: object) -> int | str:
        found = re.fullmatch(r"\s*(\d{1,9})\s*(?:(?:-|\.\.)\s*(\d{1,9})\s*)?", str(value))
        if isinstance(value, bool) or not found:
            if re.fullmatch(r"\s*-\d+\s*", str(value)):
                raise ValueError("rounds must be at least 1.")
            raise ValueError("rounds must be a whole number, or a range such as 8-12.")
        first, last = int(found[1]), int(found[2] or found[1])
        if first < 1:
            raise ValueError("rounds must be at least 1.")
        if last > _MOST_ROUNDS:
            raise ValueError(f"rounds must be at most {_MOST_ROUNDS:,}.")
        if last < first:
            raise ValueError(f"rounds can't run from {first:,} down to {last:,}.")
        if last - first >= _WIDEST_RANGE:
            raise ValueError(f"A range of rounds can be {_WIDEST_RANGE} wide at most.")
        return first if first == last else f"{first}-{last}"

    @model_validator(mode="after")
    def _has_window(self) -> Self:
        if self.sealed and not self.window:
            raise ValueError("sealed needs time to decide in: set window to at least 1 second.")
        return self

    @property
    def span(self) -> tuple[int, int]:
        """First and last round after which the game may end."""
        first, _, last = str(self.rounds).partition("-")
        return int(first), int(last or first)


class DoublesSeat(Model):
    """`out` is the round in which the seat last cashed out. `held` is the roll before which it last held.

    `decided` is the roll before which it last decided in secret. All are compared with the current round and roll. So a
    new round or roll puts everybody back in without a change to any seat.
    """

    score: int = 0
    out: int | None = None
    won: int | None = Field(None, description="what it cashed out in round `out`")
    held: int | None = None
    decided: int | None = None


class LastRoll(Model):
    seat: int
    faces: tuple[int, int]
    before: int = Field(description="the pot before this roll")
    entered: bool = False


class Decision(Model):
    """The time window before a roll in which every seat that is still in may cash out or hold."""

    holding: int
    of: int
    decided: int | None = Field(None, description="in a sealed window: how many have decided; nobody is told what")


class DoublesState(Model):
    round: int
    rounds: int | None = Field(None, description="the last round; absent while it is hidden")
    pot: int
    sevens: int
    rolls: int = Field(description="rolls made in this round")
    roll_no: int = Field(description="number of the next roll in the game")
    roller: int
    starter: int
    inside: int = Field(description="how many are still in")
    deciding: Decision | None = None
    sealed: dict[str, str] | None = Field(
        None, description="seat -> the choice that it made in a sealed window; a seat sees its own only"
    )
    last: LastRoll | None = None
    seats: dict[str, DoublesSeat]
    winners: tuple[int, ...] | None = None


class Rolled(Event):
    kind: Literal["rolled"] = "rolled"
    seat: int
    faces: tuple[int, int]
    special: Literal["doubles", "first-doubles", "seven", "bust"] | None = None
    sevens: int
    pot: int
    entered: bool = False


class CashedOut(Event):
    kind: Literal["cashed_out"] = "cashed_out"
    seat: int
    points: int
    score: int


class Held(Event):
    kind: Literal["held"] = "held"
    seat: int
    holding: int
    of: int


class Decided(Event):
    """A seat has decided in a sealed window."""

    kind: Literal["decided"] = "decided"
    seat: int
    decided: int
    of: int


class DecisionsShown(Event):
    """A sealed window has closed. Whoever had not decided is among those who hold."""

    kind: Literal["decisions_shown"] = "decisions_shown"
    cashed: tuple[int, ...]
    held: tuple[int, ...]


class WindowOpened(Event):
    kind: Literal["window_opened"] = "window_opened"
    ms: int
    roller: int
    sealed: bool | None = Field(None, description="decisions are shown when the window closes")


class WindowClosed(Event):
    """Only with real dice: all have decided, or the time is up. Now the roller rolls."""

    kind: Literal["window_closed"] = "window_closed"
    roller: int


class RoundOver(Event):
    kind: Literal["round_over"] = "round_over"
    round: int
    why: Literal["bust", "all-out"]


class RoundBegan(Event):
    kind: Literal["round_began"] = "round_began"
    round: int
    roller: int
    last: bool = Field(False, description="this is the last round")


DoublesEvent = (
    Rolled | CashedOut | Held | Decided | DecisionsShown | WindowOpened | WindowClosed | RoundOver | RoundBegan
)

OPTIONS, STATE, EVENT = DoublesOptions, DoublesState, DoublesEvent

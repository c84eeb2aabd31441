"""Sevens: three rolls of six dice. Every pair that makes seven is removed."""

from typing import Literal

from pydantic import Field

from dicegames_protocol.base import Event, Model
from dicegames_protocol.options import DiceOptions

KEY = "sevens"
TITLE = "Sevens"
BLURB = "three rolls of six dice; pairs that make seven vanish"
PRACTICE = {"rounds": 3}


class SevensOptions(DiceOptions):
    rounds: int = Field(5, ge=1, le=10_000, description="number of rounds")


class SevensSeat(Model):
    """`status`: rolling (has yet to roll for the start), waiting, turn, done (has played this round), out (not in the
    tie-break round).
    """

    status: Literal["rolling", "waiting", "turn", "done", "out"]
    total: int = 0
    round: int | None = Field(None, description="points of this round, once kept")
    opening: int | None = Field(None, description="sum of the roll for the start")


class SevensState(Model):
    stage: Literal["start", "play"]
    heat: int = Field(description="how often the start was rolled for; more than 1 after a tie")
    round: int
    rounds: int
    extra: bool = Field(False, description="this round only breaks a tie")
    starter: int | None = None
    turn: int | None = None
    turn_no: int = 0
    roll: int = Field(0, description="rolls made in this turn")
    faces: tuple[int, ...] | None = Field(None, description="the last roll, as it fell")
    pairs: tuple[tuple[int, int], ...] | None = Field(None, description="positions in `faces` that make seven")
    left: tuple[int, ...] | None = Field(None, description="the dice that remain")
    entered: bool = False
    seats: dict[str, SevensSeat]
    winners: tuple[int, ...] | None = None


class RolledForStart(Event):
    kind: Literal["rolled_for_start"] = "rolled_for_start"
    seat: int
    faces: tuple[int, ...]
    sum: int
    entered: bool = False


class StartTied(Event):
    kind: Literal["start_tied"] = "start_tied"
    seats: tuple[int, ...]
    sum: int


class Starts(Event):
    kind: Literal["starts"] = "starts"
    seat: int


class Rolled(Event):
    kind: Literal["rolled"] = "rolled"
    seat: int
    roll: int
    faces: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    left: tuple[int, ...]
    worth: int
    entered: bool = False


class Scored(Event):
    """The end of a turn. `why`: the player kept, the third roll was made, or no dice were left."""

    kind: Literal["scored"] = "scored"
    seat: int
    points: int
    total: int
    why: Literal["kept", "third-roll", "nothing-left"]


class RoundBegan(Event):
    kind: Literal["round_began"] = "round_began"
    round: int
    extra: bool = False
    seats: tuple[int, ...] = Field((), description="who plays an extra round")


SevensEvent = RolledForStart | StartTied | Starts | Rolled | Scored | RoundBegan

OPTIONS, STATE, EVENT = SevensOptions, SevensState, SevensEvent

"""Yacht: five dice, three rolls, and a category for each turn."""

from typing import Literal

from pydantic import Field

from dicegames_protocol.base import Event, Model
from dicegames_protocol.options import DiceOptions

KEY = "yacht"
TITLE = "Yacht"
BLURB = "five dice, three rolls, a category for each turn"
Category = Literal["ones", "twos", "sixes", "full-house", "four-of-a-kind", "straight", "choice", "yacht"]


class YachtOptions(DiceOptions):
    rounds: int = Field(8, ge=1, le=8, description="turns of each player, one category each")


class YachtSeat(Model):
    score: int = 0
    used: dict[str, int] = Field(default_factory=dict)


class YachtState(Model):
    turn: int
    roll: int = 0
    dice: tuple[int, ...] | None = None
    seats: dict[str, YachtSeat]
    winners: tuple[int, ...] | None = None


class Threw(Event):
    kind: Literal["threw"] = "threw"
    seat: int
    roll: int
    faces: tuple[int, ...]
    entered: bool = False


class Entered(Event):
    kind: Literal["wrote"] = "wrote"
    seat: int
    category: str
    points: int
    score: int


OPTIONS, STATE, EVENT = YachtOptions, YachtState, Threw | Entered

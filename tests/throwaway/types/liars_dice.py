"""Liar's Dice: everybody sees only their own dice, and bids on all of them."""

from typing import Literal

from pydantic import Field

from dicegames_protocol.base import Event, Model
from dicegames_protocol.options import Options

KEY = "liars-dice"
TITLE = "Liar's Dice"
BLURB = "hidden dice, higher bids, and somebody who doubts"


class LiarsDiceOptions(Options):
    cup: int = Field(2, ge=1, le=5, description="dice of each player at the start")


class LiarsDiceSeat(Model):
    left: int
    hand: tuple[int, ...] | None = Field(None, description="shown to its own seat only")


class LiarsDiceState(Model):
    turn: int
    round: int = 1
    shaken: bool = False
    bid: str | None = None
    bidder: int | None = None
    seats: dict[str, LiarsDiceSeat]
    winners: tuple[int, ...] | None = None


class Shook(Event):
    """New dice are under all cups; nobody has seen those of others."""

    kind: Literal["shook"] = "shook"
    seat: int


class Bade(Event):
    kind: Literal["bade"] = "bade"
    seat: int
    bid: str


class Doubted(Event):
    """All hands of the round are shown."""

    kind: Literal["doubted"] = "doubted"
    seat: int
    hands: dict[str, tuple[int, ...]]
    there: int
    loser: int


OPTIONS, STATE, EVENT = LiarsDiceOptions, LiarsDiceState, Shook | Bade | Doubted

"""Sealed Bid: all choose a number at the same time, in secret. The highest that nobody else chose scores it."""

from typing import Literal

from pydantic import Field

from dicegames_protocol.base import Event, Model
from dicegames_protocol.options import Options

KEY = "sealed-bid"
TITLE = "Sealed Bid"
BLURB = "all choose a number in secret, at the same time"


class SealedBidOptions(Options):
    rounds: int = Field(3, ge=1, le=10, description="how many rounds are played")


class SealedBidSeat(Model):
    score: int = 0
    status: Literal["choosing", "chosen"] = "choosing"
    bid: int | None = Field(None, description="shown to its own seat only")


class SealedBidState(Model):
    round: int = 1
    seats: dict[str, SealedBidSeat]
    winners: tuple[int, ...] | None = None


class Chosen(Event):
    """Somebody has chosen; what, nobody knows."""

    kind: Literal["chosen"] = "chosen"
    seat: int


class Opened(Event):
    kind: Literal["opened"] = "opened"
    bids: dict[str, int]
    seat: int | None = Field(None, description="who scores, if anybody does")


OPTIONS, STATE, EVENT = SealedBidOptions, SealedBidState, Chosen | Opened

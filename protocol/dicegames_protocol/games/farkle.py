"""Farkle with house rules: keep the dice that score, roll the rest, and bank before everything is lost."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from dicegames_protocol.base import Event, Model
from dicegames_protocol.options import DiceOptions

KEY = "farkle"
TITLE = "Farkle"
BLURB = "keep the dice that score, roll the rest, bank before you farkle"
PRACTICE = {"target": 2000}

_MOST = 1_000_000


def _points(description: str, default: int = 0) -> Any:
    return Field(default, ge=0, le=_MOST, description=description)


class FarkleOptions(DiceOptions):
    """A preset sets the other options. An option that is given explicitly overrides it."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "seed": {},
        "boxed": {
            "table": "set-value",
            "values": {"111": 300},
            "straight": 1500,
            "three_pairs": 1500,
            "four_and_pair": True,
            "two_triplets": 2500,
            "opening": 500,
        },
        "zilch": {"table": "doubling", "straight": 1500, "three_pairs": 1500},
        "kcd": {
            "table": "doubling",
            "straight_low": 500,
            "straight_high": 750,
            "straight": 1500,
            "target": 2000,
        },
    }

    preset: Literal["seed", "boxed", "zilch", "kcd"] = Field("seed", description="a set of house rules to begin with")
    target: int = Field(10_000, ge=50, le=_MOST, description="points that trigger the last turns")
    table: Literal["multiplier", "doubling", "set-value"] = Field(
        "multiplier", description="what four, five and six of a kind are worth"
    )
    values: dict[str, int] = Field(
        default_factory=dict, description="own values, such as 111=300,2222=500 (the dice, then the points)"
    )
    straight: int = _points("points for 1-2-3-4-5-6; 0 = none")
    straight_low: int = _points("points for 1-2-3-4-5; 0 = none")
    straight_high: int = _points("points for 2-3-4-5-6; 0 = none")
    three_pairs: int = _points("points for three pairs; 0 = none")
    four_and_pair: bool = Field(False, description="four of a kind and a pair count as three pairs")
    two_triplets: int = _points("points for two triplets instead of their sum; 0 = their sum")
    opening: int = _points("least points of a player's first bank")
    minimum: int = _points("least points of every bank")
    three_farkles: int = _points("points lost for three farkles in a row; 0 = none")

    @model_validator(mode="before")
    @classmethod
    def _fill_from_preset(cls, data: Any) -> Any:
        if isinstance(data, dict) and (preset := cls.presets.get(str(data.get("preset")))):
            return {**preset, **data}
        return data

    @field_validator("values", mode="before")
    @classmethod
    def _read_values(cls, value: Any) -> Any:
        if isinstance(value, str):
            pairs = [part.partition("=") for part in value.replace(" ", "").split(",") if part]
            if any(not points.lstrip("-").isdigit() or len(points) > 9 for _, _, points in pairs):
                raise ValueError("values must look like 111=300,2222=500.")
            value = {dice: int(points) for dice, _, points in pairs}
        if not isinstance(value, dict):
            raise ValueError("values must look like 111=300,2222=500.")
        for dice, points in value.items():
            if not re.fullmatch(r"([1-6])\1{0,5}", str(dice)):
                raise ValueError(f"values: '{str(dice)[:12]}' is not one to six dice of a kind.")
            if not isinstance(points, int) or isinstance(points, bool) or not 0 <= points <= _MOST:
                raise ValueError(f"values: the points for {dice} must be 0 to {_MOST:,}.")
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> "FarkleOptions":
        if self.four_and_pair and not self.three_pairs:
            raise ValueError("four-and-pair needs points for three-pairs.")
        return self

    def changed(self, raw: Mapping[str, Any]) -> "FarkleOptions":
        """A copy with new values. A new preset drops all earlier values; else only the given ones change."""
        return self.read(raw) if "preset" in raw else super().changed(raw)


class FarkleSeat(Model):
    score: int = 0
    opened: bool = Field(False, description="has banked before")
    farkles: int = Field(0, description="farkles in a row")


class FarkleState(Model):
    turn: int
    turn_no: int
    roll: int = Field(description="rolls made in this turn")
    points: int = Field(description="points of this turn that are still at risk")
    dice: tuple[int, ...] | None = Field(None, description="the roll to choose from; absent before the first one")
    entered: bool = False
    closer: int | None = Field(None, description="who reached the target first; everyone else has one last turn")
    seats: dict[str, FarkleSeat]
    winners: tuple[int, ...] | None = None


class Rolled(Event):
    kind: Literal["rolled"] = "rolled"
    seat: int
    roll: int
    faces: tuple[int, ...]
    entered: bool = False


class Kept(Event):
    kind: Literal["kept"] = "kept"
    seat: int
    dice: tuple[int, ...]
    worth: int
    points: int
    hot: bool = Field(False, description="all six are used: hot dice")


class Farkled(Event):
    kind: Literal["farkled"] = "farkled"
    seat: int
    lost: int
    penalty: int = 0
    score: int


class Banked(Event):
    kind: Literal["banked"] = "banked"
    seat: int
    points: int
    score: int


class LastTurns(Event):
    kind: Literal["last_turns"] = "last_turns"
    seat: int
    score: int


class TurnBegan(Event):
    kind: Literal["turn_began"] = "turn_began"
    seat: int


FarkleEvent = Rolled | Kept | Farkled | Banked | LastTurns | TurnBegan

OPTIONS, STATE, EVENT = FarkleOptions, FarkleState, FarkleEvent

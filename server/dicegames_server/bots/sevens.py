"""Bots for Sevens."""

import random
from collections.abc import Mapping

from dicegames_protocol.base import Event
from dicegames_protocol.games.sevens import Scored, SevensState
from dicegames_protocol.table import Move
from dicegames_server.bots.base import Patient
from dicegames_server.bots.theory.sevens import MOST, POINTS
from dicegames_server.bots.theory.sevens_outlook import Position, best_turn, position_of
from dicegames_server.games.match import Match
from dicegames_server.games.sevens import ROLLS, Sevens

ROLL, KEEP = Move(take="roll"), Move(take="keep")
EXPERT_SHARE = 0.78
"""See `expert_share`: `dicegames-server arena sevens --seats expert,easy --games 2000`."""


class Easy(Patient):
    """Keeps or rolls at random, whatever the dice show."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def choose(self, match: Match, seat: int) -> Move:
        state = match.state
        assert isinstance(state, SevensState)
        if not state.left:
            return ROLL
        return KEEP if self._rng.random() < 0.5 else ROLL


class Steady(Patient):
    """A rule of thumb: keeps from 3.8 points for each die on, or from 12 points on. Otherwise it rolls."""

    def choose(self, match: Match, seat: int) -> Move:
        state = match.state
        assert isinstance(state, SevensState)
        if not state.left:
            return ROLL
        return KEEP if sum(state.left) >= 3.8 * len(state.left) or sum(state.left) >= 12 else ROLL


class Expert(Patient):
    """Plays every turn for the win, given all totals and all turns to come."""

    deep = True

    def choose(self, match: Match, seat: int) -> Move:
        state = match.state
        assert isinstance(state, SevensState)
        if not state.left:
            return ROLL
        position, _ = position_of(state)
        left = (len(state.left), sum(state.left))
        return ROLL if best_turn(position).rolls_again(left, ROLLS - state.roll) else KEEP


def remarks(event: Event) -> tuple[str, ...]:
    match event:
        case Scored(why="nothing-left"):
            return ("All gone.", "Sevens everywhere.", "Nothing. Nothing at all.")
    return ()


def strategies(rng: random.Random) -> Mapping[str, Patient]:
    return {"easy": Easy(rng), "steady": Steady(), "expert": Expert()}


class KeepsFrom(Patient):
    """Keeps from so many points on. `leading`: and as soon as it has the highest total."""

    def __init__(self, points: int, *, leading: bool = False) -> None:
        self._points, self._leading = points, leading

    def choose(self, match: Match, seat: int) -> Move:
        state = match.state
        assert isinstance(state, SevensState)
        if not state.left:
            return ROLL
        points = sum(state.left)
        best = max(entry.total for other, entry in state.seats.items() if int(other) != seat)
        leads = self._leading and state.seats[str(seat)].total + points > best
        return KEEP if leads or points >= self._points else ROLL


class ForPoints(Patient):
    """Plays the best turn for points alone."""

    def choose(self, match: Match, seat: int) -> Move:
        state = match.state
        assert isinstance(state, SevensState)
        left = (len(state.left or ()), sum(state.left or ()))
        return KEEP if state.left and not POINTS.rolls_again(left, ROLLS - state.roll) else ROLL


def exploiters(rng: random.Random) -> Mapping[str, Patient]:
    keeps = {f"keeps-from-{points}": KeepsFrom(points) for points in (1, 10, 14, 18)}
    return {
        "all-or-nothing": KeepsFrom(24),
        "third-roll": KeepsFrom(MOST + 1),
        **keeps,
        "ahead": KeepsFrom(18, leading=True),
        "for-points": ForPoints(),
    }


def prepare(rules: Sevens) -> None:
    best_turn(Position((0, 0), 0, rules.options.rounds - 1))

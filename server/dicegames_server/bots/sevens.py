"""Bots for Sevens."""

import random
from collections.abc import Mapping
from functools import lru_cache

from dicegames_protocol.base import Event
from dicegames_protocol.games.sevens import Scored, SevensState
from dicegames_protocol.table import Move
from dicegames_server.bots.base import MOST_RIVALS, Patient
from dicegames_server.bots.theory.sevens import POINTS, Turn, chance_to_win, totals
from dicegames_server.games.match import Match
from dicegames_server.games.sevens import DICE, ROLLS, Sevens

ROLL, KEEP = Move(take="roll"), Move(take="keep")
LAST_ROUNDS = 1
"""Rounds to come. With more than this, play for points and play for the win are the same."""


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
    """Exact: plays the best turn for points. Near the end it plays the best turn for the win, given all totals.

    At a table of more than MOST_RIVALS others it reckons with those who are furthest ahead.
    """

    deep = True

    def choose(self, match: Match, seat: int) -> Move:
        state = match.state
        assert isinstance(state, SevensState)
        if not state.left or state.stage == "start":
            return ROLL
        left = (len(state.left), sum(state.left))
        return ROLL if self._turn(state, seat).rolls_again(left, ROLLS - state.roll) else KEEP

    def _turn(self, state: SevensState, seat: int) -> Turn:
        to_come = max(0, state.rounds - state.round)
        if to_come > LAST_ROUNDS:
            return POINTS
        mine = state.seats[str(seat)].total
        others = sorted(
            (entry.total - mine, to_come + (entry.status == "waiting"))
            for other, entry in state.seats.items()
            if int(other) != seat and entry.status != "out"
        )
        return for_the_win(to_come, tuple(others[-MOST_RIVALS:]))


@lru_cache(maxsize=4096)
def for_the_win(to_come: int, others: tuple[tuple[int, int], ...]) -> Turn:
    """The best turn for the win. `others`: how many points each player is ahead, and how many turns each still has."""
    return Turn(lambda points: chance_to_win(points, to_come, others))


def remarks(event: Event) -> tuple[str, ...]:
    match event:
        case Scored(why="nothing-left"):
            return ("All gone.", "Sevens everywhere.", "Nothing. Nothing at all.")
    return ()


def strategies(rng: random.Random) -> Mapping[str, Patient]:
    return {"easy": Easy(rng), "steady": Steady(), "expert": Expert()}


def prepare(rules: Sevens) -> None:
    POINTS.of_rolling(DICE, ROLLS)
    for turns in range(LAST_ROUNDS + 2):
        totals(turns)

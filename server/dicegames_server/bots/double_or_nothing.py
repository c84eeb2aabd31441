"""Bots for Double or Nothing."""

import random
from collections.abc import Mapping

from dicegames_protocol.games.double_or_nothing import DoubleOrNothingState
from dicegames_protocol.table import Move
from dicegames_server.bots.base import Patient
from dicegames_server.bots.theory.double_or_nothing import won_numbers
from dicegames_server.games.match import Match

ADD, DOUBLE = Move(take="add"), Move(take="double")


def _moves(state: DoubleOrNothingState) -> dict[int, Move]:
    """Where the moves lead, without those that lose at once, if there are others."""
    found = {state.number * 2: DOUBLE, state.number + 1: ADD}
    return {number: move for number, move in found.items() if number <= state.target} or found


class Easy(Patient):
    """Takes the win when it is there; otherwise does not look ahead, and now and then not even at the target."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def choose(self, match: Match, seat: int) -> Move:
        state = match.state
        assert isinstance(state, DoubleOrNothingState)
        if self._rng.random() < 0.15:
            return self._rng.choice((ADD, DOUBLE))
        return self._rng.choice(list(_moves(state).values()))


class Steady(Patient):
    """Takes the win, and never hands it over: looks one move ahead."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def choose(self, match: Match, seat: int) -> Move:
        state = match.state
        assert isinstance(state, DoubleOrNothingState)
        moves = _moves(state)
        if state.target in moves:
            return moves[state.target]
        safe = [move for number, move in moves.items() if state.target not in (number + 1, number * 2)]
        return self._rng.choice(safe or list(moves.values()))


class Expert(Patient):
    """Perfect: a won number is never given away. In a lost one it adds, which leaves the other most chances to slip."""

    def choose(self, match: Match, seat: int) -> Move:
        state = match.state
        assert isinstance(state, DoubleOrNothingState)
        won = won_numbers(state.target)
        moves = _moves(state)
        for number, move in moves.items():
            if number == state.target or (number < state.target and number not in won):
                return move
        return moves.get(state.number + 1, ADD)


def strategies(rng: random.Random) -> Mapping[str, Patient]:
    return {"easy": Easy(rng), "steady": Steady(rng), "expert": Expert()}

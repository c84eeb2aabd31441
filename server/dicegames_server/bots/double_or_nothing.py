"""Bots for Double or Nothing."""

import random
from collections.abc import Mapping

from dicegames_protocol.base import Event
from dicegames_protocol.games.double_or_nothing import DoubleOrNothingState, Won
from dicegames_protocol.table import Move
from dicegames_server.bots.base import Patient
from dicegames_server.games.double_or_nothing_solution import won_numbers
from dicegames_server.games.match import Match

ADD, DOUBLE = Move(take="add"), Move(take="double")
EXPERT_SHARE = 0.95
"""See `expert_share`: `dicegames-server arena double-or-nothing --seats expert,easy --games 2000`."""


def _moves(state: DoubleOrNothingState) -> dict[int, Move]:
    """Number after the move -> move. Moves that lose at once are left out, unless there are no others."""
    found = {state.number * 2: DOUBLE, state.number + 1: ADD}
    return {number: move for number, move in found.items() if number <= state.target} or found


class Easy(Patient):
    """Takes any move that does not lose at once, and never looks ahead. In 15 % of its moves it ignores the target."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def choose(self, match: Match, seat: int) -> Move:
        state = match.state
        assert isinstance(state, DoubleOrNothingState)
        if self._rng.random() < 0.15:
            return self._rng.choice((ADD, DOUBLE))
        return self._rng.choice(list(_moves(state).values()))


class Steady(Patient):
    """Looks one move ahead: takes the win, and avoids moves after which the other player can win at once."""

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
    """Plays perfectly: never gives a won number away. In a lost one it adds, which gives most chances of a slip."""

    def choose(self, match: Match, seat: int) -> Move:
        state = match.state
        assert isinstance(state, DoubleOrNothingState)
        won = won_numbers(state.target)
        moves = _moves(state)
        for number, move in moves.items():
            if number == state.target or (number < state.target and number not in won):
                return move
        return moves.get(state.number + 1, ADD)


def remarks(event: Event) -> tuple[str, ...]:
    return ("Good game.", "Close one.", "Shall we again?") if isinstance(event, Won) else ()


def strategies(rng: random.Random) -> Mapping[str, Patient]:
    return {"easy": Easy(rng), "steady": Steady(rng), "expert": Expert()}


def exploiters(rng: random.Random) -> Mapping[str, Patient]:
    return {"perfect": Expert()}

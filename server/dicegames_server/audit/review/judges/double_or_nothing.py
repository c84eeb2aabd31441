"""Judges Double or Nothing. The game is solved: a number is won or lost for whoever is to move.

In a series, games that have not begun count as even: who wins them is not decided by anything that was done so far.
"""

from functools import lru_cache

from dicegames_protocol.games.double_or_nothing import DoubleOrNothingState
from dicegames_protocol.table import Move
from dicegames_server.audit.review.judge import Alternative, Chances, Decision
from dicegames_server.games.base import Act, in_order
from dicegames_server.games.double_or_nothing import DoubleOrNothing
from dicegames_server.games.double_or_nothing_solution import won_numbers

_WORDS = {"add": "adding one", "double": "doubling"}


class DoubleOrNothingJudge:
    exact = True

    def chances(self, state: DoubleOrNothingState) -> Chances:
        one, two = in_order(state)
        if state.winners is not None:
            return {seat: float(seat in state.winners) for seat in (one, two)}
        return self._with(state, state.turn if state.number in won_numbers(state.target) else _other(state))

    def decisions(self, state: DoubleOrNothingState, act: Act) -> tuple[Decision, ...]:
        assert act.seat is not None
        taken = self._alternative(state, act.move.take)
        other = self._alternative(state, "add" if act.move.take == "double" else "double")
        same = state.number == 1  # both lead to 2
        return (Decision(act.seat, taken, () if same else (other,)),)

    def _alternative(self, state: DoubleOrNothingState, take: str) -> Alternative:
        number = state.number * 2 if take == "double" else state.number + 1
        wins = number == state.target or (number < state.target and number not in won_numbers(state.target))
        winner = state.turn if wins else _other(state)
        return Alternative(Move(take=take), self._with(state, winner), f"{_WORDS[take]} to {number:,}")

    def _with(self, state: DoubleOrNothingState, winner: int) -> Chances:
        """The chances to win the series if this seat wins this game."""
        needed = state.best_of // 2 + 1
        wins = {seat: state.seats[str(seat)].wins + (seat == winner) for seat in in_order(state)}
        one, two = in_order(state)
        chance = _series(needed - wins[one], needed - wins[two])
        return {one: chance, two: 1.0 - chance}

    def why(self, decision: Decision) -> str:
        return f"{decision.best.words} wins by force; {decision.taken.words} gives that to the other one"


def _other(state: DoubleOrNothingState) -> int:
    return next(seat for seat in in_order(state) if seat != state.turn)


@lru_cache(maxsize=4096)
def _series(mine: int, theirs: int) -> float:
    """The chance to win a series of even games, with so many games to win for each."""
    if not mine or not theirs:
        return float(not mine)
    return (_series(mine - 1, theirs) + _series(mine, theirs - 1)) / 2


def judge(rules: DoubleOrNothing, seats: int) -> DoubleOrNothingJudge:
    return DoubleOrNothingJudge()

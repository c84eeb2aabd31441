"""Sevens: what the end of a turn is worth, measured by the chance to win.

- The last round is exact, for up to MOST_WAITING players who have yet to play and can still win.
- A game of two is exact as soon as fewer than DUEL_ROUNDS rounds are to come.
- Otherwise the turns to come are thought to be played for points, each player for himself. That is close: a player who
  looks ahead further against such players wins no more than one game in ten thousand besides.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import NamedTuple, Protocol

from dicegames_protocol.games.sevens import SevensState
from dicegames_server.bots.theory.sevens import MOST, Turn, dot
from dicegames_server.bots.theory.sevens_last_round import last_round, needs_of, tied_shares
from dicegames_server.bots.theory.sevens_totals import (
    MOST_EXACT,
    Cells,
    highest,
    inside,
    mixed,
    nodes,
    product,
    up_to,
)
from dicegames_server.games.base import after, in_order
from dicegames_server.games.sevens import DICE, ROLLS

DUEL_ROUNDS = 12
MOST_WAITING = 10
LAST_WORD = 0.66
"""Points. What the last one's knowledge in the last round is worth, compared with the first one's."""
MOST_KINDS = 32
"""Most different rivals that a player reckons with: those who are furthest ahead."""
FEW = (0, 12, 24, 36)
"""Points at which a value is worked out that hardly bends between them."""


class Position(NamedTuple):
    """A game before a turn."""

    totals: tuple[int, ...]
    """Of those who play this round, in the order of play."""
    place: int
    """Whose turn it is. All before have played this round."""
    to_come: int
    """Whole rounds after this one."""


class Outlook(Protocol):
    """The chances at the end of a turn."""

    @property
    def mine(self) -> Sequence[float]:
        """The chance of the player whose turn it is, if it ends with 0, 1, 2 … points."""

    def of(self, ends: Sequence[float]) -> list[float]:
        """The chances of all, in the order of play. `ends`: how likely the turn is to end with 0, 1, 2 … points."""


class _LastRound:
    def __init__(self, position: Position) -> None:
        totals, place, _ = position
        self._players, self._place = len(totals), place
        self._leading, needs = needs_of(totals, place)
        self._results = last_round().results(len(self._leading), needs)
        self.mine = [result[len(self._leading)] for result in self._results]

    def of(self, ends: Sequence[float]) -> list[float]:
        found = [0.0] * self._players
        columns = [dot(ends, column) for column in zip(*self._results, strict=True)]
        for number, chance in zip((*self._leading, *range(self._place, self._players)), columns, strict=True):
            found[number] = chance
        return found


class _Duel:
    """A game of two, solved exactly."""

    def __init__(self, position: Position) -> None:
        totals, self._place, to_come = position
        lead = totals[self._place] - totals[1 - self._place]
        self.mine = _duel_results(lead, self._place, to_come)

    def of(self, ends: Sequence[float]) -> list[float]:
        mine = dot(ends, self.mine)
        return [1.0 - mine, mine] if self._place else [mine, 1.0 - mine]


def _duel_results(lead: int, place: int, to_come: int) -> list[float]:
    """The chance of a player with this lead whose turn ends with 0, 1, 2 … points."""
    behind = range(-lead, -lead - MOST - 1, -1)
    if not place:
        return [1.0 - _duel(other, 1, to_come) for other in behind]
    if to_come:
        return [1.0 - _duel(other, 0, to_come - 1) for other in behind]
    return [tied_shares(2)[1] if not other else float(other < 0) for other in behind]


@lru_cache(maxsize=200_000)
def _duel(lead: int, place: int, to_come: int) -> float:
    """The chance of the player whose turn it is: the first or the second one of the round."""
    most = MOST * (to_come + 1)
    if lead > most or lead < -most:
        return float(lead > 0)
    return Turn(_duel_results(lead, place, to_come)).of_rolling(DICE, ROLLS)


class _Field:
    """Several players with turns to come, each of whom plays for points.

    In the last round the later ones know what is needed. That is worth as much as LAST_WORD points are now.
    """

    def __init__(self, position: Position) -> None:
        totals, place, to_come = position
        last = len(totals) - 1
        apart = LAST_WORD / last if to_come and last < MOST_KINDS else 0.0  # large tables have few kinds of players
        self._players = [(total + apart * number, to_come + (number >= place)) for number, total in enumerate(totals)]
        self._place, self._turns = place, to_come
        self._total, self._more = totals[place], apart * place
        self._cells = Cells.of([*self._players, (self._total + self._more, to_come)])
        rivals = Counter(self._players[:place] + self._players[place + 1 :])
        ahead = sorted(rivals)[-MOST_KINDS:]
        rows = [self._cells.below(*rival) for rival in ahead]
        many = [rivals[rival] for rival in ahead]
        wins = [0.0] * self._cells.number
        for node, weight in nodes(len(totals)):
            lower = product([up_to(row, node) for row in rows], many)
            wins = [so_far + weight * more for so_far, more in zip(wins, lower, strict=True)]
        known = range(MOST + 2) if to_come <= MOST_EXACT else FEW
        values = [self._chance(points, wins) for points in known]
        if known is FEW:
            values = _between(values)
        self.mine = [here + self._more * (there - here) for here, there in pairwise(values)]

    def _chance(self, points: int, wins: Sequence[float]) -> float:
        return dot(inside(self._cells.below(self._total + points, self._turns)), wins)

    def of(self, ends: Sequence[float]) -> list[float]:
        total = self._total + self._more
        mine = mixed(
            [(share, self._cells.below(total + points, self._turns)) for points, share in enumerate(ends) if share]
        )
        others = Counter(self._players[: self._place] + self._players[self._place + 1 :])
        rows = [mine, *(self._cells.below(*other) for other in others)]
        chance, *rest = highest(rows, [1, *others.values()])
        known = dict(zip(others, rest, strict=True))
        return [chance if number == self._place else known[player] for number, player in enumerate(self._players)]


def _between(values: Sequence[float]) -> list[float]:
    """The value at 0, 1, 2 … points, from the values at FEW points: the cubic curve through them."""
    found = []
    for points in range(MOST + 2):
        value = 0.0
        for here, known in zip(FEW, values, strict=True):
            others = [other for other in FEW if other != here]
            value += known * prod((points - other) / (here - other) for other in others)
        found.append(value)
    return found


@lru_cache(maxsize=256)
def outlook(position: Position) -> Outlook:
    """`position` with the lowest total 0, so that equal ones are worked out once."""
    totals, place, to_come = position
    if len(totals) == 2 and to_come < DUEL_ROUNDS:
        return _Duel(position)
    if not to_come:
        _, needs = needs_of(totals, place)
        if sum(need <= MOST for need in needs) <= MOST_WAITING:
            return _LastRound(position)
    return _Field(position)


@lru_cache(maxsize=1024)
def best_turn(position: Position) -> Turn:
    """The turn that is best for the win."""
    return Turn(outlook(position).mine)


def position_of(state: SevensState, starter: int | None = None) -> tuple[Position, list[int]]:
    """The position before the turn of this state, and the seats in the order of play.

    `starter`: who begins, where the dice have not decided that yet.
    """
    first = state.starter if starter is None else starter
    assert first is not None
    order = [first, *after(in_order(state), first)[:-1]]
    order = [seat for seat in order if state.seats[str(seat)].status != "out"]
    totals = [state.seats[str(seat)].total for seat in order]
    place = 0 if state.turn is None else order.index(state.turn)
    lowest = min(totals)
    to_come = max(0, state.rounds - max(1, state.round))
    return Position(tuple(total - lowest for total in totals), place, to_come), order

"""How many turns a game of Farkle takes under its options: an estimate, to refuse options that never lead to an end.

The player of the estimate is simple: keep the best selection of every roll, bank as soon as it is allowed, and lose
half of these turns by carelessness. People and bots do better, so a game that this player ends can be ended.

The work is bounded for any options, but it takes up to 0.2 s for a new table of points: call `endless` in the worker.
"""

from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial
from typing import NamedTuple

from dicegames_protocol.games.farkle import FarkleOptions
from dicegames_server.games.farkle_scoring import Scoring, selections

MOST_TURNS = 10_000
"""Most turns of one player that a game may take."""
MOST_TURNS_TO_OPEN = 200
"""Most turns that a player's first bank may take."""
CARELESS = 0.5
"""Share of the turns that could be banked which a careless player banks. The others are lost by rolling on."""
_DICE = 6
_ROWS = 100
"""Numbers of points that get a value of their own, up to the least bank."""


class _Kept(NamedTuple):
    """Rolls in which the best selection is worth `points`: their share of all rolls, and the dice rolled next."""

    share: float
    points: int
    dice: int


class _Banking(NamedTuple):
    """A turn that is banked as soon as it is allowed: the chance of that, and the points that it brings on average."""

    chance: float
    points: float


def endless(options: FarkleOptions, scoring: Scoring) -> str | None:
    """A sentence where a game under these options would never end, or only after thousands of turns. None: it ends."""
    if options.opening > options.target:
        return f"opening must be at most the target of {options.target:,}."
    least = max(options.opening, options.minimum)
    name = "opening" if options.opening > options.minimum else "minimum"
    first, later = _banking(scoring, least), _banking(scoring, options.minimum)
    if not _kept(_DICE, scoring):
        return "No dice score with these values, so no game could end."
    if first.chance * MOST_TURNS_TO_OPEN < 1:
        return f"{name} is out of reach: hardly any turn brings {least:,} points with these values."
    banked = later.chance * CARELESS
    farkle = 1.0 - banked
    penalty = options.three_farkles * farkle**3 / (1 + farkle + farkle**2)
    gain = banked * later.points - penalty
    if gain <= 0:
        return "three-farkles costs more than a player can win with these values, so no game could end."
    to_open = 1 / first.chance
    turns = to_open + (options.target + options.three_farkles * to_open / 3) / gain
    if turns > MOST_TURNS:
        return f"A game with these values would take about {turns:,.0f} turns of each player. Lower the target."
    return None


@lru_cache(maxsize=256)
def _kept(dice: int, scoring: Scoring) -> tuple[_Kept, ...]:
    """What is kept of a roll, for all rolls that score."""
    found: dict[tuple[int, int], float] = {}
    for faces in combinations_with_replacement(range(1, 7), dice):
        legal = selections(faces, scoring)
        if legal:
            cases = factorial(dice)
            for face in set(faces):
                cases //= factorial(faces.count(face))
            key = max(legal, key=lambda key: (legal[key], -len(key)))
            after = legal[key], dice - len(key) or _DICE
            found[after] = found.get(after, 0.0) + cases / 6**dice
    return tuple(_Kept(share, points, rest) for (points, rest), share in found.items())


@lru_cache(maxsize=64)
def _banking(scoring: Scoring, least: int) -> _Banking:
    """A turn that is banked with `least` points, or with whatever the first roll brings where that is more."""
    size = max(1, -(-least // _ROWS))
    rows = -(-least // size)
    values = [[_Banking(0.0, 0.0)] * (_DICE + 1) for _ in range(rows + 1)]
    for row in range(max(rows - 1, 0), -1, -1):
        for dice in range(1, _DICE + 1):
            chance = points = 0.0
            for kept in _kept(dice, scoring):
                reached = row + max(1, round(kept.points / size))
                if reached >= rows:
                    chance += kept.share
                    points += kept.share * max(row * size + kept.points, least)
                else:
                    then = values[reached][kept.dice]
                    chance += kept.share * then.chance
                    points += kept.share * then.chance * then.points
            values[row][dice] = _Banking(chance, points / chance if chance else 0.0)
    return values[0][_DICE]

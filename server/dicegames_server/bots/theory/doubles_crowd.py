"""Doubles for three and more: when to cash out while others are still in.

With several rivals there is no table of all scores. Instead a decision depends on a `Situation`: what the scores would
be if the pot burned now, who could overtake whom, and how many rounds are to come. How often to cash out in each
situation was learned by play against itself (doubles_learning.py), until no situation was left in which another choice
would have been better in the long run. Chance is part of it: who can be foreseen is outwaited.

Somebody who is alone in a round plays against fixed scores. That is worked out for each rival as in a duel.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from dicegames_protocol.games.doubles import DoublesState
from dicegames_server.bots.theory.doubles_duel import Round, at
from dicegames_server.games.base import in_order
from dicegames_server.games.doubles import Doubles

Situation = tuple[str, ...]
_MOST_INSIDE = 5
_FEW = ("0", "1", "2", "3")
_CERTAIN = 1e-9


class Habit(NamedTuple):
    """What to do in a situation while others are in."""

    share: float
    """How often to cash out, from 0 to 1."""
    cashed: float
    """The chance to win after cashing out, in the mean over all times when the situation came up."""
    held: float
    """The same after holding."""


UNKNOWN = Habit(0.3, 0.0, 0.0)
"""In a situation that never came up while learning."""


class Window(NamedTuple):
    """A window in which everybody who is still in may cash out."""

    scores: Sequence[int]
    """By place. A place is not the number of a seat."""
    inside: Collection[int]
    """Places of those who are still in."""
    pot: int
    to_come: int
    """Rounds to come after this one."""


def rounds_to_come(rules: Doubles, state: DoublesState) -> tuple[int, ...]:
    """How many rounds may still come: one number, or all possible ones where the last round is hidden."""
    if state.rounds is not None:
        return (state.rounds - state.round,)
    first, last = rules.options.span
    return tuple(end - state.round for end in range(max(first, state.round + 1), last + 1)) or (0,)


def window_of(rules: Doubles, state: DoublesState, seat: int) -> tuple[Window, int]:
    """The window of a state, and the place of the seat in it."""
    order = in_order(state)
    entries = [state.seats[str(other)] for other in order]
    inside = [place for place, entry in enumerate(entries) if entry.out != state.round]
    to_come = rounds_to_come(rules, state)
    window = Window([entry.score for entry in entries], inside, state.pot, round(sum(to_come) / len(to_come)))
    return window, order.index(seat)


def situation(window: Window, place: int) -> Situation:
    """What a decision of three and more depends on."""
    scores, inside, pot, to_come = window
    mine = scores[place]
    best_in = best_out = -1
    for other, score in enumerate(scores):
        if other == place:
            continue
        if other in inside:
            best_in = max(best_in, score)
        else:
            best_out = max(best_out, score)
    best = max(best_in, best_out)
    rounds = _FEW[to_come if to_come < 2 else 2 if to_come < 5 else 3]
    many = str(min(len(inside), _MOST_INSIDE))
    if mine >= best:
        level = sum(scores[other] == mine for other in inside) - 1
        threats = sum(scores[other] < mine < scores[other] + pot for other in inside)
        standing = "ahead" if mine > best else "level"
        return rounds, many, standing, _FEW[min(threats, 3)], _FEW[min(level, 2)]
    whom = "out" if best_out >= best_in else "in"
    if mine + pot <= best:
        return rounds, many, f"far-{whom}", _FEW[mine + 2 * pot > best]
    alike = sum(scores[other] < best < scores[other] + pot for other in inside) - 1
    before = sum(scores[other] > mine for other in inside)
    near = _FEW[pot > 3 * (best - mine)]
    return rounds, many, f"behind-{whom}", _FEW[min(alike, 3)], _FEW[min(before, 2)], near


def chance(values: Sequence[float], scores: Sequence[int], place: int) -> float:
    """The chance to win between two rounds. `values`: those of a duel, for the rounds to come.

    The odds against each rival are those of a duel, and they add up. With two players that is exact.
    """
    return against(at(values, scores[place] - score) for other, score in enumerate(scores) if other != place)


def against(duels: Iterable[float]) -> float:
    odds = 1.0
    for value in duels:
        if value <= _CERTAIN:
            return 0.0
        odds += (1 - value) / value
    return 1 / odds


def alone(round_: Round, window: Window, place: int) -> tuple[float, float]:
    """The chances of somebody who is alone: after cashing out now, and after one more roll."""
    ahead = [window.scores[place] + window.pot - score for other, score in enumerate(window.scores) if other != place]
    cashed = against([at(round_.after, lead) for lead in ahead])
    rolled = against([round_.rolled(lead, window.pot) for lead in ahead])
    return cashed, rolled


def in_pairs(round_: Round, window: Window, place: int) -> tuple[float, float]:
    """The chances of somebody who cashes out in a window, and of who holds, if each rival decides as in a duel.

    Whoever is out of reach does not count then. With two players it is exact.
    """
    cashed, held = [], []
    for other, score in enumerate(window.scores):
        lead = window.scores[place] - score
        if other == place:
            continue
        if other not in window.inside:
            cashed.append(at(round_.after, lead + window.pot))
            held.append(round_.rolled(lead + window.pot, window.pot))
            continue
        matrix = round_.window(lead, window.pot)
        share = matrix.turned().cashing
        cashed.append(share * matrix.cash_cash + (1 - share) * matrix.cash_hold)
        held.append(share * matrix.hold_cash + (1 - share) * matrix.hold_hold)
    return against(cashed), against(held)


def habit_in(learned: Mapping[Situation, Habit], window: Window, place: int) -> Habit:
    return learned.get(situation(window, place), UNKNOWN)

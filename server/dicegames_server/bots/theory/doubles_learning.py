"""Learns Doubles for three and more by play against itself: regret matching, as for poker.

In a window one player looks at both choices: the round is played to its end once after cashing out and once after
holding, with the same dice. What the other choice would have been worth is added up for the situation, and from then on
each choice is made as often as it was missed. The mean over the whole time is what is kept.

In some games strangers take part, who cash out by a habit, so that situations come up which good players avoid. An
answer is learned in the same way, against players who do not change: the best that could be found against them.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dicegames_server.bots.theory.doubles_crowd import (
    UNKNOWN,
    Habit,
    Situation,
    Window,
    alone,
    chance,
    habit_in,
    situation,
)
from dicegames_server.bots.theory.doubles_duel import Round
from dicegames_server.bots.theory.doubles_growth import pot_after_roll, pot_at_third_seven

Decide = Callable[[Window, int], bool]
"""Whether the player at a place cashes out."""
LOOKED_AT = 0.5
"""In so many of the windows of a learner both choices are looked at."""
WITH_STRANGERS = 0.3
_LIMITS = (0, 300, 1000, 5000, 20_000, 1_000_000_000)
_SHARES = (0.1, 0.3, 0.8, 1.0)


@dataclass(slots=True)
class _Kept:
    """What is kept of a situation."""

    missed_cash: float = 0.0
    missed_hold: float = 0.0
    shares: float = 0.0
    cashed: float = 0.0
    held: float = 0.0
    weights: float = 0.0

    @property
    def share(self) -> float:
        """How often to cash out at the moment."""
        missed = self.missed_cash + self.missed_hold
        return self.missed_cash / missed if missed > 0 else 0.5

    def add(self, cashed: float, held: float, weight: float) -> None:
        """The chances to win after both choices."""
        share = self.share
        mean = share * cashed + (1 - share) * held
        self.missed_cash = max(0.0, self.missed_cash + cashed - mean)
        self.missed_hold = max(0.0, self.missed_hold + held - mean)
        self.shares += weight * share
        self.cashed += weight * cashed
        self.held += weight * held
        self.weights += weight

    def habit(self) -> Habit:
        return Habit(self.shares / self.weights, self.cashed / self.weights, self.held / self.weights)


class Learning:
    """What was learned so far. `rounds`: for 0, 1, 2 … rounds to come."""

    def __init__(self, rounds: Sequence[Round], seed: int = 1) -> None:
        self._rounds = rounds
        self._rng = random.Random(seed)
        self._kept: dict[Situation, _Kept] = {}
        self._looks = 0

    def learned(self) -> dict[Situation, Habit]:
        return {key: kept.habit() for key, kept in sorted(self._kept.items())}

    def play_itself(self, games: int) -> None:
        for _ in range(games):
            seats = self._rng.choice((3, 3, 4, 5, 6, 6))
            many = 0
            if self._rng.random() < WITH_STRANGERS:
                many = 1 if self._rng.random() < 2 / 3 else self._rng.randint(1, seats - 1)
            strangers = set(self._rng.sample(range(seats), many))
            habit = self._stranger()
            others: list[Decide] = [habit if place in strangers else self._decide for place in range(seats)]
            self._game(others, [place for place in range(seats) if place not in strangers])

    def play_against(self, rivals: Decide, seats: int, games: int) -> None:
        for _ in range(games):
            place = self._rng.randrange(seats)
            self._game([self._decide if other == place else rivals for other in range(seats)], [place])

    def _stranger(self) -> Decide:
        limit, share, rng = self._rng.choice(_LIMITS), self._rng.choice(_SHARES), self._rng
        only_behind = self._rng.random() < 0.5

        def decide(window: Window, place: int) -> bool:
            if only_behind and window.scores[place] == max(window.scores):
                return False
            return window.pot >= limit and rng.random() < share

        return decide

    def _decide(self, window: Window, place: int) -> bool:
        return self._rng.random() < self._share(situation(window, place))

    def _share(self, key: Situation) -> float:
        kept = self._kept.get(key)
        return kept.share if kept else UNKNOWN.share

    def _game(self, players: Sequence[Decide], learners: Sequence[int]) -> None:
        rounds = self._rng.choice((10, 10, 5, 3))
        scores = [0] * len(players)
        for to_come in range(rounds - 1, -1, -1):
            to_come = min(to_come, len(self._rounds) - 1)
            inside, pot = set(range(len(players))), pot_at_third_seven(self._rng)
            while len(inside) > 1 and pot:
                window = Window(scores, inside, pot, to_come)
                out = {place for place in inside if players[place](window, place)}
                for place in learners:
                    if place in inside and self._rng.random() < LOOKED_AT:
                        self._look(window, place, out - {place}, players)
                for place in out:
                    scores[place] += pot
                inside -= out
                pot = pot_after_roll(pot, self._rng) if inside else pot
            if pot:
                self._finish(scores, inside, pot, to_come, players, self._rng)

    def _look(self, window: Window, place: int, out: set[int], players: Sequence[Decide]) -> None:
        """Compare both choices of a player. `out`: who else cashes out in this window."""
        seed = self._rng.random()
        found = []
        for choice in (out | {place}, out):
            scores = [score + window.pot * (at in choice) for at, score in enumerate(window.scores)]
            inside, dice = set(window.inside) - choice, random.Random(seed)
            pot = pot_after_roll(window.pot, dice)
            if inside and pot:
                self._finish(scores, inside, pot, window.to_come, players, dice)
            found.append(chance(self._rounds[window.to_come].after, scores, place))
        self._looks += 1
        kept = self._kept.setdefault(situation(window, place), _Kept())
        kept.add(found[0], found[1], weight=self._looks**0.5)  # what was done later counts for more

    def _finish(
        self,
        scores: list[int],
        inside: set[int],
        pot: int,
        to_come: int,
        players: Sequence[Decide],
        dice: random.Random,
    ) -> None:
        """Play a round to its end."""
        while inside and pot:
            window = Window(scores, inside, pot, to_come)
            if len(inside) == 1:
                (last,) = inside
                cashed, rolled = alone(self._rounds[to_come], window, last)
                out = {last} if cashed >= rolled else set()
            else:
                out = {place for place in inside if players[place](window, place)}
            for place in out:
                scores[place] += pot
            inside = inside - out
            pot = pot_after_roll(pot, dice)


def by_duel(rounds: Sequence[Round], rng: random.Random) -> Decide:
    """A player of two who plays the duel as well as can be."""

    def decide(window: Window, place: int) -> bool:
        lead = window.scores[place] - window.scores[1 - place]
        return rng.random() < rounds[window.to_come].window(lead, window.pot).cashing

    return decide


def by_table(learned: Mapping[Situation, Habit], rng: random.Random) -> Decide:
    """A player who decides as it was learned, and learns no more."""
    return lambda window, place: rng.random() < habit_in(learned, window, place).share

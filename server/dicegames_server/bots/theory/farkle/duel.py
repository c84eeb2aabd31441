"""Farkle for two, played for the win: chances between two turns, from the points that both have left to the target.

A small game is solved exactly, from its end backwards: what a turn is worth follows from what comes after it. In a
larger one that would take minutes. There a turn is thought to be played by the best of some plans, each of which tells
how likely a turn is to bring how many points:

1. plans that fit everywhere: most points, or at least so many points;
2. the best turns against the chances found by these, worked out for some pairs of points left. They count for the
   pairs around, and the chances are worked out anew.

The points left form a grid. Its steps grow with the distance to the target, and values between are interpolated
linearly. Whoever moves then plays the best turn against these chances, dice by dice.
"""

import math
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from dicegames_server.bots.theory.farkle.points import usual
from dicegames_server.bots.theory.farkle.turn import MOST_ROWS, NEVER, Ends, Turn, is_wild, step
from dicegames_server.games.farkle import DICE
from dicegames_server.games.farkle_scoring import Scoring

MOST_EXACT = 10
"""Most steps to the target of a game that is solved exactly."""
_ROWS, _FEW_ROWS = 80, 40
"""Numbers of points that have values of their own in a turn that is only looked ahead to; and under wild tables."""
_ROWS_BEHIND = 160
"""The same for somebody who is behind, in the last turn."""
_DENSE = 24
"""So many points of a grid are evenly spaced. Behind them each step is larger than the one before."""
_GROWTH, _GROWTH_OF_LEADS = 1.1, 1.25
_BEYOND, _FAR_BEYOND = 4, 5
"""Who needs some points banks at once with so many usual turns more; and where everything is solved exactly."""
_SAMPLES = (0.3, 0.8, 1.5, 2.5, 4.5, 9.0, 20.0)
_FEW_SAMPLES = (0.8, 3.0)
"""Points left, in usual turns, for which best turns are worked out; the second one where that takes longer."""
_FAR_LEAD = 16
"""Leads of more than so many usual turns are the same: they are hardly ever overtaken in one turn."""
_MOST_KNOWN = 10_000
_CLOSE_ENOUGH = 1e-7
"""After so small a change the next one would be as small as its square."""
_MOST_CHANGES = 50
"""How often two players change their plans for each other, at most."""


class HouseRules(NamedTuple):
    """What the chances depend on."""

    scoring: Scoring
    target: int
    minimum: int
    opening: int
    most_exact: int = MOST_EXACT
    """Most steps to the target of a game that is solved exactly."""

    @property
    def steps(self) -> int:
        """Steps to the target."""
        return -(-self.target // step(self.scoring))

    @property
    def solved(self) -> bool:
        """Whether the game is solved exactly."""
        few = usual(self.scoring) <= 2 * MOST_EXACT * step(self.scoring)
        return self.steps <= self.most_exact and few and not self.opening

    def least(self, left: int) -> int:
        """Fewest points that can be banked by somebody with so many points left."""
        return max(self.minimum, self.opening) if left >= self.target else self.minimum


class _Part(NamedTuple):
    """What a plan leads to, for somebody with some points left."""

    stays: float
    """The chance that the points left stay the same."""
    moves: tuple[tuple[int, float], ...]
    """Places in the grid, and how likely they are."""
    closes: tuple[tuple[int, float], ...]
    """Points beyond the target, and how likely they are."""


def beyond(rules: HouseRules) -> float:
    """Who needs some points banks at once with so many more."""
    return (_FAR_BEYOND if rules.solved else _BEYOND) * usual(rules.scoring)


def grid(first: int, last: int, growth: float, multiple: int, dense: int) -> tuple[int, ...]:
    """Multiples of `multiple` from `first` to `last`: so many evenly spaced, then ever further apart."""
    found, at, apart = [], float(first), float(first)
    while at < last:
        found.append(round(at / multiple) * multiple)
        if len(found) >= dense:
            apart *= growth
        at += apart
    return (*dict.fromkeys(point for point in found if 0 < point < last), last)


def between(points: Sequence[int], point: float) -> tuple[int, float]:
    """The place before a point in a grid, and how far it is on the way to the next place, from 0 to 1."""
    if point <= points[0]:
        return 0, 0.0
    if point >= points[-1]:
        return len(points) - 2, 1.0
    place = bisect_right(points, point) - 1
    return place, (point - points[place]) / (points[place + 1] - points[place])


class LastWord:
    """One last turn against somebody who leads."""

    def __init__(self, scoring: Scoring, minimum: int, apart: int, dense: int) -> None:
        self._scoring, self._minimum = scoring, minimum
        far = round(_FAR_LEAD * usual(scoring))
        self._leads = (0, *grid(apart, max(far, apart * 2), _GROWTH_OF_LEADS, step(scoring), dense))
        self._chances = [self._overtaking(lead) for lead in self._leads]
        self._known: dict[int, float] = {}

    def _overtaking(self, lead: int) -> float:
        """The chance to win from so many points behind. A tie counts as half."""

        def worth(points: int) -> float:
            if points < self._minimum:
                return NEVER
            return 1.0 if points > lead else 0.5 if points == lead else 0.0

        enough = max(lead + step(self._scoring), self._minimum)
        turn = Turn(self._scoring, worth, enough=enough, lost=0.0 if lead else 0.5, most_rows=_ROWS_BEHIND)
        return turn.of_rolling(0, DICE)

    def near(self, lead: int) -> tuple[tuple[int, float], ...]:
        """The leads around a lead for which chances were worked out, and how much each counts for it."""
        place, part = between(self._leads, lead)
        around = (self._leads[place], 1 - part), (self._leads[place + 1], part)
        return tuple(pair for pair in around if pair[1])

    def overtakes(self, lead: int) -> float:
        """The chance to win, with one turn, against somebody who leads by so many points."""
        if lead < 0:
            return 1.0
        found = self._known.get(lead)
        if found is None:
            place, part = between(self._leads, lead)
            low, high = self._chances[place], self._chances[place + 1]
            found = low + (high - low) * part
            if len(self._known) < _MOST_KNOWN:
                self._known[lead] = found
        return found


class Duel:
    def __init__(self, rules: HouseRules) -> None:
        self._rules = rules
        scoring, self._multiple = rules.scoring, step(rules.scoring)
        self._usual = usual(scoring)
        self._rough = is_wild(scoring)
        self._rows = _FEW_ROWS if self._rough else _ROWS
        apart = max(1, round(self._usual / (5 if self._rough else 10) / self._multiple)) * self._multiple
        if rules.solved:
            apart, dense = self._multiple, rules.steps + round(_FAR_BEYOND * self._usual / self._multiple)
            self._left: tuple[int, ...] = tuple(range(apart, rules.steps * apart + 1, apart))
        else:
            dense = _DENSE
            self._left = grid(apart, rules.target, _GROWTH, self._multiple, dense)
        self.last_word = LastWord(scoring, rules.minimum, apart, dense)
        self._chances: list[list[float]] = []
        """By the places of the points left to whoever is to move, and to the other one."""
        self._done = False
        self._lock = threading.RLock()

    def work_out(self) -> None:
        """Work out all chances, if that has not been done."""
        with self._lock:
            if self._chances:
                return
            size = len(self._left)
            self._chances = [[0.5] * size for _ in range(size)]
            if self._rules.solved:
                self._solve()
            else:
                self._approach()
            self._done = True

    def chance(self, mine: float, theirs: float) -> float:
        """The chance of whoever is to move, from the points that are left to both. Above the target counts as it."""
        if not self._done:
            self.work_out()
        (one, part), (two, share) = between(self._left, mine), between(self._left, theirs)
        if len(self._left) == 1:
            return self._chances[0][0]
        first, second = self._chances[one], self._chances[one + 1]
        low = first[two] + (first[two + 1] - first[two]) * share
        high = second[two] + (second[two + 1] - second[two]) * share
        return low + (high - low) * part

    def after(self, mine: int, theirs: int) -> float:
        """My chance after my turn, from the points left. With none I have closed, and the other one has a last turn."""
        if mine <= 0:
            return 1.0 - self.last_word.overtakes(theirs - mine)
        return 1.0 - self.chance(theirs, mine)

    def turn(self, mine: int, theirs: int) -> Turn:
        """The best turn for two, as it is looked ahead to."""
        least = self._rules.least(mine)
        more = beyond(self._rules)
        enough = min(mine + more, 2 * more)
        return Turn(
            self._rules.scoring,
            lambda points: self.after(mine - points, theirs) if points >= least else NEVER,
            enough=max(least, round(enough)),
            lost=self.after(mine, theirs),
            most_rows=MOST_ROWS if self._rules.solved else self._rows,
        )

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Pairs of places in the grid. Each comes after all those to which a turn can lead."""
        size = len(self._left)
        pairs = ((one, two) for one in range(size) for two in range(one + 1))
        return iter(sorted(pairs, key=lambda pair: self._left[pair[0]] + self._left[pair[1]]))

    def _solve(self) -> None:
        for pair in self._pairs():
            one, two = pair
            change = 1.0
            self._chances[one][two] = self._chances[max(one - 1, 0)][two]  # a first guess
            self._chances[two][one] = self._chances[two][max(one - 1, 0)]
            while change > _CLOSE_ENOUGH:
                mine, theirs = self._left[one], self._left[two]
                best = self._part(self.turn(mine, theirs).ends(), one)
                other = best if one == two else self._part(self.turn(theirs, mine).ends(), two)
                found = _settled([self._worth(best, two)], [self._worth(other, one)])
                change = abs(found[0] - self._chances[one][two]) + abs(found[1] - self._chances[two][one])
                self._chances[one][two], self._chances[two][one] = found

    def _approach(self) -> None:
        everywhere = self._everywhere()
        parts = [[self._part(plan(left), place) for plan in everywhere] for place, left in enumerate(self._left)]
        self._settle(lambda one, two: parts[one])
        if self._rough:
            return
        places = self._places_of_samples()
        sampled = {
            (one, two): self.turn(self._left[one], self._left[two]).ends() for one, two in product(places, repeat=2)
        }
        around = [_around(places, place) for place in range(len(self._left))]

        @cache
        def part_of(one: int, two: int, place: int) -> _Part:
            return self._part(sampled[one, two], place)

        self._settle(
            lambda one, two: [*parts[one], *(part_of(*pair, one) for pair in product(around[one], around[two]))]
        )

    def _places_of_samples(self) -> list[int]:
        far = self._left[-1]
        fine = self.turn(far, far).rounds == 1
        wanted = [share * self._usual for share in (_SAMPLES if fine else _FEW_SAMPLES) if share * self._usual < far]
        return sorted({0, *(bisect_left(self._left, left) for left in wanted), len(self._left) - 1})

    def _everywhere(self) -> list[Callable[[int], Ends]]:
        """Plans that fit everywhere: points left -> how the turn may end."""
        scoring = self._rules.scoring

        def ends(worth: Callable[[int], float], enough: float) -> Callable[[int], Ends]:
            @lru_cache(maxsize=2)
            def with_least(least: int) -> Ends:
                bounded = max(least, round(enough), self._multiple)
                allowed = lambda points: worth(points) if points >= least else NEVER  # noqa: E731
                return Turn(scoring, allowed, enough=bounded, most_rows=self._rows).ends()

            return lambda left: with_least(self._rules.least(left))

        usual_ = self._usual
        goals = [share * usual_ for share in (0.6, 1.0, 2.0, 4.0)]
        return [
            ends(float, 2 * _BEYOND * usual_),
            ends(lambda points: 1 - math.exp(-2.5 * points / usual_), _BEYOND * usual_),
            *(ends(lambda points, goal=goal: float(points >= goal), goal) for goal in goals),  # type: ignore[misc]
        ]

    def _part(self, ends: Ends, place: int) -> _Part:
        """What a plan leads to from a place in the grid."""
        stays = ends.farkle
        moves: dict[int, float] = {}
        closes: dict[int, float] = {}
        for points, chance in ends.banked.items():
            left = self._left[place] - points
            if left <= 0:
                for over, share in ((-left, 1.0),) if self._rules.solved else self.last_word.near(-left):
                    closes[over] = closes.get(over, 0.0) + chance * share
                continue
            low, part = between(self._left, left)
            for into, share in ((low, 1 - part), (low + 1, part)):
                if share and into == place:
                    stays += chance * share
                elif share:
                    moves[into] = moves.get(into, 0.0) + chance * share
        return _Part(stays, tuple(moves.items()), tuple(closes.items()))

    def _worth(self, part: _Part, other: int) -> tuple[float, float]:
        """What a plan is worth but for its chance to stay, and that chance."""
        theirs, row = self._left[other], self._chances[other]
        overtakes = self.last_word.overtakes
        worth = sum(chance * (1.0 - row[place]) for place, chance in part.moves)
        return worth + sum(chance * (1.0 - overtakes(theirs + over)) for over, chance in part.closes), part.stays

    def _settle(self, plans: Callable[[int, int], Sequence[_Part]]) -> None:
        """Work out all chances, if each turn is played by the best of its plans."""
        for one, two in self._pairs():
            mine = [self._worth(part, two) for part in plans(one, two)]
            theirs = mine if one == two else [self._worth(part, one) for part in plans(two, one)]
            self._chances[one][two], self._chances[two][one] = _settled(mine, theirs)


def _around(places: Sequence[int], place: int) -> tuple[int, ...]:
    """The sampled places on both sides of a place."""
    at = bisect_left(places, place)
    return (place,) if places[at] == place else (places[at - 1], places[at])


def _settled(mine: Sequence[tuple[float, float]], theirs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The chances of two who are to move, where a plan that stays gives the move to the other one."""
    best, other = mine[0], theirs[0]
    for _ in range(_MOST_CHANGES):
        (worth, stays), (theirs_worth, theirs_stays) = best, other
        one = (worth + stays * (1 - theirs_worth - theirs_stays)) / (1 - stays * theirs_stays)
        two = theirs_worth + theirs_stays * (1 - one)
        better, theirs_better = _best(mine, two), _best(theirs, one)
        if better == best and theirs_better == other:
            break
        best, other = better, theirs_better
    return one, two


def _best(plans: Sequence[tuple[float, float]], chance: float) -> tuple[float, float]:
    """The best plan, where who is next has this chance if nothing changes."""
    return max(plans, key=lambda plan: plan[0] + plan[1] * (1 - chance))


@lru_cache(maxsize=32)
def duel(scoring: Scoring, target: int, minimum: int, opening: int, most_exact: int = MOST_EXACT) -> Duel:
    """The chances in a game of two under these rules. They are kept: the first time takes up to a second."""
    return Duel(HouseRules(scoring, target, minimum, opening, most_exact))

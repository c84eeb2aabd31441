"""Doubles for two, solved for the win by value iteration over leads, pots and rounds.

Up to the third seven nothing can be lost, so nobody cashes out before it. From then on each roll burns the pot with a
chance of one in six, and a window opens before it. What happens there:

- Both are in: they decide at the same time, because nobody gains by deciding first. It is a matrix game: cash or hold
  against cash or hold. Often the best play is mixed: cash with some probability, so that it can't be foreseen.
- One is out: the other one is alone, and stops as soon as that is worth more than one more roll.

A chance is that of the player whose lead is given. A `Round` has the values of one round, for a number of rounds to
come after it. Leads and pots have grids whose steps grow; between their points values are interpolated linearly. Leads
up to 12 points have values of their own: the smallest lead may decide a game.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from dicegames_server.bots.theory.doubles_growth import PLAIN_SUMS, growths, surviving
from dicegames_server.games.doubles import FIRST_DOUBLES, LAST_SEVEN, SEVEN

_LEADS = (
    *(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 21, 24, 28, 33, 40, 50, 60, 75, 90, 110, 130, 160, 190, 230),
    *(280, 340, 400, 480, 560, 680, 800, 960, 1150, 1400, 1700, 2000, 2400, 2900, 3500, 4200, 5000, 6000, 7200, 8700),
    *(10500, 13000, 16000, 20000, 26000, 34000, 46000, 64000),
)
LEADS = (*(-lead for lead in reversed(_LEADS)), 0, *_LEADS)
POTS = (
    *(2, 4, 7, 11, 16, 24, 35, 50, 75, 100, 150, 200, 250, 310, 390, 490, 610, 760, 950, 1190, 1490, 1860, 2320, 2900),
    *(3630, 4540, 5670, 7090, 8870, 11100, 14000, 18000, 24000, 34000, 50000, 75000, 110000),
)
FIRST = POTS.index(200)
"""The first of POTS that can be there at the third seven. From here on its steps are larger than any plain roll."""
MOST_ROUNDS = 12
"""Most rounds to come that have values of their own. With more rounds, the values for this number are used."""
LARGEST_LEAD = 5000
"""Largest lead, in points, for which the chance to catch up is worked out point by point."""
CLOSE = 1e-7
"""Values that differ by less are the same."""
MOST_SWEEPS = 200
Row = list[float]
"""A value for each of LEADS."""
Rows = list[Row]
"""A row for each of POTS."""
Weights = tuple[tuple[int, float], ...]
"""Places in a row, and how much each counts."""


def place_in(grid: Sequence[float], value: float) -> tuple[int, float]:
    """The place before a value in a grid, and how far the value is on the way to the next place, from 0 to 1."""
    value = min(max(value, grid[0]), grid[-1])
    place = min(bisect_right(grid, value) - 1, len(grid) - 2)
    return place, (value - grid[place]) / (grid[place + 1] - grid[place])


def at(row: Sequence[float], lead: float) -> float:
    """The value for any lead."""
    place, part = place_in(LEADS, lead)
    return row[place] + (row[place + 1] - row[place]) * part


def between(rows: Sequence[Sequence[float]], lead: float, pot: float) -> float:
    """The value for any lead and pot."""
    place, part = place_in(POTS, pot)
    low = at(rows[place], lead)
    return low + (at(rows[place + 1], lead) - low) * part


def _reversed(row: Row) -> Row:
    """The chances of the other player, by the lead of the first one."""
    return [1.0 - value for value in reversed(row)]


@lru_cache(maxsize=1)
def _steps() -> dict[int, tuple[tuple[Weights, Weights], ...]]:
    """Where a plain roll leads somebody who is alone: pot -> lead -> in the row of this pot, and in the next one."""
    found = {}
    for row in range(FIRST, len(POTS)):
        by_lead = []
        for lead in LEADS:
            parts: tuple[dict[int, float], dict[int, float]] = {}, {}
            for points, cases in PLAIN_SUMS:
                up = place_in(POTS, POTS[row] + points)[1] if row < len(POTS) - 1 else 0.0
                place, part = place_in(LEADS, lead + points)
                for into, share in ((0, 1 - up), (1, up)):
                    for column, much in ((place, 1 - part), (place + 1, part)):
                        if share * much:
                            parts[into][column] = parts[into].get(column, 0.0) + cases / 36 * share * much
            by_lead.append((tuple(parts[0].items()), tuple(parts[1].items())))
        found[row] = tuple(by_lead)
    return found


class Matrix(NamedTuple):
    """The chances in a window with both players in: what the first one does, then what the other one does."""

    cash_cash: float
    cash_hold: float
    hold_cash: float
    hold_hold: float

    @property
    def cashing(self) -> float:
        """How likely the first player cashes out in the best play."""
        if self.cash_cash >= self.hold_cash and self.cash_hold >= self.hold_hold:
            return 1.0
        if self.hold_cash >= self.cash_cash and self.hold_hold >= self.cash_hold:
            return 0.0
        cash, hold = min(self.cash_cash, self.cash_hold), min(self.hold_cash, self.hold_hold)
        if max(cash, hold) >= min(max(self.cash_cash, self.hold_cash), max(self.cash_hold, self.hold_hold)):
            return float(cash > hold)
        spread = self.cash_cash + self.hold_hold - self.cash_hold - self.hold_cash
        return (self.hold_hold - self.hold_cash) / spread

    @property
    def value(self) -> float:
        """The chance of the first player if both play as well as they can."""
        share = self.cashing
        return min(
            share * self.cash_cash + (1 - share) * self.hold_cash,
            share * self.cash_hold + (1 - share) * self.hold_hold,
        )

    def turned(self) -> "Matrix":
        """The same, as the other player sees it."""
        return Matrix(1 - self.cash_cash, 1 - self.hold_cash, 1 - self.cash_hold, 1 - self.hold_hold)


class Round:
    """The values of a round. `after`: the chance for each of LEADS when the round is over. `last`: the game is over."""

    def __init__(self, after: Sequence[float], *, last: bool = False) -> None:
        self.after = list(after)
        self._last = last
        blank: Rows = [[] for _ in range(FIRST)]
        self.rolling: Rows = [*blank]
        """Alone, and rolls now. The lead is what it would be if the pot were cashed."""
        self.alone: Rows = [*blank]
        """Alone, and does what is better. The lead is meant in the same way."""
        self._work_out_alone()
        self.both: Rows = [*blank]
        """Both are in, in a window. The lead is without the pot."""
        self.both_hold: Rows = [*blank]
        self._work_out_both()

    def _work_out_alone(self) -> None:
        """From the largest pot and lead down. A roll that stays at the same point of the grids is solved for."""
        steps, cash, last = _steps(), self.after, len(POTS) - 1
        rows: Rows = [list(cash) for _ in POTS]
        rolling: Rows = [list(cash) for _ in POTS]
        for row in range(last, FIRST - 1, -1):
            pot, mine, above = POTS[row], rows[row], rows[min(row + 1, last)]
            for column in range(len(LEADS) - 1, -1, -1):
                lead = LEADS[column]
                value, again = (at(cash, lead - pot) + between(rows, lead + pot, 2 * pot)) / 6, 0.0
                here, up = steps[row][column]
                for place, share in here:
                    if place == column:
                        again = share
                    else:
                        value += mine[place] * share
                for place, share in up:
                    value += above[place] * share
                mine[column] = max(cash[column], value / (1 - again))
                rolling[row][column] = value + again * mine[column]
        self.alone[FIRST:], self.rolling[FIRST:] = rows[FIRST:], rolling[FIRST:]
        self.alone[:FIRST], self.rolling[:FIRST] = [rows[FIRST]] * FIRST, [rolling[FIRST]] * FIRST

    def _work_out_both(self) -> None:
        last, half = len(POTS) - 1, len(LEADS) // 2
        rows: Rows = [[0.5] * len(LEADS) for _ in POTS]
        hold: Rows = [[0.5] * len(LEADS) for _ in POTS]
        for row in range(last, FIRST - 1, -1):
            pot = POTS[row]
            up = (
                sum(cases * place_in(POTS, pot + points)[1] for points, cases in PLAIN_SUMS) / 36 if row < last else 0.0
            )
            double, part = place_in(POTS, 2 * pot)
            for column in range(half, len(LEADS)):  # the other half follows: what one gains, the other one loses
                mirror = len(LEADS) - 1 - column
                fixed = self.after[column] / 6
                if row < last:
                    fixed += up * rows[row + 1][column]
                value = rows[min(row + 1, last)][column]
                for _ in range(MOST_SWEEPS):
                    rows[row][column] = value
                    doubled = rows[double][column] * (1 - part) + rows[double + 1][column] * part
                    both = fixed + (2 / 3 - up) * value + doubled / 6
                    found = Matrix(
                        self.after[column], 1 - self.rolling[row][mirror], self.rolling[row][column], both
                    ).value
                    if abs(found - value) < CLOSE:
                        break
                    value = found
                rows[row][column], hold[row][column] = value, both
                rows[row][mirror], hold[row][mirror] = 1 - value, 1 - both
        self.both[FIRST:], self.both_hold[FIRST:] = rows[FIRST:], hold[FIRST:]
        self.both[:FIRST], self.both_hold[:FIRST] = [rows[FIRST]] * FIRST, [hold[FIRST]] * FIRST

    def rolled(self, lead: int, pot: int) -> float:
        """The value for somebody who is alone and rolls once more. `lead`: what it would be if the pot were cashed.

        In the last round it is exact, as long as that is not too much work.
        """
        if not self._last or pot - lead > LARGEST_LEAD:
            return between(self.rolling, lead, pot)
        if lead > 0:
            return (5 + (1.0 if lead > pot else 0.5 if lead == pot else 0.0)) / 6
        reached = surviving(pot - lead + 1)
        grown = sum(cases * reached[min(pot + points, len(reached) - 1)] for points, cases in PLAIN_SUMS)
        return (grown + 6 * reached[min(2 * pot, len(reached) - 1)]) / 36

    def window(self, lead: int, pot: int) -> Matrix:
        """What cashing and holding lead to, for any lead without the pot."""
        return Matrix(
            at(self.after, lead),
            1 - self.rolled(-lead, pot),
            self.rolled(lead, pot),
            between(self.both_hold, lead, pot),
        )

    @cached_property
    def before(self) -> tuple[Rows, ...]:
        """Sevens so far -> the values with both in, where it is not the first roll. The lead is without the pot."""
        found: list[Rows] = [self.both]
        for _ in range(LAST_SEVEN - 1):
            found.insert(0, self._one_seven_less(found[0]))
        return tuple(found)

    def _one_seven_less(self, after_seven: Rows) -> Rows:
        last = len(POTS) - 1
        rows: Rows = [[0.5] * len(LEADS) for _ in POTS]
        for row in range(last, -1, -1):
            pot = POTS[row]
            own = 0.0
            parts: dict[int, float] = {}
            ways = [(pot + points, cases / 36) for points, cases in PLAIN_SUMS] + [(2 * pot, 1 / 6)]
            for reached, share in ways:
                place, part = place_in(POTS, reached)
                for into, much in ((place, share * (1 - part)), (place + 1, share * part)):
                    if into == row:
                        own += much
                    elif much:
                        parts[into] = parts.get(into, 0.0) + much
            place, part = place_in(POTS, pot + SEVEN)
            for column in range(len(LEADS)):
                low, high = after_seven[place][column], after_seven[place + 1][column]
                value = (low + (high - low) * part) / 6
                for into, much in parts.items():
                    value += rows[into][column] * much
                rows[row][column] = value / (1 - own)
        return rows

    @cached_property
    def start(self) -> Row:
        """The values when the round begins."""
        none, one = self.before[:2]
        found = []
        for lead in LEADS:
            value = between(one, lead, SEVEN) / 6
            value += sum(between(none, lead, FIRST_DOUBLES * face) for face in range(1, 7)) / 36
            value += sum(between(none, lead, points) * cases for points, cases in PLAIN_SUMS) / 36
            found.append(value)
        return found

    def alone_before(self, lead: int, pot: int, sevens: int) -> float:
        """The value for somebody who is alone before the third seven, where nothing can be lost.

        `lead`: what it would be if the pot were cashed.
        """
        if sevens >= LAST_SEVEN - 1:
            return max(at(self.after, lead), self.rolled(lead, pot))
        grown = [times * pot + more for times, more in growths(LAST_SEVEN - 1 - sevens)]
        return sum(between(self.alone, lead - pot + after, after) for after in grown) / len(grown)


def work_out(rounds: int = MOST_ROUNDS) -> Rows:
    """The values before 0, 1, 2 … rounds."""
    values: Rows = [[0.0 if lead < 0 else 1.0 if lead else 0.5 for lead in LEADS]]
    for _ in range(rounds):
        values.append(Round(values[-1]).start)
    return values

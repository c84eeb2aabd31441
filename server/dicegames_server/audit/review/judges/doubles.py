"""Judges Doubles. With two players by the values of the duel.

With more there are two reckonings, and both are rough: what was learned of such situations, and duels with each rival.
So a decision costs what both of them charge for it.

In a window everybody decides at the same time, unless somebody gives the last word away. So a choice is measured
against rivals who play as well as they can, and not against what they did. A cash-out is judged when it is made;
holding is judged when the window closes, because whoever holds may still cash out until then.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import fsum

from dicegames_protocol.games.doubles import DoublesState
from dicegames_protocol.table import Move
from dicegames_server.audit.review.judge import Alternative, Chances, Decision
from dicegames_server.bots.theory.doubles_crowd import against, alone, habit_in, in_pairs, rounds_to_come, window_of
from dicegames_server.bots.theory.doubles_duel import Round, at, between
from dicegames_server.bots.theory.doubles_tables import round_before, tables
from dicegames_server.games.base import Act, in_order
from dicegames_server.games.doubles import LAST_SEVEN, Doubles

MOST_SEATS = 16
"""Most players of a game that is judged: each is compared with each other."""
CASH, STAY = Move(take="cash"), Move(take="hold")


@dataclass(frozen=True, slots=True)
class _Costs:
    """What each choice gives away of the chance to win. One of both gives away nothing."""

    cash: float
    stay: float


class DoublesJudge:
    exact = False

    def __init__(self, rules: Doubles) -> None:
        self._rules = rules

    def chances(self, state: DoublesState) -> Chances:
        order = in_order(state)
        if state.winners is not None:
            return {seat: (seat in state.winners) / len(state.winners) for seat in order}
        round_ = self._round(state)
        if len(order) == 2:
            one, two = order
            chance = _duel(round_, state, one, two)
            return {one: chance, two: 1 - chance}
        found = {seat: against(_duel(round_, state, seat, other) for other in order if other != seat) for seat in order}
        whole = fsum(found.values())
        return {seat: chance / whole if whole else 1 / len(order) for seat, chance in found.items()}

    def _round(self, state: DoublesState) -> Round:
        return round_before(rounds_to_come(self._rules, state))

    def decisions(self, state: DoublesState, act: Act) -> tuple[Decision, ...]:
        if len(state.seats) == 1:
            return ()
        if act.move.take == "decide":  # what was sealed
            return tuple(self._decide(state, [(act.seat, act.move.choice == "cash")]))
        if act.move.take == "cash":
            return self._cashes_out(state, act)
        if state.sevens < LAST_SEVEN - 1:
            return ()
        sealed, open_ = self._rules.hides, state.deciding is not None
        if act.move.take == "hold" and not _last_to_decide(state):
            return ()
        if act.move.take == "roll" and (open_ or self._rules.options.window):
            return ()  # they have decided in the window
        staying = [seat for seat in _inside(state) if not (sealed and _has_decided(state, seat))]
        return tuple(self._decide(state, [(seat, False) for seat in staying]))

    def _cashes_out(self, state: DoublesState, act: Act) -> tuple[Decision, ...]:
        assert act.seat is not None
        seat = act.seat
        closes = _last_to_decide(state) and not _has_decided(state, seat)
        others = [(other, False) for other in _inside(state) if other != seat] if closes else []
        if closes or len(_inside(state)) == 1:
            return tuple(self._decide(state, [(seat, True), *others]))
        before, after = self.chances(state), self.chances(_without(state, seat))
        early = max(0.0, before[seat] - after[seat])
        return tuple(self._decide(state, [(seat, True)], early=early))

    def _decide(
        self, state: DoublesState, choices: Iterable[tuple[int | None, bool]], early: float | None = None
    ) -> Iterator[Decision]:
        """The decisions of some seats, in this order. `early`: the cost of a cash-out that gave the last word away."""
        now = self.chances(state)
        for seat, cashes in choices:
            assert seat is not None
            costs = self._costs(state, seat)
            several = len(_inside(state)) > 1
            both = [
                Alternative(CASH, _less(now, seat, costs.cash), f"cashing out {state.pot:,}"),
                Alternative(STAY, _less(now, seat, costs.stay), "holding" if several else "rolling on"),
            ]
            taken = both.pop(not cashes)
            if early is not None and early > costs.cash:
                both.append(replace(taken, words=f"waiting for the others and then {taken.words}"))
                taken = Alternative(CASH, _less(now, seat, early), f"{taken.words} before the others have decided")
            yield Decision(seat, taken, tuple(both), about=self._about(state))
            now = taken.chances

    def _costs(self, state: DoublesState, seat: int) -> _Costs:
        window, place = window_of(self._rules, state, seat)
        if state.sevens < LAST_SEVEN - 1:
            lost = self.chances(state)[seat] - self.chances(_without(state, seat))[seat]
            return _Costs(max(0.0, lost), 0.0)
        round_ = self._round(state)
        most = self.chances(state)[seat]
        if len(window.inside) == 1:
            return _costs(most, *alone(round_, window, place))
        costs = _costs(most, *in_pairs(round_, window, place))
        if len(window.scores) == 2:
            return costs
        habit = habit_in(tables().learned, window, place)
        learned = _costs(most, habit.cashed, habit.held)
        return _Costs(min(costs.cash, learned.cash), min(costs.stay, learned.stay))

    def _about(self, state: DoublesState) -> str:
        if state.sevens < LAST_SEVEN - 1:
            return "before the third seven nothing can be lost"
        others = len(_inside(state)) - 1
        still = "nobody else" if not others else "one other" if others == 1 else f"{others} others"
        return f"with {state.pot:,} in the pot and {still} in"

    def why(self, decision: Decision) -> str:
        best, taken, seat = decision.best, decision.taken, decision.seat
        good, bad = best.chances[seat], taken.chances[seat]
        wins, won = (f"{chance:.0%}".replace("%", " %") for chance in (good, bad))
        return f"{decision.about}: {best.words} wins {wins}, {taken.words} {won}"


def _costs(most: float, cash: float, stay: float) -> _Costs:
    """The costs of two choices with these chances. Nobody gives away more than there is."""
    best = max(cash, stay)
    return _Costs(min(best - cash, most), min(best - stay, most))


def _duel(round_: Round, state: DoublesState, one: int, two: int) -> float:
    """The chance of a seat against one other, as if nobody else played."""
    mine, theirs = state.seats[str(one)], state.seats[str(two)]
    lead, pot = mine.score - theirs.score, state.pot
    in_one, in_two = mine.out != state.round, theirs.out != state.round
    if in_one and in_two:
        if not state.rolls:
            return at(round_.start, lead)
        if state.sevens < LAST_SEVEN - 1:
            return between(round_.before[state.sevens], lead, pot)
        return round_.window(lead, pot).value
    if in_one:
        return _alone(round_, lead + pot, state)
    return 1 - _alone(round_, pot - lead, state) if in_two else at(round_.after, lead)


def _alone(round_: Round, lead: int, state: DoublesState) -> float:
    if state.sevens < LAST_SEVEN - 1:
        return round_.alone_before(lead, state.pot, state.sevens)
    return max(at(round_.after, lead), round_.rolled(lead, state.pot))


def _less(chances: Chances, seat: int, cost: float) -> Chances:
    """The chances when a seat gives some of its own away. The others gain in proportion to what they have."""
    rest = 1 - chances[seat]
    share = {
        other: chance / rest if rest > 0 else 1 / (len(chances) - 1)
        for other, chance in chances.items()
        if other != seat
    }
    return {
        other: chance - cost if other == seat else chance + cost * share[other] for other, chance in chances.items()
    }


def _inside(state: DoublesState) -> list[int]:
    return [seat for seat in in_order(state) if state.seats[str(seat)].out != state.round]


def _has_decided(state: DoublesState, seat: int) -> bool:
    mine = state.seats[str(seat)]
    return state.roll_no in (mine.held, mine.decided)


def _last_to_decide(state: DoublesState) -> bool:
    return state.deciding is not None and state.deciding.of - state.deciding.holding == 1


def _without(state: DoublesState, seat: int) -> DoublesState:
    """The state after a seat has cashed out."""
    mine = state.seats[str(seat)]
    seats = {**state.seats, str(seat): mine.but(score=mine.score + state.pot, out=state.round)}
    return state.but(seats=seats, inside=state.inside - 1)


def judge(rules: Doubles, seats: int) -> DoublesJudge | None:
    return DoublesJudge(rules) if seats <= MOST_SEATS else None

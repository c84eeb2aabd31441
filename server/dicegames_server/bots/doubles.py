"""Bots for Doubles. A bot may cash out while others roll, so it also looks at rolls of others where that may pay."""

import random
from collections.abc import Mapping

from dicegames_protocol.base import Event
from dicegames_protocol.games.doubles import CashedOut, DoublesSeat, DoublesState, Held, Rolled, RoundOver
from dicegames_protocol.table import Move
from dicegames_server.bots.base import Patient
from dicegames_server.bots.theory.doubles import holding, kept_values, mixed, value
from dicegames_server.games.doubles import LAST_SEVEN, Doubles
from dicegames_server.games.match import Match

CASH, STAY = Move(take="cash"), ("hold", "roll")


class Watchful(Patient):
    """Decides whenever it may cash out. If it does not, it holds or rolls."""

    def watches(self, match: Match) -> bool:
        return "cash" in match.offers

    def wakes(self, match: Match, seat: int) -> bool:
        return match.waits_for(seat) or "cash" in match.may(seat)

    def choose(self, match: Match, seat: int) -> Move | None:
        offers = match.may(seat)
        if "cash" in offers and self.cashes(match, seat):
            return CASH
        stay = next((take for take in STAY if take in offers), None)
        return Move(take=stay) if stay else None

    def cashes(self, match: Match, seat: int) -> bool:
        raise NotImplementedError


class Easy(Watchful):
    """Cashes out at random, so too early or too late. It gets likelier with each seven."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def watches(self, match: Match) -> bool:
        return False

    def wakes(self, match: Match, seat: int) -> bool:
        return match.waits_for(seat)

    def cashes(self, match: Match, seat: int) -> bool:
        state = match.state
        assert isinstance(state, DoublesState)
        return self._rng.random() < (0.1, 0.15, 0.25, 0.5)[state.sevens]


class AtPot(Watchful):
    """Cashes out at a fixed pot. For comparison with other strategies."""

    def __init__(self, pot: int) -> None:
        self._pot = pot

    def cashes(self, match: Match, seat: int) -> bool:
        state = match.state
        assert isinstance(state, DoublesState)
        return state.pot >= self._pot


class Steady(Watchful):
    """Cashes out right after the third seven: nothing can be lost before it, and it takes no risk after it."""

    def watches(self, match: Match) -> bool:
        return _third_seven(match)

    def wakes(self, match: Match, seat: int) -> bool:
        return match.waits_for(seat) or (_third_seven(match) and "cash" in match.may(seat))

    def cashes(self, match: Match, seat: int) -> bool:
        return _third_seven(match)


class Expert(Steady):
    """Waits for the third seven. From then on it does what makes the win likelier."""

    def cashes(self, match: Match, seat: int) -> bool:
        state, rules = match.state, match.rules
        assert isinstance(state, DoublesState) and isinstance(rules, Doubles)
        if state.sevens < LAST_SEVEN - 1:
            return False
        mine = state.seats[str(seat)].score
        entries = [entry for other, entry in state.seats.items() if int(other) != seat]
        several = len(entries) > 1
        others = [
            entry.score
            if entry.out == state.round or (several and _fights_on(entry, state))
            else entry.score + state.pot
            for entry in entries
        ]
        if not others:
            return True
        rounds = _to_come(rules, state)
        without = mine - max(others)
        return value(without + state.pot, rounds) >= holding(state.pot, without, mixed(rounds))


def _fights_on(entry: DoublesSeat, state: DoublesState) -> bool:
    """Whether a player has held for this roll or the one before.

    Against several opponents it does not pay to outlast such a player: let them lose the pot.
    """
    return entry.held is not None and entry.held >= state.roll_no - 1


def _third_seven(match: Match) -> bool:
    state = match.state
    assert isinstance(state, DoublesState)
    return state.sevens >= LAST_SEVEN - 1


def _to_come(rules: Doubles, state: DoublesState) -> tuple[int, ...]:
    """How many rounds may still come: one number, or all possible ones where the last round is hidden."""
    if state.rounds is not None:
        return (state.rounds - state.round,)
    first, last = rules.options.span
    return tuple(end - state.round for end in range(max(first, state.round + 1), last + 1)) or (0,)


def remarks(event: Event) -> tuple[str, ...]:
    match event:
        case Rolled(special="bust") | RoundOver(why="bust"):
            return ("Ouch.", "So much for that pot.", "Who ordered a seven?")
        case Rolled(special="doubles" | "first-doubles"):
            return ("More of that!", "Doubles suit me.", "That is a pot worth having.")
        case CashedOut():
            return ("I have seen enough.", "Thank you, that will do.", "Better safe.")
        case Held():
            return ("I am staying.", "One more.", "Brave or foolish, we shall see.")
    return ()


def strategies(rng: random.Random) -> Mapping[str, Watchful]:
    fixed = {f"at-{pot}": AtPot(pot) for pot in (300, 500, 1000, 2000, 5000)}
    return {"easy": Easy(rng), "steady": Steady(), "expert": Expert(), "third-seven": Steady(), **fixed}


def prepare(rules: Doubles) -> None:
    kept_values()

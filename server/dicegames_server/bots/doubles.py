"""Bots for Doubles. A bot may cash out while others roll, so it also looks at rolls of others where that may pay."""

import random
from collections.abc import Mapping

from dicegames_protocol.base import Event
from dicegames_protocol.games.doubles import CashedOut, DoublesState, Held, Rolled, RoundOver
from dicegames_server.bots.doubles_exploiters import exploiters
from dicegames_server.bots.doubles_windows import ThirdSeven, Watchful, undecided
from dicegames_server.bots.theory.doubles_crowd import alone, habit_in, rounds_to_come, window_of
from dicegames_server.bots.theory.doubles_duel import MOST_ROUNDS
from dicegames_server.bots.theory.doubles_tables import round_before, tables
from dicegames_server.games.doubles import LAST_SEVEN, Doubles
from dicegames_server.games.match import Match

EXPERT_SHARE = 0.997
"""See `expert_share`: `dicegames-server arena doubles --seats expert,easy --games 2000`."""


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


class Expert(ThirdSeven):
    """Waits for the third seven. From then on it does what makes the win likelier, and leaves others the first word.

    While others are in, it sometimes leaves it to chance, so that it can't be foreseen. One rival: doubles_duel.py.
    Several: doubles_crowd.py.
    """

    deep = True

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def waits(self, match: Match, seat: int) -> bool:
        return undecided(match, seat)

    def sees(self, match: Match, seat: int) -> int:
        state = match.state
        assert isinstance(state, DoublesState)
        return state.inside

    def cashes(self, match: Match, seat: int) -> bool:
        state, rules = match.state, match.rules
        assert isinstance(state, DoublesState) and isinstance(rules, Doubles)
        if state.sevens < LAST_SEVEN - 1:
            return False
        window, place = window_of(rules, state, seat)
        if len(window.scores) == 1:
            return True
        round_ = round_before(rounds_to_come(rules, state))
        if len(window.inside) == 1:
            cashed, rolled = alone(round_, window, place)
            return cashed >= rolled
        if len(window.scores) == 2:
            duel = round_.window(window.scores[place] - window.scores[1 - place], window.pot)
            return self._rng.random() < duel.cashing
        return self._rng.random() < habit_in(tables().learned, window, place).share


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
    return {"easy": Easy(rng), "steady": ThirdSeven(), "expert": Expert(rng)}


def prepare(rules: Doubles) -> None:
    tables()
    for to_come in range(min(rules.options.span[1], MOST_ROUNDS + 1)):
        round_before((to_come,))


__all__ = ["exploiters", "prepare", "remarks", "strategies"]

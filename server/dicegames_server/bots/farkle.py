"""Bots for Farkle, under any house rules."""

import random
from collections.abc import Mapping

from dicegames_protocol.base import Event
from dicegames_protocol.games.farkle import Banked, Farkled, FarkleState, Kept
from dicegames_protocol.table import Move, Offer
from dicegames_server.bots.base import Patient
from dicegames_server.bots.theory.farkle.duel import duel
from dicegames_server.bots.theory.farkle.outlook import best_turn, position_of
from dicegames_server.bots.theory.farkle.points import for_points, least_bank, usual
from dicegames_server.bots.theory.farkle.turn import Turn
from dicegames_server.games.base import MOST_POINTS
from dicegames_server.games.farkle import DICE, Farkle
from dicegames_server.games.match import Match

MANY_TURNS = 20
"""A game drags on after so many turns of each player, and three times as many as the target takes."""
ROLL = Move(take="roll")
EXPERT_SHARE = 0.94
"""See `expert_share`: `dicegames-server arena farkle --seats expert,easy --games 2000`."""


def _best(offer: Offer) -> tuple[str, int]:
    """The selection that is worth most. Among equals it is the one with the fewest dice."""
    choices = offer.choices or {}
    key = max(choices, key=lambda key: (choices[key].worth, -len(key)))
    return key, choices[key].worth


class Easy(Patient):
    """Takes all that scores, and banks at random."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def choose(self, match: Match, seat: int) -> Move:
        state, offers = match.state, match.may(seat)
        assert isinstance(state, FarkleState)
        if offers["roll"].choices is None:
            return ROLL
        stop = "bank" in offers and self._rng.random() < (0.5 if state.points else 0.35)
        take = "bank" if stop else "roll"
        return Move(take=take, choice=_best(offers[take])[0])


class Steady(Patient):
    """Takes all that scores. Banks from 350 points or with fewer than three dice. Rolls hot dice below 2000 points.

    In its last turn it does not bank what would lose.
    """

    def choose(self, match: Match, seat: int) -> Move:
        state, offers = match.state, match.may(seat)
        assert isinstance(state, FarkleState)
        if offers["roll"].choices is None:
            return ROLL
        key, worth = _best(offers["roll"])
        dice = offers["roll"].choices[key].rolls or DICE
        best = max(entry.score for entry in state.seats.values())
        loses = state.closer is not None and state.seats[str(seat)].score + state.points + worth < best
        if "bank" not in offers or loses or (dice == DICE and state.points + worth < 2000):
            return Move(take="roll", choice=key)
        if state.points + worth >= 350 or dice < 3:
            return Move(take="bank", choice=_best(offers["bank"])[0])
        return Move(take="roll", choice=key)


class Expert(Patient):
    """Plays the best turn for the win under these rules; alone, or when a game drags on, for points.

    It banks where banking is worth as much as rolling, and as soon as it has enough: else a table on which nothing is
    ever lost would keep it rolling for ever.
    """

    deep = True

    def choose(self, match: Match, seat: int) -> Move:
        state, offers, rules = match.state, match.may(seat), match.rules
        assert isinstance(state, FarkleState) and isinstance(rules, Farkle)
        if offers["roll"].choices is None:
            return ROLL
        turn, bank = _best_turn(rules, state, seat), offers.get("bank")
        if bank is not None:
            key, worth = _best(bank)
            if state.points + worth >= turn.enough:
                return Move(take="bank", choice=key)
        found = [
            (turn.of_banking(state.points + choice.worth), choice.worth, Move(take="bank", choice=key))
            for key, choice in ((bank.choices if bank else None) or {}).items()
        ] + [
            (turn.of_rolling(state.points + choice.worth, choice.rolls or DICE), 0, Move(take="roll", choice=key))
            for key, choice in offers["roll"].choices.items()
        ]
        return max(found, key=lambda option: option[:2])[2]


def _best_turn(rules: Farkle, state: FarkleState, seat: int) -> Turn:
    """Under some rules whoever closes loses, so nobody would. Then the best turn is one for points."""
    turns = state.turn_no / len(state.seats)
    if state.closer is None and turns > MANY_TURNS + 3 * rules.options.target / usual(rules.scoring):
        return for_points(rules.scoring, least_bank(rules, state, seat), rules.options.target)
    return best_turn(position_of(rules, state)[0])


def remarks(event: Event) -> tuple[str, ...]:
    match event:
        case Kept(hot=True):
            return ("All six!", "They are on fire.")
        case Farkled():
            return ("Not a single one.", "Well, that hurt.", "Zero. Lovely.")
        case Banked():
            return ("Into the bank.", "Mine now.", "That counts.")
    return ()


def strategies(rng: random.Random) -> Mapping[str, Patient]:
    return {"easy": Easy(rng), "steady": Steady(), "expert": Expert()}


class BanksFrom(Patient):
    """Takes all that scores, and banks from so many points on. In its last turn it goes on until it leads."""

    def __init__(self, points: int) -> None:
        self._points = points

    def choose(self, match: Match, seat: int) -> Move:
        state, offers, rules = match.state, match.may(seat), match.rules
        assert isinstance(state, FarkleState) and isinstance(rules, Farkle)
        if offers["roll"].choices is None:
            return ROLL
        mine = state.seats[str(seat)].score
        best = max((entry.score for other, entry in state.seats.items() if int(other) != seat), default=0)
        enough = min(self._points, rules.options.target - mine) if state.closer is None else best - mine + 1
        if "bank" in offers:
            key, worth = _best(offers["bank"])
            if state.points + worth >= enough:
                return Move(take="bank", choice=key)
        return Move(take="roll", choice=_best(offers["roll"])[0])


def exploiters(rng: random.Random) -> Mapping[str, Patient]:
    banks = {f"banks-from-{points}": BanksFrom(points) for points in (1, 300, 500, 1000, 2000)}
    return {"all-or-nothing": BanksFrom(MOST_POINTS), **banks}


def prepare(rules: Farkle) -> None:
    options = rules.options
    duel(rules.scoring, options.target, options.minimum, options.opening).work_out()

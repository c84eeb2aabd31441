"""Bots for Farkle, under any house rules."""

import random
from collections.abc import Mapping
from functools import lru_cache

from dicegames_protocol.base import Event
from dicegames_protocol.games.farkle import Banked, Farkled, FarkleState, Kept
from dicegames_protocol.table import Move, Offer
from dicegames_server.bots.base import MOST_RIVALS, Patient
from dicegames_server.bots.theory.farkle import Turn, enough_for, for_points, reaches_about
from dicegames_server.games.base import MOST_POINTS, after, in_order
from dicegames_server.games.farkle import DICE, Farkle
from dicegames_server.games.farkle_scoring import Scoring
from dicegames_server.games.match import Match

ROLL = Move(take="roll")
EXPERT_SHARE = 0.96
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
    """Takes all that scores. Banks from 350 points or with fewer than three dice. Rolls hot dice below 2000 points."""

    def choose(self, match: Match, seat: int) -> Move:
        state, offers = match.state, match.may(seat)
        assert isinstance(state, FarkleState)
        if offers["roll"].choices is None:
            return ROLL
        key, worth = _best(offers["roll"])
        dice = offers["roll"].choices[key].rolls or DICE
        if "bank" not in offers or (dice == DICE and state.points + worth < 2000):
            return Move(take="roll", choice=key)
        if state.points + worth >= 350 or dice < 3:
            return Move(take="bank", choice=_best(offers["bank"])[0])
        return Move(take="roll", choice=key)


class Expert(Patient):
    """Plays the best turn for points under these rules. In the last turns it plays the best turn for the win.

    It banks where banking is worth as much as rolling, and as soon as it has enough: else a table on which nothing is
    ever lost would keep it rolling for ever.
    """

    deep = True

    def choose(self, match: Match, seat: int) -> Move:
        state, offers, rules = match.state, match.may(seat), match.rules
        assert isinstance(state, FarkleState) and isinstance(rules, Farkle)
        if offers["roll"].choices is None:
            return ROLL
        bank = offers.get("bank")
        if bank is not None and state.closer is None:
            key, worth = _best(bank)
            if state.points + worth >= enough_for(rules.options.target, self._least(rules, state, seat)):
                return Move(take="bank", choice=key)
        turn = self._turn(rules, state, seat)
        found = [
            (turn.of_banking(state.points + choice.worth), choice.worth, Move(take="bank", choice=key))
            for key, choice in ((bank.choices if bank else None) or {}).items()
        ] + [
            (turn.of_rolling(state.points + choice.worth, choice.rolls or DICE), 0, Move(take="roll", choice=key))
            for key, choice in offers["roll"].choices.items()
        ]
        return max(found, key=lambda option: option[:2])[2]

    def _least(self, rules: Farkle, state: FarkleState, seat: int) -> int:
        """Fewest points that the seat can bank."""
        return max(rules.options.minimum, 0 if state.seats[str(seat)].opened else rules.options.opening)

    def _turn(self, rules: Farkle, state: FarkleState, seat: int) -> Turn:
        least = self._least(rules, state, seat)
        if state.closer is None:
            return for_points(rules.scoring, least, enough_for(rules.options.target, least))
        mine = state.seats[str(seat)].score
        order = after(in_order(state), seat)
        coming = order[: order.index(state.closer)]
        done = max(state.seats[str(other)].score for other in order if other not in coming)
        waiting = tuple(sorted((state.seats[str(other)].score - mine for other in coming), reverse=True)[:MOST_RIVALS])
        return last_turn(rules.scoring, done - mine, waiting, least)


@lru_cache(maxsize=512)
def last_turn(scoring: Scoring, behind: int, waiting: tuple[int, ...], least: int) -> Turn:
    """The best last turn, played for the win.

    `behind`: points to the best score among those who have played. `waiting`: for each player who still has a turn to
    come, how many points they are ahead. `least`: fewest points that can be banked.
    """

    def chance(points: int) -> float:
        if points < behind or (points and points < least):
            return 0.0
        share = 0.5 if points == behind else 1.0
        for ahead in waiting:
            share *= 1.0 - reaches_about(scoring, points - ahead + 1)
        return share

    return Turn(scoring, chance, enough=max(behind, 0) + (2000 if waiting else 100), lost=chance(0))


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
    for least in {rules.options.minimum, max(rules.options.minimum, rules.options.opening)}:
        for_points(rules.scoring, least, enough_for(rules.options.target, least)).of_rolling(0, DICE)
    reaches_about(rules.scoring, 1)

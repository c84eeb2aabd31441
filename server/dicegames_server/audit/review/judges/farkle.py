"""Judges Farkle. Exact for two players and a target of at most ten steps, such as 500; else close.

The chances come from the same code as the expert's play (bots/theory/farkle/outlook.py).
"""

from functools import lru_cache

from dicegames_protocol.games.farkle import FarkleState
from dicegames_protocol.table import Move
from dicegames_server.audit.review.judge import Alternative, Chances, Decision
from dicegames_server.bots.theory.farkle.duel import HouseRules
from dicegames_server.bots.theory.farkle.outlook import Position, best_turn, chances, position_of
from dicegames_server.games.base import Act, in_order
from dicegames_server.games.farkle import DICE, Farkle


class FarkleJudge:
    def __init__(self, rules: Farkle, seats: int) -> None:
        self._rules = rules
        options = rules.options
        known = HouseRules(rules.scoring, options.target, options.minimum, options.opening)
        self.exact = seats == 1 or (seats == 2 and known.solved and not options.three_farkles)

    def chances(self, state: FarkleState) -> Chances:
        if state.winners is not None:
            return {seat: (seat in state.winners) / len(state.winners) for seat in in_order(state)}
        if state.dice is None:
            position, order = position_of(self._rules, state)
            return _by_seat(state, order, chances(position.rules, position.standing))
        return max(self._alternatives(state).values(), key=lambda found: found.chances[state.turn]).chances

    def decisions(self, state: FarkleState, act: Act) -> tuple[Decision, ...]:
        if state.dice is None or len(state.seats) == 1:
            return ()  # the first roll is no choice, and alone everybody wins
        found = self._alternatives(state)
        taken = found[self._outcome(state, act.move)]
        others = tuple(other for other in found.values() if other is not taken)
        return (Decision(state.turn, taken, others),)

    def _outcome(self, state: FarkleState, move: Move) -> tuple[int, int]:
        """Points at risk after a move, and the dice that are rolled with them; no dice if they are banked."""
        choice = (self._rules.offers(state)[move.take].choices or {})[move.choice or ""]
        return state.points + choice.worth, (choice.rolls or DICE) if move.take == "roll" else 0

    def _alternatives(self, state: FarkleState) -> dict[tuple[int, int], Alternative]:
        """What a seat can do: points at risk and dice to roll -> the chances. Of equal selections one is enough."""
        position, order = position_of(self._rules, state)
        found: dict[tuple[int, int], Alternative] = {}
        for take, offer in self._rules.offers(state).items():
            for key in offer.choices or {}:
                move = Move(take=take, choice=key)
                points, dice = self._outcome(state, move)
                if (points, dice) not in found:
                    worth = _banked(position, points) if take == "bank" else _rolled(position, points, dice)
                    words = f"banking {points:,}" if take == "bank" else _rolling(points, dice)
                    found[points, dice] = Alternative(move, _by_seat(state, order, worth), words)
        return found

    def why(self, decision: Decision) -> str:
        best, taken = decision.best, decision.taken
        wins, won = (f"{found.chances[decision.seat]:.0%}".replace("%", " %") for found in (best, taken))
        return f"{best.words} wins {wins}, {taken.words} {won}"


def _rolling(points: int, dice: int) -> str:
    return f"rolling {dice} dice with {points:,} at risk" if dice > 1 else f"rolling 1 die with {points:,} at risk"


def _by_seat(state: FarkleState, order: list[int], worth: tuple[float, ...]) -> Chances:
    """The chances of all seats. Who is too far behind to be reckoned with has none."""
    return {**dict.fromkeys(in_order(state), 0.0), **dict(zip(order, worth, strict=True))}


@lru_cache(maxsize=1024)
def _banked(position: Position, points: int) -> tuple[float, ...]:
    """The chances after banking, in the order of play: whoever has just played is the first one."""
    *others, mine = chances(position.rules, position.standing.moved_on(points))
    return (mine, *others)


@lru_cache(maxsize=1024)
def _rolled(position: Position, points: int, dice: int) -> tuple[float, ...]:
    """The chances before a roll. The others share what is left, as they would after a farkle."""
    mine = best_turn(position).of_rolling(points, dice)
    _, *others = _banked(position, -position.penalty)
    whole = sum(others)
    return (mine, *((1.0 - mine) * (share / whole if whole else 1 / len(others)) for share in others))


def judge(rules: Farkle, seats: int) -> FarkleJudge:
    return FarkleJudge(rules, seats)

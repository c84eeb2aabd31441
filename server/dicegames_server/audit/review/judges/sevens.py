"""Judges Sevens. Exact for two players and up to twelve rounds, and for three players and one round; else close."""

from collections.abc import Sequence
from functools import lru_cache

from dicegames_protocol.games.sevens import SevensState
from dicegames_protocol.table import Move
from dicegames_server.audit.review.judge import Alternative, Chances, Decision
from dicegames_server.bots.theory.sevens import MOST
from dicegames_server.bots.theory.sevens_last_round import MOST_SOLVED_TIES
from dicegames_server.bots.theory.sevens_outlook import DUEL_ROUNDS, Position, best_turn, outlook, position_of
from dicegames_server.bots.theory.sevens_totals import highest, sum_of_dice
from dicegames_server.games.base import Act, in_order
from dicegames_server.games.sevens import DICE, ROLLS, Sevens


class SevensJudge:
    def __init__(self, seats: int, rounds: int) -> None:
        self.exact = (seats == 2 and rounds <= DUEL_ROUNDS) or (seats <= MOST_SOLVED_TIES and rounds == 1)

    def chances(self, state: SevensState) -> Chances:
        if state.winners is not None:
            return {seat: (seat in state.winners) / len(state.winners) for seat in in_order(state)}
        if state.stage == "start":
            return _before_the_start(state)
        if state.left:
            assert state.turn is not None
            keep, roll = self._alternatives(state)
            return max(roll, keep, key=lambda found: found.chances[state.turn or 0]).chances
        position, order = position_of(state)
        return _by_seat(state, order, _of_turn(position))

    def decisions(self, state: SevensState, act: Act) -> tuple[Decision, ...]:
        if state.stage == "start" or not state.left:
            return ()
        assert act.seat is not None
        keep, roll = self._alternatives(state)
        taken, other = (keep, roll) if act.move.take == "keep" else (roll, keep)
        return (Decision(act.seat, taken, (other,)),)

    def _alternatives(self, state: SevensState) -> tuple[Alternative, Alternative]:
        """To keep, and to roll."""
        assert state.left
        dice, points = len(state.left), sum(state.left)
        position, order = position_of(state)
        kept, rolled = _kept(position, points), _rolled(position, dice, ROLLS - state.roll)
        many = f"{dice} dice" if dice > 1 else "1 die"
        return (
            Alternative(Move(take="keep"), _by_seat(state, order, kept), f"keeping {points}"),
            Alternative(Move(take="roll"), _by_seat(state, order, rolled), f"rolling {many}"),
        )

    def why(self, decision: Decision) -> str:
        best, taken = decision.best, decision.taken
        wins, won = (f"{found.chances[decision.seat]:.0%}".replace("%", " %") for found in (best, taken))
        return f"{best.words} wins {wins}, {taken.words} {won}"


def _by_seat(state: SevensState, order: Sequence[int], chances: Sequence[float]) -> Chances:
    """The chances of all seats. Who is not in the order is out."""
    return {**dict.fromkeys(in_order(state), 0.0), **dict(zip(order, chances, strict=True))}


@lru_cache(maxsize=256)
def _of_turn(position: Position) -> Sequence[float]:
    """The chances before the turn, in the order of play."""
    return outlook(position).of(best_turn(position).ends())


@lru_cache(maxsize=256)
def _kept(position: Position, points: int) -> Sequence[float]:
    return outlook(position).of([float(points == end) for end in range(MOST + 1)])


@lru_cache(maxsize=256)
def _rolled(position: Position, dice: int, rolls: int) -> Sequence[float]:
    return outlook(position).of(best_turn(position).ends(dice, rolls))


def _before_the_start(state: SevensState) -> Chances:
    """The chances while the dice decide who begins. Who ties for that rolls again, with even chances."""
    order = in_order(state)
    entries = [state.seats[str(seat)] for seat in order]
    drawing = [number for number, entry in enumerate(entries) if entry.status in ("rolling", "done")]
    unknown = sum_of_dice(DICE)
    below = [
        unknown
        if entries[number].status == "rolling"
        else [float(total > (entries[number].opening or 0)) for total in range(len(unknown))]
        for number in drawing
    ]
    chances = _of_turn(Position((0,) * len(order), 0, state.rounds - 1))
    begins = highest(below)
    return {
        seat: sum(share * chances[(number - first) % len(order)] for first, share in zip(drawing, begins, strict=True))
        for number, seat in enumerate(order)
    }


def judge(rules: Sevens, seats: int) -> SevensJudge:
    return SevensJudge(seats, rules.options.rounds)

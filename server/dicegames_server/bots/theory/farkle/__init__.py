"""The odds of Farkle that a player may ask for. `turn` solves one turn, `outlook` says what its end is worth.

`points` tells what a turn brings, `duel` has the chances of two players between their turns.
"""

from dicegames_protocol.games.farkle import FarkleState
from dicegames_protocol.messages.server import Chance
from dicegames_server.bots.theory import about
from dicegames_server.bots.theory.farkle.points import least_bank, to_reach
from dicegames_server.bots.theory.farkle.turn import outcomes
from dicegames_server.games.farkle import DICE, Farkle
from dicegames_server.games.farkle_scoring import Scoring


def farkles(dice: int, scoring: Scoring) -> int:
    """In how many of the 6**dice rolls nothing scores."""
    return sum(cases for cases, ways in outcomes(dice, scoring) if not ways)


def chances(rules: Farkle, state: FarkleState, seat: int) -> tuple[Chance, ...]:
    """The odds of a farkle with each number of dice that the seat can roll next, and of reaching the leader."""
    if state.turn != seat or state.winners is not None:
        return ()
    offer = rules.offers(state)["roll"]
    ways = {(choice.worth, choice.rolls or DICE) for choice in (offer.choices or {}).values()} or {(0, DICE)}
    told = [
        Chance(
            what=f"a farkle with {dice} {'dice' if dice > 1 else 'die'}",
            good=farkles(dice, rules.scoring),
            of=6**dice,
        )
        for dice in sorted({dice for _, dice in ways})
    ]
    best = max(entry.score for entry in state.seats.values())
    behind = best - state.seats[str(seat)].score
    if behind > 0:
        least = least_bank(rules, state, seat)
        turn = to_reach(rules.scoring, behind, least)
        share = max(
            1.0 if state.points + worth >= max(behind, least) else turn.of_rolling(state.points + worth, dice)
            for worth, dice in ways
        )
        told.append(about(f"this turn draws level with {best:,}, the best", share))
    return tuple(told)

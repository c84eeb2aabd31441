"""The odds of Doubles that a player may ask for. The win is worked out in doubles_duel.py and doubles_crowd.py.

Expected points are of no use in this game: they are infinite. Up to the third seven nothing can be lost. From then on
each roll burns the pot with a chance of one in six.
"""

from dicegames_protocol.games.doubles import DoublesState
from dicegames_protocol.messages.server import Chance
from dicegames_server.bots.theory import about
from dicegames_server.bots.theory.doubles_duel import LARGEST_LEAD
from dicegames_server.bots.theory.doubles_growth import fewer_sevens, reaching
from dicegames_server.games.doubles import LAST_SEVEN, Doubles


def chances(rules: Doubles, state: DoublesState, seat: int) -> tuple[Chance, ...]:
    """The odds of the next rolls, and of a pot as large as the leader's lead."""
    mine = state.seats[str(seat)]
    if state.winners is not None or mine.out == state.round:
        return ()
    left = LAST_SEVEN - state.sevens
    told = [
        Chance(what="a seven on the next roll", good=1, of=6),
        Chance(what="doubles on the next roll", good=1, of=6),
        *(
            Chance(what=f"the pot survives {n} more roll{'s' if n > 1 else ''}", good=fewer_sevens(n, left), of=6**n)
            for n in (1, 2, 3)
        ),
    ]
    best = max(entry.score for entry in state.seats.values())
    goal = best - mine.score
    if state.pot and 0 < goal <= LARGEST_LEAD:
        share = 1.0 if state.pot >= goal else reaching(goal)[state.sevens][state.pot]
        told.append(about(f"the pot reaches the lead of {goal:,}", share))
    return tuple(told)

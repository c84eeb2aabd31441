"""What the bots of Doubles have in common: they decide between rolls, whoever rolls. And two plain rules for it."""

from dicegames_protocol.games.doubles import DoublesState
from dicegames_protocol.table import Move
from dicegames_server.bots.base import Patient
from dicegames_server.games.doubles import LAST_SEVEN
from dicegames_server.games.match import Match

MOST_WAITING = 32
"""Most players in a window for whom a bot waits. With more of them it decides at once."""
CASH, STAY = Move(take="cash"), ("hold", "roll")


class Watchful(Patient):
    """Decides whenever it may cash out. If it does not, it holds or rolls."""

    def watches(self, match: Match) -> bool:
        return "cash" in match.offers

    def wakes(self, match: Match, seat: int) -> bool:
        return match.waits_for(seat) or "cash" in match.may(seat)

    def choose(self, match: Match, seat: int) -> Move | None:
        offers = match.may(seat)
        if "decide" in offers:  # in secret
            return Move(take="decide", choice="cash" if self.cashes(match, seat) else "hold")
        if "cash" in offers and self.cashes(match, seat):
            return CASH
        stay = next((take for take in STAY if take in offers), None)
        return Move(take=stay) if stay else None

    def cashes(self, match: Match, seat: int) -> bool:
        raise NotImplementedError


class ThirdSeven(Watchful):
    """Cashes out right after the third seven: nothing can be lost before it, and it takes no risk after it."""

    def watches(self, match: Match) -> bool:
        return _third_seven(match)

    def wakes(self, match: Match, seat: int) -> bool:
        return match.waits_for(seat) or (_third_seven(match) and "cash" in match.may(seat))

    def cashes(self, match: Match, seat: int) -> bool:
        return _third_seven(match)


class AtPot(Watchful):
    """Cashes out at a fixed pot. For comparison with other strategies."""

    def __init__(self, pot: int) -> None:
        self._pot = pot

    def cashes(self, match: Match, seat: int) -> bool:
        state = match.state
        assert isinstance(state, DoublesState)
        return state.pot >= self._pot


def undecided(match: Match, seat: int) -> bool:
    """Whether the seat has not decided in this window, and others are in whose decisions it would see."""
    state = match.state
    assert isinstance(state, DoublesState)
    if state.deciding is None or "decide" in match.offers:  # in secret nobody sees what others decide
        return False
    return 1 < state.inside <= MOST_WAITING and match.waits_for(seat)


def _third_seven(match: Match) -> bool:
    state = match.state
    assert isinstance(state, DoublesState)
    return state.sevens >= LAST_SEVEN - 1

"""What most bots have in common: they choose a move only when the game waits for them."""

from collections.abc import Hashable

from dicegames_server.games.match import Match


class Patient:
    deep = False
    """Whether `choose` may take long, so that it has to be called in the worker."""

    def watches(self, match: Match) -> bool:
        return False

    def wakes(self, match: Match, seat: int) -> bool:
        return match.waits_for(seat)

    def waits(self, match: Match, seat: int) -> bool:
        return False

    def sees(self, match: Match, seat: int) -> Hashable:
        return None

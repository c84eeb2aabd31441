"""What most bots have in common: they choose a move only when the game waits for them."""

from dicegames_server.games.match import Match


class Patient:
    def wakes(self, match: Match, seat: int) -> bool:
        return match.waits_for(seat)

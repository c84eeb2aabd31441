"""What most bots have in common: they think only when the game waits for them."""

from dicegames_server.games.match import Match


class Patient:
    def wakes(self, match: Match, seat: int) -> bool:
        return match.waits_for(seat)

"""The bot that plays for absent people. It makes the game's own mild move, so that it does not ruin their game."""

from dicegames_protocol.table import Move
from dicegames_server.bots.base import Patient
from dicegames_server.games.match import Match


class Harmless(Patient):
    def choose(self, match: Match, seat: int) -> Move:
        return match.rules.mild(match.state, seat)

"""The bot that plays any game, badly: one of its offers, all equally likely."""

import random

from dicegames_protocol.table import Move
from dicegames_server.bots.base import Patient
from dicegames_server.games.match import CORRECT, Match


class Anything(Patient):
    def __init__(self, rng: random.Random | None = None) -> None:
        self._rng = rng or random.Random()

    def choose(self, match: Match, seat: int) -> Move:
        """Real dice are rolled for a bot by the server, so a bot never types faces and never corrects any."""
        offers = {key: offer for key, offer in match.may(seat).items() if key != CORRECT}
        take = self._rng.choice(sorted(offers))
        choices = offers[take].choices
        return Move(take=take, choice=self._rng.choice(sorted(choices)) if choices else None)

"""The bot that can play any game, badly: it takes one of its offers, all equally likely."""

import random

from dicegames_protocol.table import CORRECT, Move, Offer
from dicegames_server.bots.base import Patient
from dicegames_server.games.match import Match


class Anything(Patient):
    def __init__(self, rng: random.Random | None = None) -> None:
        self._rng = rng or random.Random()

    def choose(self, match: Match, seat: int) -> Move:
        """One of the offers, except `correct`: the server rolls for bots, so a bot never types or corrects faces."""
        offers = {key: offer for key, offer in match.may(seat).items() if key != CORRECT}
        take = self._rng.choice(sorted(offers))
        return Move(take=take, choice=self._choice(offers[take]))

    def _choice(self, offer: Offer) -> str | None:
        if offer.asks == "number":
            return str(self._rng.randint(offer.least or 0, offer.most or 0))
        return self._rng.choice(sorted(offer.choices)) if offer.choices else None

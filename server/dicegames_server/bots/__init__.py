"""Strategies: how a bot picks one of its offers. Each level is a strategy; they see what a player sees."""

from collections.abc import Mapping
from typing import Protocol

from dicegames_protocol.table import Move
from dicegames_server.bots.anything import Anything
from dicegames_server.bots.harmless import Harmless
from dicegames_server.match import Match


class Strategy(Protocol):
    def choose(self, match: Match, seat: int) -> Move:
        """One of match.may(seat), filled in."""


LEVELS: Mapping[str, Strategy] = {"random": Anything()}
DEFAULT_LEVEL = "random"
STANDIN: Strategy = Harmless()
"""Who plays for people: those who are away, and those who have left."""

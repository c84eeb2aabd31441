"""Dice, passed in as an argument. Faces follow from the key of the game (fairness.py), so anybody can check them."""

from typing import Protocol

from dicegames_protocol import fairness
from dicegames_server.games.base import Faces, Need


class Dice(Protocol):
    def secret(self) -> bytes:
        """A new random secret for a game. Nothing else on the server is random about the dice of the game."""

    def draw(self, key: bytes, r: int, need: Need) -> Faces:
        """The faces of draw number r (1, 2, …) of the game with this key."""


class KeyedDice:
    """Dice that follow from the key alone: the same draw always gives the same faces."""

    def draw(self, key: bytes, r: int, need: Need) -> Faces:
        return fairness.roll(key, r, need.count, need.sides)

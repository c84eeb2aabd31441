"""Dice, handed in. The real ones follow from the key of the game (fairness.py), so that anybody can check them."""

import secrets
from typing import Protocol

from dicegames_protocol import fairness
from dicegames_server.games.base import Faces, Need


class Dice(Protocol):
    def secret(self) -> bytes:
        """A new secret for a game: the only chance that there is."""

    def draw(self, key: bytes, r: int, need: Need) -> Faces:
        """The faces of draw number r (1, 2, …) of the game with this key."""


class FairDice:
    """A secret from the operating system; all dice from the key. The same draw always gives the same faces."""

    def secret(self) -> bytes:
        return secrets.token_bytes(fairness.SECRET_BYTES)

    def draw(self, key: bytes, r: int, need: Need) -> Faces:
        return fairness.roll(key, r, need.count, need.sides)

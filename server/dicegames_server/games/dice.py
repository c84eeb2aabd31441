"""Dice, passed in as an argument. Faces follow from the key of a draw (fairness/draw.py), so anybody can check them."""

from typing import Protocol

from dicegames_protocol.fairness import chain, scheme
from dicegames_server.games.base import Faces, Need


class Dice(Protocol):
    def secret(self) -> bytes:
        """A new random secret for a game. Nothing else on the server is random about the dice of the game."""

    def commitment(self, secret: bytes) -> str:
        """What is published to be committed to this secret."""

    def link(self, secret: bytes, number: int) -> tuple[bytes, bytes | None]:
        """Link `number` of the server in the game with this secret, and the tip of its next chain where it ends."""

    def hidden(self, secret: bytes, r: int) -> bytes:
        """The server's part of the hidden draw `r`."""

    def draw(self, key: bytes, r: int, need: Need) -> Faces:
        """The faces of draw number r (1, 2, …), which has this key."""


class KeyedDice:
    """Dice that follow from the key alone: the same draw always gives the same faces."""

    def commitment(self, secret: bytes) -> str:
        return chain.commitment(secret)

    def link(self, secret: bytes, number: int) -> tuple[bytes, bytes | None]:
        return chain.server_link(secret, number)

    def hidden(self, secret: bytes, r: int) -> bytes:
        return scheme.hidden_part(secret, r)

    def draw(self, key: bytes, r: int, need: Need) -> Faces:
        return scheme.roll(key, r, need.count, need.sides)

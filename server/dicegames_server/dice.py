"""Dice, handed in. A draw has a number, so that a source may give the same faces for the same draw again."""

import secrets
from typing import Protocol

from dicegames_server.rules import Faces, Need


class Dice(Protocol):
    def draw(self, r: int, need: Need) -> Faces:
        """The faces of draw number r (1, 2, …) of a game."""


class SystemDice:
    """Dice from the operating system's generator."""

    def draw(self, r: int, need: Need) -> Faces:
        return tuple(secrets.randbelow(need.sides) + 1 for _ in range(need.count))

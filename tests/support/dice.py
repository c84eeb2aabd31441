"""Dice that the test sets; when these are used up, dice from a seed."""

import random
from collections import deque

from dicegames_server.games.base import Faces, Need
from dicegames_server.games.dice import KeyedDice


class ScriptedDice(KeyedDice):
    def __init__(self, *rolls: Faces, seed: int = 0) -> None:
        self._script = deque(rolls)
        self._rng = random.Random(seed)

    def then(self, *rolls: Faces) -> None:
        self._script.extend(rolls)

    def secret(self) -> bytes:
        return self._rng.randbytes(32)

    def draw(self, key: bytes, r: int, need: Need) -> Faces:
        if self._script:
            faces = self._script.popleft()
            assert len(faces) == need.count, f"{need.count} dice were asked for, {len(faces)} scripted"
            assert all(1 <= face <= need.sides for face in faces)
            return faces
        return tuple(self._rng.randint(1, need.sides) for _ in range(need.count))


class CountedDice(KeyedDice):
    """Fair dice, with secrets that anybody could guess."""

    def __init__(self) -> None:
        self._drawn = 0

    def secret(self) -> bytes:
        self._drawn += 1
        return self._drawn.to_bytes(32, "big")

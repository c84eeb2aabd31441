"""What a store keeps about players and about the server itself, besides rooms.

A player has a key on each device. Keys of one player are linked: all of them lead to the same player. A link is made
with a code that the first device shows and the second one types. The store only sees hashes of codes.

The server's own secrets are here as well, so that they are the same on all nodes and come along with a backup.
"""

import time
from collections.abc import Callable
from typing import Protocol


class Players(Protocol):
    async def secret(self, name: str, fresh: bytes) -> bytes:
        """The secret with this name. Where there is none, `fresh` becomes it, for good."""

    async def player_of(self, key: str) -> str:
        """The player to whom a key belongs: the key itself, unless it was linked to another one."""

    async def take_over(self, old: str, player: str) -> None:
        """All games of `old` are games of `player` from now on, and so is every key that led to `old`.

        Nothing is written where nobody has played as `old`: anybody may ask for any name.
        """

    async def offer(self, code: str, player: str, seconds: float) -> None:
        """Keep a code for this player for so long. An earlier code of the player is void."""

    async def redeem(self, code: str, key: str) -> str | None:
        """Link a key to the player who has this code, and take the games of the key over. A code works once.

        Returns the player. None where there is no such code, or it is too old.
        """


class MemoryPlayers:
    def __init__(self, rename: Callable[[str, str], int]) -> None:
        """`rename` gives all results of one player to another, and returns how many there were."""
        self._rename = rename
        self._secrets: dict[str, bytes] = {}
        self._players: dict[str, str] = {}
        self._offers: dict[str, tuple[str, float]] = {}

    async def secret(self, name: str, fresh: bytes) -> bytes:
        return self._secrets.setdefault(name, fresh)

    async def player_of(self, key: str) -> str:
        return self._players.get(key, key)

    async def take_over(self, old: str, player: str) -> None:
        if self._rename(old, player) or old in self._players.values():
            self._link(old, player)

    def _link(self, key: str, player: str) -> None:
        if key != player:
            self._players = {other: player if of == key else of for other, of in self._players.items()}
            self._players[key] = player
            self._rename(key, player)

    async def offer(self, code: str, player: str, seconds: float) -> None:
        self._offers = {other: told for other, told in self._offers.items() if told[0] != player}
        self._offers[code] = (player, time.time() + seconds)

    async def redeem(self, code: str, key: str) -> str | None:
        player, until = self._offers.pop(code, ("", 0.0))
        if until < time.time():
            return None
        self._link(key, player)
        return player

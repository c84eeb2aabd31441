"""Players, links and secrets in PostgreSQL: the same on all nodes."""

from collections.abc import Awaitable, Callable
from typing import Any

from dicegames_server.storage.postgres.postgres_connection import Rows

SECRET = "INSERT INTO secret (name, value) VALUES (%s, %s) ON CONFLICT (name) DO NOTHING"
SECRET_OF = "SELECT value FROM secret WHERE name = %s"
PLAYER_OF = "SELECT player FROM player_key WHERE key = %s"
KNOWN = """
SELECT EXISTS (SELECT 1 FROM result WHERE player = %s) OR EXISTS (SELECT 1 FROM player_key WHERE player = %s)
"""
KEYS_OF = "UPDATE player_key SET player = %s WHERE player = %s"
KEY = """
INSERT INTO player_key (key, player) VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET player = EXCLUDED.player
"""
RESULTS_OF = "UPDATE result SET player = %s, edited = now() WHERE player = %s"
NO_OFFERS = "DELETE FROM link WHERE player = %s OR until < now()"
OFFER = "INSERT INTO link (code, player, until) VALUES (%s, %s, now() + make_interval(secs => %s))"
REDEEM = "DELETE FROM link WHERE code = %s RETURNING player, until >= now()"


class PostgresPlayers:
    def __init__(
        self, do: Callable[..., Awaitable[list[Rows]]], read: Callable[[str, tuple[Any, ...]], Awaitable[Rows]]
    ) -> None:
        """`do` runs statements in one transaction, `read` runs one that only reads."""
        self._do = do
        self._read = read

    async def secret(self, name: str, fresh: bytes) -> bytes:
        await self._do((SECRET, (name, fresh)))
        return bytes((await self._read(SECRET_OF, (name,)))[0][0])

    async def player_of(self, key: str) -> str:
        found = await self._read(PLAYER_OF, (key,))
        return str(found[0][0]) if found else key

    async def take_over(self, old: str, player: str) -> None:
        if (await self._read(KNOWN, (old, old)))[0][0]:
            await self._link(old, player)

    async def _link(self, old: str, player: str) -> None:
        """From now on, everything of `old` is of `player`."""
        if old != player:
            await self._do((KEYS_OF, (player, old)), (KEY, (old, player)), (RESULTS_OF, (player, old)))

    async def offer(self, code: str, player: str, seconds: float) -> None:
        await self._do((NO_OFFERS, (player,)), (OFFER, (code, player, seconds)))

    async def redeem(self, code: str, key: str) -> str | None:
        """The code is taken first. If the rest fails, the user asks for another code."""
        (found,) = await self._do((REDEEM, (code,)))
        if not found or not found[0][1]:
            return None
        player = str(found[0][0])
        await self._link(key, player)
        return player

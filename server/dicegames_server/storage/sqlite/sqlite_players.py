"""Players, links and secrets in SQLite."""

import sqlite3
import time
from collections.abc import Awaitable, Callable
from typing import Any


class SqlitePlayers:
    def __init__(self, do: Callable[..., Awaitable[Any]]) -> None:
        """`do` runs a function in the storage thread, with the database; `reads=True` where it only reads."""
        self._do = do

    async def secret(self, name: str, fresh: bytes) -> bytes:
        def work(db: sqlite3.Connection) -> bytes:
            db.execute("INSERT OR IGNORE INTO secret (name, value) VALUES (?, ?)", (name, fresh))
            return bytes(db.execute("SELECT value FROM secret WHERE name = ?", (name,)).fetchone()[0])

        found: bytes = await self._do(work)
        return found

    async def player_of(self, key: str) -> str:
        def work(db: sqlite3.Connection) -> str:
            found = db.execute("SELECT player FROM player_key WHERE key = ?", (key,)).fetchone()
            return str(found[0]) if found else key

        player: str = await self._do(work, reads=True)
        return player

    async def take_over(self, old: str, player: str) -> None:
        def known(db: sqlite3.Connection) -> bool:
            played = "EXISTS (SELECT 1 FROM result WHERE player = ?)"
            sql = f"SELECT {played} OR EXISTS (SELECT 1 FROM player_key WHERE player = ?)"
            return bool(db.execute(sql, (old, old)).fetchone()[0])

        if await self._do(known, reads=True):
            await self._do(lambda db: _link(db, old, player))

    async def offer(self, code: str, player: str, seconds: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            now = time.time()
            db.execute("DELETE FROM link WHERE player = ? OR until < ?", (player, now))
            db.execute("INSERT INTO link (code, player, until) VALUES (?, ?, ?)", (code, player, now + seconds))

        await self._do(work)

    async def redeem(self, code: str, key: str) -> str | None:
        def work(db: sqlite3.Connection) -> str | None:
            sql = "SELECT player FROM link WHERE code = ? AND until >= ?"
            found = db.execute(sql, (code, time.time())).fetchone()
            db.execute("DELETE FROM link WHERE code = ?", (code,))
            if found:
                _link(db, key, found[0])
            return str(found[0]) if found else None

        player: str | None = await self._do(work)
        return player


def _link(db: sqlite3.Connection, old: str, player: str) -> None:
    """From now on, everything of `old` is of `player`."""
    if old != player:
        db.execute("UPDATE player_key SET player = ? WHERE player = ?", (player, old))
        db.execute("INSERT OR REPLACE INTO player_key (key, player) VALUES (?, ?)", (old, player))
        db.execute("UPDATE result SET player = ?, edited = ? WHERE player = ?", (player, time.time(), old))

"""The public list of commitments in SQLite."""

import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any

from dicegames_server.storage.commitments import StoredCommitment

LISTED_COLUMNS = "number, before, room, commitment, proof"


class SqliteCommitments:
    def __init__(self, do: Callable[..., Awaitable[Any]]) -> None:
        """`do` runs a function in the storage thread, with the database; `reads=True` where it only reads."""
        self._do = do

    async def last(self) -> StoredCommitment | None:
        sql = f"SELECT {LISTED_COLUMNS} FROM listed ORDER BY number DESC LIMIT 1"
        row = await self._do(lambda db: db.execute(sql).fetchone(), reads=True)
        return StoredCommitment(*row) if row else None

    async def append(self, entry: StoredCommitment) -> bool:
        def work(db: sqlite3.Connection) -> bool:
            sql = f"INSERT OR IGNORE INTO listed ({LISTED_COLUMNS}) VALUES (?, ?, ?, ?, ?)"
            return db.execute(sql, entry).rowcount == 1

        added: bool = await self._do(work)
        return added

    async def page(self, after: int, most: int) -> list[StoredCommitment]:
        sql = f"SELECT {LISTED_COLUMNS} FROM listed WHERE number > ? ORDER BY number LIMIT ?"
        rows = await self._do(lambda db: db.execute(sql, (after, most)).fetchall(), reads=True)
        return [StoredCommitment(*row) for row in rows]

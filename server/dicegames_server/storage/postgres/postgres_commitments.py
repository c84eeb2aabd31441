"""The public list of commitments in PostgreSQL: one list for all nodes."""

from collections.abc import Awaitable, Callable
from typing import Any

from dicegames_server.storage.commitments import StoredCommitment
from dicegames_server.storage.postgres.postgres_connection import Rows

LAST_LISTED = "SELECT number, before, room, commitment, proof FROM listed ORDER BY number DESC LIMIT 1"
LIST = """
INSERT INTO listed (number, before, room, commitment, proof) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (number) DO NOTHING RETURNING number
"""
LISTED = "SELECT number, before, room, commitment, proof FROM listed WHERE number > %s ORDER BY number LIMIT %s"


class PostgresCommitments:
    def __init__(
        self, do: Callable[..., Awaitable[list[Rows]]], read: Callable[[str, tuple[Any, ...]], Awaitable[Rows]]
    ) -> None:
        """`do` runs statements in one transaction, `read` runs one that only reads."""
        self._do = do
        self._read = read

    async def last(self) -> StoredCommitment | None:
        found = await self._read(LAST_LISTED, ())
        return StoredCommitment(*found[0]) if found else None

    async def append(self, entry: StoredCommitment) -> bool:
        (added,) = await self._do((LIST, tuple(entry)))
        return bool(added)

    async def page(self, after: int, most: int) -> list[StoredCommitment]:
        return [StoredCommitment(*row) for row in await self._read(LISTED, (after, most))]

"""What is worked out from finished games, in SQLite."""

import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from dicegames_server.storage.past_games import Cursor, FinishedGame, Marks, ResultPage, Span
from dicegames_server.storage.result_rows import RATED_COLUMNS, to_rated

UNMARKED = """
SELECT DISTINCT code, game_no FROM result
WHERE NOT reviewed AND at > ? AND at < ? AND EXISTS (SELECT 1 FROM room WHERE id = result.room)
    AND NOT EXISTS (SELECT 1 FROM room WHERE code = result.code AND id > result.room)
ORDER BY at DESC LIMIT ?
"""
OF_GAME = "room = (SELECT max(id) FROM room WHERE code = ?) AND game_no = ?"
LEADERS = """
SELECT name, count(*), sum(won), max(at) FROM result
WHERE counted AND at >= ? AND at < ? AND (bots <> '') = ? {game}
GROUP BY player ORDER BY sum(won) DESC, count(*), name LIMIT ?
"""
"""With max(at), SQLite takes the name from the newest row."""
ROWS_AFTER = f"""
SELECT {RATED_COLUMNS}, at FROM result
WHERE counted AND at < ? AND (at, room, game_no, seat) > (?, ?, ?, ?)
ORDER BY at, room, game_no, seat LIMIT ?
"""


class SqlitePastGames:
    def __init__(self, do: Callable[..., Awaitable[Any]]) -> None:
        """`do` runs a function in the storage thread, with the database; `reads=True` where it only reads."""
        self._do = do

    async def unmarked(self, after: float, before: float, most: int) -> list[FinishedGame]:
        def work(db: sqlite3.Connection) -> list[FinishedGame]:
            now = time.time()
            return [FinishedGame(*row) for row in db.execute(UNMARKED, (now - after, now - before, most))]

        found: list[FinishedGame] = await self._do(work, reads=True)
        return found

    async def mark(self, game: FinishedGame, marks: Mapping[int, Marks]) -> None:
        def work(db: sqlite3.Connection) -> None:
            rows = [(accuracy, luck, *game, seat) for seat, (accuracy, luck) in marks.items()]
            db.executemany(f"UPDATE result SET accuracy = ?, luck = ? WHERE {OF_GAME} AND seat = ?", rows)
            db.execute(f"UPDATE result SET reviewed = 1 WHERE {OF_GAME}", game)

        await self._do(work)

    async def leaders(self, game: str | None, most: int, span: Span, bots: bool) -> list[tuple[str, int, int]]:
        def work(db: sqlite3.Connection) -> list[tuple[str, int, int]]:
            sql = LEADERS.format(game="" if game is None else "AND game = ?")
            named = () if game is None else (game,)
            rows = db.execute(sql, (*span, bots, *named, most))
            return [(name, played, won) for name, played, won, _ in rows]

        found: list[tuple[str, int, int]] = await self._do(work, reads=True)
        return found

    async def page(self, span: Span, after: Cursor | None, most: int) -> ResultPage:
        def work(db: sqlite3.Connection) -> ResultPage:
            rows = db.execute(ROWS_AFTER, (span.end, *(after or (span.begin, -1, -1, -1)), most)).fetchall()
            cursors = tuple((row[-1], *row[:3]) for row in rows)
            return ResultPage(tuple(map(to_rated, rows)), cursors, time.time())

        found: ResultPage = await self._do(work, reads=True)
        return found

    async def changed_since(self, at: float) -> bool:
        sql = "SELECT EXISTS (SELECT 1 FROM result WHERE edited > ?)"
        return bool(await self._do(lambda db: db.execute(sql, (at,)).fetchone()[0], reads=True))

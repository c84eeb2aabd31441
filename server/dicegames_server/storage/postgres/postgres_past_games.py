"""What is worked out from finished games, in PostgreSQL.

All rows of a game have the time of their transaction. Places in the order of results are counted in microseconds, as
the database does.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from dicegames_server.storage.past_games import Cursor, FinishedGame, Marks, ResultPage, Span
from dicegames_server.storage.postgres.postgres_connection import Rows
from dicegames_server.storage.result_rows import RATED_COLUMNS, to_rated

UNREVIEWED = """
SELECT code, game_no FROM result
WHERE NOT reviewed AND at > now() - make_interval(secs => %s) AND at < now() - make_interval(secs => %s)
    AND EXISTS (SELECT 1 FROM room WHERE id = result.room)
    AND NOT EXISTS (SELECT 1 FROM room WHERE code = result.code AND id > result.room)
GROUP BY code, game_no ORDER BY max(at) DESC LIMIT %s
"""
OF_ROOM = "room = (SELECT max(id) FROM room WHERE code = %s) AND game_no = %s"
MARK = f"UPDATE result SET accuracy = %s, luck = %s WHERE {OF_ROOM} AND seat = %s"
REVIEWED = f"UPDATE result SET reviewed = true WHERE {OF_ROOM}"
MOST_WINS = """
SELECT (array_agg(name ORDER BY at DESC))[1] AS latest, count(*), count(*) FILTER (WHERE won)
FROM result
WHERE counted AND at >= to_timestamp(%s) AND at < to_timestamp(%s) AND (bots <> '') = %s
    AND (%s::text IS NULL OR game = %s)
GROUP BY player ORDER BY 3 DESC, 2, 1 LIMIT %s
"""
RATED = f"""
SELECT {RATED_COLUMNS}, extract(epoch FROM at)::float8, (extract(epoch FROM at) * 1000000)::bigint FROM result
WHERE counted AND at < to_timestamp(%s)
    AND (at, room, game_no, seat) > (timestamptz 'epoch' + %s * interval '1 microsecond', %s, %s, %s)
ORDER BY at, room, game_no, seat LIMIT %s
"""
NOW = "SELECT extract(epoch FROM now())::float8"
CHANGED = "SELECT EXISTS (SELECT 1 FROM result WHERE edited > to_timestamp(%s))"


class PostgresPastGames:
    def __init__(
        self, do: Callable[..., Awaitable[list[Rows]]], read: Callable[[str, tuple[Any, ...]], Awaitable[Rows]]
    ) -> None:
        """`do` runs statements in one transaction, `read` runs one that only reads."""
        self._do = do
        self._read = read

    async def unmarked(self, after: float, before: float, most: int) -> list[FinishedGame]:
        return [FinishedGame(*row) for row in await self._read(UNREVIEWED, (after, before, most))]

    async def mark(self, game: FinishedGame, marks: Mapping[int, Marks]) -> None:
        own = [(MARK, (accuracy, luck, *game, seat)) for seat, (accuracy, luck) in marks.items()]
        await self._do(*own, (REVIEWED, tuple(game)))

    async def leaders(self, game: str | None, most: int, span: Span, bots: bool) -> list[tuple[str, int, int]]:
        rows = await self._read(MOST_WINS, (*span, bots, game, game, most))
        return [(name, played, won) for name, played, won in rows]

    async def page(self, span: Span, after: Cursor | None, most: int) -> ResultPage:
        now = float((await self._read(NOW, ()))[0][0])  # asked first: what is older than this, is in the page
        begin = after or (round(span.begin * 1e6), -1, -1, -1)
        rows = await self._read(RATED, (span.end, *begin, most))
        cursors = tuple((row[-1], *row[:3]) for row in rows)
        return ResultPage(tuple(to_rated(row[:-1]) for row in rows), cursors, now)

    async def changed_since(self, at: float) -> bool:
        return bool((await self._read(CHANGED, (at,)))[0][0])

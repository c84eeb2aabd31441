"""The ratings of a server: worked out in the worker from the recorded results, and kept up to date.

Nothing of it is stored. Each node works out the same from the same results. What was worked out is kept in memory, so a
question costs only the games since the last one. Results of the last minute are worked out anew each time: on several
nodes an older one may still come, and a typed roll may be corrected. Where older results have changed, because keys
were linked, all is worked out anew, now and then.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from dicegames_protocol.messages.history import LeaderRow, SkillRow
from dicegames_server.bots import expert_share
from dicegames_server.core.errors import Refused
from dicegames_server.core.worker import TooMuch
from dicegames_server.lobby.played.ladder import Board, Ladder, games_in
from dicegames_server.lobby.played.skill import NoRatings, games_to_sure, shown, unknown
from dicegames_server.room.environment import Environment
from dicegames_server.storage.past_games import Cursor, RatedRow, Span

ROWS_AT_ONCE = 250
"""Rows that are read and rated in one piece: some milliseconds of work, after which others have their turn."""
YOUNG_SECONDS = 60.0
"""After so long no older result comes: no transaction takes longer."""
REBUILD_SECONDS = 300.0
"""Seconds between two times that all is worked out anew."""
CURRENT_SECONDS = 10.0
"""Seconds for which ratings count as up to date."""
ASKER_SECONDS = 5.0
"""Seconds that somebody who asks waits for ratings that are being worked out."""
MOST_SPANS = 24
"""Most spans of time that are kept in memory: the latest ones that were asked for."""
BUSY = "The ratings are being worked out. Ask again in a moment."
NO_PACKAGE = "This server can't work out ratings: it needs one more package, pip install 'dicegames[ratings]'."
T = TypeVar("T")


class _Book:
    """The ratings of one span of time."""

    def __init__(self, span: Span, now: float) -> None:
        self.span = span
        self.begun_at = now
        """When it was begun to be worked out, in seconds of the clock."""
        self.settled = Ladder()
        self.cursor: Cursor | None = None
        """Up to here results are in `settled`."""
        self.all = self.settled
        """With the results of the last minute."""
        self.unchanged_since: float | None = None
        """Results that changed after this time, in seconds of the store, are not in it."""
        self.current_until = float("-inf")
        self.working: asyncio.Future[None] | None = None

    def worked_out(self, task: "asyncio.Future[None]") -> None:
        self.working = None
        if not task.cancelled():
            task.exception()  # mark it as retrieved: nobody may be waiting any more


class Ratings:
    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._books: dict[Span, _Book] = {}

    async def leaders(self, board: Board, span: Span, most: int) -> tuple[tuple[LeaderRow, ...], int]:
        """The best of a board, and after how many games a rating there means something. Raises Refused."""
        try:
            await self._calculated(_check)
            book = await self._current(span)
            share = await self._calculated(partial(expert_share, board.game))
            rows = await self._calculated(partial(_rows, book, board, most, share))
            return rows, await self._calculated(partial(games_to_sure, share))
        except TooMuch:
            raise Refused("unavailable", BUSY) from None
        except NoRatings:
            raise Refused("unavailable", NO_PACKAGE) from None

    async def of_player(self, player: str, boards: Sequence[Board], span: Span) -> dict[Board, SkillRow]:
        """The ratings of a player, where there are some and they can be had now."""
        try:
            await self._calculated(_check)
            book = await self._current(span)
            return await self._calculated(partial(_own, book, boards, player))
        except (TooMuch, NoRatings, Refused):
            return {}

    async def _calculated(self, work: Callable[[], T]) -> T:
        return await self._environment.worker.run("ratings", work)

    async def _current(self, span: Span) -> _Book:
        """The book of a span, up to date. Who asks at the same time waits for the same work."""
        now = self._environment.clock.now()
        book = self._books.pop(span, None) or _Book(span, now)
        self._books[span] = book
        while len(self._books) > MOST_SPANS:
            del self._books[next(iter(self._books))]
        if book.working is None and now >= book.current_until:
            book.working = asyncio.ensure_future(self._work(book))
            book.working.add_done_callback(book.worked_out)
        if task := book.working:
            done, _ = await asyncio.wait({task}, timeout=ASKER_SECONDS)
            if not done:
                raise Refused("unavailable", BUSY)
            task.result()
        return book

    async def _work(self, book: _Book) -> None:
        past, now = self._environment.storage.past_games, self._environment.clock.now()
        if book.unchanged_since is not None and await past.changed_since(book.unchanged_since):
            if now - book.begun_at >= REBUILD_SECONDS:
                book.settled, book.cursor, book.begun_at, book.unchanged_since = Ladder(), None, now, None
        else:
            book.unchanged_since = None
        tail = None
        cursor, most = book.cursor, ROWS_AT_ONCE
        while True:
            page = await past.page(book.span, cursor, most)
            if book.unchanged_since is None:
                book.unchanged_since = page.now - YOUNG_SECONDS
            games = games_in(page.rows)
            if len(page.rows) == most:
                if len(games) == 1:  # it may go on in the next page
                    most *= 2
                    continue
                games.pop()
            old = [game for game in games if game[-1].at < page.now - YOUNG_SECONDS] if tail is None else []
            new = games[len(old) :]
            if old:
                await self._calculated(partial(_add, book.settled, old))
                book.cursor = page.cursors[sum(map(len, old)) - 1]
            if new:
                tail = tail or Ladder(book.settled)
                await self._calculated(partial(_add, tail, new))
            if len(page.rows) < most:
                break
            cursor, most = page.cursors[sum(map(len, games)) - 1], ROWS_AT_ONCE
        book.all = tail or book.settled
        book.current_until = now + CURRENT_SECONDS


def _check() -> None:
    """Raise NoRatings where ratings can't be had. It loads the library in the worker, where nobody waits for it."""
    unknown()


def _add(ladder: Ladder, games: list[list[RatedRow]]) -> None:
    for game in games:
        ladder.add(game)


def _rows(book: _Book, board: Board, most: int, share: float) -> tuple[LeaderRow, ...]:
    return book.all.rows(board, most, share)


def _own(book: _Book, boards: Sequence[Board], player: str) -> dict[Board, SkillRow]:
    found = {board: book.all.of(board, player) for board in boards}
    told = {board: (shown(one.skill), one.games) for board, one in found.items() if one}
    return {
        board: SkillRow(rating=skill.rating, interval=skill.interval, played=games)
        for board, (skill, games) in told.items()
    }

"""Finished games in memory: their results, and what is worked out from them."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from dicegames_server.storage.base import Result
from dicegames_server.storage.past_games import Cursor, FinishedGame, Marks, RatedRow, ResultPage, Span

Key = tuple[int, int, int]
"""Number of the room, number of the game in it, seat."""


@dataclass(slots=True)
class _Kept:
    result: Result
    reviewed: bool = False
    edited: float = 0.0


class MemoryPastGames:
    def __init__(self, number_of: Callable[[str], int]) -> None:
        """`number_of` gives the number of the room with this code whose log is there; 0 if there is none."""
        self._number_of = number_of
        self._kept: dict[Key, _Kept] = {}

    def add(self, room: int, results: Iterable[Result]) -> None:
        """Keep the results of a game. If it had some, these are corrections."""
        at = time.time()
        for result in results:
            key = (room, result.game_no, result.seat)
            self._kept[key] = _Kept(replace(result, at=at), edited=at if key in self._kept else 0.0)

    def results(self, player: str | None, game: str | None, most: int) -> list[Result]:
        found = [k.result for k in self._kept.values() if player in (None, k.result.player)]
        return sorted((r for r in found if game in (None, r.game)), key=lambda result: -result.at)[:most]

    def rename(self, old: str, player: str) -> int:
        """Give all results of one player to another. Returns how many there were."""
        renamed = [kept for kept in self._kept.values() if kept.result.player == old]
        for kept in renamed:
            kept.result = replace(kept.result, player=player)
            kept.edited = time.time()
        return len(renamed)

    async def unmarked(self, after: float, before: float, most: int) -> list[FinishedGame]:
        now = time.time()
        found = {
            FinishedGame(kept.result.room, kept.result.game_no): kept.result.at
            for (room, _, _), kept in self._kept.items()
            if not kept.reviewed
            and room == self._number_of(kept.result.room)
            and now - after < kept.result.at < now - before
        }
        return sorted(found, key=lambda game: -found[game])[:most]

    async def mark(self, game: FinishedGame, marks: Mapping[int, Marks]) -> None:
        of_code = [key for key, kept in self._kept.items() if kept.result.room == game.room]
        newest = max((room for room, _, _ in of_code), default=0)
        for key in of_code:
            if key[:2] == (newest, game.game_no):
                kept, said = self._kept[key], marks.get(key[2])
                kept.reviewed = True
                if said:
                    kept.result = replace(kept.result, accuracy=said.accuracy, luck=said.luck)

    def _counted(self, span: Span) -> list[tuple[Key, Result]]:
        """The results that count, in the order in which the games ended."""
        found = [(key, k.result) for key, k in self._kept.items() if k.result.counted]
        return sorted(
            ((key, r) for key, r in found if span.begin <= r.at < span.end), key=lambda item: (item[1].at, *item[0])
        )

    async def leaders(self, game: str | None, most: int, span: Span, bots: bool) -> list[tuple[str, int, int]]:
        rows: dict[str, tuple[str, int, int]] = {}
        for _, result in self._counted(span):
            if game in (None, result.game) and bool(result.bots) == bots:
                _, played, won = rows.get(result.player, ("", 0, 0))
                rows[result.player] = (result.name, played + 1, won + result.won)
        return sorted(rows.values(), key=lambda row: (-row[2], row[1], row[0]))[:most]

    async def page(self, span: Span, after: Cursor | None, most: int) -> ResultPage:
        found = [((r.at, *key), r) for key, r in self._counted(span) if after is None or (r.at, *key) > after][:most]
        rows = tuple(
            RatedRow(cursor[1], r.game_no, r.seat, r.player, r.game, r.name, r.won, r.players, r.bots, r.gave_up, r.at)
            for cursor, r in found
        )
        return ResultPage(rows, tuple(cursor for cursor, _ in found), time.time())

    async def changed_since(self, at: float) -> bool:
        return any(kept.edited > at for kept in self._kept.values())

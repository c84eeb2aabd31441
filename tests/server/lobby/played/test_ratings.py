"""The ratings of a server: from its results, kept up to date, and told to whoever asks."""

import asyncio
import itertools
import sys
import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from dicegames_protocol.messages.client import AddBot, AskLeaderboard, AskStats
from dicegames_protocol.messages.server import Ack, Leaderboard, Stats
from dicegames_server.core.errors import Refused
from dicegames_server.core.worker import TooMuch
from dicegames_server.lobby.played import ratings, skill
from dicegames_server.lobby.played.ladder import Board, Ladder, games_in
from dicegames_server.lobby.played.ratings import YOUNG_SECONDS, Ratings
from dicegames_server.lobby.played.statistics import month_of, month_span
from dicegames_server.storage import memory_past_games
from dicegames_server.storage.base import Entry, Result, append
from dicegames_server.storage.past_games import ALL_TIME
from support.hall import Hall, Peer

PEOPLE = Board("doubles", False)
T = TypeVar("T")


class StoreClock:
    """The time of the store in memory."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, begin: float = 1_790_000_000.0) -> None:
        self.now = begin
        monkeypatch.setattr(memory_past_games, "time", self)

    def time(self) -> float:
        return self.now


@pytest.fixture
def store_clock(monkeypatch: pytest.MonkeyPatch) -> StoreClock:
    return StoreClock(monkeypatch)


class Games:
    """Writes results as a room does."""

    def __init__(self, hall: Hall) -> None:
        self._storage = hall.environment.storage
        self._seq = itertools.count(1)

    async def open(self) -> "Games":
        await self._storage.open("KQ7M")
        return self

    async def add(self, *names: str, won: str, **changes: Any) -> int:
        number = next(self._seq)
        await self._write(number, number, names, won, changes)
        return number

    async def correct(self, game_no: int, *names: str, won: str) -> None:
        await self._write(next(self._seq), game_no, names, won, {})

    async def _write(self, seq: int, game_no: int, names: tuple[str, ...], won: str, changes: dict[str, Any]) -> None:
        results = [
            replace(
                Result(name, "KQ7M", "doubles", game_no, seat, name, 0, name == won, (), {}, players=len(names)),
                **changes,
            )
            for seat, name in enumerate(names)
        ]
        await append(self._storage, Entry("KQ7M", 1, seq, b"{}", results=results))


async def board(found: Ratings, span: Any = ALL_TIME) -> dict[str, tuple[int, int]]:
    rows, _ = await found.leaders(PEOPLE, span, 20)
    return {row.name: (row.rating or 0, row.played) for row in rows}


async def anew(hall: Hall) -> dict[str, tuple[int, int]]:
    """All ratings, worked out from the results in one go."""
    page = await hall.environment.storage.past_games.page(ALL_TIME, None, 10**6)
    ladder = Ladder()
    for game in games_in(page.rows):
        ladder.add(game)
    return {row.name: (row.rating or 0, row.played) for row in ladder.rows(PEOPLE, 20, 0.95)}


@pytest.mark.parametrize("rows_at_once", [1, 2, 3, 7, 1000])
async def test_kept_up_to_date_is_the_same_as_worked_out_anew(
    rows_at_once: int, store_clock: StoreClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ratings, "ROWS_AT_ONCE", rows_at_once)
    hall = Hall()
    games, found = await Games(hall).open(), Ratings(hall.environment)
    names = ("ana", "bo", "cy", "di")
    for number in range(40):
        table = names[: 2 + number % 3]
        await games.add(*table, won=table[number * 7 % len(table)])
        store_clock.now += 17 * (number % 5)
        if number % 3 == 0:
            hall.clock.advance(11)
            assert await board(found) == await anew(hall)


async def test_between_two_questions_only_new_results_are_read(
    store_clock: StoreClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = Hall()
    games, found = await Games(hall).open(), Ratings(hall.environment)
    for _ in range(30):
        await games.add("ana", "bo", won="ana")
    store_clock.now += YOUNG_SECONDS + 1
    await board(found)
    past, read = hall.environment.storage.past_games, list[int]()
    page = past.page

    async def noting(*asked: Any) -> Any:
        got = await page(*asked)
        read.append(len(got.rows))
        return got

    monkeypatch.setattr(past, "page", noting)
    await board(found)
    assert read == []  # it is a few seconds old
    hall.clock.advance(11)
    await games.add("ana", "bo", won="bo")
    await board(found)
    assert read == [2]


async def test_a_result_that_comes_late_is_in_its_place(store_clock: StoreClock) -> None:
    """On several nodes a result may be seen after a younger one."""
    hall = Hall()
    games, found = await Games(hall).open(), Ratings(hall.environment)
    await games.add("ana", "bo", won="ana")
    store_clock.now += 20
    await games.add("ana", "cy", won="cy")
    await board(found)
    store_clock.now -= 10
    await games.add("bo", "cy", won="bo")
    store_clock.now += 15
    hall.clock.advance(11)
    assert await board(found) == await anew(hall)


async def test_results_that_change_later_are_rated_anew_now_and_then(store_clock: StoreClock) -> None:
    hall = Hall()
    games, found = await Games(hall).open(), Ratings(hall.environment)
    number = await games.add("ana", "bo", won="ana")
    await games.add("ana", "bo", won="ana")
    store_clock.now += 1000
    before = await board(found)
    await games.correct(number, "ana", "bo", won="bo")
    store_clock.now += 100
    hall.clock.advance(11)
    assert (await board(found))["ana"][1] == 3  # it counts twice, for some minutes
    hall.clock.advance(300)
    assert await board(found) == await anew(hall) != before
    await hall.environment.storage.players.offer("code", "ana's phone", 60)
    await hall.environment.storage.players.redeem("code", "ana")
    store_clock.now += 100
    hall.clock.advance(300)
    assert await board(found) == await anew(hall)
    rows = await found.of_player("ana's phone", [PEOPLE], ALL_TIME)
    assert rows[PEOPLE].played == 2
    assert await found.of_player("ana", [PEOPLE], ALL_TIME) == {}


async def test_a_season_is_a_month_and_begins_anew(store_clock: StoreClock) -> None:
    hall = Hall()
    games, found = await Games(hall).open(), Ratings(hall.environment)
    october, november = month_span("2026-10"), month_span("2026-11")
    assert october.end == november.begin
    store_clock.now = november.begin - 0.001
    await games.add("ana", "bo", won="ana")
    store_clock.now = november.begin
    await games.add("ana", "bo", won="bo")
    store_clock.now = november.end - 0.001
    await games.add("cy", "bo", won="bo")
    store_clock.now = november.end
    await games.add("cy", "bo", won="cy")
    store_clock.now += 1000
    assert {name: played for name, (_, played) in (await board(found, october)).items()} == {"ana": 1, "bo": 1}
    told = await board(found, november)
    assert {name: played for name, (_, played) in told.items()} == {"ana": 1, "bo": 2, "cy": 1}
    assert told["ana"][0] < 1500  # October's win is October's
    assert (await board(found))["bo"][1] == 4


def test_months_are_those_of_utc_and_a_year_ends() -> None:
    assert month_span("2026-12").end == month_span("2027-01").begin
    for month in ("2024-02", "2026-11", "2026-12"):
        span = month_span(month)
        assert (month_of(span.begin), month_of(span.end - 0.001)) == (month, month)
        assert month_of(span.end) != month


async def test_a_table_larger_than_a_page_is_one_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "ROWS_AT_ONCE", 2)
    hall = Hall()
    games, found = await Games(hall).open(), Ratings(hall.environment)
    await games.add(*(f"p{n}" for n in range(50)), won="p3")
    assert set((await board(found)).values()) >= {(await anew(hall))["p3"]}
    assert len(await board(found)) == 20


async def test_who_asks_while_it_is_worked_out_shares_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = Hall()
    games, found = await Games(hall).open(), Ratings(hall.environment)
    await games.add("ana", "bo", won="ana")
    past = hall.environment.storage.past_games
    page, calls, go_on = past.page, list[object](), asyncio.Event()

    async def slow(*asked: Any) -> Any:
        calls.append(asked)
        await go_on.wait()
        return await page(*asked)

    monkeypatch.setattr(past, "page", slow)
    askers = [asyncio.ensure_future(board(found)) for _ in range(5)]
    await hall.settle()
    go_on.set()
    assert len({str(told) for told in await asyncio.gather(*askers)}) == 1
    assert len(calls) == 1
    hall.clock.advance(11)
    go_on.clear()
    monkeypatch.setattr(ratings, "ASKER_SECONDS", 0)
    with pytest.raises(Refused, match="being worked out"):
        await board(found)
    assert await found.of_player("ana", [PEOPLE], ALL_TIME) == {}
    go_on.set()
    await hall.settle()
    monkeypatch.setattr(ratings, "ASKER_SECONDS", 5)
    assert await board(found)


async def test_a_busy_worker_is_told_and_not_the_end() -> None:
    class Busy:
        async def run(self, key: Hashable, work: Callable[[], T]) -> T:
            raise TooMuch

    hall = Hall(worker=Busy())
    with pytest.raises(Refused, match="being worked out"):
        await board(Ratings(hall.environment))


@pytest.fixture
def without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    skill._model.cache_clear()
    skill.games_to_sure.cache_clear()
    monkeypatch.setitem(sys.modules, "openskill", None)
    monkeypatch.setitem(sys.modules, "openskill.models", None)


async def test_without_the_package_it_is_named(without_the_package: None) -> None:
    hall = Hall()
    ana = await hall.peer("ana")
    refused = await ana.refused(AskLeaderboard(id="1", game="doubles", by="skill"))
    assert (refused.code, "dicegames[ratings]" in refused.message) == ("unavailable", True)
    assert (await ana.expect(Leaderboard, AskLeaderboard(id="2"))).rows == ()
    assert (await ana.expect(Stats, AskStats(id="3"))).games == ()


# What a client gets.


async def win(hall: Hall, ana: Peer, bo: Peer | None, bots: int = 0) -> None:
    """A game of Double or Nothing that ana wins with her first roll."""
    room = (await ana.create("double-or-nothing", options={"first": "1", "target": 2})).room
    if bo:
        await bo.join(room, "bo")
    for _ in range(bots):
        await ana.expect(Ack, AddBot(id=hall.id(), level="easy"))
    for peer in (ana, bo):
        if peer:
            await peer.ready()
    await ana.move("add")
    assert hall.room(ana).state.info.phase == "over"


async def listed(peer: Peer, **asked: Any) -> list[tuple[str, int]]:
    peer.hall.clock.advance(11)
    question = AskLeaderboard(id=peer.hall.id(), game="double-or-nothing", **asked)
    answer = await peer.expect(Leaderboard, question)
    return [(row.bot or row.name, row.played) for row in answer.rows]


async def test_games_with_bots_are_listed_apart() -> None:
    hall = Hall()
    ana, bo = await hall.peer("ana"), await hall.peer("bo")
    await win(hall, ana, bo)
    again = await hall.peer("ana")
    await win(hall, again, None, bots=1)
    for by in ("wins", "skill"):
        assert await listed(ana, by=by) == [("ana", 1), ("bo", 1)]
    assert await listed(ana, bots=True) == [("ana", 1)]
    assert await listed(ana, by="skill", bots=True) == [("ana", 1), ("easy", 1)]
    (row,) = (await ana.expect(Stats, AskStats(id="s"))).games
    assert (row.played, row.won, row.with_bots, row.won_with_bots) == (2, 2, 1, 1)
    assert row.skill and row.skill.played == 1 and row.skill.rating > 1500


async def test_a_list_by_skill_says_how_many_games_it_takes() -> None:
    hall = Hall()
    ana, bo = await hall.peer("ana"), await hall.peer("bo")
    await win(hall, ana, bo)
    answer = await ana.expect(Leaderboard, AskLeaderboard(id="1", game="double-or-nothing", by="skill"))
    assert answer.meaningful_after and 10 < answer.meaningful_after < 100
    assert [(row.name, row.won, row.provisional) for row in answer.rows] == [("ana", None, True), ("bo", None, True)]
    assert await listed(ana, by="skill", season="2020-01") == [] == await listed(ana, season="2020-01")
    month = month_of(time.time())
    assert len(await listed(ana, by="skill", season=month)) == len(await listed(ana, season=month)) == 2
    refused = await ana.refused(AskLeaderboard(id="2", by="skill"))
    assert refused.message == "Skill is ranked game by game. Name one."


async def test_what_does_not_count_for_the_leaderboard_is_not_rated() -> None:
    """Whoever plays against a second seat of their own, at the same address, has no rating from it."""
    hall = Hall(leaderboard_one_address=False)
    ana, bo = await hall.peer("ana"), await hall.peer("bo")
    ana.link.address = bo.link.address = "192.0.2.1"
    await win(hall, ana, bo)
    assert await listed(ana, by="skill") == []
    (row,) = (await ana.expect(Stats, AskStats(id="s"))).games
    assert row.skill is None


async def test_a_server_without_a_leaderboard_tells_no_rating() -> None:
    hall = Hall(leaderboard=False)
    ana, bo = await hall.peer("ana"), await hall.peer("bo")
    await win(hall, ana, bo)
    asked = AskLeaderboard(id="1", game="double-or-nothing", by="skill")
    assert (await ana.refused(asked)).message == "This server keeps no leaderboard."
    (row,) = (await ana.expect(Stats, AskStats(id="s"))).games
    assert row.skill is None

"""What every store must do. A new store is added to the fixture and must pass all tests unchanged."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dicegames_server.settings import Settings
from dicegames_server.storage import base, make_storage
from dicegames_server.storage.base import (
    NOTHING,
    Conflict,
    Entry,
    Record,
    Result,
    Storage,
    StorageError,
    StoredSnapshot,
    Unavailable,
)
from dicegames_server.storage.commitments import StoredCommitment
from dicegames_server.storage.memory import MemoryStorage
from dicegames_server.storage.past_games import ALL_TIME, FinishedGame, Marks, RatedRow, Span
from dicegames_server.storage.postgres.postgres_store import PostgresStorage
from dicegames_server.storage.sqlite.sqlite_file import DATABASE_FILE, MIGRATIONS
from dicegames_server.storage.sqlite.sqlite_store import SqliteStorage
from support.clock import FakeClock
from support.shared import NodeStorage, SharedMemory

ANY = 2**53
"""An epoch that is later than all: whoever asks may have seen everything."""


@pytest.fixture(params=["memory", "sqlite", "postgres", "shared memory"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Storage]:
    made: Storage
    match request.param:
        case "memory":
            made = MemoryStorage()
        case "sqlite":
            made = SqliteStorage(tmp_path)
        case "postgres":
            made = PostgresStorage(request.getfixturevalue("database"))
        case _:  # what tests use instead must keep the same promises
            made = NodeStorage(SharedMemory(FakeClock()), "ws://node1")
    await made.start()
    yield made
    await made.stop()


async def append(store: Storage, *fields: Any) -> None:
    await base.append(store, Entry(*fields))


async def test_updates_come_back_in_order(store: Storage) -> None:
    await store.open("KQ7M")
    for seq in range(1, 6):
        await append(store, "KQ7M", 1, seq, b"%d" % seq)
    assert await store.updates("KQ7M", 0, ANY) == [b"1", b"2", b"3", b"4", b"5"]
    assert await store.updates("KQ7M", 3, ANY) == [b"4", b"5"]
    assert await store.updates("KQ7M", 5, ANY) == []


async def test_a_number_is_written_once(store: Storage) -> None:
    await store.open("KQ7M")
    await append(store, "KQ7M", 1, 1, b"1")
    for epoch, seq, why in [(1, 1, Conflict), (1, 3, Unavailable), (2, 2, Conflict), (0, 2, Conflict)]:
        with pytest.raises(why):
            await append(store, "KQ7M", epoch, seq, b"x")
    assert await store.updates("KQ7M", 0, ANY) == [b"1"]


async def test_a_write_that_fails_for_its_own_reasons_fails_alone(store: Storage) -> None:
    """A score of 2**63 can't be stored. It took the moves of strangers in the same commit with it."""
    for room in "ABC":
        await store.open(room)
    huge = Result("p", "A", "doubles", 1, 0, "ana", 2**63, True, (), {})
    results = await asyncio.gather(
        *(append(store, room, 1, 1, b"1") for room in "BC"),
        append(store, "A", 1, 1, b"1", b"{}", (huge,)),
        append(store, "A", 1, 2, b"2"),
        store.open("D"),
        *(append(store, room, 1, 2, b"2") for room in "BC"),
        return_exceptions=True,
    )
    assert [results[place] for place in (0, 1, 4, 5, 6)] == [None] * 5
    for room in "BC":
        assert await store.updates(room, 0, ANY) == [b"1", b"2"]
    if not isinstance(store, MemoryStorage | NodeStorage):  # which keep numbers of any size
        assert isinstance(results[2], Exception) and not isinstance(results[2], Conflict)
        assert isinstance(results[3], Unavailable)
        assert await store.updates("A", 0, ANY) == []
        await append(store, "A", 1, 1, b"again")
        assert await store.updates("A", 0, ANY) == [b"again"]


async def test_tokens_and_codes_of_open_and_ended_rooms_are_known(store: Storage) -> None:
    assert await store.codes() == 0
    await store.open("KQ7M")
    await append(store, "KQ7M", 1, 1, b"1", b'{"tokens":{"abc123":0}}')
    assert await store.codes() == 1
    assert await store.mentions("KQ7M", "abc123")
    assert not await store.mentions("KQ7M", "abc124")
    assert not await store.mentions("ZZZZ", "abc123")


async def test_many_at_once_and_one_of_them_wrong(store: Storage) -> None:
    for room in "ABC":
        await store.open(room)
    appends = [append(store, room, 1, seq, b"%d" % seq) for seq in range(1, 50) for room in "ABC"]
    results = await asyncio.gather(
        *appends[:30], append(store, "A", 1, 99, b"x"), *appends[30:], return_exceptions=True
    )
    assert [type(result) for result in results if result is not None] == [Unavailable]
    for room in "ABC":
        assert await store.updates(room, 0, ANY) == [b"%d" % seq for seq in range(1, 50)]


async def test_a_newer_epoch_shuts_the_older_out(store: Storage) -> None:
    await store.open("KQ7M")
    await append(store, "KQ7M", 1, 1, b"1")
    second = (await store.acquire("KQ7M")).epoch
    assert second > 1
    with pytest.raises(Conflict):
        await append(store, "KQ7M", 1, 2, b"old owner")
    await append(store, "KQ7M", second, 2, b"2")
    assert (await store.acquire("KQ7M")).epoch > second
    await store.drop("KQ7M", second)  # it is no longer theirs to end
    assert await store.updates("KQ7M", 0, ANY) == [b"1", b"2"]


async def test_whoever_saw_an_update_before_it_was_written_saw_another_history(store: Storage) -> None:
    """Its number is the same after a restore, and its content is not."""
    await store.open("KQ7M")
    await append(store, "KQ7M", 1, 1, b"1")
    before = (await store.acquire("KQ7M")).epoch
    after = (await store.acquire("KQ7M")).epoch
    for seq in (2, 3):
        await append(store, "KQ7M", after, seq, b"%d" % seq)
    assert await store.updates("KQ7M", 2, before) is None  # another 2 than this one
    assert await store.updates("KQ7M", 1, before) == [b"2", b"3"]
    assert await store.updates("KQ7M", 2, after) == [b"3"]
    assert await store.updates("KQ7M", 0, before) == [b"1", b"2", b"3"]


async def test_keys_of_one_player_lead_to_the_same_games(store: Storage) -> None:
    players = store.players
    assert await players.player_of("laptop") == "laptop"
    await store.open("KQ7M")
    played = [Result(key, "KQ7M", "doubles", 1, n, "ana", 5, True, (), {}) for n, key in enumerate(("laptop", "old"))]
    await append(store, "KQ7M", 1, 1, b"1", b"{}", played)
    await players.take_over("old", "laptop")
    assert len(await store.results("laptop", None, 10)) == 2 and not await store.results("old", None, 10)
    await players.offer("code", "laptop", 60)
    assert await players.redeem("other", "phone") is None
    assert await players.redeem("code", "phone") == "laptop"
    assert await players.redeem("code", "thief") is None  # it works once
    assert (await players.player_of("phone"), await players.player_of("thief")) == ("laptop", "thief")
    await players.offer("first", "laptop", 60)
    await players.offer("second", "laptop", 60)
    assert await players.redeem("first", "tablet") is None  # only the newest is good
    await players.offer("late", "laptop", -1)
    assert await players.redeem("late", "tablet") is None
    await players.take_over("laptop", "desktop")  # and so does everything that led there
    assert {await players.player_of(key) for key in ("laptop", "phone", "old")} == {"desktop"}


async def test_a_secret_is_made_once(store: Storage) -> None:
    assert await store.players.secret("identity", b"first") == b"first"
    assert await store.players.secret("identity", b"second") == b"first"
    assert await store.players.secret("other", b"second") == b"second"


async def test_the_list_of_commitments_has_each_number_once(store: Storage) -> None:
    assert await store.commitments.last() is None
    entries = [StoredCommitment(number, f"before {number}", "room", f"c{number}", "proof") for number in (1, 2, 3)]
    assert [await store.commitments.append(entry) for entry in entries] == [True, True, True]
    assert await store.commitments.append(entries[1]._replace(commit="another")) is False
    assert await store.commitments.last() == entries[2]
    assert await store.commitments.page(0, 2) == entries[:2]
    assert await store.commitments.page(2, 10) == entries[2:]


async def test_a_room_is_opened_once(store: Storage) -> None:
    await store.open("KQ7M")
    with pytest.raises(Conflict):
        await store.open("KQ7M")


async def test_what_is_not_there_is_not_made_up(store: Storage) -> None:
    assert await store.updates("NONE", 0, ANY) is None
    await store.open("KQ7M")
    assert await store.updates("KQ7M", 1, ANY) is None
    for attempt in (append(store, "NONE", 1, 1, b"1"), store.acquire("NONE"), store.acquire("KQ7M")):
        with pytest.raises(Conflict):
            await attempt
    await store.drop("KQ7M", 1)
    assert await store.updates("KQ7M", 0, ANY) is None
    assert await store.orphans(10) == []
    await store.open("KQ7M")  # a code may be used again


async def test_acquired_rooms_come_with_all_that_came_after_the_snapshot(store: Storage) -> None:
    await store.open("KQ7M", b"of the room")
    assert await store.orphans(10) == []  # nothing was written yet: there is nothing to open again
    for seq in range(1, 6):
        await append(store, "KQ7M", 1, seq, b"u%d" % seq, b"p%d" % seq)
    loaded = await store.acquire("KQ7M")
    assert (loaded.snapshot, loaded.private) == (NOTHING, b"of the room")
    assert [(record.seq, record.epoch) for record in loaded.records] == [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]
    await store.snapshot("KQ7M", loaded.epoch, StoredSnapshot(3, b"public 3", b"private 3"))
    await store.snapshot("KQ7M", 1, StoredSnapshot(5, b"from", b"a former owner"))
    loaded = await store.acquire("KQ7M")
    assert loaded.snapshot == StoredSnapshot(3, b"public 3", b"private 3")
    assert [(record.seq, record.update, record.private) for record in loaded.records] == [
        (4, b"u4", b"p4"),
        (5, b"u5", b"p5"),
    ]
    assert loaded.recent == ((1, b"p1"), (2, b"p2"), (3, b"p3"), (4, b"p4"), (5, b"p5"))


async def test_the_record_can_be_read_page_by_page(store: Storage) -> None:
    assert await store.read("KQ7M", 0, 10) is None
    await store.open("KQ7M", b"of the room")
    for seq in range(1, 6):
        await append(store, "KQ7M", 1, seq, b"u%d" % seq)
    assert await store.read("KQ7M", 0, 3) == (b"of the room", [b"u1", b"u2", b"u3"])
    assert await store.read("KQ7M", 3, 3) == (b"of the room", [b"u4", b"u5"])
    assert await store.read("KQ7M", 5, 3) == (b"of the room", [])


async def test_results_go_with_the_update_or_not_at_all(store: Storage) -> None:
    ana = Result("ana's key", "KQ7M", "doubles", 1, 0, "ana", 800, True, ("bo",), {"best pot": 800})
    bo = replace(ana, player="bo's key", seat=1, name="bo", won=False, opponents=("ana",), bests={})
    await store.open("KQ7M")
    await append(store, "KQ7M", 1, 1, b"1", b"{}", [ana, bo])
    with pytest.raises(Conflict):
        await append(store, "KQ7M", 1, 1, b"1", b"{}", [replace(ana, game_no=2)])
    (found,) = await store.results("ana's key", None, 10)
    assert replace(found, at=0.0) == ana
    assert len(await store.results(None, "doubles", 10)) == 2
    assert len(await store.results(None, None, 1)) == 1
    past = store.past_games
    assert await past.leaders("doubles", 10, ALL_TIME, False) == [("ana", 1, 1), ("bo", 1, 0)]
    assert await past.leaders("farkle", 10, ALL_TIME, False) == []
    assert len(await past.leaders(None, 1, ALL_TIME, False)) == 1
    assert await past.leaders(None, 1, ALL_TIME, True) == []
    assert await past.leaders(None, 1, Span(0, found.at), False) == []
    assert await store.results(None, "farkle", 10) == []
    await append(store, "KQ7M", 1, 2, b"2", b"{}", [replace(ana, won=False)])  # the last roll was corrected
    assert [result.won for result in await store.results("ana's key", None, 10)] == [False]
    await append(store, "KQ7M", 1, 3, b"3", b"{}", [replace(ana, shared=True), replace(bo, won=True, shared=True)])
    assert [(result.won, result.shared) for result in await store.results(None, None, 10)] == [(True, True)] * 2
    await store.drop("KQ7M", 1)
    assert len(await store.results("ana's key", None, 10)) == 1  # a room ends, its history stays


def result(**changes: Any) -> Result:
    ana = Result("ana's key", "KQ7M", "doubles", 1, 0, "ana", 800, True, ("bo",), {}, players=2)
    return replace(ana, **changes)


def bo(**changes: Any) -> Result:
    return result(**{"player": "bo's key", "seat": 1, "name": "bo", "won": False, "opponents": ("ana",), **changes})


async def test_marks_are_kept_with_the_results_of_their_game(store: Storage) -> None:
    past = store.past_games
    await store.open("KQ7M")
    await append(store, "KQ7M", 1, 1, b"1", b"{}", [result(), bo()])
    await append(store, "KQ7M", 1, 2, b"2", b"{}", [result(game_no=2), bo(game_no=2)])
    assert set(await past.unmarked(3600, -1, 10)) == {("KQ7M", 1), ("KQ7M", 2)}
    assert len(await past.unmarked(3600, -1, 1)) == 1
    assert await past.unmarked(3600, 60, 10) == []  # somebody is about to do it
    await past.mark(FinishedGame("KQ7M", 1), {0: Marks(0.5, -0.25), 1: Marks(None, 0.25)})
    assert await past.unmarked(3600, -1, 10) == [("KQ7M", 2)]
    marks = {(r.game_no, r.seat): (r.accuracy, r.luck) for r in await store.results(None, None, 10)}
    assert marks == {(1, 0): (0.5, -0.25), (1, 1): (None, 0.25), (2, 0): (None, None), (2, 1): (None, None)}
    await past.mark(FinishedGame("KQ7M", 2), {})  # it would have taken too long
    await past.mark(FinishedGame("ZZZZ", 1), {0: Marks(1.0, 0.0)})  # there is no such room
    assert await past.unmarked(3600, -1, 10) == []


async def test_marks_of_a_game_that_ends_anew_are_void(store: Storage) -> None:
    await store.open("KQ7M")
    await append(store, "KQ7M", 1, 1, b"1", b"{}", [result(), bo()])
    await store.past_games.mark(FinishedGame("KQ7M", 1), {0: Marks(0.5, -0.25)})
    before = (await store.results("ana's key", None, 1))[0].at
    assert not await store.past_games.changed_since(before - 1)
    await append(store, "KQ7M", 1, 2, b"2", b"{}", [result(won=False), bo(won=True)])
    (found,) = await store.results("ana's key", None, 1)
    assert (found.won, found.accuracy, found.luck) == (False, None, None)
    assert await store.past_games.unmarked(3600, -1, 10) == [("KQ7M", 1)]
    assert await store.past_games.changed_since(before - 1)
    assert not await store.past_games.changed_since(before + 3600)


async def test_marks_go_to_the_newest_room_with_a_code(store: Storage) -> None:
    past = store.past_games
    await store.open("KQ7M")
    await append(store, "KQ7M", 1, 1, b"1", b"{}", [result(score=1)])
    await store.drop("KQ7M", 1)
    await store.open("KQ7M")
    await append(store, "KQ7M", 1, 1, b"1", b"{}", [result(score=2)])
    await past.mark(FinishedGame("KQ7M", 1), {0: Marks(0.5, 0.0)})
    assert {found.score: found.accuracy for found in await store.results(None, None, 10)} == {1: None, 2: 0.5}
    assert await past.unmarked(3600, -1, 10) == []  # the log of the old room can't be had by its code any more


async def test_results_that_count_come_page_by_page_in_their_order(store: Storage) -> None:
    past = store.past_games
    for room in ("KQ7M", "WX4Z"):
        await store.open(room)
    for seq in range(1, 4):
        for room in ("KQ7M", "WX4Z"):
            bots = (("expert", True), ("easy", False)) if room == "WX4Z" else ()
            of_game = {"room": room, "game_no": seq, "bots": bots, "players": 2 + len(bots)}
            of_room = [result(**of_game), bo(**of_game, gave_up=room == "WX4Z")]
            await append(store, room, 1, seq, b"1", b"{}", of_room)
    await append(store, "KQ7M", 1, 4, b"1", b"{}", [result(game_no=4, counted=False)])
    whole = await past.page(ALL_TIME, None, 100)
    assert [(row.game_no, row.seat) for row in whole.rows] == [
        (number, seat) for number in (1, 2, 3) for _ in range(2) for seat in (0, 1)
    ]
    assert len({row.room for row in whole.rows}) == 2
    first, second = whole.rows[0], whole.rows[2]
    assert (first.player, first.name, first.game, first.won, first.players) == ("ana's key", "ana", "doubles", True, 2)
    assert (first.bots, second.bots, second.players) == ((), (("expert", True), ("easy", False)), 4)
    assert [row.gave_up for row in whole.rows[:4]] == [False, False, False, True]
    assert [found.gave_up for found in await store.results("bo's key", None, 2)] == [True, False]
    assert whole.rows[0].at <= whole.rows[-1].at <= whole.now
    read: list[RatedRow] = []
    after = None
    while (page := await past.page(ALL_TIME, after, 5)).rows:
        read += page.rows
        after = page.cursors[-1]
    assert tuple(read) == whole.rows
    assert (await past.page(Span(0, first.at), None, 10)).rows == ()
    assert (await past.page(Span(whole.now + 60, whole.now + 120), None, 10)).rows == ()
    assert (await past.leaders(None, 9, ALL_TIME, False), await past.leaders(None, 9, ALL_TIME, True)) == (
        [("ana", 3, 3), ("bo", 3, 0)],
        [("ana", 3, 3), ("bo", 3, 0)],
    )


async def test_who_gives_games_to_another_key_changes_results(store: Storage) -> None:
    await store.open("KQ7M")
    await append(store, "KQ7M", 1, 1, b"1", b"{}", [result(), bo()])
    (before,) = await store.results("ana's key", None, 1)
    assert not await store.past_games.changed_since(before.at - 1)
    await store.players.offer("code", "ana's phone", 60)
    assert await store.players.redeem("code", "ana's key") == "ana's phone"
    assert await store.past_games.changed_since(before.at - 1)
    assert {row.player for row in (await store.past_games.page(ALL_TIME, None, 10)).rows} == {"ana's phone", "bo's key"}


# SQLite's own promises.


async def test_logs_of_ended_rooms_are_kept_for_a_while(tmp_path: Path) -> None:
    store = SqliteStorage(tmp_path)
    await store.start()
    for room in ("OPEN", "OVER"):
        await store.open(room)
        await append(store, room, 1, 1, b"1")
    await store.drop("OVER", 1)
    assert await store.read("OVER", 0, 10) == (b"{}", [b"1"])
    assert await store.forget(3600) == 0
    assert await store.forget(0) == 1
    assert await store.read("OVER", 0, 10) is None
    assert await store.read("OPEN", 0, 10) == (b"{}", [b"1"])
    await store.stop()


async def test_a_file_of_an_older_version_is_brought_up_to_date(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / DATABASE_FILE)
    db.executescript(f"{MIGRATIONS[0]}; PRAGMA user_version = 1;")
    db.execute("INSERT INTO room (code, opened, epoch, private, last_seq) VALUES ('KQ7M', 0, 1, '{}', 1)")
    db.execute("INSERT INTO event VALUES (1, 1, 1, x'31', x'7b7d')")
    db.commit()
    db.close()
    store = SqliteStorage(tmp_path)
    await store.start()
    assert await store.orphans(10) == ["KQ7M"]
    loaded = await store.acquire("KQ7M")
    assert loaded.records == (Record(1, 1, b"1", b"{}"),)
    assert await store.results(None, None, 10) == []
    await append(store, "KQ7M", loaded.epoch, 2, b"2")
    assert await store.updates("KQ7M", 0, ANY) == [b"1", b"2"]
    await store.stop()
    with sqlite3.connect(tmp_path / DATABASE_FILE) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    db.close()


async def test_results_of_an_older_version_are_not_shared(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / DATABASE_FILE)
    db.executescript(f"{';'.join(MIGRATIONS[:2])}; PRAGMA user_version = 2;")
    db.execute("INSERT INTO room (code, opened, epoch, private) VALUES ('KQ7M', 0, 1, '{}')")
    db.execute("INSERT INTO result VALUES (1, 1, 0, 5.0, 'a key', 'KQ7M', 'doubles', 'ana', 800, 1, '[\"bo\"]', '{}')")
    db.commit()
    db.close()
    store = SqliteStorage(tmp_path)
    await store.start()
    (found,) = await store.results(None, None, 10)
    assert found == Result("a key", "KQ7M", "doubles", 1, 0, "ana", 800, True, ("bo",), {}, 5.0)
    assert not found.shared
    assert await store.past_games.leaders("doubles", 1, ALL_TIME, False) == [("ana", 1, 1)]  # as it was before
    assert [row.players for row in (await store.past_games.page(ALL_TIME, None, 9)).rows] == [0]  # nobody noted it
    await store.stop()


async def test_everything_is_there_again_after_a_stop(tmp_path: Path) -> None:
    store = make_storage(Settings(data=str(tmp_path)))
    await store.start()
    await store.open("KQ7M")
    await append(store, "KQ7M", 1, 1, b"1")
    await store.stop()
    with pytest.raises(Unavailable):
        await append(store, "KQ7M", 1, 2, b"2")
    again = make_storage(Settings(data=str(tmp_path)))
    await again.start()
    assert await again.orphans(10) == ["KQ7M"]
    epoch = (await again.acquire("KQ7M")).epoch
    assert await again.updates("KQ7M", 0, ANY) == [b"1"]
    await append(again, "KQ7M", epoch, 2, b"2")
    await again.stop()
    mode = (tmp_path / DATABASE_FILE).stat().st_mode & 0o777
    assert mode == 0o600


async def test_one_server_per_folder(tmp_path: Path) -> None:
    first, second = SqliteStorage(tmp_path), SqliteStorage(tmp_path)
    await first.start()
    with pytest.raises(StorageError, match="Another server uses the data folder"):
        await second.start()
    await first.stop()


@pytest.mark.parametrize("damage", ["noise", "newer", "torn"])
async def test_a_file_that_can_not_be_used_gets_a_sentence_and_is_not_touched(damage: str, tmp_path: Path) -> None:
    file = tmp_path / DATABASE_FILE
    if damage == "noise":
        file.write_bytes(b"this is no database, but it may be dear to somebody" * 100)
    else:
        store = SqliteStorage(tmp_path)
        await store.start()
        await store.open("KQ7M")
        for seq in range(1, 200):
            await append(store, "KQ7M", 1, seq, b"x" * 200)
        await store.stop()
        if damage == "newer":
            with sqlite3.connect(file) as db:
                db.execute("PRAGMA user_version = 99")
            db.close()
        else:
            whole = bytearray(file.read_bytes())
            whole[8192:20000] = b"\x55" * (20000 - 8192)
            file.write_bytes(whole)
    before = file.read_bytes()
    with pytest.raises(StorageError, match="damaged" if damage != "newer" else "from a newer dicegames"):
        await SqliteStorage(tmp_path).start()
    assert file.read_bytes() == before


async def test_a_full_disk_refuses_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    store = SqliteStorage(tmp_path)
    await store.start()
    await store.open("KQ7M")
    await append(store, "KQ7M", 1, 1, b"1")

    def limit(db: sqlite3.Connection) -> int:
        pages: int = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages + 1}")
        return pages

    await store._do(limit)
    with pytest.raises(Unavailable, match="full"):
        await append(store, "KQ7M", 1, 2, b"x" * 100_000)
    assert await store.updates("KQ7M", 0, ANY) == [b"1"]
    await store._do(lambda db: db.execute("PRAGMA max_page_count = 1000000"))
    await append(store, "KQ7M", 1, 2, b"x" * 100_000)
    await store.stop()


async def test_many_updates_share_a_commit(tmp_path: Path) -> None:
    store = SqliteStorage(tmp_path)
    await store.start()
    commits = 0

    def count(statement: str) -> None:
        nonlocal commits
        commits += statement == "COMMIT"

    await store._do(lambda db: db.set_trace_callback(count))
    for room in range(100):
        await store.open(f"R{room}")
    commits = 0
    await asyncio.gather(*(append(store, f"R{room}", 1, 1, b"1") for room in range(100)))
    assert commits < 50
    await store.stop()

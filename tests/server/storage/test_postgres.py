"""What PostgreSQL promises beyond the contract of every store: one owner at a time, whatever the nodes assume."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from dicegames_protocol.messages.client import AskLeaderboard
from dicegames_protocol.messages.server import Ack, Error
from dicegames_server.lobby.server_identity import load_identity
from dicegames_server.storage import base
from dicegames_server.storage.base import (
    Conflict,
    Elsewhere,
    Entry,
    Repeated,
    StorageError,
    StoredSnapshot,
    Unavailable,
    Unknown,
)
from dicegames_server.storage.postgres import postgres_connection
from dicegames_server.storage.postgres.postgres_schema import MIGRATIONS
from dicegames_server.storage.postgres.postgres_store import PostgresStorage
from support.hall import Hall
from support.postgres import Postgres
from support.relay import Relay

Make = Callable[..., Awaitable[PostgresStorage]]

ANY = 2**53
"""An epoch that is later than all: whoever asks may have seen everything."""


@pytest.fixture
async def node(database: str) -> AsyncIterator[Make]:
    """Nodes on one database, as many as a test needs."""
    made: list[PostgresStorage] = []

    async def make(url: str = "", dsn: str = database, lease: float = 6.0) -> PostgresStorage:
        store = PostgresStorage(dsn, url=url, lease=lease)
        await store.start()
        made.append(store)
        return store

    yield make
    for store in made:
        await store.stop()


@pytest.fixture
async def relay(postgres: Postgres) -> AsyncIterator[Relay]:
    made = Relay(postgres.port)
    await made.start()
    yield made
    await made.stop()


async def append(store: PostgresStorage, *fields: Any) -> None:
    await base.append(store, Entry(*fields))


def say(database: str, sql: str) -> list[Any]:
    """Run a statement from outside, on a connection of its own."""
    with psycopg.connect(database, autocommit=True) as db:
        cursor = db.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []


def end_leases(database: str) -> None:
    say(database, "UPDATE room SET lease_until = now() - interval '1 minute'")


async def begun(store: PostgresStorage, room: str = "KQ7M", updates: int = 2) -> None:
    await store.open(room)
    for seq in range(1, updates + 1):
        await append(store, room, 1, seq, b"%d" % seq)


async def test_a_room_has_one_owner_until_the_lease_is_over(node: Make, database: str) -> None:
    one, two = await node("ws://one"), await node("ws://two")
    await one.beat(b"{}")
    await begun(one)
    with pytest.raises(Elsewhere) as elsewhere:
        await two.acquire("KQ7M")
    assert (elsewhere.value.url, elsewhere.value.fresh) == ("ws://one", True)
    assert await two.orphans(10) == []
    say(database, "UPDATE room SET lease_until = now() + interval '1 second'")
    with pytest.raises(Elsewhere) as elsewhere:  # it has not been heard of for a while
        await two.acquire("KQ7M")
    assert not elsewhere.value.fresh
    end_leases(database)
    assert await two.orphans(10) == ["KQ7M"]
    stored = await two.acquire("KQ7M")
    assert stored.epoch > 1 and len(stored.records) == 2
    with pytest.raises(Conflict):  # it does not know yet
        await append(one, "KQ7M", 1, 3, b"of the old owner")
    await append(two, "KQ7M", stored.epoch, 3, b"3")
    assert await two.updates("KQ7M", 0, ANY) == [b"1", b"2", b"3"]


async def test_a_former_owner_changes_nothing(node: Make, database: str) -> None:
    one, two = await node(), await node()
    await begun(one)
    end_leases(database)
    epoch = (await two.acquire("KQ7M")).epoch
    await one.snapshot("KQ7M", 1, StoredSnapshot(2, b"stale", b"{}"))
    await one.release("KQ7M", 1)
    await one.drop("KQ7M", 1)
    assert say(database, "SELECT owner, epoch, ended FROM room") == [(two.node, epoch, None)]
    assert say(database, "SELECT count(*) FROM snapshot") == [(0,)]


async def test_what_was_on_its_way_in_an_older_epoch_of_the_same_node_is_not_written(node: Make) -> None:
    """A statement may stay in a network buffer for longer than it takes to connect and to acquire the room again."""
    late, again = await node(), await node()
    again.node = late.node
    await begun(late)
    stored = await again.acquire("KQ7M")
    with pytest.raises(Conflict):
        await append(late, "KQ7M", 1, 3, b"late")
    await append(again, "KQ7M", stored.epoch, 3, b"3")
    assert await again.updates("KQ7M", 0, ANY) == [b"1", b"2", b"3"]


async def test_released_rooms_need_no_waiting(node: Make, database: str) -> None:
    one, two = await node(), await node()
    await begun(one)
    await one.release("KQ7M", 1)
    assert (await two.acquire("KQ7M")).epoch > 1
    await begun(one, "WXYZ")
    await one.stop()
    assert (await two.acquire("WXYZ")).epoch > 1


async def test_two_who_want_a_room_do_not_both_get_it(node: Make, database: str) -> None:
    first, *others = [await node() for _ in range(5)]
    await begun(first)
    end_leases(database)
    got = await asyncio.gather(*(other.acquire("KQ7M") for other in others), return_exceptions=True)
    assert sorted(type(one).__name__ for one in got) == ["Elsewhere"] * 3 + ["StoredRoom"]


async def test_two_nodes_do_not_open_the_same_room(node: Make) -> None:
    stores = [await node() for _ in range(4)]
    got = await asyncio.gather(*(store.open("KQ7M") for store in stores), return_exceptions=True)
    assert sorted(type(one).__name__ for one in got) == ["Conflict"] * 3 + ["NoneType"]


async def test_a_beat_renews_leases_and_tells_what_was_lost_and_who_else_is_there(node: Make, database: str) -> None:
    one, two = await node("ws://one"), await node("ws://two")
    for room in ("KEPT", "LOST"):
        await begun(one, room)
    say(database, "UPDATE room SET lease_until = now() + interval '1 second' WHERE code = 'KEPT'")
    say(database, "UPDATE room SET lease_until = now() - interval '1 second' WHERE code = 'LOST'")
    epoch = (await two.acquire("LOST")).epoch
    await two.beat(b"how two is")
    others = await one.beat(b"how one is")
    assert (one.holds("KEPT", 1), one.holds("LOST", 1), two.holds("LOST", epoch)) == (True, False, True)
    assert [(other.url, other.told) for other in others] == [("ws://two", b"how two is")]
    assert say(database, "SELECT lease_until > now() + interval '4 s' FROM room WHERE code = 'KEPT'") == [(True,)]
    say(database, "UPDATE node SET seen = now() - interval '1 minute'")
    assert await one.beat(b"") == ()


async def test_rooms_that_never_began_are_swept(node: Make, database: str) -> None:
    one, two = await node(), await node()
    await one.open("KQ7M")
    end_leases(database)
    say(database, "UPDATE room SET lease_until = now() - interval '1 hour'")
    assert await two.orphans(10) == []
    await two.beat(b"")
    await two.open("KQ7M")


async def test_several_nodes_start_at_once(database: str) -> None:
    stores = [PostgresStorage(database) for _ in range(6)]
    await asyncio.gather(*(store.start() for store in stores))
    assert say(database, "SELECT version FROM dicegames_schema") == [(n + 1,) for n in range(len(MIGRATIONS))]
    await asyncio.gather(*(store.stop() for store in stores))


async def test_a_database_of_a_newer_version_is_not_touched(node: Make, database: str) -> None:
    await node()
    say(database, "INSERT INTO dicegames_schema VALUES (99)")
    with pytest.raises(StorageError, match="from a newer dicegames"):
        await PostgresStorage(database).start()


async def test_no_postgres_at_the_start_is_a_sentence_without_the_password() -> None:
    with pytest.raises(StorageError, match=r"PostgreSQL at 127\.0\.0\.1:1 can't be used") as error:
        await PostgresStorage("postgresql://dicegames:hush@127.0.0.1:1/x").start()
    assert "hush" not in str(error.value)


async def test_a_move_id_is_used_once_and_nobody_else_is_disturbed(node: Make) -> None:
    store = await node()
    for room in "AB":
        await store.open(room)
        await append(store, room, 1, 1, b"1", b"{}", (), "0/x/m1")
    got = await asyncio.gather(
        append(store, "A", 1, 2, b"2", b"{}", (), "0/x/m2"),
        append(store, "B", 1, 2, b"again", b"{}", (), "0/x/m1"),
        store.open("C"),
        return_exceptions=True,
    )
    assert (got[0], got[2]) == (None, None)
    assert isinstance(got[1], Repeated)
    assert got[1].seq == 1
    await append(store, "B", 1, 2, b"2", b"{}", (), "0/x/m2")
    assert await store.updates("B", 0, ANY) == [b"1", b"2"]


async def test_many_rooms_share_a_commit(node: Make) -> None:
    store = await node()
    rooms = [f"R{number}" for number in range(50)]
    await asyncio.gather(*(store.open(room) for room in rooms))
    await asyncio.gather(*(append(store, room, 1, seq, b"x") for seq in range(1, 5) for room in rooms))
    assert (store.written, store.commits) == (200, 1)


@pytest.mark.parametrize("written", [True, False])
async def test_a_commit_whose_outcome_is_not_known_is_settled_by_acquiring(
    node: Make, database: str, postgres: Postgres, relay: Relay, written: bool
) -> None:
    name = database.rpartition("/")[2]
    store = await node(dsn=postgres.dsn(name, relay.port))
    await begun(store, updates=5)
    relay.hold(there=not written, back=written)
    asked = asyncio.ensure_future(append(store, "KQ7M", 1, 6, b"6"))
    await relay.held.wait()
    relay.cut()
    relay.let_go()
    with pytest.raises(Unknown):
        await asked
    with pytest.raises(Conflict):  # not before it was acquired again
        await append(store, "KQ7M", 1, 7, b"7")
    stored = await store.acquire("KQ7M")
    assert [record.seq for record in stored.records] == list(range(1, 7 if written else 6))
    await append(store, "KQ7M", stored.epoch, len(stored.records) + 1, b"goes on")


async def test_a_postgres_that_says_nothing_is_given_up(node: Make, database: str, relay: Relay) -> None:
    name = database.rpartition("/")[2]
    store = await node(dsn=f"postgresql://dicegames@127.0.0.1:{relay.port}/{name}", lease=0.3)
    await begun(store, updates=5)
    relay.hold(back=True)
    with pytest.raises(Unknown):
        await append(store, "KQ7M", 1, 6, b"6")
    relay.cut()
    relay.let_go()
    assert len((await store.acquire("KQ7M")).records) == 6


async def test_a_node_that_stood_still_does_not_blame_postgres(
    node: Make, database: str, postgres: Postgres, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers that came meanwhile are still to be read."""
    store = await node(dsn=postgres.dsn(database.rpartition("/")[2], relay.port))
    await begun(store, updates=5)
    relay.hold(back=True)
    asked = asyncio.ensure_future(append(store, "KQ7M", 1, 6, b"6"))
    await relay.held.wait()
    loop = asyncio.get_running_loop()
    now = loop.time
    monkeypatch.setattr(loop, "time", lambda: now() + 60)
    for _ in range(3):  # every timer that is due has run by then
        await asyncio.sleep(0)
    relay.let_go()
    await asked
    await append(store, "KQ7M", 1, 7, b"7")


async def test_postgres_goes_and_comes_back(node: Make, database: str, postgres: Postgres, relay: Relay) -> None:
    name = database.rpartition("/")[2]
    store = await node(dsn=postgres.dsn(name, relay.port))
    await begun(store)
    relay.refusing = True
    relay.cut()
    for _ in range(3):
        with pytest.raises((Unavailable, Unknown)):
            await store.acquire("KQ7M")
        with pytest.raises((Unavailable, Conflict)):
            await append(store, "KQ7M", 1, 3, b"3")
    assert not store.up
    relay.refusing = False
    store._writes._try_at = store._reads._try_at = 0.0
    epoch = (await store.acquire("KQ7M")).epoch
    await append(store, "KQ7M", epoch, 3, b"3")
    assert await store.updates("KQ7M", 0, ANY) == [b"1", b"2", b"3"]


async def test_whatever_somebody_calls_a_move_or_a_game_disturbs_nobody(node: Make) -> None:
    hall = Hall((3, 4), (1, 2), storage=await node())
    ana, bo = await hall.table("doubles", "ana", "bo")
    odd = "a\0b\u202e"
    assert await ana.expect(Ack, ana.moving("roll").but(id=odd))
    await bo.move("roll")
    hall.check(ana, bo)
    asked = await ana.ask(AskLeaderboard(id="l", game="dou\0bles"))
    assert not isinstance(asked, Error) or asked.code == "bad_message"
    await hall.lobby.close_all("enough")


async def test_a_full_disk_is_logged_once_and_in_the_right_words(
    node: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It was 50 lines a second, which said that the connection was broken."""
    store = await node()
    await begun(store)
    real = postgres_connection._run

    async def full(connection: Any, statements: Any) -> Any:
        if statements[0][0].startswith("SELECT"):
            return await real(connection, statements)
        raise psycopg.errors.DiskFull("could not extend file: No space left on device")

    monkeypatch.setattr(postgres_connection, "_run", full)
    with caplog.at_level("INFO", "dicegames.postgres"):
        for _ in range(20):
            with pytest.raises(Unavailable):
                await append(store, "KQ7M", 1, 3, b"3")
            await store._reads.ask(("SELECT 1", ()), writes=False)  # some requests need no space
        assert store.up  # nothing is wrong with the connection
        monkeypatch.setattr(postgres_connection, "_run", real)
        await append(store, "KQ7M", 1, 3, b"3")  # it may be chance, on a disk that is nearly full
        store._writes._quiet_until = 0.0
        await append(store, "KQ7M", 1, 4, b"4")
    lines = [record.message for record in caplog.records if record.name == "dicegames.postgres"]
    assert len(lines) == 2
    assert "has no disk space left, so nothing can be saved" in lines[0] and "works again" in lines[1]


async def test_all_nodes_are_one_server(node: Make, database: str) -> None:
    one, two = await node(), await node()
    ids = {(await load_identity(store, Path("unused"))).id for store in (one, two)}
    assert len(ids) == 1


async def test_an_older_version_says_what_to_do_and_is_not_started_again(node: Make, database: str) -> None:
    await node()
    say(database, "INSERT INTO dicegames_schema VALUES (99)")
    with pytest.raises(StorageError, match=r"another node was updated before this one. Update this one too") as error:
        await PostgresStorage(database).start()
    unit = (Path(__file__).parents[3] / "deploy" / "dicegames.service").read_text()
    (kept_down,) = re.findall(r"^RestartPreventExitStatus=(.*)$", unit, re.MULTILINE)
    assert str(error.value.code) in kept_down.split()
    with pytest.raises(StorageError) as error:  # one that is away may come back
        await PostgresStorage("postgresql://dicegames@127.0.0.1:1/x").start()
    assert str(error.value.code) not in kept_down.split()

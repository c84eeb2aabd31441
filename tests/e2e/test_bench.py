"""The benchmark still runs: small versions of its scenarios against a real server. The figures are not checked here."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bench.big_table import BareTable, BigTable
from bench.fan_out import bare_crowd, our_crowd
from bench.idle import fill_ours
from bench.long_match import TARGET, both
from bench.nodes import Database, Spread
from bench.play import our_tables
from bench.servers import Measured
from support.postgres import Postgres

ANY_CORE = -1


@pytest.fixture
async def ours() -> AsyncIterator[Measured]:
    server = await Measured.project(ANY_CORE)
    yield server
    await server.stop()


async def test_a_server_of_another_checkout() -> None:
    """`against.py` compares two checkouts; here the other one is this one."""
    server = await Measured.project(ANY_CORE, checkout=Path(__file__).parents[2])
    try:
        tables = await our_tables(server, 1)
        await tables.moves(tables.tables[0], 10)
    finally:
        await server.stop()


async def test_tables_play_on_after_a_series(ours: Measured) -> None:
    tables = await our_tables(ours, 2)
    for table in tables.tables:
        await tables.moves(table, 2000)  # a series takes fewer
        assert table.seq > 2000
    tables.close()


async def test_a_crowd_hears_every_move_on_both_servers(ours: Measured) -> None:
    bare = await Measured.bare(330, 40, ANY_CORE)
    for crowd in (await bare_crowd(bare, 3), await our_crowd(ours, 3)):
        window = await crowd.window(2, 0.0)
        assert window.seconds > 0
    await bare.stop()


async def test_a_big_table_rolls_and_storms(ours: Measured) -> None:
    table = await BigTable.open(ours, 20)
    assert (await table.rolls(5)).bytes_each > 100
    assert (await table.storm()).seen_ms > 0
    table.close()
    bare = await Measured.bare(330, 40, ANY_CORE)
    beside = await BareTable.open(bare, 20)
    assert await beside.rolls(5) > 0
    beside.close()
    await bare.stop()


async def test_the_idle_are_counted(ours: Measured) -> None:
    idle = await fill_ours(ours, 10)
    assert idle.connects_per_second > 0


async def test_an_old_match_is_compared_with_a_young_one(ours: Measured) -> None:
    young, old, ratio = await both(ours, 2 * TARGET)
    assert old.first_move > 2 * TARGET > young.first_move
    assert ratio.median > 0


async def test_rooms_on_two_nodes_are_measured_with_their_database(postgres: Postgres) -> None:
    assert postgres.port  # there is one
    async with AsyncExitStack() as servers:
        database = Database(ANY_CORE)
        servers.callback(database.stop)
        spread = await Spread.open(servers, database, 2, 4, ANY_CORE)
        window = await spread.window(0.1)
        assert window.units > 0
        assert spread.postgres_us[0] > 0
        assert spread.shared[0] >= 1
        spread.close()

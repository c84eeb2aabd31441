"""Clients on a bad network: wherever connections are cut, every client gets every update once and in order.

`DICEGAMES_LONG=1 .venv/bin/pytest tests/e2e/test_bad_network.py --timeout=3600` is the long form.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dicegames_client.base.address import Address
from dicegames_client.guest.events import Back, Finished, News
from dicegames_client.guest.guest import Guest
from dicegames_protocol.codec import state_hash
from dicegames_protocol.messages.client import Create, Join, Ready, Watch
from dicegames_protocol.messages.server import Joined, Update
from dicegames_server.app.service import Service
from dicegames_server.settings import Settings
from support.hurry import hurried
from support.proxy import FaultProxy
from support.robot import Robot
from support.settings import quick

CUTS = 10_000 if os.environ.get("DICEGAMES_LONG") else 20
Serve = Callable[[Settings], Awaitable[Service]]


async def enter(port: int, direct: int, message: Create | Join) -> tuple[Guest, Joined]:
    """Sit down over the good connection, then continue over the bad one."""
    guest = Guest(Address("127.0.0.1", direct), sleep=hurried)
    await guest.open()
    answer = await guest.ask(message)
    assert isinstance(answer, Joined)
    guest.address = Address("127.0.0.1", port)
    return guest, answer


async def one_game(port: int, direct: int, proxy: FaultProxy) -> None:
    """Two robots play a series over the bad connection. A spectator on the good one keeps the record."""
    options = {"best_of": 7, "target": 50}
    ana, joined = await enter(port, direct, Create(id="1", game="double-or-nothing", name="ana", options=options))
    bo, _ = await enter(port, direct, Join(id="1", room=joined.room, name="bo"))
    witness = Guest(Address("127.0.0.1", direct))
    await witness.open()
    await witness.ask(Watch(id="1", room=joined.room))
    for guest in (ana, bo):
        await guest.ask(Ready(id="ready"))
        guest.drop()
    robots = [Robot(ana, 1), Robot(bo, 2), Robot(witness, 3)]
    await asyncio.gather(*(robot.play() for robot in robots))
    record = robots[2].seqs
    for robot in robots[:2]:
        told = robot.seqs
        assert told == list(range(told[0], told[0] + len(told))), "a gap, or something told twice"
        assert told[-1] == record[-1]
        assert state_hash(robot.guest.store.table) == state_hash(witness.store.table)
    for guest in (ana, bo, witness):
        await guest.close()


@pytest.mark.parametrize("store", ["memory", "sqlite"])
async def test_everyone_hears_everything_once_and_in_order(store: str, serve: Serve, tmp_path: Path) -> None:
    server = await serve(quick(data="memory" if store == "memory" else str(tmp_path)))
    proxy = FaultProxy(server.port, seed=1)
    port = await proxy.start()
    while proxy.cuts < CUTS // 2:
        await one_game(port, server.port, proxy)
    print(f"{store}: {proxy.cuts} cuts")
    await proxy.stop()


async def test_a_cut_in_the_middle_of_a_replay(serve: Serve) -> None:
    """A long absence, and a connection that breaks again and again while the missed updates come in."""
    server = await serve(quick())
    options = {"best_of": 25, "target": 100}
    ana, joined = await enter(
        server.port, server.port, Create(id="1", game="double-or-nothing", name="ana", options=options)
    )
    bo, _ = await enter(server.port, server.port, Join(id="1", room=joined.room, name="bo"))
    away = Guest(Address("127.0.0.1", server.port), sleep=hurried)
    for guest in (ana, bo):
        await guest.ask(Ready(id="ready"))
    await away.open()
    proxy = FaultProxy(server.port, seed=2)
    port = await proxy.start()
    playing = asyncio.gather(Robot(ana, 1).play(), Robot(bo, 2).play())
    seat, token = next(iter(bo.store.tokens.items()))
    away.store = bo.store
    await playing
    bo.drop()  # bo's seat is taken over by somebody who knows only how it began
    away.address = Address("127.0.0.1", port)
    away.drop()
    told: list[int] = []
    async for heard in away.news():
        assert not isinstance(heard, Finished), heard
        if isinstance(heard, News) and isinstance(heard.message, Update):
            told.append(heard.message.seq)
        if isinstance(heard, Back) and away.store.seq == ana.store.seq:
            break
        if isinstance(heard, Back) and proxy.cuts > 100:
            proxy.calm = True
            away.drop()
    assert told == sorted(set(told))
    assert told[-1] == ana.store.seq
    assert state_hash(away.store.table) == state_hash(ana.store.table)
    assert seat in away.store.tokens and away.store.tokens[seat] == token
    for guest in (ana, away):
        await guest.close()
    await proxy.stop()

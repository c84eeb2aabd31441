"""Every game over real sockets: two clients and a spectator, from opening the room to the winner, and a rematch."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from dicegames_client.base.address import Address
from dicegames_client.guest.events import Alarm, Back, Lost, News
from dicegames_client.guest.guest import Guest
from dicegames_protocol.codec import state_hash
from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import Create, Join, Ready, Rematch, Watch
from dicegames_protocol.messages.server import Joined
from support.robot import Robot
from support.throwaway import GAMES as THROWAWAY
from support.throwaway import throwaway_games

OPTIONS: dict[str, dict[str, Any]] = {
    "doubles": {"rounds": "2-4"},
    "sevens": {"rounds": 2},
    "farkle": {"target": 1000},
    "double-or-nothing": {"best_of": 3},
    "yacht": {"rounds": 3},
}


async def enter(address: Address, message: Any) -> tuple[Guest, Joined]:
    guest = Guest(address)
    await guest.open()
    answer = await guest.ask(message)
    assert isinstance(answer, Joined)
    return guest, answer


@pytest.fixture(autouse=True)
def more_games() -> Iterator[None]:
    with throwaway_games():
        yield


@pytest.mark.parametrize("game", [*keys(), *THROWAWAY])
async def test_a_whole_game_and_a_rematch(game: str, address: Address) -> None:
    ana, joined = await enter(address, Create(id="1", game=game, options=OPTIONS.get(game, {}), name="ana"))
    bo, _ = await enter(address, Join(id="1", room=joined.room, name="bo"))
    cy, _ = await enter(address, Watch(id="1", room=joined.room))
    robots = [Robot(ana, 1), Robot(bo, 2), Robot(cy, 3)]
    for number, again in enumerate([Ready, Rematch]):
        for player in (ana, bo):
            await player.ask(again(id=f"again-{number}"))
        async with asyncio.timeout(60):
            results = await asyncio.gather(*(robot.play() for robot in robots))
        assert results[0] == results[1] == results[2]
        assert len({state_hash(robot.guest.store.table) for robot in robots}) == 1
        assert cy.store.info.game_no == number + 1
    for robot in robots:
        assert robot.seqs == list(range(robot.seqs[0], robot.seqs[0] + len(robot.seqs)))
        await robot.guest.close()


async def test_a_lost_connection_comes_back_by_itself(address: Address) -> None:
    ana, joined = await enter(address, Create(id="1", game="double-or-nothing", name="ana"))
    bo, _ = await enter(address, Join(id="1", room=joined.room, name="bo"))
    for player in (ana, bo):
        await player.ask(Ready(id="ready"))
    bo.drop()
    seen = []
    async with asyncio.timeout(30):
        async for heard in bo.news():
            seen.append(type(heard))
            if isinstance(heard, Back):
                break
    dice = (News, Alarm)  # the dice of this server are scripted, and the client says so
    assert [kind for kind in seen if kind not in dice] == [Lost, Back]
    async with asyncio.timeout(60):
        results = await asyncio.gather(Robot(ana, 1).play(), Robot(bo, 2).play())
    assert results[0] == results[1]
    assert state_hash(ana.store.table) == state_hash(bo.store.table)
    await ana.close()
    await bo.close()


async def test_leaving_is_told_from_losing(address: Address) -> None:
    ana, joined = await enter(address, Create(id="1", game="doubles", name="ana"))
    bo, _ = await enter(address, Join(id="1", room=joined.room, name="bo"))
    await bo.close()
    async with asyncio.timeout(30):
        async for heard in ana.news():
            if isinstance(heard, News) and "1" not in heard.after.table["seats"] and ana.store.seq > 2:
                break
    await ana.close()

"""The whole way: a real server, real clients over sockets, cut connections and a restart, and the verdict."""

import asyncio
from pathlib import Path

import pytest

from dicegames_client.base.address import Address
from dicegames_client.enter.logbook import pages
from dicegames_client.guest.guest import Guest
from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import Create, Join, Ready
from dicegames_protocol.messages.server import Joined
from dicegames_server.app.wiring import assemble
from dicegames_server.audit.audit import audit, verdict
from fair.tables import OPTIONS
from support.remembering import Remembering
from support.robot import Robot
from support.settings import quick


@pytest.mark.parametrize("game", keys())
async def test_a_game_over_sockets_is_proven_fair(game: str, tmp_path: Path) -> None:
    server = assemble(quick(data=str(tmp_path)))
    await server.start()
    address = Address("127.0.0.1", server.port)
    memories = [Remembering(), Remembering()]
    ana, bo = (Guest(address, memory=memory) for memory in memories)
    await ana.open()
    await bo.open()
    joined = await ana.ask(Create(id="1", game=game, options=OPTIONS[game], name="ana"))
    assert isinstance(joined, Joined)
    await bo.ask(Join(id="1", room=joined.room, name="bo"))
    for guest in (ana, bo):
        await guest.ask(Ready(id="ready"))
    async with asyncio.timeout(60):
        await asyncio.gather(*(Robot(guest, number).play() for number, guest in enumerate((ana, bo))))
    lines = await pages(ana, joined.room, None)
    for memory in memories:
        checks = audit(lines, memory.memory)
        assert verdict(checks) == ("proven", []), checks
    for guest in (ana, bo):
        await guest.close()
    await server.stop()

"""Players who only want to play while something is done to the server."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create, Join, Ready
from dicegames_protocol.messages.server import Joined
from support.robot import Robot


class Bystanders:
    """Two at a time play one game after the other, each to its end and without losing the connection once."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self.games = 0
        self._enough = False

    async def run(self) -> None:
        while not self._enough:
            await self._play()
            self.games += 1

    def enough(self) -> None:
        """The running game is the last one."""
        self._enough = True

    async def _play(self) -> None:
        guests = [Guest(self._address, sleep=_never) for _ in range(2)]
        for guest in guests:
            await guest.open()
        joined = await guests[0].ask(Create(id="1", game="double-or-nothing", name="ana"))
        assert isinstance(joined, Joined)
        await guests[1].ask(Join(id="1", room=joined.room, name="bo"))
        for guest in guests:
            await guest.ask(Ready(id="ready"))
        robots = [Robot(guest, self.games + number) for number, guest in enumerate(guests)]
        ana, bo = await asyncio.gather(*(robot.play() for robot in robots))
        assert ana == bo
        assert guests[0].store.table == guests[1].store.table
        for guest in guests:
            await guest.close()


async def _never(seconds: float) -> None:
    raise AssertionError("a bystander was disturbed: the connection was lost, or it was told to wait")


@contextlib.asynccontextmanager
async def undisturbed(address: Address) -> AsyncIterator[Bystanders]:
    """Whatever happens inside the block, the bystanders play on and finish at least one more game afterwards."""
    bystanders = Bystanders(address)
    playing = asyncio.ensure_future(bystanders.run())
    try:
        yield bystanders
    finally:
        bystanders.enough()
        async with asyncio.timeout(60):
            await playing
    assert bystanders.games

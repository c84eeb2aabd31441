"""A server with many rooms stops and starts: all players come back and continue. Prints how long that took."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from dicegames_client.base.address import Address
from dicegames_client.guest.events import Back
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import AddBot, Create, Start
from dicegames_protocol.messages.server import Joined
from dicegames_protocol.table import Move
from dicegames_server.app.service import Service
from dicegames_server.settings import Settings
from support.hurry import hurried
from support.settings import quick

ROOMS = 200
Serve = Callable[[Settings], Awaitable[Service]]


async def sit_down(port: int) -> Guest:
    guest = Guest(Address("127.0.0.1", port), sleep=hurried)
    await guest.open()
    joined = await guest.ask(Create(id="1", game="doubles", name="ana", options={"window": 0}))
    assert isinstance(joined, Joined)
    await guest.ask(AddBot(id="2"))
    await guest.ask(Start(id="3"))
    return guest


async def back_and_playing(guest: Guest) -> None:
    async for heard in guest.news():
        if isinstance(heard, Back):
            break
    before = guest.store.seq
    seat = guest.store.seats[0]
    take = "roll" if "roll" in guest.store.offers(seat) else "cash" if guest.store.offers(seat) else None
    if take:
        await guest.move(seat, Move(take=take))
    async for _ in guest.news():
        if guest.store.seq > before:
            return


async def test_all_clients_of_200_rooms_are_back_after_a_restart(tmp_path: Path, serve: Serve) -> None:
    first = await serve(quick(data=str(tmp_path)))
    port = first.port
    guests = [await sit_down(port) for _ in range(ROOMS)]
    await first.stop()
    started = time.perf_counter()
    second = await serve(quick(data=str(tmp_path), port=port))
    opened = time.perf_counter()
    async with asyncio.timeout(60):
        await asyncio.gather(*(back_and_playing(guest) for guest in guests))
    done = time.perf_counter()
    print(
        f"{ROOMS} rooms: open again after {opened - started:.2f} s, all back and playing after {done - started:.2f} s"
    )
    for guest in guests:
        await guest.close()
    assert second.port == port

"""Thousands of idle connections: memory of each, how fast they connect, and how long others pause meanwhile."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bench.play import join_bare, our_tables, watch
from bench.servers import Measured
from bench.wire import Wire

AT_ONCE = 50
ROOMS = 50


@dataclass(frozen=True, slots=True)
class Idle:
    kib_each: float
    connects_per_second: float
    load_cpu: float
    longest_pause_ms: float
    """Of the event loop, as the server tells it; a bare one does not."""


async def fill(server: Measured, connections: int, enter: Callable[[int], Awaitable[Wire]]) -> Idle:
    """This many clients connect, 50 at a time, and stay. `enter` lets one of them in."""
    before = server.rss
    wires: list[Wire] = []
    waiting = iter(range(connections))

    async def arrive() -> None:
        wires.extend([await enter(number) for number in waiting])

    began, own = time.perf_counter(), time.process_time()
    await asyncio.gather(*(arrive() for _ in range(AT_ONCE)))
    took, own = time.perf_counter() - began, time.process_time() - own
    each = (server.rss - before) / connections / 1024
    pause = 1000 * (await server.status())["longest_pause"] if server.admin else 0.0
    for wire in wires:
        wire.close()
    return Idle(each, connections / took, own / took, pause)


async def fill_ours(server: Measured, connections: int) -> Idle:
    """Spectators, spread over 50 rooms in which a game runs."""
    tables = await our_tables(server, ROOMS)
    rooms = [table.room for table in tables.tables]

    async def enter(number: int) -> Wire:
        wire, _ = await watch(server, rooms[number % ROOMS], _ignore)
        return wire

    idle = await fill(server, connections, enter)
    tables.close()
    return idle


async def fill_bare(server: Measured, connections: int) -> Idle:
    return await fill(server, connections, lambda number: join_bare(server, b"%d" % (number % ROOMS), _ignore))


def _ignore(wire: Wire, message: bytes) -> None:
    """Presence, heartbeats."""

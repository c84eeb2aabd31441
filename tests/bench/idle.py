"""Thousands who are there and do nothing: what each costs in memory, how fast they come in, what others feel of it."""

import asyncio
import time
from dataclasses import dataclass

from bench.play import our_tables, watch
from bench.servers import Measured
from bench.wire import Wire

AT_ONCE = 50
ROOMS = 50


@dataclass(frozen=True, slots=True)
class Idle:
    kib_each: float
    connects_per_second: float
    longest_pause_ms: float


async def fill(server: Measured, connections: int) -> Idle:
    """So many spectators join, 50 at a time, spread over 50 rooms that are being played in."""
    tables = await our_tables(server, ROOMS)
    before = server.rss
    rooms = [table.room for table in tables.tables]
    wires: list[Wire] = []
    waiting = iter(range(connections))

    async def arrive() -> None:
        for number in waiting:
            wire, _ = await watch(server, rooms[number % ROOMS], _ignore)
            wires.append(wire)

    began = time.perf_counter()
    await asyncio.gather(*(arrive() for _ in range(AT_ONCE)))
    took = time.perf_counter() - began
    status = await server.status()
    each = (server.rss - before) / connections / 1024
    for wire in wires:
        wire.close()
    tables.close()
    return Idle(each, connections / took, 1000 * status["longest_pause"])


def _ignore(wire: Wire, message: bytes) -> None:
    """Presence, heartbeats."""

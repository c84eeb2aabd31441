"""One room with many spectators, and a few moves per second: the cost of a delivery, and when the last one arrives."""

import asyncio
import time

from bench.compare import Window
from bench.play import Tables, bare_tables, join_bare, our_tables, watch
from bench.servers import Measured
from bench.wire import Wire, seq_of


class Crowd:
    """Spectators of one table. They read and count, and note when the last of them has received a move."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.wires: list[Wire] = []
        self._heard: dict[int, int] = {}
        self.last: list[float] = []
        """From a move until the last spectator had it."""
        self.deliveries = 0
        self.bytes_each = 0.0

    def hear(self, wire: Wire, message: bytes) -> None:
        if not message.startswith(b'{"type":"update"'):
            return
        seq = seq_of(message)
        self.deliveries += 1
        heard = self._heard.get(seq, 0) + 1
        self._heard[seq] = heard
        if heard == len(self.wires):
            self.last.append(time.perf_counter() - self._tables.tables[0].moved_at)
            del self._heard[seq]

    async def window(self, moves: int, every: float) -> Window:
        """This many moves, one at a time."""
        server, table = self._tables.server, self._tables.tables[0]
        self.last, self.deliveries = [], 0
        taken = sum(wire.taken for wire in self.wires)
        began, cpu, own = time.perf_counter(), server.nanoseconds, time.process_time()
        for _ in range(moves):
            table.move()
            await asyncio.sleep(every)
        used, lasted = (server.nanoseconds - cpu) / 1e9, time.perf_counter() - began
        self.bytes_each = (sum(wire.taken for wire in self.wires) - taken) / max(1, self.deliveries)
        return Window(self.deliveries, lasted, used, time.process_time() - own, self.last)


async def bare_crowd(server: Measured, spectators: int) -> Crowd:
    crowd = Crowd(await bare_tables(server, 1))
    crowd.wires = [await join_bare(server, b"0", crowd.hear) for _ in range(spectators)]
    return crowd


async def our_crowd(server: Measured, spectators: int) -> Crowd:
    tables = await our_tables(server, 1)
    crowd = Crowd(tables)
    for _ in range(spectators):
        wire, _ = await watch(server, tables.tables[0].room, crowd.hear)
        crowd.wires.append(wire)
    return crowd

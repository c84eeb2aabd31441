"""What a move costs, against a bare websockets server in the same run.

    .venv/bin/python tests/bench/run.py [--only play,durable,fan-out]

Both servers run on one core, by turns, in short windows; the load runs on the other core. Printed is the median of the
ratios ours / bare with its spread, the bare server against itself as the noise floor, and what the load itself used.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.fan_out import bare_crowd, our_crowd
from bench.play import Window, bare_tables, our_tables
from bench.servers import Measured

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, LOAD_CORE = (CORES[0], CORES[-1]) if len(CORES) > 1 else (-1, -1)
ROOMS, SECONDS, WINDOWS = 200, 1.0, 5
SPECTATORS, MOVES = 1000, 10
UPDATE_BYTES, ACK_BYTES = 330, 40
"""The size of an update and an ack of Double or Nothing."""


def share(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


@dataclass(slots=True)
class Compared:
    """Windows of ours, each between two of the bare server."""

    before: list[Window] = field(default_factory=list)
    ours: list[Window] = field(default_factory=list)
    after: list[Window] = field(default_factory=list)

    @classmethod
    async def take(cls, bare: Callable[[], Awaitable[Window]], ours: Callable[[], Awaitable[Window]]) -> "Compared":
        compared = cls()
        for warm in (bare, ours):
            await warm()
        for _ in range(WINDOWS):
            compared.before.append(await bare())
            compared.ours.append(await ours())
            compared.after.append(await bare())
        return compared

    def tell(self, what: str) -> None:
        around = list(zip(self.before, self.ours, self.after, strict=True))
        ratios = [2 * mine.cpu_per_move / (b.cpu_per_move + a.cpu_per_move) for b, mine, a in around]
        noise = [a.cpu_per_move / b.cpu_per_move for b, _, a in around]
        print(f"  {what:16} {statistics.median(ratios):.2f} x bare ({min(ratios):.2f} to {max(ratios):.2f})", end="")
        print(f"; bare against itself {statistics.median(noise):.2f} ({min(noise):.2f} to {max(noise):.2f})")
        for name, windows in (("bare", self.before), ("ours", self.ours)):
            cpu = 1e6 * statistics.median(window.cpu_per_move for window in windows)
            rate = statistics.median(window.moves / window.seconds for window in windows)
            p50, p99 = (1e3 * statistics.median(share(window.took, part) for window in windows) for part in (0.5, 0.99))
            load = statistics.median(window.own_cpu / window.seconds for window in windows)
            print(f"  {name}  {cpu:6.1f} us  {rate:7,.0f}/s  p50 {p50:5.1f} ms  p99 {p99:5.1f} ms  load {load:.0%}")


async def play(*, durable: bool) -> None:
    bare = await Measured.bare(UPDATE_BYTES, ACK_BYTES, SERVER_CORE)
    ours = await Measured.project(tempfile.mkdtemp() if durable else "memory", SERVER_CORE)
    bare_load, our_load = await bare_tables(bare, ROOMS), await our_tables(ours, ROOMS)
    compared = await Compared.take(partial(bare_load.window, SECONDS), partial(our_load.window, SECONDS))
    for server in (bare, ours):
        await server.stop()
    print(f"{'durable' if durable else 'play'}: {ROOMS} rooms of two; time from a move to the other player's update")
    compared.tell("CPU per move")


async def fan_out() -> None:
    bare = await Measured.bare(UPDATE_BYTES, ACK_BYTES, SERVER_CORE)
    ours = await Measured.project("memory", SERVER_CORE)
    bare_load, our_load = await bare_crowd(bare, SPECTATORS), await our_crowd(ours, SPECTATORS)
    compared = await Compared.take(partial(bare_load.window, MOVES, 0.1), partial(our_load.window, MOVES, 0.1))
    for server in (bare, ours):
        await server.stop()
    size = f"{our_load.bytes_each:.0f} bytes each"
    print(f"fan-out: one room, {SPECTATORS:,} spectators, 10 moves/s, {size}; time until the last one has it")
    compared.tell("CPU per delivery")


async def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="play,durable,fan-out", help="which: play, durable, fan-out (default: all)")
    arguments = parser.parse_args()
    if LOAD_CORE >= 0:
        os.sched_setaffinity(0, {LOAD_CORE})
    for name in arguments.only.split(","):
        await (fan_out() if name == "fan-out" else play(durable=name == "durable"))


if __name__ == "__main__":
    asyncio.run(main())

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
from collections.abc import Callable
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


def median(windows: list[Window], figure: Callable[[Window], float]) -> float:
    return statistics.median(figure(window) for window in windows)


async def play(*, durable: bool) -> None:
    bare = await Measured.bare(UPDATE_BYTES, ACK_BYTES, SERVER_CORE)
    ours = await Measured.project(tempfile.mkdtemp() if durable else "memory", SERVER_CORE)
    bare_load, our_load = await bare_tables(bare, ROOMS), await our_tables(ours, ROOMS)
    for load in (bare_load, our_load):
        await load.window(SECONDS)  # warm
    before, mine, after = [], [], []
    for _ in range(WINDOWS):
        before.append(await bare_load.window(SECONDS))
        mine.append(await our_load.window(SECONDS))
        after.append(await bare_load.window(SECONDS))
    for load in (bare_load, our_load):
        load.close()
    for server in (bare, ours):
        await server.stop()
    ratios = [
        2 * m.cpu_per_move / (b.cpu_per_move + a.cpu_per_move) for b, m, a in zip(before, mine, after, strict=True)
    ]
    noise = [a.cpu_per_move / b.cpu_per_move for b, a in zip(before, after, strict=True)]
    print(f"{'durable' if durable else 'play'}: {ROOMS} rooms of two")
    _tell("CPU per move", ratios, noise)
    for name, windows in (("bare", before), ("ours", mine)):
        cpu = 1e6 * median(windows, lambda window: window.cpu_per_move)
        rate = median(windows, lambda window: window.moves / window.seconds)
        p50, p99 = (1e3 * median(windows, lambda window, part=part: share(window.took, part)) for part in (0.5, 0.99))  # type: ignore[misc]
        used = median(windows, lambda window: window.own_cpu / window.seconds)
        print(f"  {name}  {cpu:6.1f} us  {rate:7,.0f} moves/s  p50 {p50:5.1f} ms  p99 {p99:5.1f} ms  load {used:.0%}")


async def fan_out() -> None:
    bare = await Measured.bare(UPDATE_BYTES, ACK_BYTES, SERVER_CORE)
    ours = await Measured.project("memory", SERVER_CORE)
    bare_load, our_load = await bare_crowd(bare, SPECTATORS), await our_crowd(ours, SPECTATORS)
    for load in (bare_load, our_load):
        await load.window(5, 0.1)  # warm
    before, mine, after, size = [], [], [], 0.0
    for _ in range(WINDOWS):
        before.append((await bare_load.window(MOVES, 0.1))[0])
        window, size = await our_load.window(MOVES, 0.1)
        mine.append(window)
        after.append((await bare_load.window(MOVES, 0.1))[0])
    for server in (bare, ours):
        await server.stop()
    ratios = [
        2 * m.cpu_per_move / (b.cpu_per_move + a.cpu_per_move) for b, m, a in zip(before, mine, after, strict=True)
    ]
    noise = [a.cpu_per_move / b.cpu_per_move for b, a in zip(before, after, strict=True)]
    print(f"fan-out: one room, {SPECTATORS:,} spectators, 10 moves/s, {size:.0f} bytes per delivery")
    _tell("CPU per delivery", ratios, noise)
    for name, windows in (("bare", before), ("ours", mine)):
        cpu = 1e6 * median(windows, lambda window: window.cpu_per_move)
        p50, p99 = (1e3 * median(windows, lambda window, part=part: share(window.took, part)) for part in (0.5, 0.99))  # type: ignore[misc]
        print(f"  {name}  {cpu:6.1f} us  until the last one has it: p50 {p50:5.1f} ms  p99 {p99:5.1f} ms")


def _tell(what: str, ratios: list[float], noise: list[float]) -> None:
    print(f"  {what:16} {statistics.median(ratios):.2f} x bare ({min(ratios):.2f} to {max(ratios):.2f})", end="")
    print(f"; bare against itself {statistics.median(noise):.2f} ({min(noise):.2f} to {max(noise):.2f})")


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

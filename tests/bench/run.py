"""What a move costs, against a bare websockets server in the same run.

    python tests/bench/run.py [--json FILE] [--only play,durable,…]
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from play import Window, bare_tables, our_tables
from servers import Measured

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, LOAD_CORE = (CORES[0], CORES[-1]) if len(CORES) > 1 else (-1, -1)
ROOMS, WINDOW, WINDOWS = 200, 1.0, 5


def p(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


async def play(durable: bool) -> None:
    bare = await Measured.bare(330, 40, SERVER_CORE)
    ours = await Measured.project(tempfile.mkdtemp() if durable else "memory", SERVER_CORE)
    bare_load, our_load = await bare_tables(bare, ROOMS), await our_tables(ours, ROOMS)
    await bare_load.window(WINDOW)
    await our_load.window(WINDOW)
    pairs: list[tuple[Window, Window, Window]] = []
    for _ in range(WINDOWS):
        pairs.append((await bare_load.window(WINDOW), await our_load.window(WINDOW), await bare_load.window(WINDOW)))
    for b, o, c in pairs:
        print(
            f"bare {1e6 * b.cpu_per_move:6.1f} us  ours {1e6 * o.cpu_per_move:6.1f} us  ratio {2 * o.cpu_per_move / (b.cpu_per_move + c.cpu_per_move):.2f}  "
            f"noise {c.cpu_per_move / b.cpu_per_move:.2f}  moves/s {b.moves / b.seconds:.0f} {o.moves / o.seconds:.0f}  "
            f"p50 {1e3 * p(o.took, 0.5):.1f} ms p99 {1e3 * p(o.took, 0.99):.1f} (bare {1e3 * p(b.took, 0.5):.1f} {1e3 * p(b.took, 0.99):.1f})  load {o.own_cpu / o.seconds:.0%}"
        )
    print("median ratio", round(statistics.median(2 * o.cpu_per_move / (b.cpu_per_move + c.cpu_per_move) for b, o, c in pairs), 2))
    bare_load.close()
    our_load.close()
    await bare.stop()
    await ours.stop()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="play,durable")
    arguments = parser.parse_args()
    if LOAD_CORE >= 0:
        os.sched_setaffinity(0, {LOAD_CORE})
    for name in arguments.only.split(","):
        print(name)
        await play(name == "durable")


if __name__ == "__main__":
    asyncio.run(main())

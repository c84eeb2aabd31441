"""What this checkout costs compared with another one, such as the commit before a change, in the same run.

    .venv/bin/python tests/bench/against.py OTHER [--windows 15]

OTHER is the folder of the other checkout; it is run with this environment. Both servers share one core and take turns
in windows of half a second. A ratio is the median of *this / other*, with the middle half of the windows. Below 1.00
this one is cheaper. Scenarios: `play` in memory and on disk, and `fan-out`. Before you trust a difference of 3 %, run
it again with the two checkouts exchanged.
"""

import argparse
import asyncio
import sys
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.compare import Compared
from bench.fan_out import our_crowd
from bench.play import our_tables
from bench.run import LOAD_CORE, SERVER_CORE
from bench.servers import Measured
from support.posix import stay_on

HERE = Path(__file__).parents[2]
ROOMS, SPECTATORS = 200, 1000


async def start(servers: AsyncExitStack, checkout: Path, *, durable: bool = False) -> Measured:
    server = await Measured.project(SERVER_CORE, durable=durable, checkout=checkout)
    servers.push_async_callback(server.stop)
    return server


async def compare(other: Path, windows: int) -> None:
    if LOAD_CORE >= 0:
        stay_on(0, LOAD_CORE)
    for durable in (False, True):
        async with AsyncExitStack() as servers:
            here, there = [
                await our_tables(await start(servers, checkout, durable=durable), ROOMS) for checkout in (HERE, other)
            ]
            compared = await Compared.take(partial(there.window, 0.5), {"this": partial(here.window, 0.5)}, windows)
            tell("a durable move" if durable else "a move", compared)
    async with AsyncExitStack() as servers:
        crowds = [await our_crowd(await start(servers, checkout), SPECTATORS) for checkout in (HERE, other)]
        compared = await Compared.take(
            partial(crowds[1].window, 5, 0.1), {"this": partial(crowds[0].window, 5, 0.1)}, windows
        )
        tell("a delivery", compared)


def tell(what: str, compared: Compared) -> None:
    print(f"CPU of {what:15} {compared.ratio('this')} x other; other against itself {compared.noise()}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("other", type=Path, metavar="OTHER", help="the folder of the other checkout")
    parser.add_argument("--windows", type=int, default=15, metavar="N", help="windows of each server (default: 15)")
    arguments = parser.parse_args()
    if not (arguments.other / "server" / "dicegames_server").is_dir():
        parser.error(f"{arguments.other} is no checkout of dicegames")
    try:
        asyncio.run(compare(arguments.other.resolve(), max(3, arguments.windows)))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

"""What the server costs, compared with a bare websockets server in the same run. Takes about a minute and a half.

    .venv/bin/python tests/bench/run.py [--only play,fan-out] [--json FILE]

All servers run on one core, in turn, in short windows. The load runs on another core. A ratio is the median of ours /
bare over the windows, with the middle half of them. Bare against itself is the noise floor. docs/performance.md
explains the figures.
"""

import argparse
import asyncio
import signal
import statistics
import sys
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.big_table import BareTable, BigTable, Rolls
from bench.compare import Compared, Ratio
from bench.fair_rolls import AloneTable, SoloTable, TogetherTable, summed
from bench.fan_out import bare_crowd, our_crowd
from bench.idle import fill_bare, fill_ours
from bench.long_match import both
from bench.nodes import Database, Spread
from bench.play import bare_tables, our_tables
from bench.report import Report
from bench.servers import Measured
from bench.ssh import measure
from support.ports import free_port
from support.posix import cores, stay_on
from support.postgres import MISSING, binaries

CORES = cores()
SERVER_CORE, LOAD_CORE = (CORES[0], CORES[-1]) if len(CORES) > 1 else (-1, -1)
UPDATE_BYTES, ACK_BYTES = 330, 40
"""The size of an update and an ack of Double or Nothing."""
ROLL_BYTES = 410
"""The size of a roll of Doubles."""


async def play(report: Report, servers: AsyncExitStack) -> None:
    rooms, seconds, windows = 200, 0.5, 7
    bare = await bare_tables(await start_bare(servers), rooms)
    memory = await our_tables(await start(servers), rooms)
    durable = await our_tables(await start(servers, durable=True), rooms)
    ours = {"memory": partial(memory.window, seconds), "SQLite": partial(durable.window, seconds)}
    compared = await Compared.take(partial(bare.window, seconds), ours, windows)
    report.scenario("play", f"{rooms} rooms of two; times are from a move to the other player's update")
    report.compared(compared, "move")
    report.goal("CPU per move, x bare", compared.ratio("memory"), 1.5, 1.2)
    report.goal("CPU per durable move, x bare", compared.ratio("SQLite"), 1.8, 1.4)


async def fan_out(report: Report, servers: AsyncExitStack) -> None:
    spectators, moves, windows = 1000, 5, 5
    bare = await bare_crowd(await start_bare(servers), spectators)
    ours = await our_crowd(await start(servers), spectators)
    take = {"memory": partial(ours.window, moves, 0.1)}
    compared = await Compared.take(partial(bare.window, moves, 0.1), take, windows)
    report.scenario("fan-out", f"one room, {spectators:,} spectators, 10 moves/s; times are until the last one has it")
    report.compared(compared, "delivery")
    report.put("bytes", ours.bytes_each, f"{ours.bytes_each:.0f} bytes per delivery")
    report.goal("CPU per delivery, x bare", compared.ratio("memory"), 1.1, 0.9)


async def big_table(report: Report, servers: AsyncExitStack) -> None:
    bare_server, server = await start_bare(servers, ROLL_BYTES), await start(servers)
    report.scenario("big-table", "one Doubles room; a roll, and all cash out at once")
    sizes: dict[int, float] = {}
    for players, count in ((2, 60), (20, 20), (200, 8), (1000, 3)):
        table, bare = await BigTable.open(server, players), await BareTable.open(bare_server, players)
        pairs: list[tuple[float, Rolls]] = [(await bare.rolls(count), await table.rolls(count)) for _ in range(5)]
        bare.close()
        storm = await table.storm()
        table.close()
        sizes[players] = statistics.median(rolls.bytes_each for _, rolls in pairs)
        cpu = statistics.median(rolls.cpu_us for _, rolls in pairs)
        ratio = Ratio.of([rolls.cpu_us / bare_us for bare_us, rolls in pairs])
        row = {"bytes": sizes[players], "cpu_us": cpu, "ratio": ratio.plain()}
        row |= {name: getattr(storm, name) for name in storm.__slots__}
        text = (
            f"{players:5,} players  {sizes[players]:3.0f} bytes and {cpu:5.1f} us per delivery, {ratio} x bare;"
            f" storm seen in {storm.seen_ms:3.0f} ms, load {storm.load_cpu:.0%}"
        )
        report.put(f"{players} players", row, text)
    report.goal("bytes of a roll, 1,000 players x 2", sizes[1000] / sizes[2], 1.3)


async def fair(report: Report, servers: AsyncExitStack) -> None:
    server = await start(servers)
    report.scenario("fair", "one Doubles room; a roll by all players together, and by the server alone as before")
    for players, count, windows in ((1, 20, 11), (2, 20, 11), (8, 20, 9), (1000, 3, 5)):
        kind = SoloTable if players == 1 else TogetherTable
        alone, together = await AloneTable.open(server, players), (await kind.open(server, players)).settle()
        pairs = [(await alone.costs(count), await together.costs(count)) for _ in range(windows)]
        alone.close()
        together.close()
        before, now = summed([one for one, _ in pairs]), summed([one for _, one in pairs])
        ratio = Ratio.of([ours.cpu_us / theirs.cpu_us for theirs, ours in pairs])
        names = ("p50_ms", "p99_ms", "cpu_us", "bytes")
        row = {"before": dict(zip(names, before, strict=True)), "now": dict(zip(names, now, strict=True))}
        text = (
            f"{players:5,} seat{'s' if players > 1 else ' '}"
            f" added p50 {now[0] - before[0]:5.2f} ms, p99 {now[1] - before[1]:5.2f} ms;"
            f" {before[3]:.0f} -> {now[3]:.0f} bytes; CPU {before[2]:.0f} -> {now[2]:.0f} us, {ratio} x"
        )
        report.put(f"{players} seats", {**row, "ratio": ratio.plain()}, text)
        if players == 2:
            report.goal("CPU of a roll of two, x before", ratio, 2.5)


async def idle(report: Report, servers: AsyncExitStack) -> None:
    connections = 5000
    bare, ours = await start_bare(servers), await start(servers)
    found = {"bare": await fill_bare(bare, connections), "ours": await fill_ours(ours, connections)}
    report.scenario("idle", f"{connections:,} come, 50 at a time, and stay")
    for name, row in found.items():
        text = f"{name:8} {row.kib_each:5.1f} KiB each  {row.connects_per_second:6,.0f} came per second"
        report.put(name, {field: getattr(row, field) for field in row.__slots__}, f"{text}  load {row.load_cpu:.0%}")
    report.goal("memory per connection", found["ours"].kib_each, 20, 16, " KiB")
    report.goal("longest pause while they came", found["ours"].longest_pause_ms, 50, None, " ms")


async def long_match(report: Report, servers: AsyncExitStack) -> None:
    young, old, ratio = await both(await start(servers), 10_000)
    report.scenario("long-match", "two series of Double or Nothing, game by game in turn")
    for name, match in (("young", young), ("old", old)):
        cpu = 1e6 * statistics.median(window.cost for window in match.windows)
        row = {"first_move": match.first_move, "cpu_us": cpu, "bytes": match.bytes_each, "join_bytes": match.join_bytes}
        text = (
            f"from move {match.first_move:6,}  {cpu:5.1f} us and {match.bytes_each:.0f} bytes per move,"
            f" {match.join_bytes:,} bytes to come in"
        )
        report.put(name, row, text)
    report.goal("CPU of a late move, x early", ratio, 1.1)
    report.goal("bytes to come in late, x early", old.join_bytes / young.join_bytes, 1.1)


async def nodes(report: Report, servers: AsyncExitStack) -> None:
    rooms, seconds, windows = 200, 0.5, 5
    report.scenario("nodes", f"{rooms} rooms of two on nodes that share a PostgreSQL; it and they share the core")
    if binaries() is None:
        report.put("skipped", MISSING, f"skipped: {MISSING}")
        return
    database = Database(SERVER_CORE)
    servers.callback(database.stop)
    bare = await bare_tables(await start_bare(servers), rooms)
    sqlite = await our_tables(await start(servers, durable=True), rooms)
    spread = {
        f"{n} node{'s' * (n > 1)}": await Spread.open(servers, database, n, rooms, SERVER_CORE) for n in (1, 2, 3)
    }
    ours = {"SQLite": partial(sqlite.window, seconds)}
    ours |= {name: partial(one.window, seconds) for name, one in spread.items()}
    compared = await Compared.take(partial(bare.window, seconds), ours, windows)
    report.compared(compared, "move")
    for name, one in spread.items():
        beside, shared = statistics.median(one.postgres_us), statistics.median(one.shared)
        per_move = f"{1 / shared:.3f} commits per move ({shared:.0f} share one)"
        row = {"ratio": compared.ratio(name).plain(), "postgres_us": beside, "updates_per_commit": shared}
        report.put(
            f"{name}, beside", row, f"{name}  {compared.ratio(name)} x bare, PostgreSQL {beside:.1f} us; {per_move}"
        )


async def ssh(report: Report, servers: AsyncExitStack) -> None:
    sessions, playing, seconds = 500, 100, 20.0
    port = free_port()
    server = await Measured.project(SERVER_CORE, ssh_port=port)
    servers.push_async_callback(server.stop)
    found = await measure(server, port, sessions, playing, seconds)
    report.scenario("ssh", f"{sessions} players over ssh come and stay; then {playing} play Farkle against bots")
    text = (
        f"{found.logins_per_second:.0f} logins per second; {found.probes} keys measured, p50 {found.p50_ms:.0f} ms, "
        f"server at {found.server_cpu:.0%} of its core"
    )
    report.put("ssh", {field: getattr(found, field) for field in found.__slots__}, text)
    report.goal("memory per session", found.mib_each, 2, None, " MiB")
    report.goal("p99 of a key", found.p99_ms, 100, None, " ms")


SCENARIOS = {
    "play": play,
    "fan-out": fan_out,
    "big-table": big_table,
    "fair": fair,
    "idle": idle,
    "long-match": long_match,
    "nodes": nodes,
    "ssh": ssh,
}


async def start(servers: AsyncExitStack, *, durable: bool = False) -> Measured:
    server = await Measured.project(SERVER_CORE, durable=durable)
    servers.push_async_callback(server.stop)
    return server


async def start_bare(servers: AsyncExitStack, update_bytes: int = UPDATE_BYTES) -> Measured:
    server = await Measured.bare(update_bytes, ACK_BYTES, SERVER_CORE)
    servers.push_async_callback(server.stop)
    return server


async def run(wanted: list[str], file: Path | None) -> None:
    task = asyncio.current_task()
    assert task
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)  # the servers are stopped then, too
    if LOAD_CORE >= 0:
        stay_on(0, LOAD_CORE)
    report = Report()
    for name in wanted:
        async with AsyncExitStack() as servers:
            await SCENARIOS[name](report, servers)
    report.finish(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default=",".join(SCENARIOS), help=f"some of: {', '.join(SCENARIOS)} (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file as well")
    arguments = parser.parse_args()
    wanted = list(dict.fromkeys(arguments.only.replace(" ", "").split(",")))
    if unknown := [name for name in wanted if name not in SCENARIOS]:
        parser.error(f"there is no scenario '{unknown[0]}'; there are {', '.join(SCENARIOS)}")
    try:
        if arguments.json:
            arguments.json.touch()
        asyncio.run(run(wanted, arguments.json))
    except OSError as error:
        unwritten = f"{arguments.json} can't be written: {error.strerror}" if arguments.json else ""
        parser.error(unwritten or str(error) or repr(error))
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit(130)


if __name__ == "__main__":
    main()

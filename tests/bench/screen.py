"""How fast the screen is, and what it costs when nothing happens. Prints both; nothing here passes or fails.

    .venv/bin/python tests/bench/screen.py

A client in a real pty watches a table where a player rolls 20 times per second. Keys are typed into its chat line. The
time runs from the write to the pty until the letter comes out of it. Before that, the same client is idle for a while,
and its CPU time is read from /proc.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create, Start
from dicegames_protocol.messages.server import Joined
from dicegames_protocol.table import Move
from dicegames_server.app.wiring import assemble
from support.posix import cpu_seconds
from support.pty import Pty
from support.settings import quick

UPDATES_PER_SECOND = 20
LETTERS = [chr(code) for code in range(0x0410, 0x0450)]
"""Letters that stand nowhere else on the screen."""


async def main(presses: int, idle_seconds: float, motion: bool) -> None:
    server = assemble(quick())
    await server.start()
    roller = Guest(Address("127.0.0.1", server.port))
    await roller.open()
    options = {"rounds": 1_000_000, "window": 0}
    joined = await roller.ask(Create(id="1", game="doubles", name="bo", options=options))
    assert isinstance(joined, Joined)
    rolling = asyncio.ensure_future(roll(roller))
    with tempfile.TemporaryDirectory() as state:
        still = [] if motion else ["--no-motion"]
        client = Pty.client("watch", f"127.0.0.1:{server.port}/{joined.room}", *still, state=Path(state), quiet=True)
        await asyncio.to_thread(wait_for, client, "WATCHING")
        idle = await cpu_share(client.pid, idle_seconds)
        await roller.ask(Start(id="2"))
        started.set()
        await asyncio.to_thread(wait_for, client, "round 1")
        busy = await cpu_share(client.pid, idle_seconds)
        client.press("t")
        await asyncio.to_thread(wait_for, client, "Say:")
        times = [await asyncio.to_thread(echo, client, LETTERS[n % len(LETTERS)]) for n in range(presses)]
        client.close()
    rolling.cancel()
    await roller.close()
    await server.stop("done")
    times.sort()
    print(f"{UPDATES_PER_SECOND} updates/s, {presses} keys, dice {'tumble' if motion else 'still'}")
    print(
        f"key press to screen   median {statistics.median(times):5.1f} ms   p95 {times[int(len(times) * 0.95)]:5.1f} ms"
    )
    print(f"CPU while idle        {idle:5.2%} of a core, over {idle_seconds:.0f} s   (goal: under 2 %)")
    print(f"CPU while {UPDATES_PER_SECOND} updates/s arrive  {busy:5.1%} of a core")


started = asyncio.Event()


async def roll(roller: Guest) -> None:
    """A roll every 50 ms, once the game has begun."""
    await started.wait()
    while True:
        await roller.move(0, Move(take="roll"))
        await asyncio.sleep(1 / UPDATES_PER_SECOND)


def wait_for(client: Pty, text: str) -> None:
    deadline = time.monotonic() + 20
    while text.encode() not in client.raw:
        if time.monotonic() > deadline:
            raise SystemExit(f"{text} never came")
        time.sleep(0.01)


def echo(client: Pty, letter: str) -> float:
    """Milliseconds from the key to the screen. The pause between keys is random, so that no fixed rhythm helps."""
    time.sleep(0.03 + (ord(letter) * 37 % 50) / 1000)
    seen = len(client.raw)
    began = time.perf_counter()
    client.press(letter)
    while letter.encode() not in client.raw[seen:]:
        if time.perf_counter() - began > 5:
            raise SystemExit(f"{letter} never came back")
        time.sleep(0.0002)
    return (time.perf_counter() - began) * 1000


async def cpu_share(pid: int, seconds: float) -> float:
    await asyncio.sleep(1)
    before, began = cpu_seconds(pid), time.monotonic()
    await asyncio.sleep(seconds)
    return (cpu_seconds(pid) - before) / (time.monotonic() - began)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=200)
    parser.add_argument("--idle-seconds", type=float, default=10)
    parser.add_argument("--no-motion", action="store_true")
    given = parser.parse_args()
    asyncio.run(main(given.presses, given.idle_seconds, not given.no_motion))

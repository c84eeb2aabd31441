"""What the table in the browser costs. Prints figures; nothing here passes or fails.

    .venv/bin/python tests/bench/browser.py

It needs Chromium and Playwright (`.ci/browser` installs both). First: the bytes of the page, and the time from opening
it to a seat, with an empty cache and with a filled one. Then the CPU time of the server for each update that a
spectator gets: 200 that came as the page does (its headers, its greeting) and 200 that came as a terminal does take
turns at the same table, in the same run. All of them only read: real pages and programs would keep the machine busy in
different ways, and the server's caches feel that more than any difference between the two. A window without spectators
says what an update costs anyway.
"""

import argparse
import asyncio
import gzip
import json
import shutil
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.servers import Measured
from browser.conftest import FLAGS
from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create, Join, Start
from dicegames_protocol.messages.server import Joined
from dicegames_protocol.table import Move
from dicegames_server.net.web.static_files import static_files

if TYPE_CHECKING:
    from playwright.async_api import Browser

UPDATES_PER_SECOND = 25
WINDOW_SECONDS = 8.0
ROUNDS = 3
"""How often terminals and browsers take turns."""


async def main(spectators: int) -> None:
    from playwright.async_api import async_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    server = await Measured.project(0)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        try:
            sizes()
            await opening(browser, server)
            await spectating(server, spectators)
        finally:
            await browser.close()
            await server.stop()


def sizes() -> None:
    static = static_files()
    texts = [static.index.encode(), *(page.text.encode() for page in static.pages.values())]
    packed = len(static.index) + sum(len(page.packed) for page in static.pages.values())
    whole = len(gzip.compress(b"".join(texts), mtime=0))
    size = sum(map(len, texts))
    print(f"page: {len(texts)} files, {size:,} bytes; as sent with gzip {packed:,} (in one piece {whole:,})")


async def opening(browser: "Browser", server: Measured) -> None:
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game="doubles", name="ana", seats=100))).room  # type: ignore[union-attr]
    times: dict[str, list[float]] = {"with an empty cache": [], "with a filled cache": []}
    for visitor in range(10):
        context = await browser.new_context(viewport={"width": 360, "height": 640})
        for number, kind in enumerate(times):
            page = await context.new_page()
            began = time.perf_counter()
            await page.goto(f"http://127.0.0.1:{server.port}/{room}")
            await page.get_by_label("Your name").fill(f"p{visitor}{number}")
            await page.get_by_role("button", name="Take a seat").click()
            await page.get_by_text("Waiting room").wait_for()
            times[kind].append(time.perf_counter() - began)
            await page.evaluate("sessionStorage.clear(); localStorage.clear()")
        await context.close()
    for kind, taken in times.items():
        median, worst = 1000 * statistics.median(taken), 1000 * max(taken)
        print(f"from opening to a seat, {kind}: median {median:.0f} ms, worst {worst:.0f} ms")
    await guest.close()


async def spectating(server: Measured, spectators: int) -> None:
    players = [Guest(Address("127.0.0.1", server.port)) for _ in range(2)]
    for player in players:
        await player.open()
    options = {"rounds": 1_000_000, "window": 0}
    joined = await players[0].ask(Create(id="1", game="doubles", name="ana", options=options))
    assert isinstance(joined, Joined)
    await players[1].ask(Join(id="2", room=joined.room, name="bo"))
    await players[0].ask(Start(id="3"))
    place = f"127.0.0.1:{server.port}/{joined.room}"
    costs: dict[str, list[float]] = {"nobody": [], "terminals": [], "browsers": []}
    for _ in range(ROUNDS):
        for kind, cost in costs.items():
            async with watching(kind, place, spectators):
                cost.append(await measured(server, players))
    for player in players:
        await player.close()
    alone = statistics.median(costs["nobody"])
    print(f"server, {UPDATES_PER_SECOND} updates/s, CPU time per update: {alone:.0f} us with nobody watching")
    each = {kind: (statistics.median(cost) - alone) / spectators for kind, cost in costs.items() if kind != "nobody"}
    for kind, microseconds in each.items():
        spread = ", ".join(f"{(one - alone) / spectators:.1f}" for one in costs[kind])
        print(f"  {spectators} {kind}: {microseconds:.1f} us per update and spectator ({spread})")
    print(f"  a spectator in a browser costs {each['browsers'] / each['terminals']:.2f} of one in a terminal")


@asynccontextmanager
async def watching(kind: str, place: str, count: int) -> AsyncIterator[None]:
    """So many spectators, who read and do nothing else."""
    host, _, room = place.partition("/")
    page = {"origin": Origin(f"http://{host}"), "user_agent_header": "Mozilla/5.0"} if kind == "browsers" else {}
    hello = {
        "type": "hello",
        "protocol": [3, 3],
        "client": "dicegames-web" if kind == "browsers" else "dicegames-client",
    }
    sockets = []
    for _ in range(count if kind != "nobody" else 0):
        socket = await connect(f"ws://{host}/r/{room}", compression=None, proxy=None, **page)  # type: ignore[arg-type]
        await socket.send(json.dumps(hello))
        await socket.recv()
        await socket.send(json.dumps({"type": "watch", "id": "1", "room": room}))
        await socket.recv()
        sockets.append(socket)
    reading = [asyncio.ensure_future(read(socket)) for socket in sockets]
    yield
    for task in reading:
        task.cancel()
    for socket in sockets:
        socket.transport.abort()
    await asyncio.gather(*reading, return_exceptions=True)


async def read(socket: ClientConnection) -> None:
    async for _ in socket:
        pass


async def measured(server: Measured, players: list[Guest]) -> float:
    """Microseconds of CPU time per update, while the players roll at a steady pace."""
    await asyncio.sleep(0.5)
    first, began, spent = players[0].store.seq, time.perf_counter(), server.nanoseconds
    moved = 0
    while (now := time.perf_counter() - began) < WINDOW_SECONDS:
        store = players[0].store
        if store.seq - first < now * UPDATES_PER_SECOND and not store.rolling and store.seq != moved:
            for player in players:
                seat = player.store.wanted()
                if seat is not None and player.store.seq == store.seq:
                    moved = store.seq
                    await player.move(seat, Move(take="roll"))
        await asyncio.sleep(0.002)
    return (server.nanoseconds - spent) / 1000 / max(1, players[0].store.seq - first)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spectators", type=int, default=200)
    asyncio.run(main(parser.parse_args().spectators))

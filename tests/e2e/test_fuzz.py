"""Nonsense from many connections while others play: nobody is disturbed, nothing grows, no error is logged.

100,000 frames in the suite; a million with

    DICEGAMES_LONG=1 .venv/bin/pytest -s tests/e2e/test_fuzz.py --timeout=3600
"""

import asyncio
import contextlib
import os
import random
import signal
import time
from pathlib import Path

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.codec import encode
from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import AddBot, AskOdds, Create, Hello, Join, Start
from support.bystanders import undisturbed
from support.nonsense import Nonsense
from support.posix import memory
from support.process import Process
from support.raw import UPGRADE, frame

FRAMES = 1_000_000 if os.environ.get("DICEGAMES_LONG") else 15_000
CONNECTIONS = 24
AT_ONCE = 15
TOO_MANY = 25
"""So much nonsense in a row is more than the server's patience."""
ATTACKER = "127.0.0.66"
MOST_GROWTH_KIB = 20 * 1024
"""A million frames add about 5 MiB; the short form still fills caches and pools of threads while it is measured."""
HELLO = frame(encode(Hello(protocol=(3, 3), client="fuzz")))
AN_HONEST_ONE = frame(b'{"type":"ping","id":"z"}')
LIMITS = {
    "DICEGAMES_MESSAGES_PER_SECOND": "1000000000",
    "DICEGAMES_MESSAGE_BURST": "1000000000",
    "DICEGAMES_CONNECTIONS_PER_ADDRESS": "0",
    "DICEGAMES_FAILED_JOINS_PER_MINUTE": "0",
    "DICEGAMES_NEW_ROOMS_PER_MINUTE": "0",
    "DICEGAMES_CLOSE_SECONDS": "0.05",
}
"""So that the nonsense is looked at, and not refused as too much of it."""


class Fuzzer:
    """Sends nonsense in batches, each with a ping at its end: what comes before the pong was handled."""

    def __init__(self, port: int, nonsense: Nonsense, seed: int) -> None:
        self._port = port
        self._frames, self._last = nonsense.frames(1000), nonsense.last_frames(50)
        self._random = random.Random(seed)
        self.looked_at = self.connected = 0

    async def run(self, number: int) -> None:
        while self.looked_at < number:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._connection(number)

    async def _connection(self, number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, local_addr=(ATTACKER, 0), limit=2**24)
        self.connected += 1
        try:
            writer.write(UPGRADE)
            await reader.readuntil(b"\r\n\r\n")
            writer.write(HELLO)
            for batch in range(self._random.choice([1, 5, 50])):
                id = f"pong-{batch}-"
                ping = frame(f'{{"type":"ping","id":"{id}"}}'.encode())
                halves = [self._random.choices(self._frames, k=AT_ONCE) for _ in range(2)]
                writer.write(b"".join([*halves[0], AN_HONEST_ONE, *halves[1], ping]))
                await reader.readuntil(id.encode())
                self.looked_at += 2 * AT_ONCE
                if self.looked_at >= number:
                    return
            writer.write(b"".join([*self._random.choices(self._frames, k=TOO_MANY), self._random.choice(self._last)]))
            self.looked_at += TOO_MANY
            writer.write_eof()
            while await reader.read(65536):
                pass
        finally:
            writer.transport.abort()


async def know_all_games(address: Address) -> None:
    """Bots have tables that are computed once. After this the server has them all."""
    for game in keys():
        guest = Guest(address)
        await guest.open()
        await guest.ask(Create(id="1", game=game, name="ana"))
        await guest.ask(AddBot(id="2", level="expert"))
        await guest.ask(Start(id="3"))
        await guest.try_ask(AskOdds(id="4"))
        await guest.close()


async def know_passwords(address: Address) -> None:
    """A password is hashed in a thread, with 16 MiB. After this every thread has had its memory."""
    guests = [Guest(address) for _ in range(12)]
    await asyncio.gather(*(guest.open() for guest in guests))
    for number in range(3):
        join = Join(id=f"join-{number}", room="ZZZZ", name="ana", password="swordfish")
        await asyncio.gather(*(guest.try_ask(join) for guest in guests))
    await asyncio.gather(*(guest.close() for guest in guests))


async def test_nonsense_harms_nobody(tmp_path: Path) -> None:
    server = await Process.start(
        "dicegames_server",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--data",
        str(tmp_path / "data"),
        state=tmp_path,
        **LIMITS,
    )
    await server.until("port ")
    port = int((await server.until("\n")).strip())
    reading = asyncio.ensure_future(server.ended(patience=None))  # the log is read all the time
    await know_all_games(Address("127.0.0.1", port))
    await know_passwords(Address("127.0.0.1", port))
    fuzzers = [Fuzzer(port, Nonsense(seed), seed) for seed in range(CONNECTIONS)]
    async with undisturbed(Address("127.0.0.1", port)) as bystanders:
        await asyncio.gather(*(fuzzer.run(FRAMES // 10 // CONNECTIONS) for fuzzer in fuzzers))
        before, began = memory(server.pid) // 1024, time.perf_counter()
        await asyncio.gather(*(fuzzer.run(FRAMES // CONNECTIONS) for fuzzer in fuzzers))
        grown, took = memory(server.pid) // 1024 - before, time.perf_counter() - began
    sent, connected = sum(f.looked_at for f in fuzzers), sum(f.connected for f in fuzzers)
    print(
        f"  {sent:,} frames over {connected:,} connections, {0.9 * sent / took:,.0f} frames/s; memory grew by "
        f"{grown / 1024:.1f} MiB; meanwhile {bystanders.games} games were played to their end"
    )
    server.signal(signal.SIGTERM)
    assert await reading == 0
    fault = server.text.find("Traceback")
    assert fault < 0, server.text[max(0, fault - 500) : fault + 4000]
    assert "error" not in server.text.lower()
    assert grown < MOST_GROWTH_KIB

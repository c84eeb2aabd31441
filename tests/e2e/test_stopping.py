"""A server stops within seconds, whatever is under way. Exit code 0 says so: after five seconds it would be 1."""

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import AddBot, Create, Leave, Start, Watch
from dicegames_protocol.messages.server import Joined
from support.posix import HANG_UP
from support.process import Process
from support.pty import Pty

QUICK: dict[str, Any] = {
    "DICEGAMES_BOT_SECONDS": "0",
    "DICEGAMES_BOTS_PER_ADDRESS": "0",
    "DICEGAMES_HOST": "127.0.0.1",
    "DICEGAMES_PORT": "0",
}


@pytest.mark.parametrize("data", ["memory", "folder"])
async def test_a_table_of_a_thousand_bots_does_not_keep_it_from_stopping(data: str, tmp_path: Path) -> None:
    """The server was still there after 25 minutes, and worked out the chances of a thousand players."""
    folder = "memory" if data == "memory" else str(tmp_path / "data")
    process = await Process.start("dicegames_server", state=tmp_path, DICEGAMES_DATA=folder, **QUICK)
    await process.until("listening on 127.0.0.1 port ")
    port = int((await process.until("\n")).strip())
    process.read_on()
    ana, eva = Guest(Address("127.0.0.1", port)), Guest(Address("127.0.0.1", port))
    await ana.open()
    await eva.open()
    joined = await ana.ask(Create(id="1", game="sevens", name="ana", seats=1000, options={"rounds": 1}))
    assert isinstance(joined, Joined)
    await ana.ask(AddBot(id="2", count=999, level="expert"))
    await ana.ask(Start(id="3"))
    await eva.ask(Watch(id="1", room=joined.room))
    await ana.ask(Leave(id="4"))
    async for _ in eva.news():
        if eva.store.phase == "playing" and eva.store.table["game"].get("turn_no", 0) > 20:
            break
    process.signal(signal.SIGTERM)
    assert await process.ended() == 0, process.text
    await ana.close()
    await eva.close()


def test_a_server_ends_with_the_window_that_it_was_started_in(tmp_path: Path) -> None:
    server = Pty(sys.executable, "-m", "dicegames_server", "--data", "memory", state=tmp_path, **QUICK)
    server.until("listening on")
    server.signal(HANG_UP)
    assert server.ended() == 0


async def test_without_a_window_the_same_signal_reads_the_certificate_again(tmp_path: Path) -> None:
    process = await Process.start("dicegames_server", "--tls", "self", state=tmp_path, DICEGAMES_DATA="memory", **QUICK)
    await process.until("listening on")
    process.signal(HANG_UP)
    await process.until("the certificate was read again")
    process.signal(signal.SIGTERM)
    assert await process.ended() == 0


async def test_half_open_connections_are_not_waited_for(tmp_path: Path) -> None:
    process = await Process.start("dicegames_server", state=tmp_path, DICEGAMES_DATA="memory", **QUICK)
    await process.until("listening on 127.0.0.1 port ")
    port = int((await process.until("\n")).strip())
    writers = []
    for number in range(30):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        if number % 2:
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n")
            await writer.drain()
        writers.append(writer)
    process.signal(signal.SIGTERM)
    assert await process.ended() == 0
    assert "not everything was ended in time" not in process.text
    for writer in writers:
        writer.close()

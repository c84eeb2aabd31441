"""Strangers who open connections and say nothing can't take the descriptors that those inside need."""

import asyncio
import contextlib
from pathlib import Path

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import AddBot, Create, Ping, Start
from dicegames_protocol.messages.server import Pong
from support.posix import CONTINUE, STOP
from support.process import Process, run

LIMITED = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh"]
SERVER = "dicegames_server"


async def silent(port: int, address: str, connections: int) -> list[asyncio.StreamWriter]:
    """Connections that do not even begin with TLS. Some are cut off at once."""
    opened = []
    for _ in range(connections):
        with contextlib.suppress(OSError):
            opened.append((await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0)))[1])
    return opened


async def test_half_open_handshakes_from_everywhere_leave_a_reserve(tmp_path: Path) -> None:
    """1,500 of them exhausted 1,024 descriptors, and the log said nothing."""
    server = await Process.start(
        SERVER,
        *("--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path / "data"), "--tls", "self"),
        state=tmp_path,
        within=LIMITED,
        DICEGAMES_HANDSHAKE_SECONDS="60",
    )
    await server.until("but this process may open 256 files, so it takes 96 connections")
    await server.until("port ")
    port = int((await server.until("\n")).strip())
    server.read_on()
    ana = Guest(Address("127.0.0.1", port, secure=True))
    await ana.open()
    await ana.ask(Create(id="1", game="doubles", name="ana"))
    server.signal(STOP)  # a busy machine: all of them are there when it goes on
    crowd = [writer for number in range(10, 20) for writer in await silent(port, f"127.0.0.{number}", 35)]
    server.signal(CONTINUE)
    await ana.ask(AddBot(id="2"))
    await ana.ask(Start(id="3"))  # which is written to the data
    assert isinstance(await ana.ask(Ping(id="4")), Pong)
    code, text = await run(SERVER, "--data", str(tmp_path / "data"), "backup", str(tmp_path / "copy"), state=tmp_path)
    assert code == 0, text
    assert "open files are running short: 96 connections are open" in server.text
    assert "Traceback" not in server.text
    for writer in crowd:
        writer.close()
    bo = Guest(Address("127.0.0.1", port, secure=True))
    while True:  # as soon as the server has noticed that they are gone
        with contextlib.suppress(Exception):
            await bo.open()
            break
    await bo.close()
    await ana.close()

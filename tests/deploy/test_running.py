"""The parts of deploy/ that can run here: the backup script against a running server, and Caddy before a server."""

import asyncio
import os
import shutil
import ssl
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from dicegames_client.base.address import Address
from dicegames_client.enter.asking import list_rooms
from dicegames_client.guest.guest import Guest
from dicegames_protocol.codec import encode
from dicegames_protocol.messages.client import AddBot, Create, Hello, Start, Watch
from dicegames_server.app.wiring import assemble
from dicegames_server.storage.backup import restore
from support.caddy import MISSING, caddy
from support.ports import free_port
from support.posix import KILL
from support.process import Process, run
from support.settings import quick

DEPLOY = Path(__file__).parents[2] / "deploy"
SERVER = "dicegames_server"


@pytest.fixture(autouse=True)
async def end_processes() -> AsyncIterator[None]:
    yield
    while Process.running:
        await Process.running.pop().kill()


async def started(data: Path, state: Path) -> tuple[Process, Address]:
    server = await Process.start(
        SERVER, "--host", "127.0.0.1", "--port", "0", "--data", str(data), state=state, DICEGAMES_BOT_SECONDS="0"
    )
    await server.until("port ")
    return server, Address("127.0.0.1", int((await server.until("\n")).strip()))


async def test_the_backup_script_copies_a_server_that_plays(tmp_path: Path) -> None:
    server, address = await started(tmp_path / "data", tmp_path)
    guest = Guest(address)
    await guest.open()
    await guest.ask(Create(id="1", game="sevens", name="ana"))
    await guest.ask(AddBot(id="2"))
    await guest.ask(Start(id="3"))
    command = tmp_path / "dicegames-server"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m dicegames_server "$@"\n')
    command.chmod(0o755)
    copies = tmp_path / "copies"
    copies.mkdir()
    for day in range(10, 30):
        (copies / f"dicegames-2020-01-{day}.sqlite3").touch()
    made = await asyncio.create_subprocess_exec(
        str(DEPLOY / "backup.sh"),
        str(tmp_path / "data"),
        str(copies),
        env={**os.environ, "DICEGAMES_SERVER": str(command)},
    )
    assert await made.wait() == 0
    kept = sorted(path.name for path in copies.glob("*"))
    assert len(kept) == 14
    assert kept[0] == "dicegames-2020-01-17.sqlite3"
    room = guest.store.room
    await guest.close()
    server.signal(KILL)
    await server.ended()
    restore(copies / kept[-1], tmp_path / "data")
    server, address = await started(tmp_path / "data", tmp_path)
    assert [entry.code for entry in (await list_rooms(address)).rooms] == [room]


async def test_caddy_before_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """wss:// outside, plain inside. Limits count the clients outside, not the proxy."""
    if shutil.which("caddy") is None:
        pytest.skip(MISSING)
    service = assemble(quick(trusted_proxies=("127.0.0.1",), connections_per_address=1))
    await service.start()
    port = free_port()
    try:
        async with caddy("Caddyfile", port, tmp_path, DICE_SERVER=f"127.0.0.1:{service.port}") as authority:
            monkeypatch.setenv("SSL_CERT_FILE", str(authority))
            guest = Guest(Address("localhost", port, secure=True))
            await guest.open()
            await guest.ask(Create(id="1", game="doubles", name="ana"))
            other = connect(
                f"wss://localhost:{port}/",
                ssl=ssl.create_default_context(),
                host="127.0.0.1",
                local_addr=("127.0.0.66", 0),
                proxy=None,
            )
            async with other as watcher:  # a second connection through the proxy, from another address
                for message in (Hello(protocol=(3, 3), client="x"), Watch(id="w", room=guest.store.room or "")):
                    await watcher.send(encode(message).decode())
                    await watcher.recv()
                (room,) = service.lobby.rooms
                assert {link.address for link in room._audience.peers} == {"127.0.0.1", "127.0.0.66"}
            await guest.close()
    finally:
        await service.stop()


async def test_status_and_drain_from_the_command_line(tmp_path: Path) -> None:
    data, port, admin = str(tmp_path / "data"), str(free_port()), f"127.0.0.1:{free_port()}"
    server = await Process.start(
        SERVER, "--host", "127.0.0.1", "--port", port, "--data", data, "--admin", admin, state=tmp_path
    )
    await server.until(f"admin pages on {admin}")
    for command in ("status", "drain"):
        code, text = await run(SERVER, "--admin", f"127.0.0.1:{port}", "--data", data, command, state=tmp_path)
        assert (code, text) == (4, f"127.0.0.1:{port} is where people play. The setting 'admin' names another port.\n")
    code, text = await run(SERVER, "--admin", admin, "status", state=tmp_path)
    assert (code, "rooms        0 (0 playing)" in text) == (0, True)
    code, text = await run(SERVER, "--admin", admin, "--data", str(tmp_path / "other"), "drain", state=tmp_path)
    assert (code, "can't be read" in text) == (4, True)
    code, text = await run(SERVER, "--admin", admin, "--data", data, "drain", state=tmp_path)
    assert (code, text) == (0, "No new games. 0 running; the server stops when they are over.\n")
    assert await server.ended() == 0
    code, text = await run(SERVER, "--admin", admin, "status", state=tmp_path)
    assert (code, text) == (3, f"No server answers at {admin}. Is it running?\n")

"""HAProxy and Caddy with our files in front of three nodes: rooms are found, and continue when a node is stopped."""

import asyncio
import contextlib
import os
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from dicegames_client.base.address import Address
from dicegames_client.guest.events import Finished
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create, Join, ListRooms, Start, Watch
from dicegames_protocol.messages.server import Joined, Rooms
from dicegames_server.app.service import Service
from dicegames_server.app.wiring import assemble
from support.caddy import MISSING, caddy
from support.ports import free_port
from support.settings import quick

DEPLOY = Path(__file__).parents[2] / "deploy"
NODES = (1, 2, 3)


@contextlib.asynccontextmanager
async def haproxy(port: int, node_port: int, admin_port: int, folder: Path) -> AsyncIterator[None]:
    """Our file, without a certificate, and with nodes on the loopback interface."""
    text = (DEPLOY / "haproxy.cfg").read_text(encoding="utf-8")
    for old, new in [
        ("bind :443 ssl crt /etc/haproxy/dice.pem", f"bind 127.0.0.1:{port}"),
        ("10.0.0.1", "127.0.0.1"),
        ("maxconn 50000", "maxconn 100"),
        (":8765", f":{node_port}"),
        ("port 8766", f"port {admin_port}"),
    ]:
        assert old in text
        text = text.replace(old, new)
    config = folder / "haproxy.cfg"
    config.write_text(text)
    process = await asyncio.create_subprocess_exec("haproxy", "-db", "-f", str(config))
    try:
        async with asyncio.timeout(30):
            while True:
                with contextlib.suppress(OSError):
                    (await asyncio.open_connection("127.0.0.1", port))[1].close()
                    break
                await asyncio.sleep(0.05)
        yield
    finally:
        process.terminate()
        await process.wait()


async def nodes(database: str, node_port: int, admin_port: int, public: str) -> dict[int, Service]:
    made = {}
    for number in NODES:
        address = f"127.0.0.1{number}"
        settings = quick(
            data=database,
            host=address,
            port=node_port,
            admin=f"{address}:{admin_port}",
            node_url=f"{public}/n/{number}",
            trusted_proxies=("127.0.0.1",),
            lease_seconds=2,
        )
        made[number] = assemble(settings)
        await made[number].start()
    return made


async def until(guests: list[Guest], known: Callable[[Guest], bool]) -> None:
    for guest in guests:
        async with asyncio.timeout(20):
            news = guest.news()
            while not known(guest):
                assert not isinstance(await anext(news), Finished)


async def play_through(public: Address, made: dict[int, Service]) -> None:
    ana, bo, cy = guests = [Guest(public) for _ in range(3)]
    await ana.open()
    options = {"best_of": 99}
    joined = await ana.ask(Create(id="1", game="double-or-nothing", name="ana", options=options, public=True))
    assert isinstance(joined, Joined)
    for guest in (bo, cy):
        guest.address = public.at(joined.room)
        await guest.open()
    assert isinstance(await bo.ask(Join(id="1", room=joined.room, name="bo")), Joined)
    assert isinstance(await cy.ask(Watch(id="1", room=joined.room)), Joined)
    await ana.ask(Start(id="2"))
    await until(guests, lambda guest: guest.store.phase == "playing")
    (owner,) = [number for number, node in made.items() if node.lobby.rooms]
    assert len(list(made[owner].lobby.rooms[0]._audience.peers)) == 3
    await made.pop(owner).stop()
    await until(guests, lambda guest: guest.store.epoch >= 2)
    (owner,) = [number for number, node in made.items() if node.lobby.rooms]
    late = Guest(public)
    await late.open()
    listed = await late.ask(ListRooms(id="1"))
    assert isinstance(listed, Rooms)
    assert joined.room in [entry.code for entry in listed.rooms] or len(made) > 1  # told within two seconds
    for guest in (*guests, late):
        await guest.close()


async def test_haproxy_before_three_nodes(database: str, tmp_path: Path) -> None:
    if shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin") is None:
        pytest.skip("there is no haproxy here: install it (Debian has it) to run this test")
    port, node_port, admin_port = free_port(), free_port(), free_port()
    made = await nodes(database, node_port, admin_port, f"ws://localhost:{port}")
    try:
        async with haproxy(port, node_port, admin_port, tmp_path):
            await play_through(Address("localhost", port), made)
    finally:
        for node in made.values():
            await node.stop()


async def test_caddy_before_three_nodes(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("caddy") is None:
        pytest.skip(MISSING)
    port, node_port, admin_port = free_port(), free_port(), free_port()
    made = await nodes(database, node_port, admin_port, f"wss://localhost:{port}")
    where = {f"DICE_NODE_{number}": f"127.0.0.1{number}:{node_port}" for number in NODES}
    try:
        async with caddy("Caddyfile.nodes", port, tmp_path, DICE_HEALTH_PORT=str(admin_port), **where) as authority:
            monkeypatch.setenv("SSL_CERT_FILE", str(authority))
            await play_through(Address("localhost", port, secure=True), made)
    finally:
        for node in made.values():
            await node.stop()

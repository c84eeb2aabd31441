from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import pytest

from dicegames_client.base.address import Address
from dicegames_client.cli.controller import run_on
from dicegames_server.app.service import Service
from dicegames_server.app.ssh_guests import SshGuests
from dicegames_server.app.wiring import assemble
from dicegames_server.settings import Settings
from support.dice import ScriptedDice
from support.process import Process
from support.settings import quick

Serve = Callable[[Settings], Awaitable[Service]]


HELD = "the event loop has been held"
"""What the watchdog logs (ops/loop_lag.py)."""


@pytest.fixture(autouse=True)
async def end_processes() -> AsyncIterator[None]:
    """Every process is ended after the test, and nothing may have held its event loop: the watchdogs tell.

    Servers in the test's own process do not count: they share the event loop with the load, and the garbage collector
    with the whole run.
    """
    yield
    told: list[str] = []
    while Process.running:
        process = Process.running.pop()
        await process.kill()
        told += [process.text[process.text.index(HELD) :]] if HELD in process.text else []
    assert not told, told


@pytest.fixture
async def server() -> AsyncIterator[Service]:
    made = assemble(quick(), dice=ScriptedDice(seed=7))
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Real servers, as many as a test needs. All are stopped at the end."""
    made: list[Service] = []

    async def serve(settings: Settings) -> Service:
        server = assemble(settings, guests=partial(SshGuests, run_on))
        await server.start()
        made.append(server)
        return server

    yield serve
    for server in made:
        await server.stop()


@pytest.fixture
def address(server: Service) -> Address:
    return Address("127.0.0.1", server.port)

"""What a client loads on its way to the table, and what it must not load. Nothing here is timed.

Whoever adds an import to the client sees here that it is one that only a server needs, or only some commands.
`tests/bench/start_up.py` says what each library costs.
"""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create
from dicegames_protocol.messages.server import Joined
from dicegames_server.app.wiring import assemble
from support.pty import Pty
from support.settings import quick

ONLY_SERVERS = {
    *("dicegames_server", "tomllib", "cryptography", "uvloop", "prometheus_client"),
    *("sqlite3", "psycopg", "multiprocessing", "openskill"),
}
ONLY_SOME_COMMANDS = {
    *("zeroconf", "ifaddr", "ctypes"),  # for searching the network, and for hosting
    "shtab",  # for completion
    "dicegames_protocol.messages.room_events",  # with the first update
    *("setuptools", "pkg_resources", "unittest", "pydoc", "pygments"),
}
NOT_FOR_THE_FIRST_SCREEN = (
    "pydantic",
    "nacl",
    "websockets",
    "dicegames_protocol.base",
    "dicegames_client.cli.dispatch",
)
OPENS_THE_SCREEN = "dicegames_client.screens.terminal.remote_screen"
NOT_FOR_HELP = {
    *("pydantic", "pydantic_core", "prompt_toolkit", "websockets", "nacl", "wcwidth", "platformdirs", "asyncio", "ssl"),
    *("socket", "logging", "json", "email", "dicegames_protocol.base", "dicegames_client.cli.controller"),
}


def in_order(listing: str) -> list[str]:
    """The modules in what `-X importtime` has written, in the order in which they were loaded."""
    return re.findall(r"^import time:\s+\d+ \|\s+\d+ \|\s+(\S+)$", listing, re.MULTILINE)


def loaded(listing: str) -> set[str]:
    """The same modules, and the packages that they are in."""
    names = in_order(listing)
    return {".".join(parts[:end]) for name in names for parts in [name.split(".")] for end in range(1, len(parts) + 1)}


async def test_on_the_way_to_the_table_nothing_is_loaded_that_is_not_needed(tmp_path: Path) -> None:
    server = assemble(quick())
    await server.start()
    host = Guest(Address("127.0.0.1", server.port))
    try:
        await host.open()
        joined = await host.ask(Create(id="1", game="farkle", name="ana"))
        assert isinstance(joined, Joined)
        join = f"-m dicegames_client join 127.0.0.1:{server.port}/{joined.room} --name bo"
        listing = tmp_path / "imports"
        terminal = Pty(
            "sh", "-c", f"exec '{sys.executable}' -X importtime {join} 2>'{listing}'", state=tmp_path / "state"
        )
        try:
            await asyncio.to_thread(terminal.until, "Waiting room")
        finally:
            terminal.close()
        told = listing.read_text(encoding="utf-8", errors="replace")
        found, order = loaded(told), in_order(told)
    finally:
        await host.close()
        await server.stop("done")
    assert {"dicegames_client.screens.table.table_screen", "prompt_toolkit", "pydantic", "nacl"} <= found
    assert not found & ONLY_SERVERS
    assert not found & ONLY_SOME_COMMANDS
    first = order.index(OPENS_THE_SCREEN)
    assert [name for name in NOT_FOR_THE_FIRST_SCREEN if order.index(name) < first] == []


@pytest.mark.parametrize("arguments", [["--help"], ["join", "--help"]])
def test_help_loads_next_to_nothing(arguments: list[str]) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "dicegames_client", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "usage: dicegames-client" in done.stdout
    found = loaded(done.stderr)
    assert "dicegames_client.cli.arguments" in found
    assert not found & (NOT_FOR_HELP | ONLY_SERVERS | ONLY_SOME_COMMANDS)

"""The real ssh client, in a real terminal: whole games of all kinds, and what people do to a connection."""

import asyncio
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import Create, Ready
from dicegames_protocol.messages.server import Joined
from dicegames_server.app.service import Service
from e2e.conftest import Serve
from support.eventually import eventually
from support.ports import free_port
from support.posix import KILL
from support.pty import Pty
from support.robot import Robot
from support.settings import quick

SSH = shutil.which("ssh")
pytestmark = pytest.mark.skipif(
    SSH is None or shutil.which("ssh-keygen") is None, reason="no ssh here: apt-get install openssh-client"
)
OPTIONS: dict[str, dict[str, Any]] = {
    "doubles": {"rounds": "1", "window": 0},
    "sevens": {"rounds": 1},
    "farkle": {"target": 500},
    "double-or-nothing": {},
}
WANTED = {
    "doubles": (r"\[Y\] Yes", r"\[C\]", r"\[R\]"),
    "sevens": (r"\[K\]", r"\[R\]"),
    "farkle": (r"\[B\] Bank \d", r"\[A\] All", r"\[R\]"),
    "double-or-nothing": (r"\[A\]",),
}
"""The keys of a player who is in a hurry, as the lines at the bottom name them, the best one first."""


@pytest.fixture
async def server(serve: Serve) -> Service:
    return await serve(quick(ssh=free_port(), ssh_logins_per_minute=0))


@pytest.fixture
def key(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    yield path
    while Pty.running:
        Pty.running.pop().close()


def come(server: Service, user: str, key: Path) -> Pty:
    known = key.with_name("known_hosts")
    options = ["StrictHostKeyChecking=no", f"UserKnownHostsFile={known}", "IdentitiesOnly=yes", "IdentityAgent=none"]
    flags = [part for option in options for part in ("-o", option)]
    where = ["-p", str(server.ssh_port), "-i", str(key), f"{user}@127.0.0.1"]
    return Pty(str(SSH), "-F", "none", *flags, *where, state=key.parent)


async def until(user: Pty, *wanted: str) -> str:
    return await asyncio.to_thread(user.until, *wanted)


async def sit_down(user: Pty, name: str) -> None:
    """Take a seat under this name."""
    await until(user, "Your name:")
    for end in range(1, len(name) + 1):
        user.press(name[end - 1])
        await until(user, f"> {name[:end]}")
    user.press("\r")
    await until(user, "Waiting room")


async def play(user: Pty, game: str) -> None:
    """Press what the game offers, until it is over."""
    pressed = ""
    async with asyncio.timeout(80):
        while "Rematch" not in user.text:
            actions = " ".join(user.text.splitlines()[-4:])
            offered = next((found[0][1] for wanted in WANTED[game] if (found := re.search(wanted, actions))), "")
            if offered and user.text != pressed:
                pressed = user.text
                user.press(offered.lower())
            if not await asyncio.to_thread(user.until_news):
                pressed = ""  # a key that only ended the tumbling of the dice is pressed again


@pytest.mark.parametrize("game", keys())
async def test_a_whole_game(game: str, server: Service, key: Path) -> None:
    """One plays over ssh, one with a client, one watches over ssh."""
    ana = Guest(Address("127.0.0.1", server.port))
    await ana.open()
    joined = await ana.ask(Create(id="1", game=game, options=OPTIONS[game], name="ana"))
    assert isinstance(joined, Joined)
    bo = come(server, joined.room, key)
    await sit_down(bo, "bo")
    cy = come(server, f"watch-{joined.room}", key)
    await until(cy, "WATCHING", "watching")
    await ana.ask(Ready(id="2"))
    bo.press("y")
    robot = asyncio.ensure_future(Robot(ana, 1).play())
    await play(bo, game)
    await robot
    await until(cy, "WINNER", "wins", "OVER")
    assert ana.store.table["seats"]["1"].get("over_ssh") is True
    bo.press("q")
    await until(bo, "You have left the table.")
    await ana.close()


async def test_a_killed_client_and_a_dropped_line_keep_the_seat(server: Service, key: Path) -> None:
    """kill -9 of ssh, and its own way to hang up (~.)."""
    ana = Guest(Address("127.0.0.1", server.port))
    await ana.open()
    joined = await ana.ask(Create(id="1", game="farkle", name="ana"))
    assert isinstance(joined, Joined)
    first = come(server, joined.room, key)
    await sit_down(first, "bo")
    first.signal(KILL)
    await eventually(lambda: 1 in ana.store.away)
    second = come(server, joined.room, key)
    await until(second, f"Resume {joined.room} as bo?")
    second.press("\r")
    await until(second, "Waiting room")
    await eventually(lambda: 1 not in ana.store.away)
    second.press("\r~.")
    await eventually(lambda: 1 in ana.store.away)
    await ana.close()

"""Two machines on one cable, as two network namespaces: found, joined, played, cable pulled and plugged in again.

Needs root and `ip` (Debian's iproute2); skipped where namespaces can't be made.
"""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.process import Process, run

CLIENT = "dicegames_client"
HOST = "host double-or-nothing --first 1 --name ana"
EVERYWHERE = {"DICEGAMES_INTERFACES": "", "DICEGAMES_PING_SECONDS": "0.3", "DICEGAMES_PING_TIMEOUT_SECONDS": "0.3"}
"""Inside the namespaces discovery may use what it likes; and the server notices soon who is gone."""


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


class Cable:
    """Two hosts, A with 10.77.0.1 and B with 10.77.0.2, each also with an IPv6 address."""

    def __init__(self) -> None:
        self._names = [f"dice-{os.getpid()}-{letter}" for letter in "ab"]

    def lay(self) -> None:
        for name in self._names:
            ip("netns", "add", name)
        a, b = self._names
        ip("-n", a, "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", b)
        for number, name in enumerate(self._names, start=1):
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "addr", "add", f"10.77.0.{number}/24", "dev", "cable")
            ip("-n", name, "addr", "add", f"fd77::{number}/64", "dev", "cable", "nodad")
            ip("-n", name, "link", "set", "cable", "up")
            ip("-n", name, "route", "add", "default", "dev", "cable")

    def name(self, host: int) -> str:
        return self._names[host]

    def within(self, host: int) -> list[str]:
        return ["ip", "netns", "exec", self._names[host]]

    def pull(self) -> None:
        ip("-n", self._names[0], "link", "set", "cable", "down")

    def plug_in(self) -> None:
        ip("-n", self._names[0], "link", "set", "cable", "up")

    def take_up(self) -> None:
        for name in self._names:
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


@pytest.fixture
def cable() -> Iterator[Cable]:
    if shutil.which("ip") is None:
        pytest.skip("there is no `ip` here: install iproute2 to run this test")
    cable = Cable()
    try:
        cable.lay()
    except subprocess.CalledProcessError as error:
        cable.take_up()
        pytest.skip(f"network namespaces can't be made here (run as root): {error.stderr.decode().strip()}")
    yield cable
    cable.take_up()


async def test_found_joined_played_and_back_after_the_cable_was_pulled(cable: Cable, tmp_path: Path) -> None:
    here, there = cable.within(0), cable.within(1)
    ana = await Process.start(CLIENT, *HOST.split(), state=tmp_path / "a", within=here, **EVERYWHERE)
    told = await ana.until("'help' lists all commands.")
    assert re.search(r"Friends join with this line:\n  dicegames-client join 10\.77\.0\.1:8765/\w+\n", told)
    assert re.search(r"Same network\? Just:  dicegames-client join \w+\n", told)
    assert re.search(r"If that does not lead here:\n  dicegames-client join \[fd77::1\]:8765/\w+\n", told)
    room = told.split("10.77.0.1:8765/")[1].split("\n")[0]

    async def rooms() -> str:
        code, text = await run(CLIENT, "rooms", "--json", state=tmp_path / "b", within=there, **EVERYWHERE)
        return text if code == 0 else ""

    for _ in range(10):  # it takes a second to be announced
        began = time.perf_counter()
        if found := await rooms():
            break
    print(f"  found {time.perf_counter() - began:.2f} s after the command was typed")
    assert f'"server":"10.77.0.1:8765","code":"{room}"' in found
    bo = await Process.start(CLIENT, "join", room, "--name", "bo", state=tmp_path / "b", within=there, **EVERYWHERE)
    said = await bo.until("'help' lists all commands.")
    assert "The connection to 10.77.0.1:8765 is not encrypted" in said
    code, text = await run(CLIENT, "rooms", "[fd77::1]:8765", state=tmp_path, within=there, **EVERYWHERE)
    assert (code, room in text) == (0, True)
    line = f"10.77.0.1:8765/{room}"
    cy = await Process.start(CLIENT, "watch", line, state=tmp_path / "c", within=there, **EVERYWHERE)
    await cy.until("You are watching")
    for player in (ana, bo):
        await player.type("ready")
    await ana.until("ana, choose 'add'")
    await ana.type("add")
    await bo.until("bo, choose 'add'")
    await cy.until("New number is 2.")
    cable.pull()
    await ana.until("bo lost the connection")
    cable.plug_in()
    await bo.type("add")
    await bo.until("You are back.")
    await ana.until("bo is here again")
    await bo.type("add")
    await ana.until("New number is 3.")


async def test_nobody_on_the_cable(cable: Cable, tmp_path: Path) -> None:
    code, text = await run(CLIENT, "rooms", state=tmp_path, within=cable.within(1), **EVERYWHERE)
    assert (code, text.startswith("No dicegames server was found on this network.")) == (3, True)


async def test_a_key_is_told_on_first_use(cable: Cable, tmp_path: Path) -> None:
    host = "host doubles --tls self --name ana"
    ana = await Process.start(
        CLIENT, *host.split(), state=tmp_path / "a", within=cable.within(0), **EVERYWHERE, XDG_DATA_HOME=str(tmp_path)
    )
    await ana.until("dicegames-client join wss://10.77.0.1:8765/")
    room, _, pin = (await ana.until("\n")).strip().partition("+")
    await ana.until("'help' lists all commands.")
    first = await Process.start(
        CLIENT,
        "join",
        f"wss://10.77.0.1:8765/{room}",
        "--name",
        "bo",
        state=tmp_path / "b",
        within=cable.within(1),
        **EVERYWHERE,
    )
    await first.until(f"First time at 10.77.0.1:8765: its key {pin} is remembered from now on.")
    await ana.until("bo sits down.")


async def impostor(within: list[str], *arguments: str, state: Path) -> Process:
    tests = str(Path(__file__).parents[1])
    made = await Process.start("support.impostor", *arguments, state=state, within=within, PYTHONPATH=tests)
    await made.until("ready")
    made.read_on()
    return made


async def hosted(cable: Cable, state: Path) -> tuple[Process, str]:
    """A table with a password on the first host, and its code."""
    ana = await Process.start(
        CLIENT,
        *["host", "doubles", "--name", "ana"],
        state=state,
        within=cable.within(0),
        **EVERYWHERE,
        DICEGAMES_PASSWORD="swordfish",
        XDG_DATA_HOME=str(state),
    )
    told = await ana.until("'help' lists all commands.")
    return ana, told.split("10.77.0.1:8765/")[1].split()[0]


async def test_a_password_does_not_go_to_whoever_answers_first(cable: Cable, tmp_path: Path) -> None:
    """Two of three times the impostor had it."""
    ana, room = await hosted(cable, tmp_path / "a")
    eve = await impostor(cable.within(0), "10.77.0.1:8766", room, "10.77.0.1", state=tmp_path)
    bo = {"state": tmp_path / "b", "within": cable.within(1), **EVERYWHERE}

    async def join(*typed: str) -> tuple[int, str]:
        return await run(CLIENT, "join", *typed, "--name", "bo", DICEGAMES_PASSWORD="swordfish", **bo)  # type: ignore[arg-type]

    for _ in range(10):  # it takes a second until both are announced
        code, text = await join(room)
        if "2 servers" in text:
            break
    assert code == 2
    assert f"2 servers here list {room}:" in text and "10.77.0.1:8765, id " in text and "10.77.0.1:8766, id " in text
    ana.signal(signal.SIGTERM)
    await ana.ended()
    for _ in range(10):
        code, text = await join(room)
        if "2 servers" not in text:
            break
    assert (code, "So the password is not sent there" in text) == (4, True), text
    code, text = await run(
        CLIENT,
        "join",
        room,
        "--name",
        "bo",
        "--json",
        DICEGAMES_PASSWORD="swordfish",
        **bo,  # type: ignore[arg-type]
    )
    assert (code, "so the password was not sent" in text) == (4, True), text
    assert "somebody is here" in eve.text
    assert "swordfish" not in eve.text
    code, text = await join(f"10.77.0.1:8766/{room}")  # the host's own line: the user knows what they do
    assert "It is not encrypted: the password can be read on the way." in text
    assert "swordfish" in eve.text


async def test_a_server_that_was_visited_needs_no_question(cable: Cable, tmp_path: Path) -> None:
    _, room = await hosted(cable, tmp_path / "a")
    bo = {"state": tmp_path / "b", "within": cable.within(1), **EVERYWHERE}
    line = f"10.77.0.1:8765/{room}"
    first = await Process.start(
        CLIENT,
        "join",
        line,
        "--name",
        "bo",
        DICEGAMES_PASSWORD="swordfish",
        **bo,  # type: ignore[arg-type]
    )
    await first.until("'help' lists all commands.")
    for _ in range(2):
        await first.type("quit")
    await first.ended()
    for _ in range(10):
        cy = await Process.start(
            CLIENT,
            "watch",
            room,
            "--plain",
            DICEGAMES_PASSWORD="swordfish",
            **bo,  # type: ignore[arg-type]
        )
        try:
            await cy.until("You are watching")
            break
        except AssertionError:
            assert "No dicegames server was found" in cy.text, cy.text
    else:
        raise AssertionError(cy.text)


async def test_an_announcement_can_not_point_elsewhere(cable: Cable, tmp_path: Path) -> None:
    """Not to this machine itself, and not out of the network in which it was heard."""
    ip("-n", cable.name(1), "addr", "add", "203.0.113.9/32", "dev", "lo")  # who goes there would be heard here
    near, there = cable.within(1), cable.within(0)
    *decoys, real = await asyncio.gather(
        impostor(near, "127.0.0.1:9999", "KQ7M", "-", state=tmp_path),
        impostor(near, "203.0.113.9:8765", "KQ7M", "-", state=tmp_path),
        impostor(there, "10.77.0.1:8767", "WXYZ", "10.77.0.1", state=tmp_path),
    )
    await asyncio.gather(
        impostor(there, "10.77.0.1:8765", "KQ7M", "10.77.0.1", "127.0.0.1:9999", state=tmp_path),
        impostor(there, "10.77.0.1:8766", "KQ7M", "10.77.0.1", "203.0.113.9:8765", state=tmp_path),
    )
    for _ in range(10):
        code, text = await run(CLIENT, "rooms", "--json", state=tmp_path / "b", within=cable.within(1), **EVERYWHERE)
        if "WXYZ" in text:
            break
    assert code == 0 and '"server":"10.77.0.1:8767","code":"WXYZ"' in text  # announcements are heard
    assert "KQ7M" not in text
    assert "somebody is here" in real.text
    assert not any("somebody is here" in decoy.text for decoy in decoys)

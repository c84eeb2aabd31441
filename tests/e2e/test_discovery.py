"""Servers are found without an address. They are announced and searched for on the loopback interface."""

import socket
from pathlib import Path
from typing import Any

import pytest

from dicegames_client.base.address import Address
from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.errors import ClientError
from dicegames_client.cli import oneshot
from dicegames_client.enter import finding
from dicegames_client.enter.finding import Discovery, Found, joined, server_with
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.nearby import NearbyBrowser
from dicegames_client.lines.line_prompter import LinePrompter
from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import parse_object
from dicegames_protocol.messages.client import Create
from dicegames_protocol.table import RoomEntry
from e2e.conftest import Serve
from support.process import Process, run
from support.settings import quick

CLIENT = "dicegames_client"
HOST = "host doubles --host 127.0.0.1 --port 0 --plain"


@pytest.fixture
def multicast() -> None:
    """Whether the loopback interface of this machine carries the packets of discovery."""
    group, here = socket.inet_aton("224.0.0.251"), socket.inet_aton("127.0.0.1")
    with socket.socket(type=socket.SOCK_DGRAM) as ear, socket.socket(type=socket.SOCK_DGRAM) as mouth:
        try:
            ear.bind(("", 0))
            ear.settimeout(2)
            ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group + here)
            mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, here)
            mouth.sendto(b"hello", ("224.0.0.251", ear.getsockname()[1]))
            ear.recv(16)
        except OSError as error:
            pytest.skip(f"no multicast on this machine's loopback: {error}. Try: ip link set lo multicast on")


async def hosting(state: Path, *more: str) -> tuple[Process, str, str]:
    """A hosted table: the process, the server's address and the code of the room."""
    ana = await Process.start(CLIENT, *HOST.split(), "--name", "ana", *more, state=state)
    await ana.until("join with this line:\n  dicegames-client join ")
    server, _, room = (await ana.until("\n")).strip().partition("/")
    return ana, server, room


async def until_announced(server: str) -> None:
    """A test waits as long as necessary; the commands themselves search only for a moment."""
    async with NearbyBrowser() as lookout:
        for _ in range(20):
            if server in [near.address.server for near in await lookout.first_look()]:
                return
    raise AssertionError(f"{server} was never announced")


@pytest.mark.usefixtures("multicast")
async def test_a_table_is_found_by_its_code_alone_and_in_the_list(tmp_path: Path) -> None:
    ana, server, room = await hosting(tmp_path)
    await ana.until(f"Or just:  dicegames-client join {room}")
    await until_announced(server)
    mine: list[JsonObject] = []
    while not mine:
        code, text = await run(CLIENT, "rooms", "--json", state=tmp_path)
        entries = [parse_object(line) for line in text.splitlines() if line.startswith("{")]
        mine = [entry for entry in entries if entry["code"] == room]
    assert code == 0
    assert {"server": server, "code": room, "game": "doubles"}.items() <= mine[0].items()
    bo = await Process.start(CLIENT, "join", room.lower(), "--name", "bo", state=tmp_path / "bo")
    await ana.until("bo sits down.")
    await bo.until("'help' lists all commands.")
    cy = await Process.start(CLIENT, "watch", room, state=tmp_path / "cy")
    await cy.until("You are watching")


async def test_nobody_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network without servers; test_two_hosts.py has a real network."""

    async def nobody() -> Discovery:
        return Discovery((), ())

    monkeypatch.setattr(oneshot, "look_near", nobody)
    with pytest.raises(
        ClientError, match=r"No dicegames server was found on this network\. With an address: "
    ) as error:
        await oneshot.rooms(CommandLine(command="rooms"))
    assert error.value.code == 3


@pytest.mark.usefixtures("multicast")
async def test_a_table_that_does_not_announce_is_not_found(tmp_path: Path) -> None:
    ana, server, _ = await hosting(tmp_path, "--no-announce")
    await ana.until("'help' lists all commands.")
    assert "just:" not in ana.text.lower()
    async with NearbyBrowser() as lookout:
        assert server not in [near.address.server for near in await lookout.first_look()]


@pytest.mark.usefixtures("multicast")
async def test_what_is_announced_follows_the_table(serve: Serve) -> None:
    server = await serve(quick(announce=True))
    at = f"127.0.0.1:{server.port}"
    await until_announced(at)
    async with NearbyBrowser() as lookout:
        near: dict[str, Any] = {}
        while at not in near:  # one look is short: a busy machine needs another
            near = {found.address.server: found.told for found in await lookout.first_look()}
        assert (near[at].rooms, near[at].game, near[at].tls, near[at].understood) == (0, "", False, True)
        guest = Guest(Address("127.0.0.1", server.port))
        await guest.open()
        await guest.ask(Create(id="1", game="doubles", name="ana", seats=5))
        while at not in near or near[at].rooms == 0:
            await lookout.first_look()
            near = {found.address.server: found.told for found in lookout.servers}
        assert (near[at].rooms, near[at].game, near[at].seats) == (1, "Doubles", "1/5")
        await guest.close()


def entry(code: str) -> RoomEntry:
    return RoomEntry(
        code=code, game="doubles", title="Doubles", summary="", seated=1, capacity=8, phase="waiting", locked=False
    )


def test_a_server_that_is_seen_twice_counts_once() -> None:
    here, outside = Address("127.0.0.1", 8765), Address("192.168.1.23", 8765)
    other = Address("192.168.1.24", 8765)
    seen = joined(
        Discovery((here,), (Found(here, entry("KQ7M")),)),
        Discovery((outside, other), (Found(outside, entry("KQ7M")), Found(other, entry("XXXX")))),
    )
    assert [(found.server, found.room.code) for found in seen.rooms] == [(here, "KQ7M"), (other, "XXXX")]


class Chooser(LinePrompter):
    def __init__(self, present: bool) -> None:
        self.asked = ""
        self._present = present

    @property
    def present(self) -> bool:
        return self._present

    async def choose(self, question: str, choices: Any, names: Any = ()) -> int:
        self.asked = question
        return 1


async def test_a_private_room_is_where_there_is_one_server_or_where_somebody_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, two = Address("192.168.1.23", 8765), Address("192.168.1.24", 8765)
    around = Discovery((), ())

    async def look_near(**_: bool) -> Discovery:
        return around

    monkeypatch.setattr(finding, "look_near", look_near)
    with pytest.raises(ClientError, match="No dicegames server was found"):
        await server_with("KQ7M", Chooser(True))
    around = Discovery((one,), (Found(one, entry("XXXX")),))
    assert await server_with("KQ7M", Chooser(False)) == one.at("KQ7M")
    asked: list[str] = []

    async def question(text: str, **_: Any) -> str:
        asked.append(text)
        return "n"

    person = Chooser(True)
    monkeypatch.setattr(person, "question", question)
    with pytest.raises(ClientError, match="Ask the host for the whole line"):
        await server_with("KQ7M", person)
    assert "KQ7M is in no list. Is it a private room on 192.168.1.23:8765?" in asked[0]
    around = Discovery((one, two), (Found(two, entry("XXXX")),))
    assert await server_with("XXXX", Chooser(False)) == two.at("XXXX")
    person = Chooser(True)
    assert await server_with("KQ7M", person) == two.at("KQ7M")
    assert person.asked == "KQ7M is in no list. On which server is it?"
    with pytest.raises(ClientError, match=r"Name one: 192\.168\.1\.23:8765/KQ7M, 192\.168\.1\.24:8765/KQ7M"):
        await server_with("KQ7M", Chooser(False))

"""Connections inside the process: the same sessions, the same limits, no socket."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from dicegames_protocol.base import PROTOCOL_MAX, PROTOCOL_MIN
from dicegames_protocol.codec import decode_server, encode
from dicegames_protocol.messages.client import Chat, ClientMessage, Create, Hello
from dicegames_protocol.messages.server import CloseCode, Joined, ServerMessage, Welcome
from dicegames_server.app.service import Service
from dicegames_server.app.wiring import assemble
from dicegames_server.core.errors import Ended
from dicegames_server.lobby.server_identity import ServerIdentity
from dicegames_server.net.frames import framed, unframed
from dicegames_server.net.ssh.in_process import InProcess, InProcessLink
from support.eventually import eventually
from support.settings import quick


@pytest.fixture
async def server() -> AsyncIterator[Service]:
    made = assemble(quick())
    await made.environment.storage.start()
    made.lobby.know_itself(ServerIdentity.new())
    yield made
    await made.lobby.close_all("over")


@pytest.fixture
def links(server: Service) -> InProcess:
    return InProcess(server.environment, server.lobby, "test")


async def send(link: InProcessLink, message: ClientMessage) -> None:
    await link.send(encode(message).decode())


async def heard(link: InProcessLink, kind: type[ServerMessage]) -> ServerMessage:
    async with asyncio.timeout(20):
        while True:
            message = decode_server(await link.receive())
            if isinstance(message, kind):
                return message


async def seated(links: InProcess, name: str = "ana", *, over_ssh: bool = True) -> tuple[InProcessLink, Joined]:
    link = links.open("10.0.0.1", "")
    await send(link, Hello(protocol=(PROTOCOL_MIN, PROTOCOL_MAX), client="test", over_ssh=over_ssh))
    await heard(link, Welcome)
    await send(link, Create(id="1", game="farkle", name=name))
    joined = await heard(link, Joined)
    assert isinstance(joined, Joined)
    return link, joined


async def test_who_comes_over_ssh_can_not_deny_it(server: Service, links: InProcess) -> None:
    link, _ = await seated(links, over_ssh=False)
    (room,) = server.lobby.rooms
    assert room.state.seats[0].over_ssh
    await link.close(CloseCode.LEAVE)


async def test_who_leaves_gives_the_seat_up_and_who_is_cut_off_keeps_it(server: Service, links: InProcess) -> None:
    link, _ = await seated(links)
    (room,) = server.lobby.rooms
    assert room.state.seats[0].over_ssh
    link.abort()
    await asyncio.wait([link.over])
    assert list(room.state.seats.people) == [0]
    link, joined = await seated(links, "bo")
    assert await link.close(CloseCode.LEAVE)
    assert not any(room.code == joined.room for room in server.lobby.rooms)
    assert not server.lobby.address_limits.inside


async def test_the_end_is_told_after_what_was_said_before(links: InProcess) -> None:
    link, _ = await seated(links)
    for number in range(3):
        await send(link, Chat(id=str(number + 5), text="hello"))
    await eventually(lambda: len(link.peer._out) >= 3)
    link.peer.close(CloseCode.RESTARTING, "bye")
    for _ in range(3):
        await link.receive()
    with pytest.raises(Ended) as ended:
        while True:
            await link.receive()
    assert (ended.value.code, ended.value.reason) == (CloseCode.RESTARTING, "bye")
    with pytest.raises(Ended):
        await link.send("{}")
    await asyncio.wait([link.over])  # the task has noticed


async def test_limits_by_address_hold_here_too(server: Service) -> None:
    made = assemble(quick(connections_per_address=2))
    links = InProcess(made.environment, made.lobby, "test")
    kept = [links.open("10.0.0.1", "") for _ in range(2)]
    with pytest.raises(Ended, match="Too many"):
        links.open("10.0.0.1", "")
    links.open("10.0.0.2", "").abort()
    for link in kept:
        link.abort()
        await asyncio.wait([link.over])
    await eventually(lambda: not made.lobby.address_limits.inside)


async def test_a_client_that_does_not_read_is_cut_off(links: InProcess) -> None:
    link, _ = await seated(links)
    for _ in range(1000):
        link.peer.send(b"x" * 1024)
    assert link.peer.ended and link.peer.ended[0] == CloseCode.TOO_SLOW
    assert len(link.peer._out) < 300


async def test_nonsense_is_answered_and_then_ends_it(links: InProcess) -> None:
    link, _ = await seated(links)
    with pytest.raises(Ended):
        for _ in range(100):
            await link.send("nonsense")
            await asyncio.sleep(0)
    assert link.peer.ended and link.peer.ended[0] == CloseCode.BAD_MESSAGE


async def test_when_the_server_stops_all_end_and_nobody_comes_in(links: InProcess) -> None:
    link, _ = await seated(links)
    await links.stop()
    assert link.over.done()
    with pytest.raises(Ended):
        links.open("10.0.0.1", "")


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65535, 65536, 100_000])
def test_a_frame_gives_its_data_back(size: int) -> None:
    data = b"x" * size
    assert unframed(framed(data)) == data

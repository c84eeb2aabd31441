"""Redirects from node to node: at most three, only within the same site, and no token is sent on the way."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from dicegames_client.base.address import Address
from dicegames_client.base.errors import NETWORK, REFUSED, ClientError
from dicegames_client.guest.events import Lost, News
from dicegames_client.guest.guest import Guest
from dicegames_protocol.codec import encode
from dicegames_protocol.messages.client import AddBot, Chat, Create, Join, Start, Watch
from dicegames_protocol.messages.server import Ack, Error, Joined, Redirect
from dicegames_protocol.table import Move
from dicegames_server.app.service import Service
from dicegames_server.settings import Settings
from support.hurry import hurried
from support.ports import free_port
from support.relay import Relay
from support.settings import quick
from support.ssh import NO_TERMINAL, ssh_user

Serve = Callable[[Settings], Awaitable[Service]]


class Signpost:
    """A server that only answers with a redirect."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.heard: list[str] = []
        self.paths: list[str] = []

    async def answer(self, socket: ServerConnection) -> None:
        assert socket.request
        self.paths.append(socket.request.path)
        async for frame in socket:
            self.heard.append(str(frame))
            await socket.send(encode(Redirect(url=self.url)).decode())


@pytest.fixture
async def signpost() -> AsyncIterator[tuple[Signpost, Address]]:
    made = Signpost("")
    async with serve(made.answer, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield made, Address("127.0.0.1", port)


async def test_no_token_goes_to_a_node_that_only_shows_the_way(
    signpost: tuple[Signpost, Address], server: Service
) -> None:
    post, address = signpost
    post.url = f"ws://127.0.0.1:{server.port}/r/KQ7M"
    guest = Guest(address.at("KQ7M"))
    await guest.open()
    joined = await guest.ask(Create(id="1", game="doubles", name="ana"))
    assert isinstance(joined, Joined)
    assert post.paths == ["/r/KQ7M"]
    assert [frame for frame in post.heard if "token" in frame] == []
    token = guest.store.tokens[0]
    guest.drop()
    async for heard in guest.news():
        if isinstance(heard, News) and heard.message.type == "caught_up":
            break
    assert post.paths[-1] == f"/r/{joined.room}"  # back to the public address, with the room that we are in
    assert not any(token in frame for frame in post.heard)
    await guest.close()


async def test_a_circle_is_left_after_three_rounds(signpost: tuple[Signpost, Address]) -> None:
    post, address = signpost
    post.url = f"ws://127.0.0.1:{address.port}/r/KQ7M"
    with pytest.raises(ClientError, match="from one machine to the next") as error:
        await Guest(address.at("KQ7M"), sleep=hurried).open()
    assert error.value.code == NETWORK
    assert len(post.paths) == 4


async def test_a_node_that_can_not_have_the_room_says_so_once(signpost: tuple[Signpost, Address]) -> None:
    post, address = signpost
    asked: list[str] = []

    async def refuse(socket: ServerConnection) -> None:
        asked.append(str(await socket.recv()))
        await socket.send(encode(Error(code="unavailable", message="It can't be reached from here.")).decode())

    async with serve(refuse, "127.0.0.1", 0) as server:
        post.url = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}/r/KQ7M"
        with pytest.raises(ClientError, match="It can't be reached from here") as error:
            await Guest(address.at("KQ7M"), sleep=hurried).open()
    assert error.value.code == NETWORK  # so that whoever has a seat there comes back later
    assert len(asked) == 1


async def test_nobody_follows_to_another_site(signpost: tuple[Signpost, Address]) -> None:
    post, address = signpost
    post.url = "ws://elsewhere.example/r/KQ7M"
    with pytest.raises(ClientError, match="another site") as error:
        await Guest(address.at("KQ7M")).open()
    assert error.value.code == REFUSED


async def test_a_node_that_is_gone_is_asked_for_again_at_the_public_address(
    signpost: tuple[Signpost, Address], server: Service
) -> None:
    post, address = signpost
    post.url = "ws://127.0.0.1:1/r/KQ7M"
    waits = 0

    async def another_takes_over(delay: float) -> None:
        nonlocal waits
        waits += 1
        post.url = f"ws://127.0.0.1:{server.port}/r/KQ7M"

    guest = Guest(address.at("KQ7M"), sleep=another_takes_over)
    await guest.open()
    assert waits == 1
    await guest.close()


async def seen_by_all(guests: list[Guest], known: Callable[[Guest], bool]) -> None:
    """Until every client has seen it, without having lost the connection."""
    for guest in guests:
        async with asyncio.timeout(10):
            news = guest.news()
            while not known(guest):
                assert not isinstance(await anext(news), Lost)


async def test_two_nodes_are_one_server_to_whoever_plays(database: str, serve: Serve) -> None:
    ports = [free_port(), free_port()]
    one, two = [
        await serve(quick(data=database, port=port, node_url=f"ws://127.0.0.1:{port}", bot_seconds=60))
        for port in ports
    ]
    public = Address("127.0.0.1", two.port)
    ana, bo = Guest(Address("127.0.0.1", one.port)), Guest(public)
    await ana.open()
    joined = await ana.ask(Create(id="1", game="double-or-nothing", name="ana", options={"best_of": 99}))
    assert isinstance(joined, Joined)
    await bo.open()  # without a room in its address: sent on when it asks
    assert isinstance(await bo.ask(Join(id="1", room=joined.room, name="bo")), Joined)
    cy = Guest(public.at(joined.room))  # with it: sent on when it says hello
    await cy.open()
    assert isinstance(await cy.ask(Watch(id="1", room=joined.room)), Joined)
    guests = [ana, bo, cy]
    assert len(list(one.lobby.rooms[0]._audience.peers)) == 3
    await ana.ask(Start(id="2"))
    await seen_by_all(guests, lambda guest: guest.store.phase == "playing")
    assert one.cluster
    assert [other.url for other in one.cluster.others] in ([], [f"ws://127.0.0.1:{two.port}"])
    await one.cluster.move_all()  # as when it is drained; it looks first who else is there
    await seen_by_all(guests, lambda guest: guest.store.epoch > 1)
    assert (len(one.lobby.rooms), len(two.lobby.rooms)) == (0, 1)
    for _ in range(6):
        mover = next(guest for guest in guests if guest.store.wanted() is not None)
        seat, before = mover.store.wanted(), mover.store.seq
        assert seat is not None
        await mover.move(seat, Move(take=min(mover.store.offers(seat))))
        await seen_by_all(guests, lambda guest, before=before: guest.store.seq > before)  # type: ignore[misc]
    assert ana.store.table == bo.store.table == cy.store.table
    for guest in guests:
        await guest.close()


async def test_who_came_over_ssh_is_sent_on_like_everybody(database: str, serve: Serve, tmp_path: Path) -> None:
    """The room is on the other node; then it moves to the one whose ssh port was called."""
    one, two = [
        await serve(
            quick(
                data=database,
                port=port,
                node_url=f"ws://127.0.0.1:{port}",
                node_folder=str(tmp_path / str(port)),
                ssh=free_port(),
                ssh_logins_per_minute=0,
            )
        )
        for port in (free_port(), free_port())
    ]
    ana = Guest(Address("127.0.0.1", one.port))
    await ana.open()
    joined = await ana.ask(Create(id="1", game="double-or-nothing", name="ana", options={"first": "1"}))
    assert isinstance(joined, Joined)
    async with ssh_user(two.ssh_port, joined.room, term=NO_TERMINAL) as cy:
        await cy.until_said("Your name:")
        cy.press("cy\n")
        await cy.until_said("'help' lists all commands.")
        assert len(list(one.lobby.rooms[0]._audience.peers)) == 2
        assert one.lobby.rooms[0].state.seats[1].over_ssh
        await ana.ask(Start(id="2"))
        assert one.cluster
        await one.cluster.move_all()
        await seen_by_all([ana], lambda guest: guest.store.epoch > 1)
        assert (len(one.lobby.rooms), len(two.lobby.rooms)) == (0, 1)
        await ana.move(0, Move(take="add"))
        await cy.until_said("choose 'add' to add one or 'double' to double it")
        cy.press("add\n")
        await cy.until_said("You chose to add one.")
    await ana.close()


async def test_what_was_asked_when_the_room_moved_is_asked_again(
    database: str, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the command could act twice: then the player is told."""
    one, two = [
        await serve(quick(data=database, port=port, node_url=f"ws://127.0.0.1:{port}"))
        for port in (free_port(), free_port())
    ]
    ana = Guest(Address("127.0.0.1", one.port))
    await ana.open()
    await ana.ask(Create(id="1", game="doubles", name="ana"))
    await ana.ask(AddBot(id="2"))
    (room,) = one.lobby.rooms
    room._mailbox.pause()
    for message in (Chat(id="3", text="hello"), Start(id="4"), Chat(id="5", text="hello?")):
        await ana.send(message)
    monkeypatch.setattr(room, "stand_still", AsyncMock(return_value=True))
    one.lobby.registry.elsewhere = lambda key: f"ws://127.0.0.1:{two.port}"
    await one.lobby.registry.move(room)
    answers: dict[str, str] = {}
    async with asyncio.timeout(10):
        async for heard in ana.news():
            assert isinstance(heard, News)
            if isinstance(heard.message, Ack | Error):
                answers[heard.message.id or ""] = heard.message.type
            if len(answers) == 3:
                break
    assert answers == {"3": "error", "4": "ack", "5": "error"}
    assert [len(node.lobby.rooms) for node in (one, two)] == [0, 1]
    await ana.close()


async def test_a_node_that_is_just_coming_is_waited_for(database: str, serve: Serve) -> None:
    """For example, a load balancer does not know it yet. A client redirected there does not lose the connection."""
    waits: list[float] = []

    async def until_it_is_there(seconds: float) -> None:
        waits.append(seconds)
        relay.refusing = False

    one, two = await serve(quick(data=database)), await serve(quick(data=database))
    relay = Relay(two.port)
    await relay.start()
    relay.refusing = True
    ana = Guest(Address("127.0.0.1", one.port), sleep=until_it_is_there)
    await ana.open()
    await ana.ask(Create(id="1", game="doubles", name="ana"))
    (room,) = one.lobby.rooms
    one.lobby.registry.elsewhere = lambda key: f"ws://127.0.0.1:{relay.port}"
    await one.lobby.registry.move(room)
    await seen_by_all([ana], lambda guest: guest.store.epoch > 1)
    assert waits == [1.0]
    assert [len(node.lobby.rooms) for node in (one, two)] == [0, 1]
    await ana.close()
    await relay.stop()


async def test_a_proxy_with_nobody_behind_it_gets_a_sentence() -> None:
    def nobody(connection: ServerConnection, request: Request) -> Response:
        return connection.respond(503, "no server is available")

    async with serve(Signpost("").answer, "127.0.0.1", 0, process_request=nobody) as proxy:
        port = next(iter(proxy.sockets)).getsockname()[1]
        with pytest.raises(ClientError, match="its games are not there just now") as error:
            await Guest(Address("127.0.0.1", port)).open()
    assert error.value.code == NETWORK

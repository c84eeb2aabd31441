"""A fast host reaches the server's limits, and loses nothing."""

import socket

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from dicegames_client.base.address import Address
from dicegames_client.base.errors import ClientError
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create
from dicegames_server.net.socket_peer import SocketPeer
from e2e.conftest import Serve
from support.settings import quick


async def test_too_many_connections_from_one_address(serve: Serve) -> None:
    server = await serve(quick(connections_per_address=2))
    address = Address("127.0.0.1", server.port)
    guests = [Guest(address) for _ in range(3)]
    await guests[0].open()
    await guests[1].open()
    with pytest.raises(ClientError, match="Too many connections from your address"):
        await guests[2].open()
    await guests[0].close()
    for guest in guests[1:2]:
        await guest.close()


async def test_web_pages_are_refused_unless_they_are_listed(serve: Serve) -> None:
    server = await serve(quick(origins=("https://dice.example.org",)))
    url = f"ws://127.0.0.1:{server.port}/"
    async with connect(url, origin=Origin("https://dice.example.org"), proxy=None):
        pass
    with pytest.raises(InvalidStatus) as refused:
        async with connect(url, origin=Origin("https://elsewhere.example"), proxy=None):
            pass
    assert refused.value.response.status_code == 403


async def test_answers_are_sent_at_once(serve: Serve) -> None:
    """Without TCP_NODELAY every second answer would wait 40 ms for the acknowledgement of the first one."""
    server = await serve(quick())
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    await guest.ask(Create(id="1", game="doubles", name="ana"))
    (room,) = server.lobby.rooms
    (link,) = room._audience.peers
    assert isinstance(link, SocketPeer)
    accepted = link.socket.transport.get_extra_info("socket")
    assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
    await guest.close()

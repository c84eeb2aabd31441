"""What the server logs: connections and disconnections, but no secrets and no terminal control sequences."""

import signal
from pathlib import Path

from websockets.asyncio.client import connect

from dicegames_client.base.address import Address
from dicegames_client.base.player_identity import PlayerIdentity
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Chat, Create, Join, Resume
from dicegames_protocol.messages.server import Error, Joined
from support.process import Process

SERVER = "dicegames_server"


async def test_no_secrets_and_no_escapes_in_the_log(tmp_path: Path) -> None:
    server = await Process.start(
        SERVER,
        *("--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path / "data")),
        state=tmp_path,
        DICEGAMES_TRUSTED_PROXIES="127.0.0.1",
    )
    await server.until("port ")
    address = Address("127.0.0.1", int((await server.until("\n")).strip()))
    key = "ab" * 16
    guest = Guest(address, client="client\x1b[2J", player=PlayerIdentity(bytes.fromhex(key)))
    await guest.open()
    joined = await guest.ask(Create(id="1", game="doubles", name="zebra", password="swordfish"))
    assert isinstance(joined, Joined) and joined.seat_token
    await guest.ask(Chat(id="2", text="abracadabra"))
    other = Guest(address)
    await other.open()
    for message in (
        Join(id="3", room=joined.room, name="okapi", password="not the word"),
        Resume(id="4", room=joined.room, seat_token="stolen-token", epoch=1, last_seq=1),
        Join(id="5", room="\x1b[31mRED", name="okapi"),
    ):
        assert isinstance(await other.try_ask(message), Error)
    forged = {"X-Forwarded-For": "owned\xe9, 198.51.100.7"}
    async with connect(address.url, proxy=None, additional_headers=forged):
        pass
    await guest.close()
    await other.close()
    server.signal(signal.SIGTERM)
    assert await server.ended() == 0
    assert f"room {joined.room} opened" in server.text
    assert "198.51.100.7 connected" in server.text
    for secret in (
        "zebra",
        "okapi",
        "swordfish",
        "not the word",
        "abracadabra",
        joined.seat_token,
        "stolen-token",
        key,
    ):
        assert secret not in server.text
    assert all(char.isprintable() or char == "\n" for char in server.text)

"""Hostile peers, one by one, against a real server while others play. Each test prints its figure:

    .venv/bin/pytest -s tests/e2e/test_hostile_peers.py

The attacker has another loopback address than the bystanders, so that limits by address distinguish them.
"""

import asyncio
import contextlib
import socket
import time
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from dicegames_client.base.address import Address
from dicegames_protocol.codec import decode_server, encode
from dicegames_protocol.messages.client import (
    ClientMessage,
    Create,
    FetchLog,
    Hello,
    Identify,
    Join,
    Kick,
    ListRooms,
    MakeMove,
    Resume,
    Watch,
)
from dicegames_protocol.messages.server import Ack, CaughtUp, Error, Joined, Rooms, ServerMessage, Welcome
from dicegames_protocol.network.identity import player_seed, player_statement
from dicegames_protocol.network.signatures import Signer
from dicegames_protocol.table import Move, RoomEntry
from dicegames_server.app.service import Service
from dicegames_server.net.socket_peer import SocketPeer
from dicegames_server.room.room import Room
from e2e.conftest import Serve
from support.bystanders import undisturbed
from support.posix import memory
from support.raw import UPGRADE, frame
from support.settings import quick

ATTACKER = "127.0.0.66"


def figure(text: str) -> None:
    print(f"  {text}")


def url(server: Service) -> str:
    return f"ws://127.0.0.1:{server.port}/"


def here(server: Service) -> Address:
    return Address("127.0.0.1", server.port)


class Peer:
    """A client that need not follow the protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def ask(self, message: ClientMessage) -> ServerMessage:
        await self.socket.send(encode(message).decode())
        wanted = getattr(message, "id", None)
        while True:
            answer = decode_server(await self.socket.recv())
            if isinstance(answer, Welcome) or (wanted and getattr(answer, "id", None) == wanted):
                return answer

    async def refused(self, message: ClientMessage) -> Error:
        answer = await self.ask(message)
        assert isinstance(answer, Error), answer
        return answer

    async def joined(self, message: Create | Join | Watch) -> Joined:
        answer = await self.ask(message)
        assert isinstance(answer, Joined), answer
        return answer


@contextlib.asynccontextmanager
async def peer(server: Service, *, address: str = ATTACKER, key: str | None = None) -> AsyncIterator[Peer]:
    async with connect(url(server), proxy=None, local_addr=(address, 0), close_timeout=1) as socket:
        made = Peer(socket)
        welcome = await made.ask(Hello(protocol=(3, 3), client="hostile", challenge="c" * 64))
        if key:
            assert isinstance(welcome, Welcome)
            signer = Signer(player_seed(key.encode(), welcome.id))
            proof = signer.sign(player_statement(welcome.id, welcome.challenge, ""))
            await made.ask(Identify(id="identify", key=signer.key, proof=proof))
        yield made


async def raw(server: Service) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", server.port, local_addr=(ATTACKER, 0))


async def raw_websocket(server: Service) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A websocket whose frames we write by hand."""
    reader, writer = await raw(server)
    writer.write(UPGRADE)
    await reader.readuntil(b"\r\n\r\n")
    return reader, writer


async def close_code(reader: asyncio.StreamReader) -> int | None:
    """Read to the end; return the code of the close frame, if there was one."""
    data = b""
    with contextlib.suppress(ConnectionError):
        while chunk := await reader.read(65536):
            data += chunk
    frame = data.rfind(b"\x88")
    return int.from_bytes(data[frame + 2 : frame + 4], "big") if frame >= 0 and len(data) > frame + 3 else None


async def ended(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        while await reader.read(65536):
            pass


async def hear(socket: ClientConnection) -> None:
    with contextlib.suppress(ConnectionClosed):
        while True:
            await socket.recv()


def unsent(link: object) -> int:
    assert isinstance(link, SocketPeer)
    return link.socket.transport.get_write_buffer_size()


async def test_no_greeting(serve: Serve) -> None:
    server = await serve(quick(greeting_seconds=0.2))
    async with undisturbed(here(server)):
        reader, writer = await raw_websocket(server)
        began = time.perf_counter()
        assert await close_code(reader) == 4002
        figure(f"no greeting: closed with 4002 after {time.perf_counter() - began:.2f} s (limit 0.2 s, by default 5 s)")
        writer.close()
    await server.stop()  # then every end has been counted
    assert server.environment.metrics.cuts["bad_message"] == 1


async def test_half_a_frame_for_ever(serve: Serve) -> None:
    server = await serve(quick(ping_seconds=0.2, ping_timeout_seconds=0.2, close_seconds=0.1))
    async with undisturbed(here(server)):
        reader, writer = await raw_websocket(server)
        began = time.perf_counter()
        writer.write(b"\x81\xfe\x10\x00\x00\x00\x00\x00half of it")
        await ended(reader)
        figure(f"half a frame: cut after {time.perf_counter() - began:.2f} s (ping 0.2 + 0.2 s, close 0.1 s)")
        writer.close()


async def test_a_dead_peer_is_noticed_by_the_heartbeat(serve: Serve) -> None:
    """It has said hello and has a seat, and then answers no ping, like a machine whose cable was pulled."""
    server = await serve(quick(ping_seconds=0.2, ping_timeout_seconds=0.2, close_seconds=0.1))
    async with undisturbed(here(server)):
        reader, writer = await raw_websocket(server)
        writer.write(frame(encode(Hello(protocol=(3, 3), client="dead"))))
        began = time.perf_counter()
        await ended(reader)
        figure(f"dead peer: noticed after {time.perf_counter() - began:.2f} s (ping 0.2 + 0.2 s, close 0.1 s)")
        writer.close()
    await server.stop()  # then every end has been counted
    assert server.environment.metrics.cuts["silent"] == 1


async def test_a_flood_of_messages(serve: Serve) -> None:
    server = await serve(quick(messages_per_second=10, message_burst=20))
    sent = 0
    async with undisturbed(here(server)), peer(server) as flooder:
        listening = asyncio.ensure_future(hear(flooder.socket))
        with contextlib.suppress(ConnectionClosed):
            for sent in range(100_000):  # noqa: B007
                await flooder.socket.send('{"type":"ping","id":"x"}')
        await listening
        assert flooder.socket.close_code == 4008
    await server.stop()  # then every end has been counted
    assert server.environment.metrics.cuts["rate"] == 1
    refused = server.environment.metrics.errors["rate_limited"]
    figure(f"flood: closed with 4008 after {refused} refusals; {sent} were sent until then")
    assert refused == 20


@pytest.mark.parametrize(
    ("what", "opcode", "final"),
    [("pings", 9, True), ("pongs that nobody asked for", 10, True), ("fragments", 1, False)],
)
async def test_a_flood_of_frames_that_are_no_messages(serve: Serve, what: str, opcode: int, final: bool) -> None:
    """18 connections with 300,000 pings a second kept everybody else waiting for 1.7 s."""
    server = await serve(quick(messages_per_second=10, message_burst=20))
    many = frame(b"", opcode, final=final) + 20_000 * frame(b"", 0 if not final else opcode, final=final)
    async with undisturbed(here(server)):
        readers = []
        for _ in range(18):
            reader, writer = await raw_websocket(server)
            writer.write(frame(encode(Hello(protocol=(3, 3), client="flood"))))
            writer.write(many)
            readers.append(reader)
        answered = 0
        for reader in readers:
            with contextlib.suppress(ConnectionError):
                while chunk := await reader.read(65536):
                    answered += chunk.count(b"\x8a\x00")
    await server.stop()
    assert server.environment.metrics.cuts["rate"] == 18
    figure(f"{what}: 18 connections with 20,000 each are cut off; {answered:,} were answered")
    assert answered <= 18 * 400


async def test_a_list_of_many_rooms_is_worked_out_once_a_second(serve: Serve) -> None:
    """With 1,500 rooms, every `rooms` was an answer of 264 KB, and others waited for 239 ms."""
    server = await serve(quick())
    for number in range(250):
        await server.lobby.create(Create(id="1", game="doubles", name="ana", public=number < 240))
    looks = 0
    entry = Room.entry

    def counted(room: Room) -> RoomEntry:
        nonlocal looks
        looks += 1
        return entry(room)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Room, "entry", counted)
        async with undisturbed(here(server)), peer(server) as curious:
            sizes, codes = [], set()
            for number in range(300):
                answer = await curious.ask(ListRooms(id=f"{number}", skip=number % 3 * 100))
                assert isinstance(answer, Rooms)
                assert answer.more == (number % 3 < 2)
                sizes.append(len(encode(answer)))
                codes |= {found.code for found in answer.rooms}
    figure(f"list of rooms: 300 answers of at most {max(sizes):,} bytes; rooms were looked at {looks:,} times")
    assert len(codes) >= 240
    assert looks <= 20 * 250


async def test_a_thousand_connects(serve: Serve) -> None:
    server = await serve(quick(connections_per_address=20))
    opened: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    async with undisturbed(here(server)):
        for _ in range(1000):
            with contextlib.suppress(ConnectionError):
                opened.append(await raw(server))
        knocking = server.lobby.address_limits.knocking(ATTACKER)
        figure(f"1,000 connects: {knocking} are kept until they have opened, the others are dropped at once")
        assert knocking == 80
    for _, writer in opened:
        writer.close()


async def test_more_connections_than_allowed_are_told_so(serve: Serve) -> None:
    server = await serve(quick(connections_per_address=3))
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(3):
            await stack.enter_async_context(peer(server))
        refused = await stack.enter_async_context(connect(url(server), proxy=None, local_addr=(ATTACKER, 0)))
        answer = decode_server(await refused.recv())
        assert isinstance(answer, Error)
        assert (answer.code, answer.message) == ("rate_limited", "Too many connections from your address.")
        await refused.wait_closed()
        assert refused.close_code == 4008


async def test_a_spectator_that_never_reads(serve: Serve) -> None:
    """The kernel's send buffer is 16 KiB, as on a slow connection; everything else that is unsent is in the process."""
    server = await serve(quick(chat_per_second=1e6, chat_burst=10**6, kernel_buffer=16 * 1024))
    async with peer(server, address="127.0.0.1") as ana:
        room = (await ana.joined(Create(id="1", game="doubles", name="ana"))).room
        sleeper = socket.socket()
        sleeper.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sleeper.bind((ATTACKER, 0))
        sleeper.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(sleeper, ("127.0.0.1", server.port))
        await loop.sock_sendall(sleeper, UPGRADE)
        for message in (Hello(protocol=(3, 3), client="sleeper"), Watch(id="w", room=room)):
            await loop.sock_sendall(sleeper, frame(encode(message)))
        most = 0
        async with undisturbed(here(server)):
            for number in range(5000):
                await ana.socket.send(f'{{"type":"chat","id":"{number}","text":"{"x" * 250}"}}')
                await ana.socket.recv()
                most = max(most, *(unsent(link) for table in server.lobby.rooms for link in table._audience.peers))
                if server.environment.metrics.cuts["too_slow"]:
                    break
        sleeper.close()
    assert server.environment.metrics.cuts["too_slow"] == 1
    assert most <= 300 * 1024
    figure(f"never reads: cut with {most / 1024:.0f} KiB unsent (limit 64 KiB)")


async def test_guessing_codes(serve: Serve) -> None:
    server = await serve(quick(failed_joins_per_minute=10))
    async with undisturbed(here(server)), peer(server) as guesser:
        tries = 0
        while (await guesser.refused(Join(id=f"{tries}", room="AAAA", name="x"))).code == "no_such_room":
            tries += 1
        figure(f"code guessing: {tries} tries per minute and address")
        assert tries == 10
    async with peer(server) as again:  # a new connection does not help
        assert (await again.refused(Watch(id="w", room="AAAA"))).code == "rate_limited"
        assert (await again.refused(FetchLog(id="f", room="AAAA"))).code == "rate_limited"


async def test_wrong_tokens(serve: Serve) -> None:
    server = await serve(quick(failed_joins_per_minute=10))
    async with undisturbed(here(server)), peer(server, address="127.0.0.1") as ana, peer(server) as thief:
        room = (await ana.joined(Create(id="1", game="doubles", name="ana"))).room

        def resume(number: int) -> Resume:
            return Resume(id=f"{number}", room=room, seat_token=f"{number:043}", epoch=1, last_seq=1)

        tries = 0
        while (await thief.refused(resume(tries))).code == "unauthorized":
            tries += 1
        figure(f"wrong tokens: {tries} tries per minute and address, of 2 ** 256")
        assert tries == 10


async def test_a_token_is_good_for_one_seat_of_one_room_as_long_as_it_is_held(serve: Serve) -> None:
    server = await serve(quick())
    async with peer(server) as ana, peer(server) as bo, peer(server) as thief:
        mine = await ana.joined(Create(id="1", game="doubles", name="ana"))
        other = await bo.joined(Create(id="1", game="doubles", name="bo"))
        assert mine.seat_token and other.seat_token
        crossed = Resume(id="1", room=other.room, seat_token=mine.seat_token, epoch=1, last_seq=1)
        assert (await thief.refused(crossed)).code == "unauthorized"
        await ana.socket.send('{"type":"leave","id":"l"}')
        gone = Resume(id="2", room=mine.room, seat_token=mine.seat_token, epoch=1, last_seq=1)
        assert (await thief.refused(gone)).code in ("unauthorized", "no_such_room")
        stolen = Resume(id="3", room=other.room, seat_token=other.seat_token, epoch=1, last_seq=1)
        assert isinstance(await thief.ask(stolen), CaughtUp)  # who has the token has the seat, and only one has it:
        await bo.socket.wait_closed()
        assert bo.socket.close_code == 4009
    figure("replayed token: of no use in another room or after leaving; in use it evicts the older connection")


async def test_oversized_messages(serve: Serve) -> None:
    server = await serve(quick())
    async with undisturbed(here(server)):
        async with peer(server) as large:
            await large.socket.send("x" * 9000)
            answer = decode_server(await large.socket.recv())
            assert isinstance(answer, Error) and answer.code == "too_large"
            await large.socket.send("x" * 20_000)
            await large.socket.wait_closed()
            assert large.socket.close_code == 1009
        before = memory() // 1024
        reader, writer = await raw_websocket(server)
        writer.write(b"\x81\xff" + (2**62).to_bytes(8, "big") + b"\0\0\0\0" + b"x" * 1000)
        assert await close_code(reader) == 1009
        writer.close()
        grown = memory() // 1024 - before
        figure(f"oversized: over 8 KiB an error, over 16 KiB closed with 1009; 4 EiB announced cost {grown} KiB")
    await server.stop()  # then every end has been counted
    assert server.environment.metrics.cuts["too_large"] == 2


async def test_a_compression_bomb(serve: Serve) -> None:
    """Compression is not offered; a frame that claims to be compressed violates the protocol."""
    server = await serve(quick())
    async with undisturbed(here(server)):
        async with connect(url(server), proxy=None, compression="deflate") as wishful:
            assert wishful.response and "Sec-WebSocket-Extensions" not in wishful.response.headers
        bomb = zlib.compress(b"0" * 10_000_000, 9)[2:-4][:4000]
        reader, writer = await raw_websocket(server)
        writer.write(b"\xc1\xfe" + len(bomb).to_bytes(2, "big") + b"\0\0\0\0" + bomb)
        assert await close_code(reader) == 1002
        writer.close()
    figure("compression bomb: never unpacked, closed with 1002")


async def test_a_slow_loris_handshake(serve: Serve) -> None:
    server = await serve(quick(handshake_seconds=0.3, connections_per_address=20))
    async with undisturbed(here(server)):
        lorises = [await raw(server) for _ in range(40)]
        began = time.perf_counter()
        for _, writer in lorises:
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        await asyncio.gather(*(ended(reader) for reader, _ in lorises))
        figure(f"slow loris: 40 handshakes cut after {time.perf_counter() - began:.2f} s (limit 0.3 s, by default 5 s)")
        for _, writer in lorises:
            writer.close()
    assert server.lobby.address_limits.knocking(ATTACKER) == 0


async def test_a_handshake_that_never_ends_its_headers(serve: Serve) -> None:
    server = await serve(quick())
    async with undisturbed(here(server)):
        for flood in (b"X: y\r\n" * 100_000, b"X: " + b"y" * 1_000_000, b"\x16\x03\x01" + b"\0" * 100_000):
            reader, writer = await raw(server)
            with contextlib.suppress(ConnectionError):
                writer.write(b"GET / HTTP/1.1\r\n" + flood)
                await writer.drain()
            await ended(reader)
            writer.close()


async def test_a_tls_handshake_that_never_comes(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    server = await serve(quick(tls="self", handshake_seconds=0.3))
    async with undisturbed(Address("127.0.0.1", server.port, secure=True)):
        reader, writer = await raw(server)
        began = time.perf_counter()
        await ended(reader)
        figure(f"TLS that never comes: cut after {time.perf_counter() - began:.2f} s (limit 0.3 s)")
        writer.close()


async def test_moves_for_another_seat_and_by_a_spectator(serve: Serve) -> None:
    server = await serve(quick())
    async with peer(server) as ana, peer(server) as bo, peer(server) as watcher:
        room = (await ana.joined(Create(id="1", game="doubles", name="ana"))).room
        await bo.joined(Join(id="1", room=room, name="bo"))
        await watcher.joined(Watch(id="1", room=room))
        roll = MakeMove(id="m", seq=3, seat=0, move=Move(take="roll"))
        for cheat in (bo, watcher):
            assert (await cheat.refused(roll)).code == "unauthorized"
        assert (await watcher.refused(roll.but(id="n", seat=None))).code == "unauthorized"
        assert (await bo.refused(Kick(id="k", target=0))).code == "unauthorized"
    figure("a move for another's seat, by a spectator, or as host by a guest: unauthorized")


async def test_kicked_and_back_by_reconnect(serve: Serve) -> None:
    server = await serve(quick())
    async with peer(server, address="127.0.0.1") as ana:
        room = (await ana.joined(Create(id="1", game="doubles", name="ana"))).room
        async with peer(server) as bo:
            seat = (await bo.joined(Join(id="1", room=room, name="bo"))).seat
            assert seat is not None
            assert isinstance(await ana.ask(Kick(id="k", target=seat)), Ack)
        tries = [("bo", None), ("carl", None), ("carl", "a" * 64)]
        for name, key in tries:
            async with peer(server, key=key) as again:
                error = await again.refused(Join(id="j", room=room, name=name))
                assert (error.code, error.message) == ("unauthorized", "The host has removed you from this room.")
    figure(f"kicked: {len(tries)} of {len(tries)} ways back by reconnecting are closed for 15 minutes")


async def test_a_hundred_rooms_from_one_address(serve: Serve) -> None:
    server = await serve(quick(rooms_per_address=20))
    refused = 0
    async with undisturbed(here(server)):
        for _ in range(100):
            async with connect(url(server), proxy=None, local_addr=(ATTACKER, 0)) as socket:
                greedy = Peer(socket)
                await greedy.ask(Hello(protocol=(3, 3), client="greedy"))
                refused += isinstance(await greedy.ask(Create(id="1", game="doubles", name="x")), Error)
                socket.transport.abort()
    figure(f"a hundred rooms: {100 - refused} opened, {refused} refused")
    assert refused == 80

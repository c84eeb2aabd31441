"""However frames are combined and cut, each command is handled once, and answers come in order."""

import asyncio
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from dicegames_server.app.service import Service
from dicegames_server.net.batching import Batching
from dicegames_server.net.connection import Connection
from dicegames_server.net.frames import framed, lone_frame
from dicegames_server.net.socket_peer import SocketPeer
from e2e.conftest import Serve
from support.raw import UPGRADE, frame
from support.settings import quick

HELLO = b'{"type":"hello","protocol":[3,3],"client":"test"}'
CREATE = b'{"type":"create","id":"c","game":"doubles","name":"ana"}'
ROUNDS = 60


@given(st.binary(max_size=300))
def test_a_frame_of_ours_is_a_frame_of_the_library(payload: bytes) -> None:
    assert framed(payload) == Frame(Opcode.TEXT, payload).serialize(mask=False)


@given(
    st.binary(max_size=200), st.sampled_from([Opcode.TEXT, Opcode.BINARY, Opcode.CONT]), st.booleans(), st.booleans()
)
def test_only_one_small_whole_masked_text_frame_is_read_without_the_library(
    payload: bytes, opcode: Opcode, final: bool, mask: bool
) -> None:
    made = Frame(opcode, payload, fin=final).serialize(mask=mask)
    plain = opcode is Opcode.TEXT and final and mask and len(payload) < 126
    assert lone_frame(made) == (payload if plain else None)
    assert lone_frame(made[:-1]) is None
    assert lone_frame(made + b"\x81") is None


@given(st.binary(max_size=200))
def test_any_bytes_are_no_frame_or_one(data: bytes) -> None:
    found = lone_frame(data)
    assert found is None or len(found) == len(data) - 6


class Peer:
    """A peer at a table. Its bytes are given to the server's connection as if they came from the socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self.connection: Connection
        self.closed_with = 0

    @classmethod
    async def sit(cls, server: Service) -> "Peer":
        peer = cls(*await asyncio.open_connection("127.0.0.1", server.port))
        peer.writer.write(UPGRADE)
        await peer._reader.readuntil(b"\r\n\r\n")
        peer.writer.write(Frame(Opcode.TEXT, HELLO).serialize(mask=True))
        peer.writer.write(Frame(Opcode.TEXT, CREATE).serialize(mask=True))
        await peer.answer()
        *_, room = server.lobby.rooms  # the newest
        (link,) = room._audience.peers
        assert isinstance(link, SocketPeer)
        peer.connection = link.socket
        return peer

    async def answer(self) -> str:
        """The id of the next answer."""
        while True:
            first, size = await self._reader.readexactly(2)
            if size == 126:
                size = int.from_bytes(await self._reader.readexactly(2), "big")
            payload = await self._reader.readexactly(size)
            if first == 0x88:
                self.closed_with = int.from_bytes(payload[:2], "big")
            told = json.loads(payload) if first == 0x81 else {}
            if told.get("type") in ("ack", "pong", "joined", "error"):
                return str(told.get("id"))


def command(id: str, rng: random.Random) -> bytes:
    """Some wait for the disk, some do not; some are too long for the fast path."""
    kind = rng.choice(["ping", "ping", "ready", "chat", "nonsense"])
    message: dict[str, object] = {"type": kind, "id": id}
    if kind == "ready":
        message["ready"] = rng.random() < 0.5
    elif kind == "chat":
        message["text"] = "hello"
    return json.dumps(message).encode() + b" " * rng.choice([0, 0, 0, 120])


def wrapped(text: bytes, rng: random.Random) -> bytes:
    """As one frame, sometimes after a ping of the protocol, or in fragments."""
    ping = Frame(Opcode.PING, b"?").serialize(mask=True) if rng.random() < 0.1 else b""
    if rng.random() < 0.8:
        return ping + Frame(Opcode.TEXT, text).serialize(mask=True)
    cut = rng.randint(0, len(text))
    head = Frame(Opcode.TEXT, text[:cut], fin=False).serialize(mask=True)
    return head + ping + Frame(Opcode.CONT, text[cut:]).serialize(mask=True)


@pytest.mark.parametrize("data", ["memory", "disk"])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("busy", [True, False])
async def test_commands_are_answered_once_and_in_order(
    data: str, whole: bool, busy: bool, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`whole`: frames arrive one by one, as they mostly do; otherwise the stream is cut anywhere. `busy`: other peers
    keep the server so busy that it handles what has arrived only after a while.
    """
    rng = random.Random(7)
    if busy:
        monkeypatch.setattr(Batching, "_call", call_late)
    server = await serve(quick(data=data if data == "memory" else str(tmp_path), chat_per_second=1e6, chat_burst=10**6))
    for _ in range(ROUNDS):
        peer = await Peer.sit(server)
        ids = [str(number) for number in range(rng.randint(1, 12))]
        frames = [wrapped(command(id, rng), rng) for id in ids]
        stream = b"".join(frames)
        cuts = sorted(rng.randrange(len(stream)) for _ in range(rng.randint(0, 6)))
        pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
        for piece in frames if whole else pieces:
            peer.connection.data_received(piece)
            if rng.random() < 0.3:
                await asyncio.sleep(0)
        assert [await peer.answer() for _ in ids] == ids
        peer.writer.close()


def call_late(rounds: Batching) -> None:
    """Run a round only after some more iterations of the event loop."""
    rounds._due = True
    loop, left = asyncio.get_running_loop(), 10

    def again() -> None:
        nonlocal left
        left -= 1
        loop.call_soon(again if left else rounds._run)

    again()


@pytest.mark.parametrize("glued", [True, False])
async def test_after_a_frame_that_is_no_text_nothing_is_listened_to(glued: bool, serve: Serve) -> None:
    peer = await Peer.sit(await serve(quick()))
    pings = [frame(b'{"type":"ping","id":"%d"}' % number) for number in range(3)]
    stream = [pings[0], frame(b"\xff"), pings[1], pings[2]]
    for piece in [b"".join(stream)] if glued else stream:
        peer.connection.data_received(piece)
    assert await peer.answer() == "0"
    with pytest.raises(asyncio.IncompleteReadError):
        await peer.answer()
    assert peer.closed_with == 1007
    peer.writer.close()


async def test_an_empty_frame_is_answered_too(serve: Serve) -> None:
    peer = await Peer.sit(await serve(quick()))
    for piece in (frame(b""), frame(b'{"type":"ping","id":"1"}')):
        peer.connection.data_received(piece)
    assert [await peer.answer(), await peer.answer()] == ["None", "1"]
    peer.writer.close()


async def test_the_inside_of_a_frame_is_never_taken_for_a_frame(serve: Serve) -> None:
    """A ping may contain any bytes, also bytes that look like a command, and the network may cut it at that place."""
    peer = await Peer.sit(await serve(quick()))
    inside = frame(b'{"type":"ping","id":"smuggled"}')
    outside = frame(inside, Opcode.PING)
    peer.connection.data_received(outside.removesuffix(inside))
    peer.connection.data_received(inside)
    peer.connection.data_received(frame(b'{"type":"ping","id":"honest"}'))
    assert await peer.answer() == "honest"
    peer.writer.close()

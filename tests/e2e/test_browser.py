"""A browser comes to the port of the game: it gets a page, and counts and ends like every other connection."""

import asyncio
import contextlib
import re
import socket
import ssl
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create
from dicegames_server.app.service import Service
from dicegames_server.net.web.landing_page import NO_PAGE
from e2e.conftest import Serve
from support.eventually import eventually
from support.ports import free_port
from support.settings import quick


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


async def answer(server: Service, request: str, *, tls: ssl.SSLContext | None = None) -> tuple[list[str], str]:
    """Send a request as it stands here, and read to the end: the lines before the text, and the text."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, ssl=tls)
    writer.write(request.encode("latin-1"))
    said = (await reader.read()).decode()
    writer.close()
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        await writer.wait_closed()
    head, _, text = said.partition("\r\n\r\n")
    return head.split("\r\n"), text


def get(path: str = "/", host: str = "dice.example.org:8765", *more: str, method: str = "GET") -> str:
    return "\r\n".join([f"{method} {path} HTTP/1.1", f"Host: {host}", *more, "", ""])


async def test_a_browser_reads_how_to_join(server: Service) -> None:
    head, text = await answer(server, get("/KQ7M?terminal", "127.0.0.1:8765", "Upgrade-Insecure-Requests: 1"))
    assert head[0] == "HTTP/1.1 200 OK"
    assert "<code>dicegames join 127.0.0.1:8765/KQ7M</code>" in text
    assert (await answer(server, get("/KQ7M/?terminal", "127.0.0.1:8765")))[1] == text
    assert f"Content-Length: {len(text.encode())}" in head and "Connection: close" in head
    only, nothing = await answer(server, get("/KQ7M?terminal", "127.0.0.1:8765", method="HEAD"))
    assert (only, nothing) == (head, "")


async def test_a_second_request_is_not_heard(server: Service, caplog: pytest.LogCaptureFixture) -> None:
    """Two at once got no answer at all, and an error in the log."""
    alone = await answer(server, get())
    assert alone[0][0] == "HTTP/1.1 200 OK"
    for more in (get(), get("/KQ7M"), "nonsense", "\x81\x05hello"):
        assert await answer(server, get() + more) == alone
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]


@pytest.mark.parametrize("size", [1, 3, 50])
async def test_a_request_may_come_in_parts(size: int, server: Service) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    request = get().encode()
    for start in range(0, len(request), size):
        writer.write(request[start : start + size])
        await writer.drain()
        await asyncio.sleep(0)
    assert (await reader.read()).startswith(b"HTTP/1.1 200 OK")
    writer.close()


async def test_nobody_learns_whether_a_room_exists(server: Service) -> None:
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game="doubles", name="ana"))).room  # type: ignore[union-attr]
    other = "2222" if room != "2222" else "3333"
    there, none = [await answer(server, get(f"/{code}")) for code in (room, other)]
    assert (there[0], there[1].replace(room, other)) == none
    await guest.close()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (get(host="<script>alert(1)</script>"), 400),
        (get(host='x" onload="alert(1)'), 400),
        (get("/", "a.example", "Host: b.example"), 400),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        (get("/<script>alert(1)</script>"), 404),
        (get("/KQ7M?alert=<b>"), 200),
        (get(method="POST"), 405),
        (get(method="OPTIONS"), 405),
        (get("/", "a.example", "Content-Length: 5") + "alert", 400),
        (get("/", "a.example", "Transfer-Encoding: chunked", method="POST") + "5\r\nalert\r\n0\r\n\r\n", 400),
        (get(host="x" * 5000), 400),
        (get("/" + "x" * 5000), 404),
        (get(host="x" * 9000), 431),
        (get("/" + "x" * 9000), 414),
    ],
)
async def test_a_hostile_request_is_answered_without_an_echo(server: Service, request_: str, status: int) -> None:
    head, text = await answer(server, request_)
    assert head[0].split(" ")[1] == str(status)
    assert "<script>" not in text and "alert" not in text and "xxxx" not in text


async def test_a_line_break_in_a_header_reaches_no_answer(server: Service) -> None:
    """The library takes what follows for a header of its own, or for no request at all."""
    head, text = await answer(server, get("/KQ7M", "a.example\r\nSet-Cookie: a=b"))
    assert not [line for line in head if "cookie" in line.lower()] and "a=b" not in text
    head, text = await answer(server, get("/KQ7M", "a.example\nX: y\r\x00"))
    assert (head, text) == ([""], "")


async def test_encrypted_here(serve: Serve) -> None:
    server = await serve(quick(tls="self"))
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    head, text = await answer(server, get("/KQ7M?terminal", "127.0.0.1:8765"), tls=trusting)
    assert head[0] == "HTTP/1.1 200 OK" and f"Content-Length: {len(text.encode())}" in head
    assert "join wss://127.0.0.1:8765/KQ7M<" in text


@pytest.mark.parametrize(
    ("trusted", "headers", "line"),
    [
        (("127.0.0.1",), ("X-Forwarded-Proto: https",), "join wss://dice.example.org/KQ7M<"),
        (("127.0.0.1",), ("X-Forwarded-Proto: http",), "join dice.example.org:80/KQ7M<"),
        (("127.0.0.1",), ("X-Forwarded-Proto: https", "X-Forwarded-Proto: http"), "join dice.example.org:80/KQ7M<"),
        ((), ("X-Forwarded-Proto: https",), "join dice.example.org:80/KQ7M<"),  # anybody can say so
    ],
)
async def test_encrypted_at_a_proxy(
    serve: Serve, trusted: tuple[str, ...], headers: tuple[str, ...], line: str
) -> None:
    server = await serve(quick(trusted_proxies=trusted))
    _, text = await answer(server, get("/KQ7M?terminal", "dice.example.org", *headers))
    assert line in text


async def test_ssh_is_named_where_the_server_has_it(serve: Serve) -> None:
    pytest.importorskip("asyncssh", reason="the extra ssh is not installed")
    server = await serve(quick(ssh=free_port()))
    _, text = await answer(server, get("/KQ7M?terminal"))
    assert f"<code>ssh -p {server.ssh_port} KQ7M@dice.example.org</code>" in text


async def test_switched_off(serve: Serve) -> None:
    server = await serve(quick(web=False))
    head, text = await answer(server, get("/KQ7M"))
    assert head[0] == "HTTP/1.1 200 OK" and "<code>dicegames join dice.example.org:8765/KQ7M</code>" in text
    server = await serve(quick(web=False, page=False))
    head, text = await answer(server, get("/KQ7M"))
    assert head[0].startswith("HTTP/1.1 426 ") and text == NO_PAGE


async def test_everything_else_on_this_port_stays_as_it_was(serve: Serve) -> None:
    for web in (True, False):
        server = await serve(quick(web=web, page=web))
        assert (await answer(server, get("/ready")))[1] == "ok\n"
        for path in ("/", "/KQ7M", "/r/KQ7M", "/some/where", "/favicon.ico"):
            async with connect(f"ws://127.0.0.1:{server.port}{path}", proxy=None) as opened:
                assert await opened.ping()


async def test_a_browser_is_counted_and_ends(serve: Serve) -> None:
    """It counts at the gate from its first byte on, and is gone when it has its page, also if it does not hang up."""
    server = await serve(quick(connections_per_address=2, close_seconds=0.1, handshake_seconds=60))
    limits = server.lobby.address_limits
    silent = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(8)]  # four times the limit
    await eventually(lambda: limits.knocking("127.0.0.1") == 8)
    with contextlib.suppress(ConnectionError):
        assert await answer(server, get()) == ([""], "")  # one too many: cut off
    for number, (reader, writer) in enumerate(silent, start=1):
        writer.write(get("/KQ7M").encode())
        assert (await reader.read()).startswith(b"HTTP/1.1 200 OK")
        await eventually(lambda left=8 - number: limits.knocking("127.0.0.1") == left)  # type: ignore[misc]
    assert server.environment.metrics.connected == 0  # nobody has come in to play
    for _, writer in silent:
        writer.close()


async def test_half_a_request_ends_with_the_handshake_time(serve: Serve) -> None:
    server = await serve(quick(handshake_seconds=0.1))
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(get("/KQ7M").encode()[:-2])
    with contextlib.suppress(ConnectionError):
        assert await reader.read() == b""
    await eventually(lambda: not server.lobby.address_limits.knocking("127.0.0.1"))
    writer.close()


async def test_the_table_in_the_browser(server: Service) -> None:
    """The page, and a file that it names, which browsers may keep."""
    head, text = await answer(server, get("/KQ7M", "127.0.0.1:8765"))
    assert head[0] == "HTTP/1.1 200 OK" and "Content-Type: text/html; charset=utf-8" in head
    assert any(line.startswith("Content-Security-Policy: default-src 'none'; script-src 'self'") for line in head)
    file = re.search(r'src="(web/[0-9a-f]{16}/boot\.js)"', text)
    assert file
    for before in ("/", "/r/", "/KQ7M/"):
        head, script = await answer(server, get(f"{before}{file[1]}"))
        assert "Content-Type: text/javascript; charset=utf-8" in head and "import(" in script
        assert "Cache-Control: public, max-age=31536000, immutable" in head


async def test_who_asks_for_a_file_and_does_not_read_it_is_gone_soon(serve: Serve) -> None:
    """Or a few thousand of them would hold the memory and the descriptors of the server."""
    server = await serve(quick(connections_per_address=0, close_seconds=0.1, handshake_seconds=0.3, kernel_buffer=4096))
    _, text = await answer(server, get("/"))
    file = re.findall(r"web/[0-9a-f]{16}/screens/table\.js", text)[0]
    deaf = []
    for _ in range(20):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        sock.connect(("127.0.0.1", server.port))
        sock.sendall(get(f"/{file}").encode())
        deaf.append(sock)
    await eventually(lambda: server.lobby.address_limits.knocking("127.0.0.1") == 0)
    for sock in deaf:
        sock.close()


async def test_our_own_page_may_connect_and_no_other(server: Service) -> None:
    url = f"ws://127.0.0.1:{server.port}/r/KQ7M"
    async with connect(url, origin=Origin(f"http://127.0.0.1:{server.port}"), proxy=None) as ours:
        assert await ours.ping()
    for foreign in ("https://evil.example", f"http://127.0.0.1:{server.port + 1}", "null", "http://127.0.0.1"):
        with pytest.raises(InvalidStatus) as refused:
            async with connect(url, origin=Origin(foreign), proxy=None):
                pass
        assert refused.value.response.status_code == 403


async def test_a_head_that_is_too_large_as_a_whole(server: Service) -> None:
    """Many headers, each of them small enough."""
    more = [f"X-{number}: {'x' * 4000}" for number in range(6)]
    head, text = await answer(server, get("/", "a.example", *more))
    assert head[0].startswith("HTTP/1.1 431 ") and "xxx" not in text
    assert (await answer(server, get("/", "a.example", *more[:3])))[0][0] == "HTTP/1.1 200 OK"


async def test_what_comes_after_a_refusal_is_not_heard(server: Service, caplog: pytest.LogCaptureFixture) -> None:
    """Else each such visitor would leave a traceback in the log."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"GET /" + b"x" * 12_000)
    assert b"414" in await reader.readline()
    with contextlib.suppress(ConnectionError):
        for _ in range(3):
            writer.write(b"x" * 6_000)
            await writer.drain()
        await reader.read()
    writer.close()
    assert (await answer(server, get("/")))[0][0] == "HTTP/1.1 200 OK"
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_pages_are_counted_by_address(serve: Serve) -> None:
    server = await serve(quick(page_requests_per_minute=3))
    told = [(await answer(server, get()))[0][0] for _ in range(5)]
    assert told == ["HTTP/1.1 200 OK"] * 3 + ["HTTP/1.1 429 Too Many Requests"] * 2
    async with connect(f"ws://127.0.0.1:{server.port}/", proxy=None) as player:
        assert await player.ping()  # who plays does not notice

"""A server that puts escapes into every text that it sends, and one that makes no sense: in lines and as JSON.

The full screen has its own test, tests/client/screens/test_hostile_text.py.
"""

import asyncio
import contextlib
import json
import unicodedata
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from dicegames_server.app.service import Service
from support.process import Process, run

CLIENT = "dicegames_client"
EVIL = "\x1b]0;pwned\x07\x1b[31m\x9b666m\x90q\x9c\u202e\u2066\u200b\x08\r"
SPARED = {"type", "id", "kind", "phase", "by", "reason", "hash", "commit", "seat_token", "game", "take"}
SPARED |= {"challenge", "proof", "bound"}  # without them, nobody would stay to hear more
"""Fields that are no text for people: others in their place would only be refused."""


def evil(value: Any, key: str = "", inside: str = "") -> Any:
    """The same message with escapes in every text."""
    if isinstance(value, dict):
        inside = str(value.get("type", inside))
        return {name: evil(part, name, inside) for name, part in value.items()}
    if isinstance(value, list):
        return [evil(part, key, inside) for part in value]
    spared = key in SPARED or (key, inside) == ("code", "error")
    return value if spared or not isinstance(value, str) else f"{EVIL}{value}{EVIL}"


@contextlib.asynccontextmanager
async def between(server: Service, change: Callable[[Any], Any]) -> AsyncIterator[str]:
    """An address whose server says what the real one says, changed."""

    async def talk(near: ServerConnection) -> None:
        async with connect(f"ws://127.0.0.1:{server.port}/", proxy=None) as far:

            async def back() -> None:
                async for text in far:
                    await near.send(json.dumps(change(json.loads(text)), ensure_ascii=False))

            returning = asyncio.ensure_future(back())
            try:
                async for text in near:
                    await far.send(text)
            except ConnectionClosed:
                pass
            finally:
                returning.cancel()
                far.transport.abort()  # a goodbye would give the seat up

    async with serve(talk, "127.0.0.1", 0) as listening:
        yield f"127.0.0.1:{listening.sockets[0].getsockname()[1]}"


def harmless(text: str) -> bool:
    return all(char == "\n" or unicodedata.category(char) not in ("Cc", "Cf", "Co", "Cs") for char in text)


async def test_no_escape_reaches_the_terminal_in_line_mode(server: Service, tmp_path: Path) -> None:
    async with between(server, evil) as address:
        ana = await Process.start(
            CLIENT, "host", "doubles", "--on", f"127.0.0.1:{server.port}", "--name", "ana", "--plain", state=tmp_path
        )
        room = (await ana.until("Type 'start'")).split(f"{server.port}/")[1].split()[0]
        bo = await Process.start(CLIENT, "join", f"{address}/{room}", "--name", "bo", "--plain", state=tmp_path / "bo")
        eva = await Process.start(CLIENT, "watch", f"{address}/{room}", "--plain", state=tmp_path / "eva")
        await bo.until("'ready' when you are")
        await eva.until("You are watching")
        for line in ("who", "help", "say hello", "odds", "nonsense"):
            await bo.type(line)
        await bo.until("not")
        await ana.type("start")
        await bo.until("ana")
        await ana.type("roll")
        await eva.until("pot")
        for process in (bo, eva):
            await process.type("quit")
            await process.type("quit")
            process.end_input()
            await process.ended()
            assert harmless(process.text), process.text
        join, replay = ("join", f"{address}/XXXX", "--name", "x"), ("replay", f"{address}/{room}")
        for command in (("rooms", address), join, replay):
            _, text = await run(CLIENT, *command, state=tmp_path / "eva")
            assert harmless(text), text


async def test_no_escape_reaches_the_terminal_as_json(server: Service, tmp_path: Path) -> None:
    async with between(server, evil) as address:
        _, text = await run(CLIENT, "host", "doubles", "--on", address, "--name", "ana", "--json", state=tmp_path)
        assert text.isascii() and harmless(text)
        assert all(json.loads(line) for line in text.splitlines())
        assert "\\u202e" in text and "\\u001b" in text  # escaped, not lost: a program gets the very text
        _, text = await run(CLIENT, "rooms", address, "--json", state=tmp_path)
        assert text.isascii() and harmless(text)


NONSENSE: list[tuple[str, Callable[[Any], Any]]] = [
    ("presence", lambda message: {**message, "away": {"x": 1}}),
    ("update", lambda message: {**message, "patch": {"room": {"timer": {"kind": "turn", "ms": "soon", "since": 1}}}}),
    ("update", lambda message: {**message, "events": [{"kind": "rolled", "seat": "x"}]}),
    ("update", lambda message: {**message, "patch": {"seats": {"0": 7}}}),
    ("chat", lambda message: {**message, "name": 7}),
]


@pytest.mark.parametrize(("kind", "change"), NONSENSE)
async def test_nonsense_is_told_and_the_table_is_asked_for_again(
    server: Service, tmp_path: Path, kind: str, change: Callable[[Any], Any]
) -> None:
    """Once: then the client is back, and plays on. It was deaf without a word."""
    told = 0

    def once(message: Any) -> Any:
        nonlocal told
        if message["type"] == kind and (kind != "update" or message["seq"] > 3) and not told:
            told = 1
            return change(message)
        return message

    async with between(server, once) as address:
        ana = await Process.start(
            CLIENT, "host", "doubles", "--on", f"127.0.0.1:{server.port}", "--name", "ana", "--plain", state=tmp_path
        )
        room = (await ana.until("Type 'start'")).split(f"{server.port}/")[1].split()[0]
        bo = await Process.start(CLIENT, "join", f"{address}/{room}", "--name", "bo", "--plain", state=tmp_path / "bo")
        if kind != "presence":
            await bo.until("'ready' when you are")
            await ana.type("say hello")
            await ana.type("start")
        await bo.until("makes no sense")
        await bo.until("You are back.")
        await ana.type("start" if kind == "presence" else "say are you there")
        await bo.until("ana")


async def test_nonsense_for_ever_ends_with_a_sentence(server: Service, tmp_path: Path) -> None:
    def senseless(message: Any) -> Any:
        return message if message["type"] == "welcome" else {"type": "pong"}

    async with between(server, senseless) as address:
        code, text = await run(CLIENT, "rooms", address, state=tmp_path)
    assert code != 0
    assert "sense" in text or "does not know" in text

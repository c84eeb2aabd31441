"""A user with nothing but ssh: an asyncssh client whose screen pyte interprets."""

import asyncio
import codecs
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncssh
import pyte

PATIENCE_SECONDS = 30.0
NO_TERMINAL = ""


class NoQuestions(asyncssh.SSHClient):
    """Logs in without a key: there is nothing to answer."""

    def kbdint_auth_requested(self) -> str:
        return ""

    def kbdint_challenge_received(self, name: str, instructions: str, lang: str, prompts: Any) -> list[str]:
        assert not prompts
        return []


class SshUser(asyncssh.SSHClientSession[bytes]):
    def __init__(self, size: tuple[int, int] = (80, 24)) -> None:
        self.screen = pyte.Screen(*size)
        self._stream = pyte.Stream(self.screen)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.raw = b""
        self.over = asyncio.Event()
        self.connection: asyncssh.SSHClientConnection
        self.channel: asyncssh.SSHClientChannel[bytes]
        self._news = asyncio.Event()

    def data_received(self, data: bytes, datatype: object) -> None:
        self.raw += data
        self._stream.feed(self._decoder.decode(data))
        self._news.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.over.set()
        self._news.set()

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    async def until(self, *wanted: str) -> str:
        """Until one of these texts is on the screen."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not any(text in self.text for text in wanted):
                    assert not self.over.is_set(), f"{wanted!r} never came, and it is over:\n{self.text}"
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"{wanted!r} never came:\n{self.text}") from None
        return self.text

    async def until_gone(self, unwanted: str) -> None:
        """Until this text is no longer on the screen."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while unwanted in self.text:
                self._news.clear()
                await self._news.wait()

    async def until_said(self, text: str) -> None:
        """Until a text has come, in line mode."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while text.encode() not in self.raw:
                assert not self.over.is_set(), f"{text!r} never came, and it is over: {self.raw[-2000:]!r}"
                self._news.clear()
                await self._news.wait()

    def press(self, keys: str) -> None:
        self.channel.write(keys.encode())

    async def ended(self) -> int | None:
        """The exit code, when the server has ended it."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self.over.wait()
        return self.channel.get_exit_status()

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.channel.change_terminal_size(columns, rows)


@asynccontextmanager
async def ssh_user(
    port: int,
    user: str = "ana",
    key: asyncssh.SSHKey | None = None,
    *,
    term: str = "xterm-256color",
    size: tuple[int, int] = (80, 24),
    **session: Any,
) -> AsyncIterator[SshUser]:
    """Somebody who has come. `term` NO_TERMINAL is `ssh -T`."""
    connection = await connect(port, user, key)
    made = SshUser(size)
    made.connection = connection
    terminal = {"term_type": term, "term_size": size} if term else {"request_pty": False}
    made.channel, _ = await connection.create_session(lambda: made, encoding=None, **terminal, **session)
    try:
        yield made
    finally:
        connection.abort()
        await connection.wait_closed()


async def connect(port: int, user: str, key: asyncssh.SSHKey | None = None) -> asyncssh.SSHClientConnection:
    keys = [key] if key else None
    return await asyncssh.connect(
        "127.0.0.1",
        port,
        username=user,
        known_hosts=None,
        config=None,
        agent_path=None,
        client_keys=keys,
        client_factory=NoQuestions,
        preferred_auth="publickey" if key else "keyboard-interactive",
    )

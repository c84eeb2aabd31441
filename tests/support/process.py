"""Our commands as real processes, driven through pipes."""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

PATIENCE = 30.0


class Process:
    """Lines in, text out. `until` waits for a text, never for a fixed time."""

    running: ClassVar[list["Process"]] = []
    """Started and perhaps still there; the end-to-end tests end them all after each test."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.text = ""
        self._seen = 0
        self._reading: asyncio.Future[None] | None = None

    @classmethod
    async def start(
        cls, module: str, *arguments: str, state: Path, within: Sequence[str] = (), **environment: str
    ) -> "Process":
        """`within` is a command that runs ours, such as one that changes the network namespace."""
        process = await asyncio.create_subprocess_exec(
            *within,
            sys.executable,
            "-m",
            module,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, "XDG_STATE_HOME": str(state), "PYTHONUNBUFFERED": "1", **environment},
        )
        started = cls(process)
        cls.running.append(started)
        return started

    async def until(self, wanted: str) -> str:
        """Read until this text comes, after the text of the last wait; returns all up to the end of its line so far."""
        assert self._process.stdout
        try:
            async with asyncio.timeout(PATIENCE):
                while wanted not in self.text[self._seen :]:
                    chunk = await self._process.stdout.read(4096)
                    if not chunk:
                        raise AssertionError(f"{wanted!r} never came:\n{self.text}")
                    self.text += chunk.decode()
        except TimeoutError:
            raise AssertionError(f"{wanted!r} did not come in time:\n{self.text}") from None
        start = self._seen
        self._seen = self.text.index(wanted, self._seen) + len(wanted)
        return self.text[start : self._seen]

    def read_on(self) -> None:
        """From now on keep its output, so that it never waits for us."""

        async def read() -> None:
            assert self._process.stdout
            while chunk := await self._process.stdout.read(65536):
                self.text += chunk.decode(errors="replace")

        self._reading = asyncio.ensure_future(read())

    async def type(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n".encode())
        await self._process.stdin.drain()

    @property
    def pid(self) -> int:
        return self._process.pid

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def end_input(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()

    async def ended(self, patience: float | None = PATIENCE) -> int:
        """The exit code, after everything was read."""
        assert self._process.stdout
        async with asyncio.timeout(patience):
            if self._reading:
                await self._reading
            else:
                self.text += (await self._process.stdout.read()).decode()
            return await self._process.wait()

    async def kill(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        if self._process.stdout and not self._reading:
            self.text += (await self._process.stdout.read()).decode(errors="replace")


async def run(
    module: str, *arguments: str, state: Path, within: Sequence[str] = (), **environment: str
) -> tuple[int, str]:
    """A command that ends by itself: returns its exit code and everything it printed."""
    process = await Process.start(module, *arguments, state=state, within=within, **environment)
    process.end_input()
    try:
        return await process.ended(), process.text
    finally:
        await process.kill()

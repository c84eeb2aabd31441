"""The servers that are measured, as processes on one core, and the CPU time that they have used so far."""

import asyncio
import contextlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from support.posix import memory, stay_on

HERE = Path(__file__).parent
UNLIMITED = {
    "DICEGAMES_MESSAGES_PER_SECOND": "1e9",
    "DICEGAMES_MESSAGE_BURST": "1000000000",
    "DICEGAMES_CONNECTIONS_PER_ADDRESS": "0",
    "DICEGAMES_ROOMS_PER_ADDRESS": "0",
    "DICEGAMES_NEW_ROOMS_PER_MINUTE": "0",
    "DICEGAMES_FAILED_JOINS_PER_MINUTE": "0",
    "DICEGAMES_SSH_LOGINS_PER_MINUTE": "0",
    "DICEGAMES_BOTS_PER_ADDRESS": "0",
    "DICEGAMES_PING_SECONDS": "600",
    "DICEGAMES_GREETING_SECONDS": "60",
    "DICEGAMES_ADMIN": "127.0.0.1:0",
}


class Measured:
    """A server process with its own folder, which is removed with it."""

    def __init__(self, process: asyncio.subprocess.Process, folder: "tempfile.TemporaryDirectory[str]") -> None:
        self._process = process
        self._folder = folder
        self._log: asyncio.Task[None] | None = None
        self.port = self.admin = 0

    @classmethod
    async def bare(cls, update_bytes: int, ack_bytes: int, core: int) -> "Measured":
        server = await cls._start([str(HERE / "bare.py"), str(update_bytes), str(ack_bytes)], {}, core)
        return await server._ready()

    @classmethod
    async def project(
        cls,
        core: int,
        *,
        durable: bool = False,
        data: str = "memory",
        checkout: Path | None = None,
        ssh_port: int = 0,
    ) -> "Measured":
        """Our server, with its rooms in memory, on disk, or wherever `data` says; or the server of another checkout."""
        where = [] if durable else ["--data", data]
        where += ["--ssh", str(ssh_port)] if ssh_port else []
        arguments = ["-m", "dicegames_server", "--host", "127.0.0.1", "--port", "0", *where]
        roots = os.pathsep.join(str(checkout / root) for root in ("protocol", "server", "client")) if checkout else ""
        server = await cls._start(arguments, {**UNLIMITED, **({"PYTHONPATH": roots} if roots else {})}, core)
        return await server._ready()

    async def _ready(self) -> "Measured":
        """Returns when the server has printed its ports. If it does not, the server is stopped again."""
        try:
            await self._read_ports()
        except BaseException:
            await self.stop()
            raise
        return self

    async def _read_ports(self) -> None:
        told, log = self._process.stdout, self._process.stderr
        if log is None:
            assert told
            self.port = int(await told.readline())
            return
        while not (self.port and self.admin):
            line = (await log.readline()).decode()
            if not line:
                raise RuntimeError("the server did not start")
            if "listening" in line:
                self.port = int(line.rsplit(" ", 1)[-1])
            elif "admin pages" in line:
                self.admin = int(line.rsplit(":", 1)[-1])
        self._log = asyncio.ensure_future(_drain(log))

    @classmethod
    async def _start(cls, arguments: list[str], settings: dict[str, str], core: int) -> "Measured":
        folder = tempfile.TemporaryDirectory(prefix="dicegames-bench-")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE if "-m" in arguments else None,
            env={**os.environ, **settings, "XDG_STATE_HOME": folder.name, "XDG_DATA_HOME": folder.name},
            start_new_session=True,  # Ctrl-C is for the benchmark, which then stops its servers
        )
        if core >= 0:
            stay_on(process.pid, core)
        return cls(process, folder)

    async def status(self) -> dict[str, Any]:
        """What the server reports about itself."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.admin)
        writer.write(b"GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n")
        page = await reader.read()
        writer.close()
        status: dict[str, Any] = json.loads(page.partition(b"\r\n\r\n")[2])
        return status

    @property
    def nanoseconds(self) -> int:
        """CPU time of all threads, as the scheduler counts it."""
        total = 0
        for task in Path(f"/proc/{self._process.pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
        return total

    @property
    def rss(self) -> int:
        return memory(self._process.pid)

    async def stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        await self._process.wait()
        if self._log:
            self._log.cancel()
        self._folder.cleanup()


async def _drain(stream: asyncio.StreamReader) -> None:
    while await stream.read(65536):
        pass

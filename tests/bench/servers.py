"""The servers that are measured, as processes on a core of their own, and what they have used so far."""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
UNLIMITED = {
    "DICEGAMES_MESSAGES_PER_SECOND": "1e9",
    "DICEGAMES_MESSAGE_BURST": "1000000000",
    "DICEGAMES_CONNECTIONS_PER_ADDRESS": "0",
    "DICEGAMES_ROOMS_PER_ADDRESS": "0",
    "DICEGAMES_NEW_ROOMS_PER_MINUTE": "0",
    "DICEGAMES_FAILED_JOINS_PER_MINUTE": "0",
    "DICEGAMES_PING_SECONDS": "600",
    "DICEGAMES_GREETING_SECONDS": "60",
    "DICEGAMES_ADMIN": "127.0.0.1:0",
}


class Measured:
    """A server process."""

    def __init__(self, process: asyncio.subprocess.Process, port: int, admin: int = 0) -> None:
        self._process = process
        self.port = port
        self.admin = admin
        self._log = asyncio.ensure_future(_drain(process.stderr)) if process.stderr else None

    @classmethod
    async def bare(cls, update_bytes: int, ack_bytes: int, core: int) -> "Measured":
        process = await _start([str(HERE / "bare.py"), str(update_bytes), str(ack_bytes)], {}, core)
        assert process.stdout
        return cls(process, int(await process.stdout.readline()))

    @classmethod
    async def project(cls, data: str, core: int, **settings: str) -> "Measured":
        arguments = ["-m", "dicegames_server", "--host", "127.0.0.1", "--port", "0", "--data", data]
        process = await _start(arguments, {**UNLIMITED, **settings}, core)
        assert process.stderr
        ports: list[int] = []
        while len(ports) < 2:
            line = (await process.stderr.readline()).decode()
            if not line:
                raise RuntimeError("the server did not start")
            if "listening" in line or "admin pages" in line:
                ports.append(int(line.split()[-1].rsplit(":", 1)[-1]))
        return cls(process, *ports)

    async def status(self) -> dict[str, Any]:
        """What the server tells about itself."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.admin)
        writer.write(b"GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n")
        page = await reader.read()
        writer.close()
        status: dict[str, Any] = json.loads(page.partition(b"\r\n\r\n")[2])
        return status

    @property
    def nanoseconds(self) -> int:
        """Processor time of all threads, as the scheduler counts it."""
        total = 0
        for task in Path(f"/proc/{self._process.pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
        return total

    @property
    def rss(self) -> int:
        return int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    async def stop(self) -> None:
        self._process.terminate()
        await self._process.wait()
        if self._log:
            self._log.cancel()


async def _start(arguments: list[str], settings: dict[str, str], core: int) -> asyncio.subprocess.Process:
    folder = tempfile.mkdtemp(prefix="dicegames-bench-")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE if "-m" in arguments else None,
        env={**os.environ, **settings, "XDG_STATE_HOME": folder, "XDG_DATA_HOME": folder},
    )
    if core >= 0:
        os.sched_setaffinity(process.pid, {core})
    return process


async def _drain(stream: asyncio.StreamReader | None) -> None:
    while stream and await stream.read(65536):
        pass

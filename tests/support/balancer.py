"""A small load balancer in front of several nodes. It follows the same rules as the files in deploy/.

`/n/2/…` leads to node 2. Everything else goes to one of the healthy nodes, chosen by the path, so that a room mostly
reaches the same one. A node whose /healthz does not answer in time is not healthy.
"""

import asyncio
import contextlib
import itertools
import re
from dataclasses import dataclass
from hashlib import sha256

CHECK_EVERY = 0.2
CHECK_PATIENCE = 0.5
FALL = 3
"""So many checks in a row without an answer make a node unhealthy: one late answer on a busy machine does not."""


@dataclass(slots=True)
class Backend:
    port: int
    admin_port: int
    healthy: bool = True
    late: int = 0
    """Checks in a row without an answer in time."""


class Balancer:
    def __init__(self) -> None:
        self.backends: dict[int, Backend] = {}
        """By number, as in the paths."""
        self.port = 0
        self._turn = itertools.count()
        self._checked = asyncio.Condition()
        self._server: asyncio.Server | None = None
        self._checking: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> int:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=1000)
        self.port = self._server.sockets[0].getsockname()[1]
        self._checking = asyncio.ensure_future(self._check_all())
        return self.port

    async def stop(self) -> None:
        if self._server:
            self._server.close()
        for task in [*self._tasks, *([self._checking] if self._checking else [])]:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def until_down(self, number: int) -> None:
        """Until no more clients are sent to this node."""
        async with asyncio.timeout(60), self._checked:
            await self._checked.wait_for(lambda: not self.backends[number].healthy)

    async def all_up(self) -> None:
        """Until clients are sent to all nodes."""
        async with asyncio.timeout(60), self._checked:
            await self._checked.wait_for(lambda: all(backend.healthy for backend in self.backends.values()))

    async def _check_all(self) -> None:
        while True:
            await asyncio.gather(*(self._check(backend) for backend in list(self.backends.values())))
            async with self._checked:
                self._checked.notify_all()
            await asyncio.sleep(CHECK_EVERY)

    async def _check(self, backend: Backend) -> None:
        try:
            async with asyncio.timeout(CHECK_PATIENCE):
                reader, writer = await asyncio.open_connection("127.0.0.1", backend.admin_port)
                writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                backend.healthy = b" 200 " in await reader.readline()
                backend.late = 0
                writer.close()
        except TimeoutError:
            backend.late += 1
            backend.healthy = backend.healthy and backend.late < FALL
        except OSError:
            backend.healthy = False

    def _choose(self, path: str) -> list[Backend]:
        """The node for this path, and those to be tried if it is not there."""
        if named := re.match(r"/n/(\d+)(/|$)", path):
            return [self.backends[int(named[1])]]
        key = path if "/r/" in path else f"{next(self._turn)}"
        healthy = [(number, backend) for number, backend in self.backends.items() if backend.healthy]
        return [backend for _, backend in sorted(healthy, key=lambda one: sha256(f"{one[0]}{key}".encode()).digest())]

    async def _connect(self, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        for backend in self._choose(path):
            try:
                return await asyncio.open_connection("127.0.0.1", backend.port)
            except OSError:
                backend.healthy = False
        raise ConnectionRefusedError

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            async with asyncio.timeout(5):
                head = await reader.readuntil(b"\r\n\r\n")
                far_reader, far_writer = await self._connect(head.split(b" ", 2)[1].decode())
            far_writer.write(head)
            await asyncio.gather(_forward(reader, far_writer), _forward(far_reader, writer))
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.transport.abort()
        finally:
            self._tasks.discard(task)


async def _forward(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Until one side ends; then both end."""
    try:
        while chunk := await source.read(65536):
            target.write(chunk)
    finally:
        target.transport.abort()

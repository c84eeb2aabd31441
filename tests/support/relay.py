"""A wire between two ends. A test can cut it, or hold back what goes over it."""

import asyncio
import contextlib


class Relay:
    """Forwards to a port. Held data is neither lost nor passed on until it is released or the wire is cut."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._there = asyncio.Event()
        self._back = asyncio.Event()
        self._there.set()
        self._back.set()
        self.refusing = False
        """New connections end at once."""
        self.held = asyncio.Event()
        """Something is being held back."""
        self.port = 0

    async def start(self) -> int:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self.port

    async def stop(self) -> None:
        if self._server:
            self._server.close()
        self.cut()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def hold(self, *, there: bool = False, back: bool = False) -> None:
        """From now on, data to the target, or back from it, waits."""
        self.held.clear()
        if there:
            self._there.clear()
        if back:
            self._back.clear()

    def let_go(self) -> None:
        self._there.set()
        self._back.set()

    def cut(self) -> None:
        """All connections end without a message; held data is lost."""
        for writer in list(self._writers):
            writer.transport.abort()
        self._writers.clear()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refusing:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, far_writer}
        for source, target, gate in ((reader, far_writer, self._there), (far_reader, writer, self._back)):
            task = asyncio.ensure_future(self._forward(source, target, gate))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _forward(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, gate: asyncio.Event) -> None:
        with contextlib.suppress(ConnectionError, OSError):
            while chunk := await source.read(65536):
                if not gate.is_set():
                    self.held.set()
                    await gate.wait()
                target.write(chunk)
        self._writers.discard(target)
        target.close()

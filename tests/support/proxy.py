"""A bad network between client and server: connections are cut, stalled, sliced and delayed at random bytes."""

import asyncio
import random


class FaultProxy:
    """Forwards to a port, and disturbs each connection sooner or later. `cuts` counts those that were cut."""

    def __init__(self, port: int, seed: int) -> None:
        self._target = port
        self._rng = random.Random(seed)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.cuts = 0
        self.calm = False
        """No more faults from now on."""

    async def start(self) -> int:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def stop(self) -> None:
        if self._server:
            self._server.close()
        for task in self._tasks:
            task.cancel()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        budget = self._rng.choice([50, 300, 600, 1500, 4000, 12000])
        after = self._rng.randint(0, budget)
        kind = self._rng.choice(["reset", "reset", "stall", "slices", "delay"])
        fate = _Fate(self, [writer, far_writer], after, kind)
        for source, target in ((reader, far_writer), (far_reader, writer)):
            task = asyncio.ensure_future(fate.forward(source, target))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def cut(self, writers: list[asyncio.StreamWriter]) -> None:
        self.cuts += 1
        for writer in writers:
            writer.transport.abort()

    def stall(self, writers: list[asyncio.StreamWriter]) -> None:
        """Hold everything back for a moment, then cut."""
        asyncio.get_running_loop().call_later(0.02, self.cut, writers)


class _Fate:
    """What will happen to one connection, in both directions together."""

    def __init__(self, proxy: FaultProxy, writers: list[asyncio.StreamWriter], after: int, kind: str) -> None:
        self._proxy = proxy
        self._writers = writers
        self._left = after
        self._kind = kind
        self._stopped = False

    async def forward(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while not self._stopped and (chunk := await source.read(4096)):
                await self._pass_on(chunk, target)
        except (ConnectionError, OSError):
            pass
        finally:
            if not self._stopped:
                target.close()

    async def _pass_on(self, chunk: bytes, target: asyncio.StreamWriter) -> None:
        if self._proxy.calm:
            target.write(chunk)
            return
        for piece in [bytes([byte]) for byte in chunk] if self._kind == "slices" else [chunk]:
            allowed = piece[: self._left]
            self._left -= len(allowed)
            target.write(allowed)
            if self._kind in ("delay", "slices"):
                await asyncio.sleep(0)
            if len(allowed) < len(piece) or self._left <= 0:
                self._stopped = True
                if self._kind == "stall":
                    self._proxy.stall(self._writers)
                else:
                    self._proxy.cut(self._writers)
                return

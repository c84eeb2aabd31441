"""Tables spread over nodes that share a PostgreSQL, which is measured separately."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from bench.compare import Window
from bench.play import Tables, our_tables
from bench.servers import Measured
from support.postgres import Postgres


class Database:
    """A PostgreSQL for this run that really flushes to the disk, on the core of the servers."""

    def __init__(self, core: int) -> None:
        self._postgres = Postgres.start("shared_buffers = 256MB", "max_wal_size = 4GB", fsync=True, core=core)

    def new(self) -> str:
        return self._postgres.new_database()

    def stop(self) -> None:
        self._postgres.stop()

    @property
    def nanoseconds(self) -> int:
        """CPU time of all its processes. The share of a process that ends is lost; those of the nodes stay."""
        return sum(_used(process) for process in _with_children(self._postgres.pid))


def _used(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[0])
    except OSError:
        return 0


def _with_children(parent: int) -> list[int]:
    found = [parent]
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            if int(stat.rpartition(") ")[2].split()[1]) == parent:
                found.append(int(entry.name))
    return found


class Spread:
    """Rooms on one or several nodes."""

    def __init__(self, database: Database, parts: list[Tables]) -> None:
        self._database = database
        self._parts = parts
        self.postgres_us: list[float] = []
        """What a move cost PostgreSQL, in each window."""
        self.shared: list[float] = []
        """How many updates went into a commit."""

    @classmethod
    async def open(cls, servers: AsyncExitStack, database: Database, nodes: int, rooms: int, core: int) -> "Spread":
        data = database.new()
        parts = []
        for number in range(nodes):
            server = await Measured.project(core, data=data)
            servers.push_async_callback(server.stop)
            parts.append(await our_tables(server, rooms // nodes + (number < rooms % nodes)))
        return cls(database, parts)

    async def window(self, seconds: float) -> Window:
        """Of all nodes at the same time. `cpu` is the CPU time of the nodes."""
        before, counted = self._database.nanoseconds, await self._counted()
        windows = await asyncio.gather(*(part.window(seconds) for part in self._parts))
        commits, updates = (after - then for after, then in zip(await self._counted(), counted, strict=True))
        units = sum(window.units for window in windows)
        self.postgres_us.append((self._database.nanoseconds - before) / 1000 / max(units, 1))
        self.shared.append(updates / max(commits, 1))
        return Window(
            units,
            max(window.seconds for window in windows),
            sum(window.cpu for window in windows),
            max(window.own_cpu for window in windows),
            [took for window in windows for took in window.took],
        )

    async def _counted(self) -> tuple[int, int]:
        """Commits, and the updates in them."""
        told = [await part.server.status() for part in self._parts]
        return sum(status["commits"] for status in told), sum(status["committed"] for status in told)

    def close(self) -> None:
        for part in self._parts:
            part.close()

"""A store that is slow, fails, or does not know; a crash loses what was not synced.

`Disk` is what lasts. `NodeDisk` is the store as one process sees it: its queue dies with the process. Updates are
written in the order in which they came, several at a time, as a group commit does it.
"""

import asyncio
import random
from collections import Counter
from typing import Any

from dicegames_server.storage.base import Done, Entry, StoredRoom, StoredSnapshot, Unavailable, Unknown
from dicegames_server.storage.memory import MemoryStorage


class Disk(MemoryStorage):
    durable = True

    def __init__(self, rng: random.Random, faults: Counter[str]) -> None:
        super().__init__()
        self.rng = rng
        self.faults = faults
        self.trouble = 0.0
        """The share of requests that go wrong. 0: a good disk."""
        self.logs: dict[str, list[Entry]] = {}
        """Every log, also of rooms that have ended. A code that is used again begins a new one."""
        self.ended: list[list[Entry]] = []

    async def open(self, room: str, private: bytes = b"{}") -> None:
        await super().open(room, private)
        if room in self.logs:
            self.ended.append(self.logs[room])
        self.logs[room] = self._streams[room].entries

    def bad(self, kind: str, share: float = 1.0) -> bool:
        """Whether this fault happens now."""
        happens = self.rng.random() < self.trouble * share
        if happens:
            self.faults[kind] += 1
        return happens

    def delay(self) -> float:
        if self.bad("slow disk", 0.5):
            return self.rng.uniform(0.2, 3.0)
        return self.rng.choice((0.0, 0.001, 0.004, 0.02))


class NodeDisk:
    durable = True
    shared = False

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self.players, self.commitments, self.past_games = disk.players, disk.commitments, disk.past_games
        self._queue: list[tuple[Entry, Done]] = []
        self._flushing = False
        self.failing = True
        """False: requests are slow, but none fails."""

    async def start(self) -> None: ...
    async def stop(self) -> None: ...

    def write(self, entry: Entry, done: Done) -> None:
        self._queue.append((entry, done))
        if not self._flushing:
            self._flushing = True
            asyncio.get_running_loop().call_later(self._disk.delay(), self._flush)

    def _flush(self) -> None:
        """Sync what is queued. The answers come later, in the same order."""
        group, self._queue = self._queue, []
        answers: list[tuple[Done, Exception | None]] = []
        for entry, done in group:
            answers.append((done, self._written(entry)))
        asyncio.get_running_loop().call_later(self._disk.delay(), self._answer, answers)

    def _written(self, entry: Entry) -> Exception | None:
        disk = self._disk
        told: list[Exception | None] = []
        if disk.bad("disk fails"):
            return Unavailable("the disk fails")
        if disk.bad("disk does not know"):
            if disk.rng.random() < 0.5:
                disk.write(entry, lambda error: None)
            return Unknown("the disk does not know")
        disk.write(entry, told.append)
        return told[0]

    def _answer(self, answers: list[tuple[Done, Exception | None]]) -> None:
        for done, error in answers:
            done(error)
        if self._queue:
            asyncio.get_running_loop().call_later(self._disk.delay(), self._flush)
        else:
            self._flushing = False

    async def _slowly(self, *, writes: bool) -> bool:
        """Wait for the disk. Raises Unavailable before anything was done. Gives whether to end with Unknown."""
        await asyncio.sleep(self._disk.delay())
        if not self.failing:
            return False
        if self._disk.bad("disk fails", 0.5):
            raise Unavailable("the disk fails")
        return writes and self._disk.bad("disk does not know", 0.5)

    async def open(self, room: str, private: bytes = b"{}") -> None:
        unknown = await self._slowly(writes=True)
        await self._disk.open(room, private)
        if unknown:
            raise Unknown("the disk does not know")

    async def acquire(self, room: str) -> StoredRoom:
        unknown = await self._slowly(writes=True)
        stored = await self._disk.acquire(room)
        if unknown:
            raise Unknown("the disk does not know")
        await asyncio.sleep(self._disk.delay())
        return stored

    async def snapshot(self, room: str, epoch: int, stored: StoredSnapshot) -> None:
        if not await self._slowly(writes=True):
            await self._disk.snapshot(room, epoch, stored)

    async def drop(self, room: str, epoch: int) -> None:
        unknown = await self._slowly(writes=True)
        await self._disk.drop(room, epoch)
        if unknown:
            raise Unknown("the disk does not know")

    async def release(self, room: str, epoch: int) -> None: ...

    async def updates(self, room: str, after: int, epoch: int) -> list[bytes] | None:
        await self._slowly(writes=False)
        found = await self._disk.updates(room, after, epoch)
        await asyncio.sleep(self._disk.delay())
        return found

    async def read(self, room: str, after: int, most: int) -> tuple[bytes, list[bytes]] | None:
        await self._slowly(writes=False)
        return await self._disk.read(room, after, most)

    async def orphans(self, most: int) -> list[str]:
        return await self._disk.orphans(most)

    async def codes(self) -> int:
        await self._slowly(writes=False)
        return await self._disk.codes()

    async def mentions(self, room: str, token_hash: str) -> bool:
        return await self._disk.mentions(room, token_hash)

    async def results(self, player: str | None, game: str | None, most: int) -> list[Any]:
        return await self._disk.results(player, game, most)

    async def forget(self, older_than: float) -> int:
        return 0

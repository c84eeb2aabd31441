"""A store in memory: for tests, and for servers whose rooms may end with the process."""

from dataclasses import dataclass, field
from typing import Protocol

from dicegames_server.storage.base import (
    NOTHING,
    RECENT,
    Conflict,
    Done,
    Entry,
    Record,
    Result,
    StoredRoom,
    StoredSnapshot,
    misfit,
)
from dicegames_server.storage.commitments import Commitments, MemoryCommitments
from dicegames_server.storage.epochs import FIRST_EPOCH
from dicegames_server.storage.memory_past_games import MemoryPastGames
from dicegames_server.storage.past_games import PastGames
from dicegames_server.storage.players import MemoryPlayers, Players


@dataclass(slots=True)
class _Stream:
    epoch: int
    private: bytes
    snapshot: StoredSnapshot
    number: int
    """Stands for the room: a later room with the same code has another one."""
    entries: list[Entry] = field(default_factory=list)


class LogKeeper(Protocol):
    """Keeps the logs of rooms when the memory is gone. Both functions return at once."""

    def written(self, room: str, update: bytes) -> None:
        """A room has one more update."""

    def ended(self, room: str) -> None:
        """A room has no more updates: it was closed, or the server stops."""


class MemoryStorage:
    durable = False
    shared = False

    def __init__(self, keeper: LogKeeper | None = None) -> None:
        self._keeper = keeper
        self._streams: dict[str, _Stream] = {}
        self._opened = 0
        self._past = MemoryPastGames(lambda code: stream.number if (stream := self._streams.get(code)) else 0)
        self.past_games: PastGames = self._past
        self.players: Players = MemoryPlayers(self._past.rename)
        self.commitments: Commitments = MemoryCommitments()

    async def start(self) -> None:
        pass

    async def stop(self) -> None:
        if self._keeper:
            for room in self._streams:
                self._keeper.ended(room)

    async def open(self, room: str, private: bytes = b"{}") -> None:
        if room in self._streams:
            raise Conflict(f"room {room} exists already")
        self._opened += 1
        self._streams[room] = _Stream(FIRST_EPOCH, private, NOTHING, self._opened)

    async def orphans(self, most: int) -> list[str]:
        return [room for room, stream in self._streams.items() if stream.entries][:most]

    async def acquire(self, room: str) -> StoredRoom:
        stream = self._streams.get(room)
        if stream is None or not stream.entries:
            raise Conflict(f"there is no room {room}")
        stream.epoch += 1  # the clock is not needed: what is in memory is never restored
        return StoredRoom(
            code=room,
            epoch=stream.epoch,
            private=stream.private,
            snapshot=stream.snapshot,
            records=tuple(Record(e.seq, e.epoch, e.update, e.private) for e in stream.entries[stream.snapshot.seq :]),
            recent=tuple((entry.seq, entry.private) for entry in stream.entries[-RECENT:]),
        )

    async def release(self, room: str, epoch: int) -> None:
        """Nothing to do: there is no other node."""

    def write(self, entry: Entry, done: Done) -> None:
        stream = self._streams.get(entry.room)
        if stream is None or stream.epoch != entry.epoch or entry.seq != len(stream.entries) + 1:
            done(misfit(entry, stream.epoch, len(stream.entries)) if stream else Conflict(f"{entry} has no room"))
            return
        stream.entries.append(entry)
        if self._keeper:
            self._keeper.written(entry.room, entry.update)
        self._past.add(stream.number, entry.results)
        done(None)

    async def snapshot(self, room: str, epoch: int, stored: StoredSnapshot) -> None:
        stream = self._streams.get(room)
        if stream and stream.epoch == epoch and stored.seq > stream.snapshot.seq:
            stream.snapshot = stored

    async def updates(self, room: str, after: int, epoch: int) -> list[bytes] | None:
        stream = self._streams.get(room)
        if stream is None or after > len(stream.entries) or (after and stream.entries[after - 1].epoch > epoch):
            return None
        return [entry.update for entry in stream.entries[after:]]

    async def read(self, room: str, after: int, most: int) -> tuple[bytes, list[bytes]] | None:
        stream = self._streams.get(room)
        if stream is None:
            return None
        return stream.private, [entry.update for entry in stream.entries[after : after + most]]

    async def codes(self) -> int:
        return len(self._streams)

    async def mentions(self, room: str, token_hash: str) -> bool:
        stream = self._streams.get(room)
        return stream is not None and any(token_hash.encode() in entry.private for entry in stream.entries)

    async def results(self, player: str | None, game: str | None, most: int) -> list[Result]:
        return self._past.results(player, game, most)

    async def drop(self, room: str, epoch: int) -> None:
        """The log of an ended room is not kept in memory."""
        if (stream := self._streams.get(room)) and stream.epoch == epoch:
            del self._streams[room]
            if self._keeper:
                self._keeper.ended(room)

    async def forget(self, older_than: float) -> int:
        return 0

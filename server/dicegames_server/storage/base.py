"""What a store must do: keep each room's numbered updates, in order, once.

Writing is conditional. It fails where that number is already written or somebody holds a newer epoch, so that two
owners of a room can never both go on. When it is done, the update will still be there after a crash (as far as the
store is meant to survive one); only then does the room acknowledge.

Beside each update goes what only the server may know (`private`): hashes of tokens, what was drawn in secret.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol


class Conflict(Exception):
    """Somebody else has written this number, or holds a newer epoch: this room is no longer ours."""


class Unavailable(Exception):
    """The store can't take it right now. Nothing was written."""


class StorageError(Exception):
    """The store can't be used at all; str() is a sentence for whoever runs the server."""


@dataclass(frozen=True, slots=True)
class Record:
    seq: int
    update: bytes
    private: bytes


@dataclass(frozen=True, slots=True)
class Shelved:
    """The room as it was after update `seq`."""

    seq: int
    public: bytes
    private: bytes


NOTHING = Shelved(0, b"{}", b"{}")
"""What there is before the first update."""


@dataclass(frozen=True, slots=True)
class StoredRoom:
    """All that is needed to open a room again."""

    code: str
    epoch: int
    private: bytes
    snapshot: Shelved
    records: tuple[Record, ...]
    """All updates after the snapshot."""
    recent: tuple[tuple[int, bytes], ...]
    """Number and private part of the newest updates, however old the snapshot: which moves were answered."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended for one player. `player` is a hash of their key; `at` is set by the store."""

    player: str
    room: str
    game: str
    game_no: int
    seat: int
    name: str
    score: int
    won: bool
    opponents: tuple[str, ...]
    bests: dict[str, int]
    at: float = 0.0


@dataclass(slots=True)
class Entry:
    """An update for the log of a room. Results of a game go with it, or not at all."""

    room: str
    epoch: int
    seq: int
    update: bytes
    private: bytes = b"{}"
    results: Sequence[Result] = ()

    def __str__(self) -> str:
        return f"update {self.seq} of room {self.room} in epoch {self.epoch}"


Done = Callable[[Exception | None], None]
"""Called once, on the event loop: with None when an update is safe, with Conflict or Unavailable when it is not."""


class Storage(Protocol):
    durable: bool
    """Whether rooms outlive the process."""

    async def start(self) -> None:
        """Get ready, or StorageError."""

    async def stop(self) -> None:
        """Finish what was asked for, and let go."""

    async def open(self, room: str, private: bytes = b"{}") -> None:
        """Begin a room's stream in epoch 1. Conflict where there is one already."""

    async def take_over(self, room: str, epoch: int) -> None:
        """Become the owner of a room in a newer epoch; older ones can't write any more."""

    def write(self, entry: Entry, done: Done) -> None:
        """Write an update; its number must be the one after the last."""

    async def snapshot(self, room: str, epoch: int, shelved: Shelved) -> None:
        """Keep the room's whole state, so that opening it again does not take its whole history."""

    async def updates(self, room: str, after: int) -> list[bytes] | None:
        """All updates after number `after`, in order; None where some of them are not at hand."""

    async def load(self) -> list[StoredRoom]:
        """All rooms that have not ended and whose first update was written."""

    async def read(self, room: str, after: int, most: int) -> tuple[bytes, list[bytes]] | None:
        """For the record: the private part of a room, open or ended, and its updates after `after`, at most so many."""

    async def results(self, player: str | None, game: str | None, most: int) -> list[Result]:
        """Results of a player, of a game, or all; newest first."""

    async def leaders(self, game: str | None, most: int) -> list[tuple[str, int, int]]:
        """Who has won most often, of a game or of all: name used last, games played, games won."""

    async def drop(self, room: str) -> None:
        """A room has ended; it will not be opened again. Its log is kept for a while."""

    async def forget(self, older_than: float) -> int:
        """Delete the logs of rooms that ended so many seconds ago or more. Gives their number; results stay."""


async def append(store: Storage, entry: Entry) -> None:
    """Write an update and wait until it is done."""
    written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    store.write(entry, partial(_settle, written))
    await written


def _settle(future: asyncio.Future[None], error: Exception | None) -> None:
    """What was waited for is done; whoever waited may be gone."""
    if future.done():
        return
    if error:
        future.set_exception(error)
    else:
        future.set_result(None)

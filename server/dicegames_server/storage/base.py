"""What a store must do: keep each room's numbered updates, in order, once.

A room has one owner at a time, who has acquired it in an epoch of its own. Writing is conditional: it fails where that
number is already written or somebody holds a newer epoch, so that two owners of a room can never both go on. When it
is done, the update will still be there after a crash (as far as the store is meant to survive one); only then does the
room acknowledge.

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


class NotWritten(Unavailable):
    """It was in doubt for a while; now it is known that nothing was written."""


class Unknown(Exception):
    """The store went away while it was at it: written or not, only acquiring the room again can tell."""


class Elsewhere(Exception):
    """Another node owns the room."""

    def __init__(self, room: str, url: str, seconds: float, fresh: bool) -> None:
        """`url` is where that node is found, if it can be; the room is free in `seconds` at the latest unless it goes
        on owning it, as it has said lately where this is `fresh`.
        """
        super().__init__(f"room {room} is owned by another node")
        self.url = url
        self.seconds = seconds
        self.fresh = fresh


class Repeated(Exception):
    """A move with this id is in the log already, as update `seq`. Nothing was written."""

    def __init__(self, seq: int) -> None:
        super().__init__(f"this move was made as update {seq}")
        self.seq = seq


class StorageError(Exception):
    """The store can't be used at all; str() is a sentence for whoever runs the server."""


@dataclass(frozen=True, slots=True)
class Record:
    seq: int
    epoch: int
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
    """The new owner's."""
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
    move: str | None = None
    """What is unique about the move in it: whoever holds the seat, and the id that they gave it."""

    def __str__(self) -> str:
        return f"update {self.seq} of room {self.room} in epoch {self.epoch}"


Done = Callable[[Exception | None], None]
"""Called once, on the event loop: with None when an update is safe, with what went wrong when it is not."""


@dataclass(frozen=True, slots=True)
class Node:
    """Another node, alive, and what it tells about itself."""

    id: str
    url: str
    told: bytes


class Storage(Protocol):
    durable: bool
    """Whether rooms outlive the process."""
    shared: bool
    """Whether other nodes use it, too."""

    async def start(self) -> None:
        """Get ready, or StorageError."""

    async def stop(self) -> None:
        """Finish what was asked for, and let go."""

    async def open(self, room: str, private: bytes = b"{}") -> None:
        """Begin a room's stream as its owner, in epoch 1. Conflict where there is one already."""

    async def orphans(self, most: int) -> list[str]:
        """Rooms with an update that have not ended and that no other node owns, at most so many."""

    async def acquire(self, room: str) -> StoredRoom:
        """Become the owner of a room in a newer epoch; older ones can't write any more.

        Conflict where there is no such room, Elsewhere where another node owns it.
        """

    async def release(self, room: str, epoch: int) -> None:
        """Give a room away: whoever wants it may acquire it at once."""

    def write(self, entry: Entry, done: Done) -> None:
        """Write an update; its number must be the one after the last.

        Conflict where it is not, or the room has another owner; Unavailable where nothing was written and a later try
        may do; Unknown where the room has to be acquired again to know; Repeated where the move was made before.
        """

    async def snapshot(self, room: str, epoch: int, shelved: Shelved) -> None:
        """Keep the room's whole state, so that opening it again does not take its whole history."""

    async def updates(self, room: str, after: int) -> list[bytes] | None:
        """All updates after number `after`, in order; None where some of them are not at hand."""

    async def read(self, room: str, after: int, most: int) -> tuple[bytes, list[bytes]] | None:
        """For the record: the private part of a room, open or ended, and its updates after `after`, at most so many."""

    async def results(self, player: str | None, game: str | None, most: int) -> list[Result]:
        """Results of a player, of a game, or all; newest first."""

    async def leaders(self, game: str | None, most: int) -> list[tuple[str, int, int]]:
        """Who has won most often, of a game or of all: name used last, games played, games won."""

    async def drop(self, room: str, epoch: int) -> None:
        """A room has ended; it will not be opened again. Its log is kept for a while. Only its owner can say so."""

    async def forget(self, older_than: float) -> int:
        """Delete the logs of rooms that ended so many seconds ago or more. Gives their number; results stay."""


class SharedStorage(Storage, Protocol):
    """A store that several nodes use."""

    @property
    def up(self) -> bool:
        """Whether it can be reached, as far as is known."""

    commits: int
    """Transactions so far, and the updates in them."""
    written: int

    async def beat(self, told: bytes) -> tuple[Node, ...]:
        """A sign of life, which renews the leases of all our rooms and notices which ones are not ours any more.

        Gives the other nodes that are there.
        """

    def holds(self, room: str, epoch: int) -> bool:
        """Whether a room is ours in this epoch, as far as is known."""


async def append(store: Storage, entry: Entry) -> None:
    """Write an update and wait until it is done."""
    written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    store.write(entry, partial(_settle, written))
    await written


def misfit(entry: Entry, epoch: int, last: int) -> Exception:
    """Why an update can't follow number `last` in this epoch: whoever wrote it missed something, or comes too early."""
    if entry.epoch == epoch and entry.seq > last + 1:
        return Unavailable(f"{entry} waits for number {last + 1}")
    return Conflict(f"{entry} does not fit")


def _settle(future: asyncio.Future[None], error: Exception | None) -> None:
    """What was waited for is done; whoever waited may be gone."""
    if future.done():
        return
    if error:
        future.set_exception(error)
    else:
        future.set_result(None)

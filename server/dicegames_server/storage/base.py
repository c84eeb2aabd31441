"""What a store must do: keep the numbered updates of each room, in order, each of them once.

A room has one owner at a time. The owner has acquired it, and each acquisition begins a new epoch. Writes are
conditional: a write fails where its number is already written, or where there is a newer epoch. So two owners of a room
can never both go on. After a write the update survives a crash, if the store is durable. Only then does the room
acknowledge it.

With each update goes a part that only the server may know (`private`): hashes of tokens, secret draws.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from dicegames_server.storage.commitments import Commitments
from dicegames_server.storage.past_games import PastGames
from dicegames_server.storage.players import Players

RECENT = 500
"""Most answered moves that are loaded with a room, so that repeated moves are recognised after a restart."""


class Conflict(Exception):
    """Another owner has written this number, or has a newer epoch. This room is no longer ours."""


class Unavailable(Exception):
    """The store can't be used right now. Nothing was written. The caller may retry."""


class NotWritten(Unavailable):
    """For a while it was unknown whether the update was written. Now it is known that nothing was written."""


class Unknown(Exception):
    """The connection to the store broke during the write. Acquire the room again to know whether it was written."""


class Elsewhere(Exception):
    """Another node owns the room."""

    def __init__(self, room: str, url: str, seconds: float, fresh: bool) -> None:
        """`url`: address of that node for clients, empty if unknown. `seconds`: time until its lease on the room ends,
        unless it renews the lease. `fresh`: it has renewed the lease lately, so it is probably alive.
        """
        super().__init__(f"room {room} is owned by another node")
        self.url = url
        self.seconds = seconds
        self.fresh = fresh


class Repeated(Exception):
    """A move with this idempotency key is in the log already, as update `seq`. Nothing was written."""

    def __init__(self, seq: int, private: bytes) -> None:
        """`private`: the private part of that update."""
        super().__init__(f"this move was made as update {seq}")
        self.seq = seq
        self.private = private


BROKEN, RETRY, OUTDATED = 2, 3, 5
"""Exit codes of a server that can't use its store: somebody has to look; it may work later; update dicegames."""


class StorageError(Exception):
    """The store can't be used at all. str() is a sentence for the operator, `code` the exit code."""

    def __init__(self, sentence: str, code: int = BROKEN) -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True, slots=True)
class Record:
    seq: int
    epoch: int
    update: bytes
    private: bytes


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """The room as it was after update `seq`."""

    seq: int
    public: bytes
    private: bytes


NOTHING = StoredSnapshot(0, b"{}", b"{}")
"""The snapshot of a room before its first update."""


@dataclass(frozen=True, slots=True)
class StoredRoom:
    """Everything that is needed to open a room again."""

    code: str
    epoch: int
    """The epoch of the new owner."""
    private: bytes
    snapshot: StoredSnapshot
    records: tuple[Record, ...]
    """All updates after the snapshot."""
    recent: tuple[tuple[int, bytes], ...]
    """Number and private part of the newest updates, also from before the snapshot: which moves were answered."""


NOBODY = ""
"""Instead of a player: the end of the game was taken back."""


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
    counted: bool = True
    """Whether it counts for the leaderboard."""
    shared: bool = False
    """Whether others have won as well."""
    players: int = 0
    """How many played: people and bots. 0: it was written by a version that did not note it."""
    bots: tuple[tuple[str, bool], ...] = ()
    """The bots at the table: the level of each, and whether it has won."""
    gave_up: bool = False
    """Whether the player has left before the end. Then it is lost."""
    accuracy: float | None = None
    """How well this player decided, from 0 to 1. None: nobody knows."""
    luck: float | None = None
    """The part of a win that the dice gave to this player, or took away. None: nobody knows."""


@dataclass(slots=True)
class Entry:
    """An update for the log of a room. The results of a game are written in the same transaction."""

    room: str
    epoch: int
    seq: int
    update: bytes
    private: bytes = b"{}"
    results: Sequence[Result] = ()
    move: str | None = None
    """Idempotency key of the move in it: who holds the seat, and the id that they gave the move."""

    def __str__(self) -> str:
        return f"update {self.seq} of room {self.room} in epoch {self.epoch}"


Done = Callable[[Exception | None], None]
"""Called once, on the event loop: with None when the update is written, otherwise with the exception."""


@dataclass(frozen=True, slots=True)
class Node:
    """Another node that is alive, and what it tells about itself (`told`)."""

    id: str
    url: str
    told: bytes
    older: bool
    """Whether it was there before the one that asks."""
    silent: float
    """Seconds since its last heartbeat."""


class Storage(Protocol):
    durable: bool
    """Whether rooms survive the end of the process."""
    shared: bool
    """Whether several nodes use the store."""
    players: Players
    """What is kept about players, besides rooms. Use it after `start`."""
    commitments: Commitments
    """The public list of commitments. Use it after `start`."""
    past_games: PastGames
    """What is worked out from finished games. Use it after `start`."""

    async def start(self) -> None:
        """Open the store. Call it first. Raises StorageError."""

    async def stop(self) -> None:
        """Finish all requests, and close the store."""

    async def open(self, room: str, private: bytes = b"{}") -> None:
        """Begin the stream of a new room as its owner, in FIRST_EPOCH. Conflict where the room exists already."""

    async def orphans(self, most: int) -> list[str]:
        """Rooms that have updates, have not ended, and are not owned by another node. At most `most`."""

    async def acquire(self, room: str) -> StoredRoom:
        """Become the owner of a room in a new epoch. Owners of older epochs can't write any more.

        Conflict where there is no such room, Elsewhere where another node owns it.
        """

    async def release(self, room: str, epoch: int) -> None:
        """Stop owning a room. Any node can acquire it at once."""

    def write(self, entry: Entry, done: Done) -> None:
        """Write an update. Its number must be the next one. `done` is called with the outcome:

        - Conflict: the number is already written, or the room has another owner.
        - Unavailable: nothing was written, and a retry may succeed. Also where the number is too high.
        - Unknown: acquire the room again to know whether it was written.
        - Repeated: the move was made before.
        """

    async def snapshot(self, room: str, epoch: int, stored: StoredSnapshot) -> None:
        """Store the whole state of a room, so that it can be opened again without its whole history."""

    async def updates(self, room: str, after: int, epoch: int) -> list[bytes] | None:
        """All updates after number `after`, in order. None where some of them are not available.

        Also None where update `after` was written later than in `epoch`: whoever saw it in that epoch saw another
        history, from before a restore.
        """

    async def codes(self) -> int:
        """Number of rooms, open or ended, whose log can still be read."""

    async def mentions(self, room: str, token_hash: str) -> bool:
        """Whether a seat of this room, open or ended, has or had the token with this hash."""

    async def read(self, room: str, after: int, most: int) -> tuple[bytes, list[bytes]] | None:
        """For logs: the private part of a room, open or ended, and at most `most` of its updates after `after`.

        None where there is no such room.
        """

    async def results(self, player: str | None, game: str | None, most: int) -> list[Result]:
        """Results of a player, of a game, or all, newest first. At most `most`."""

    async def drop(self, room: str, epoch: int) -> None:
        """Mark a room as ended, for good. Its log is kept for a while. Only the owner can do this."""

    async def forget(self, older_than: float) -> int:
        """Delete the logs of rooms that ended at least `older_than` seconds ago. Gives their number. Results stay."""


class SharedStorage(Storage, Protocol):
    """A store that several nodes use."""

    @property
    def up(self) -> bool:
        """Whether the store can be reached, as far as is known."""

    commits: int
    """Transactions with updates so far."""
    written: int
    """Updates in these transactions."""

    async def beat(self, told: bytes) -> tuple[Node, ...]:
        """Heartbeat: renews the leases of all our rooms, and notices rooms that are not ours any more.

        Gives the other nodes that are alive. `told`: what this node tells the others about itself.
        """

    def holds(self, room: str, epoch: int) -> bool:
        """Whether this node owns a room in this epoch, as far as is known."""


async def append(store: Storage, entry: Entry) -> None:
    """Write an update and wait until it is written. Raises what `Storage.write` gives to `done`."""
    written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    store.write(entry, partial(_settle, written))
    await written


def misfit(entry: Entry, epoch: int, last: int) -> Exception:
    """The exception for an update that can't follow number `last` in this epoch.

    Unavailable where it comes too early: an update before it is missing. Otherwise Conflict.
    """
    if entry.epoch == epoch and entry.seq > last + 1:
        return Unavailable(f"{entry} waits for number {last + 1}")
    return Conflict(f"{entry} does not fit")


def _settle(future: asyncio.Future[None], error: Exception | None) -> None:
    """Settle a future, unless its caller has cancelled it."""
    if future.done():
        return
    if error:
        future.set_exception(error)
    else:
        future.set_result(None)

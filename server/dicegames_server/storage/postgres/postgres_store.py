"""The store that several nodes share: PostgreSQL.

The row of a room has its owner, its epoch and the next number. To acquire a room is one UPDATE that raises the epoch.
It only works where the room has no other owner, or the lease of that owner is over. To write is one statement that only
works for the present owner, epoch and number. So a node that was stopped or cut off can't write any more, whatever it
believes. All times are taken from the clock of the database.

Group commit: requests that come while a commit is running share the next one. The updates of all rooms are then one
statement.
"""

import asyncio
import contextlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import AsyncConnection

from dicegames_server.storage.base import (
    NOTHING,
    RECENT,
    Conflict,
    Done,
    Elsewhere,
    Entry,
    Node,
    Record,
    Repeated,
    Result,
    StoredRoom,
    StoredSnapshot,
    Unavailable,
    Unknown,
    misfit,
)
from dicegames_server.storage.commitments import Commitments
from dicegames_server.storage.epochs import FIRST_EPOCH
from dicegames_server.storage.past_games import PastGames
from dicegames_server.storage.players import Players
from dicegames_server.storage.postgres import postgres_sql as sql
from dicegames_server.storage.postgres.postgres_commitments import PostgresCommitments
from dicegames_server.storage.postgres.postgres_connection import OWN_REASONS, PostgresConnection, Rows, Statement
from dicegames_server.storage.postgres.postgres_past_games import PostgresPastGames
from dicegames_server.storage.postgres.postgres_players import PostgresPlayers
from dicegames_server.storage.postgres.postgres_schema import migrate
from dicegames_server.storage.result_rows import from_row, to_row

MOST_PER_COMMIT = 1000
"""Most requests in one commit."""
ORPHAN_SECONDS = 1.0
"""Seconds for which a room without an owner is not yet an orphan, so that a node that is asked for it can take it."""
NEVER_BEGUN_SECONDS = 60.0
"""Seconds after its lease at which a room without any update counts as ended."""
TIDY_EVERY = 100
"""Heartbeats between two cleanups of what nodes left behind."""


@dataclass(slots=True)
class _Head:
    """Where the log of a room that we own ends, as far as we know. The database decides."""

    row: int
    epoch: int
    seq: int


@dataclass(frozen=True, slots=True)
class _Task:
    statements: tuple[Statement, ...]
    done: "asyncio.Future[list[Rows]]"


Write = tuple[Entry, Done]


class PostgresStorage:
    durable = True
    shared = True

    def __init__(self, dsn: str, *, url: str = "", lease: float = 6.0) -> None:
        """`url`: where clients reach this node. `lease`: seconds of silence after which others take its rooms."""
        self.node = secrets.token_hex(8)
        self._url = url
        self._lease = lease
        patience = lease * 2 / 3
        self._writes = PostgresConnection(dsn, patience)
        self._reads = PostgresConnection(dsn, patience)
        self._heads: dict[str, _Head] = {}
        self._batch: list[_Task | Write] = []
        self._committing: asyncio.Task[None] | None = None
        self._open = False
        self.players: Players = PostgresPlayers(self._do, self._read)
        self.commitments: Commitments = PostgresCommitments(self._do, self._read)
        self.past_games: PastGames = PostgresPastGames(self._do, self._read)
        self._beats = 0
        self.commits = 0
        self.written = 0

    async def start(self) -> None:
        await self._writes.open(migrate)
        await self._reads.open(_nothing)
        self._open = True

    async def stop(self) -> None:
        """Release all rooms first, so that other nodes need not wait for the leases to end."""
        if self._open:
            with contextlib.suppress(Unavailable, Unknown):  # then the leases end by themselves
                await self._do((sql.RELEASE_ALL, (self.node,)), (sql.NODE_GOES, (self.node,)))
        self._open = False
        if self._committing:
            await self._committing
        await self._writes.close()
        await self._reads.close()

    @property
    def up(self) -> bool:
        return self._writes.up

    # Ownership.

    async def open(self, room: str, private: bytes = b"{}") -> None:
        (rows,) = await self._do((sql.OPEN, (room, private, self.node, FIRST_EPOCH, self._lease)))
        if not rows:
            raise Conflict(f"room {room} exists already")
        self._heads[room] = _Head(rows[0][0], FIRST_EPOCH, 0)

    async def orphans(self, most: int) -> list[str]:
        return [code for (code,) in await self._read(sql.ORPHANS, (ORPHAN_SECONDS, most))]

    async def acquire(self, room: str) -> StoredRoom:
        mine, owner = await self._do(
            (sql.ACQUIRE, (self.node, self._lease, room, self.node)),
            (sql.OWNER, (room,)),
        )
        if not mine:
            if not owner:
                raise Conflict(f"there is no room {room}")
            self._heads.pop(room, None)
            url, seconds = owner[0]
            raise Elsewhere(room, url, seconds, fresh=seconds > self._lease / 2)
        row, epoch, private, next_seq = mine[0]
        self._heads[room] = _Head(row, epoch, next_seq - 1)
        return await self._load(room, row, epoch, private)

    async def _load(self, room: str, row: int, epoch: int, private: bytes) -> StoredRoom:
        """Read a room that was just acquired. No other node can write to it any more."""
        snapshots, records, newest = await self._reads.ask(
            (sql.LATEST_SNAPSHOT, (row,)),
            (sql.SINCE_SNAPSHOT, (row, row)),
            (sql.SELECT_RECENT, (row, RECENT)),
            writes=False,
        )
        snapshot = StoredSnapshot(*snapshots[0]) if snapshots else NOTHING
        answers = tuple((seq, part) for seq, part in newest[::-1])
        return StoredRoom(room, epoch, private, snapshot, tuple(Record(*found) for found in records), answers)

    async def release(self, room: str, epoch: int) -> None:
        if (head := self._heads.get(room)) and head.epoch == epoch:
            await self._do((sql.RELEASE, (head.row, self.node, epoch)))
            self._heads.pop(room, None)

    def holds(self, room: str, epoch: int) -> bool:
        head = self._heads.get(room)
        return head is not None and head.epoch == epoch

    async def beat(self, told: bytes) -> tuple[Node, ...]:
        before = dict(self._heads)
        statements: list[Statement] = [
            (sql.NODE, (self.node, self._url, told)),
            (sql.RENEW, (self._lease, [head.row for head in before.values()], self.node, self._lease * 5 / 6)),
            (sql.OWNED, (self.node,)),
            (sql.OTHERS, (self.node, self._lease)),
        ]
        if self._beats % TIDY_EVERY == 0:
            statements += [(sql.OLD_NODES, ()), (sql.NEVER_BEGUN, (NEVER_BEGUN_SECONDS,))]
        self._beats += 1
        _, _, mine, others, *_ = await self._do(*statements)
        owned = {(row, epoch) for row, epoch in mine}
        for room, head in before.items():
            if self._heads.get(room) is head and (head.row, head.epoch) not in owned:
                del self._heads[room]
        return tuple(Node(*other) for other in others)

    # Writes.

    def write(self, entry: Entry, done: Done) -> None:
        if self._open:
            self._ask((entry, done))
        else:
            done(Unavailable("the store is closed"))

    async def snapshot(self, room: str, epoch: int, stored: StoredSnapshot) -> None:
        if (head := self._heads.get(room)) and head.epoch == epoch:
            what = (stored.seq, stored.public, stored.private)
            await self._do((sql.SNAPSHOT, (*what, head.row, self.node, epoch)))

    async def drop(self, room: str, epoch: int) -> None:
        if (head := self._heads.get(room)) and head.epoch == epoch:
            await self._do((sql.DROP, (head.row, self.node, epoch)))
            self._heads.pop(room, None)

    async def forget(self, older_than: float) -> int:
        forgotten = 0
        while ids := [row for (row,) in await self._read(sql.OLD_ROOMS, (older_than,))]:
            *_, gone = await self._do((sql.NO_EVENTS, (ids,)), (sql.NO_SNAPSHOTS, (ids,)), (sql.NO_ROOMS, (ids,)))
            forgotten += len(gone)
        return forgotten

    # Reads.

    async def updates(self, room: str, after: int, epoch: int) -> list[bytes] | None:
        head = self._heads.get(room)
        if head is None or after > head.seq:
            return None
        last = head.seq
        if await self._read(sql.LATER, (head.row, after, epoch)):
            return None
        rows = await self._read(sql.UPDATES, (head.row, after, last))
        return [body for (body,) in rows] if len(rows) == last - after else None

    async def read(self, room: str, after: int, most: int) -> tuple[bytes, list[bytes]] | None:
        found = await self._read(sql.LAST_OF_CODE, (room,))
        if not found:
            return None
        row, private = found[0]
        return private, [body for (body,) in await self._read(sql.PAGE, (row, after, most))]

    async def codes(self) -> int:
        return int((await self._read(sql.CODES, ()))[0][0])

    async def mentions(self, room: str, token_hash: str) -> bool:
        return bool(await self._read(sql.MENTIONS, (room, token_hash.encode())))

    async def results(self, player: str | None, game: str | None, most: int) -> list[Result]:
        return [from_row(row) for row in await self._read(sql.RESULTS, (player, player, game, game, most))]

    async def _read(self, statement: str, values: tuple[Any, ...]) -> Rows:
        if not self._open:
            raise Unavailable("the store is closed")
        clean = tuple(value.replace("\0", "") if isinstance(value, str) else value for value in values)
        return (await self._reads.ask((statement, clean), writes=False))[0]

    # Group commit.

    async def _do(self, *statements: Statement) -> list[Rows]:
        if not self._open:
            raise Unavailable("the store is closed")
        done: asyncio.Future[list[Rows]] = asyncio.get_running_loop().create_future()
        self._ask(_Task(statements, done))
        return await done

    def _ask(self, task: _Task | Write) -> None:
        self._batch.append(task)
        if self._committing is None:
            self._committing = asyncio.ensure_future(self._commit_all())

    async def _commit_all(self) -> None:
        try:
            while self._batch:
                batch, self._batch = self._batch[:MOST_PER_COMMIT], self._batch[MOST_PER_COMMIT:]
                tasks = [task for task in batch if isinstance(task, _Task)]
                await self._commit(self._fitting(task for task in batch if isinstance(task, tuple)), tasks)
        finally:
            self._committing = None

    def _fitting(self, writes: Iterable[Write]) -> list[Write]:
        """The writes that follow the end of their log, as far as we know. For the others `done` is called with why."""
        fitting = []
        for entry, done in writes:
            head = self._heads.get(entry.room)
            if head and head.epoch == entry.epoch and head.seq == entry.seq - 1:
                head.seq = entry.seq
                fitting.append((entry, done))
            else:
                done(misfit(entry, head.epoch, head.seq) if head else Conflict(f"{entry} has no room here"))
        return fitting

    async def _commit(self, writes: list[Write], tasks: list[_Task]) -> None:
        """Run all of these in one transaction."""
        writes = self._still_ours(writes)
        statements = [*self._append(writes), *(statement for task in tasks for statement in task.statements)]
        try:
            answers = await self._writes.ask(*statements) if statements else []
        except OWN_REASONS as error:
            await self._commit_apart(writes, tasks, error)
        except Exception as error:
            problem = error if isinstance(error, Unavailable | Unknown) else Unknown(f"{type(error).__name__}: {error}")
            self._failed(writes, problem)
            for task in tasks:
                if not task.done.done():
                    task.done.set_exception(problem)
        else:
            if writes:
                self.commits += 1
                self._written(writes, {row for (row,) in answers[0]})
            rest = iter(answers[len(answers) - sum(len(task.statements) for task in tasks) :])
            for task in tasks:
                rows = [next(rest) for _ in task.statements]
                if not task.done.done():
                    task.done.set_result(rows)

    def _still_ours(self, writes: list[Write]) -> list[Write]:
        """The writes whose rooms were not lost while others were being written. The others get Conflict."""
        for entry, done in writes:
            if entry.room not in self._heads:
                done(Conflict(f"{entry} has no room here"))
        return [write for write in writes if write[0].room in self._heads]

    def _append(self, writes: list[Write]) -> Iterable[Statement]:
        if not writes:
            return
        entries = [entry for entry, _ in writes]
        rows = [self._heads[entry.room].row for entry in entries]
        yield (
            sql.APPEND,
            (
                rows,
                [entry.seq for entry in entries],
                [entry.epoch for entry in entries],
                [entry.update for entry in entries],
                [entry.private for entry in entries],
                [entry.move for entry in entries],
                self._lease,
                self.node,
            ),
        )
        for row, entry in zip(rows, entries, strict=True):
            for result in entry.results:
                yield sql.RESULT, (*to_row(row, result), row, entry.seq, entry.epoch)

    def _written(self, writes: list[Write], mine: set[int]) -> None:
        for entry, done in writes:
            head = self._heads.get(entry.room)
            if head and head.row in mine:
                self.written += 1
                done(None)
            else:  # it is not ours any more
                self._heads.pop(entry.room, None)
                done(Conflict(f"{entry} does not fit"))

    def _failed(self, writes: list[Write], error: Exception) -> None:
        """Unavailable: nothing was written. Other errors: nobody knows, and the rooms must be acquired again."""
        for entry, done in writes:
            if isinstance(error, Unavailable):
                if head := self._heads.get(entry.room):
                    head.seq = min(head.seq, entry.seq - 1)
            else:
                self._heads.pop(entry.room, None)
            done(error)

    async def _commit_apart(self, writes: list[Write], tasks: list[_Task], error: Exception) -> None:
        """One of these can't be written for its own reasons. Write each room by itself, so that only that one fails.

        A move that was made before (unique violation) is such a one, too.
        """
        if len({entry.room for entry, _ in writes}) > 1:
            for room in dict.fromkeys(entry.room for entry, _ in writes):
                await self._commit([write for write in writes if write[0].room == room], [])
            await self._commit([], tasks)
            return
        if len(writes) > 1 or (writes and tasks):
            await self._commit(writes[:1], [])
            self._failed(writes[1:], Unavailable("it was to follow a move that had to be looked at again"))
            await self._commit([], tasks)
            return
        if len(tasks) > 1:
            for task in tasks:
                await self._commit([], [task])
            return
        for task in tasks:
            if not task.done.done():
                task.done.set_exception(error)
        for entry, done in self._still_ours(writes):
            head = self._heads[entry.room]
            head.seq = entry.seq - 1
            if not isinstance(error, psycopg.errors.UniqueViolation):
                done(error)
                continue
            try:
                found = await self._read(sql.MOVE, (head.row, entry.move))
            except (Unavailable, Unknown) as problem:
                done(Unavailable(str(problem)))
            else:
                done(Repeated(*found[0]) if found else Unavailable(f"{entry} is in doubt"))


async def _nothing(connection: AsyncConnection) -> None:
    """A connection that needs no preparation."""

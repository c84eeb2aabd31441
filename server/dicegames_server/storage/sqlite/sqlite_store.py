"""The store on disk: one SQLite file, one thread that writes, many rooms in one commit.

Group commit: all requests that come during one commit share the next one. Each is answered only when it is on disk
(WAL, synchronous=FULL). A file that is damaged or from a newer version is never changed. While the disk is full or
read-only, moves are `unavailable`.
"""

import asyncio
import contextlib
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from dicegames_server.storage.base import (
    Conflict,
    Done,
    Entry,
    Result,
    StoredRoom,
    StoredSnapshot,
    Unavailable,
    misfit,
)
from dicegames_server.storage.commitments import Commitments
from dicegames_server.storage.epochs import FIRST_EPOCH, next_epoch
from dicegames_server.storage.past_games import PastGames
from dicegames_server.storage.players import Players
from dicegames_server.storage.result_rows import READ_COLUMNS, from_row, to_row
from dicegames_server.storage.sqlite.sqlite_commitments import SqliteCommitments
from dicegames_server.storage.sqlite.sqlite_file import DATABASE_FILE, connect, lock
from dicegames_server.storage.sqlite.sqlite_guard import FileGuard
from dicegames_server.storage.sqlite.sqlite_past_games import SqlitePastGames
from dicegames_server.storage.sqlite.sqlite_players import SqlitePlayers
from dicegames_server.storage.sqlite.sqlite_sql import insert, load

MOST_PER_COMMIT = 1000
"""Requests in one commit after which no more batches are added."""
MOST_WAITING = 128
"""Most requests that wait for the end of an event loop iteration. At this number the thread gets them at once, so it
can write them while others are handled.
"""
T = TypeVar("T")
Work = Callable[[sqlite3.Connection], Any]
Write = tuple[Entry, Done]
"""An update to write, together with those of other rooms."""


@dataclass(frozen=True, slots=True)
class _Task:
    work: Work
    done: asyncio.Future[Any]
    reads: bool
    """Whether it only reads. Then it also works on a full or read-only disk."""


@dataclass(slots=True)
class _Head:
    """Where the log of an open room ends. The lock on the folder makes sure that no other process changes it."""

    row: int
    epoch: int
    seq: int


class SqliteStorage:
    durable = True
    shared = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._batches: queue.SimpleQueue[list[_Task | Write] | None] = queue.SimpleQueue()
        self._batch: list[_Task | Write] = []
        """Requests of this event loop iteration. They go to the thread together: waking a thread is expensive."""
        self._thread: threading.Thread | None = None
        self._open = False
        self.players: Players = SqlitePlayers(self._do)
        self.commitments: Commitments = SqliteCommitments(self._do)
        self.past_games: PastGames = SqlitePastGames(self._do)
        self._heads: dict[str, _Head] = {}
        """The head of each open room. Only the thread uses it."""
        self._undo: list[Callable[[], None]] = []
        """Calls that restore the heads if a commit fails."""
        self._moved: list[_Head] = []
        """Heads that went one update further in this commit. If it fails, they go one back."""

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        ready = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, args=(ready,), name="sqlite", daemon=True)
        self._thread.start()
        await ready
        self._open = True

    async def stop(self) -> None:
        self._open = False
        if self._thread and self._thread.is_alive():
            self._hand_over()
            self._batches.put(None)
            await asyncio.to_thread(self._thread.join)

    # The requests, as work for the thread.

    async def open(self, room: str, private: bytes = b"{}") -> None:
        def work(db: sqlite3.Connection) -> None:
            try:
                sql = "INSERT INTO room (code, opened, epoch, private) VALUES (?, ?, ?, ?)"
                row = db.execute(sql, (room, time.time(), FIRST_EPOCH, private)).lastrowid
            except sqlite3.IntegrityError:
                raise Conflict(f"room {room} exists already") from None
            assert row is not None
            self._heads[room] = _Head(row, FIRST_EPOCH, 0)
            self._undo.append(partial(self._put_back, room, None))

        await self._do(work)

    async def orphans(self, most: int) -> list[str]:
        def work(db: sqlite3.Connection) -> list[str]:
            begun = "EXISTS (SELECT 1 FROM event WHERE room = room.id)"
            sql = f"SELECT code FROM room WHERE ended IS NULL AND {begun} ORDER BY id LIMIT ?"
            return [code for (code,) in db.execute(sql, (most,))]

        return await self._do(work, reads=True)

    async def acquire(self, room: str) -> StoredRoom:
        def work(db: sqlite3.Connection) -> StoredRoom:
            found = db.execute(
                "SELECT id, epoch, private, (SELECT max(seq) FROM event WHERE room = room.id) AS last "
                "FROM room WHERE code = ? AND ended IS NULL AND last IS NOT NULL",
                (room,),
            ).fetchone()
            if found is None:
                raise Conflict(f"there is no room {room}")
            row, before, private, last = found
            epoch = next_epoch(before)
            db.execute("UPDATE room SET epoch = ? WHERE id = ?", (epoch, row))
            self._undo.append(partial(self._put_back, room, self._heads.get(room)))
            self._heads[room] = _Head(row, epoch, last)
            return load(db, row, room, epoch, private)

        return await self._do(work)

    async def release(self, room: str, epoch: int) -> None:
        """Nothing to do: there is no other node."""

    def write(self, entry: Entry, done: Done) -> None:
        try:
            self._ask((entry, done))
        except Unavailable as error:
            done(error)

    async def snapshot(self, room: str, epoch: int, stored: StoredSnapshot) -> None:
        def work(db: sqlite3.Connection) -> None:
            head = self._heads.get(room)
            if head and head.epoch == epoch:
                row = (head.row, stored.seq, stored.public, stored.private)
                db.execute("INSERT OR IGNORE INTO snapshot VALUES (?, ?, ?, ?)", row)

        await self._do(work)

    async def updates(self, room: str, after: int, epoch: int) -> list[bytes] | None:
        def work(db: sqlite3.Connection) -> list[bytes] | None:
            head = self._heads.get(room)
            if head is None or after > head.seq:
                return None
            sql = "SELECT 1 FROM event WHERE room = ? AND seq = ? AND epoch > ?"
            if db.execute(sql, (head.row, after, epoch)).fetchone():
                return None
            sql = "SELECT body FROM event WHERE room = ? AND seq > ? ORDER BY seq"
            rows = db.execute(sql, (head.row, after)).fetchall()
            return [body for (body,) in rows] if len(rows) == head.seq - after else None

        return await self._do(work, reads=True)

    async def read(self, room: str, after: int, most: int) -> tuple[bytes, list[bytes]] | None:
        def work(db: sqlite3.Connection) -> tuple[bytes, list[bytes]] | None:
            found = db.execute(
                "SELECT id, private FROM room WHERE code = ? ORDER BY id DESC LIMIT 1", (room,)
            ).fetchone()
            if found is None:
                return None
            sql = "SELECT body FROM event WHERE room = ? AND seq > ? ORDER BY seq LIMIT ?"
            return found[1], [body for (body,) in db.execute(sql, (found[0], after, most))]

        return await self._do(work, reads=True)

    async def codes(self) -> int:
        return await self._do(lambda db: int(db.execute("SELECT count(*) FROM room").fetchone()[0]), reads=True)

    async def mentions(self, room: str, token_hash: str) -> bool:
        def work(db: sqlite3.Connection) -> bool:
            sql = (
                "SELECT 1 FROM event WHERE room = (SELECT max(id) FROM room WHERE code = ?) "
                "AND instr(private, ?) LIMIT 1"
            )
            return db.execute(sql, (room, token_hash.encode())).fetchone() is not None

        return await self._do(work, reads=True)

    async def results(self, player: str | None, game: str | None, most: int) -> list[Result]:
        def work(db: sqlite3.Connection) -> list[Result]:
            named = {"player": player, "game": game}
            where = " AND ".join(f"{column} = :{column}" for column, value in named.items() if value is not None)
            sql = (
                f"SELECT {READ_COLUMNS}, at FROM result {'WHERE ' if where else ''}{where} ORDER BY at DESC LIMIT :most"
            )
            return [from_row(row) for row in db.execute(sql, {**named, "most": most})]

        return await self._do(work, reads=True)

    async def drop(self, room: str, epoch: int) -> None:
        def work(db: sqlite3.Connection) -> None:
            if (head := self._heads.get(room)) and head.epoch == epoch:
                db.execute("UPDATE room SET ended = ? WHERE id = ?", (time.time(), head.row))
                self._undo.append(partial(self._put_back, room, head))
                del self._heads[room]

        await self._do(work)

    async def forget(self, older_than: float) -> int:
        def work(db: sqlite3.Connection) -> int:
            sql = "SELECT id FROM room WHERE ended IS NOT NULL AND ended <= ?"
            old = db.execute(sql, (time.time() - older_than,)).fetchall()
            for table, column in (("event", "room"), ("snapshot", "room"), ("room", "id")):
                db.executemany(f"DELETE FROM {table} WHERE {column} = ?", old)
            return len(old)

        return await self._do(work)

    # The thread.

    async def _do(self, work: Callable[[sqlite3.Connection], T], *, reads: bool = False) -> T:
        done: asyncio.Future[T] = self._loop.create_future()
        self._ask(_Task(work, done, reads))
        return await done

    def _ask(self, task: _Task | Write) -> None:
        if not self._open:
            raise Unavailable("the store is closed")
        if not self._batch:
            self._loop.call_soon(self._hand_over)
        self._batch.append(task)
        if len(self._batch) >= MOST_WAITING:
            self._hand_over()

    def _hand_over(self) -> None:
        if self._batch:
            self._batches.put(self._batch)
            self._batch = []

    def _run(self, ready: asyncio.Future[None]) -> None:
        try:
            held = lock(self._folder)
            db = connect(self._folder / DATABASE_FILE)
            self._guard = FileGuard(self._folder / DATABASE_FILE, db)
        except Exception as error:
            self._tell([(ready, None, error)])
            return
        self._tell([(ready, None, None)])
        with held, db:
            while (tasks := self._batches.get()) is not None:
                stop = False
                while len(tasks) < MOST_PER_COMMIT and not self._batches.empty():
                    more = self._batches.get()
                    if more is None:
                        stop = True
                        break
                    tasks += more
                self._tell(self._commit(db, [task for task in tasks if isinstance(task, tuple) or not task.reads]))
                self._tell(_read(db, [task for task in tasks if isinstance(task, _Task) and task.reads]))
                if stop:
                    break
        db.close()
        self._guard.close()

    def _commit(self, db: sqlite3.Connection, tasks: list[_Task | Write]) -> "Results":
        """Run all of these in one transaction: all of them are written, or none."""
        if not tasks:
            return []
        self._undo.clear()
        self._moved.clear()
        results: Results = []
        try:
            self._guard.check()
            db.execute("BEGIN IMMEDIATE")
            only_updates = True
            rows: list[Any] = []
            games: list[tuple[Any, ...]] = []
            for task in tasks:
                if isinstance(task, tuple):
                    entry, done = task
                    head = self._heads.get(entry.room)
                    if head is None or head.epoch != entry.epoch or head.seq != entry.seq - 1:
                        why = misfit(entry, head.epoch, head.seq) if head else Conflict(f"{entry} has no room")
                        results.append((done, None, why))
                        continue
                    head.seq = entry.seq
                    self._moved.append(head)
                    rows += (head.row, entry.seq, entry.epoch, entry.update, entry.private)
                    if entry.results:
                        at = time.time()
                        games += [(*to_row(head.row, result), at) for result in entry.results]
                    results.append((done, None, None))
                    continue
                insert(db, rows, games)
                only_updates = False
                try:
                    results.append((task.done, task.work(db), None))
                except Conflict as conflict:  # it wrote nothing, so the others can go on
                    results.append((task.done, None, conflict))
            last = insert(db, rows, games)
            db.execute("COMMIT")
            self._guard.committed(db, last if only_updates else None)
        except Exception as error:
            if db.in_transaction:
                db.execute("ROLLBACK")
            for head in self._moved:
                head.seq -= 1
            while self._undo:
                self._undo.pop()()
            if len(tasks) > 1 and not _of_the_disk(error):
                return self._commit_apart(db, tasks)
            problem = Unavailable(str(error)) if isinstance(error, sqlite3.Error) else error
            return [(task[1] if isinstance(task, tuple) else task.done, None, problem) for task in tasks]
        return results

    def _commit_apart(self, db: sqlite3.Connection, tasks: list[_Task | Write]) -> "Results":
        """One of these can't be written for its own reasons. Commit each by itself, so that only that one fails."""
        results: Results = []
        failed: set[str] = set()
        for task in tasks:
            room = task[0].room if isinstance(task, tuple) else None
            if isinstance(task, tuple) and room in failed:
                results.append((task[1], None, Unavailable("it was to follow an update that could not be written")))
                continue
            told = self._commit(db, [task])
            results += told
            if room is not None and any(error and not isinstance(error, Conflict) for _, _, error in told):
                failed.add(room)
        return results

    def _put_back(self, room: str, head: _Head | None) -> None:
        if head:
            self._heads[room] = head
        else:
            self._heads.pop(room, None)

    def _tell(self, results: "Results") -> None:
        if not results:
            return

        def tell() -> None:
            for done, value, error in results:
                if not isinstance(done, asyncio.Future):
                    done(error)
                elif error and not done.done():
                    done.set_exception(error)
                elif not done.done():
                    done.set_result(value)

        with contextlib.suppress(RuntimeError):  # the event loop has ended, so nobody waits any more
            self._loop.call_soon_threadsafe(tell)


Results = list[tuple[asyncio.Future[Any] | Done, Any, Exception | None]]


def _of_the_disk(error: Exception) -> bool:
    """Whether a commit failed because of the file, not because of what was to be written: then all of it fails."""
    return isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError


def _read(db: sqlite3.Connection, tasks: list[_Task]) -> Results:
    """Run these reads. They come after the commit, so they see all that was written before."""
    results: Results = []
    for task in tasks:
        try:
            results.append((task.done, task.work(db), None))
        except Exception as error:
            problem = Unavailable(str(error)) if isinstance(error, sqlite3.Error) else error
            results.append((task.done, None, problem))
    return results

"""The store on disk: one SQLite file, one thread that writes, many rooms in one commit.

Everything that rooms ask for within the time of one commit shares the next one (group commit), and each of them hears
back only when it is on the disk (WAL, synchronous=FULL). A file that is damaged or from a newer version is never
touched; a disk that is full or read-only makes moves `unavailable` until it is not.
"""

import asyncio
import contextlib
import fcntl
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from dicegames_protocol.codec import canonical, parse_object
from dicegames_server.storage.base import (
    NOTHING,
    Conflict,
    Record,
    Result,
    Shelved,
    StorageError,
    StoredRoom,
    Unavailable,
)

FILE = "dicegames.sqlite3"
LOCK = "dicegames.lock"
RECENT = 500
MOST_PER_COMMIT = 1000

MIGRATIONS = [
    """
    CREATE TABLE room (
        code TEXT NOT NULL, opened REAL NOT NULL, ended REAL, epoch INTEGER NOT NULL, private BLOB NOT NULL,
        last_seq INTEGER NOT NULL DEFAULT 0, id INTEGER PRIMARY KEY
    );
    CREATE UNIQUE INDEX open_room ON room (code) WHERE ended IS NULL;
    CREATE TABLE event (
        room INTEGER NOT NULL REFERENCES room (id), seq INTEGER NOT NULL, epoch INTEGER NOT NULL,
        body BLOB NOT NULL, private BLOB NOT NULL, PRIMARY KEY (room, seq)
    ) WITHOUT ROWID;
    CREATE TABLE snapshot (
        room INTEGER NOT NULL REFERENCES room (id), seq INTEGER NOT NULL,
        public BLOB NOT NULL, private BLOB NOT NULL, PRIMARY KEY (room, seq)
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE result (
        room INTEGER NOT NULL REFERENCES room (id), game_no INTEGER NOT NULL, seat INTEGER NOT NULL, at REAL NOT NULL,
        player TEXT NOT NULL, code TEXT NOT NULL, game TEXT NOT NULL, name TEXT NOT NULL, score INTEGER NOT NULL,
        won INTEGER NOT NULL, opponents TEXT NOT NULL, bests TEXT NOT NULL, PRIMARY KEY (room, game_no, seat)
    ) WITHOUT ROWID;
    CREATE INDEX result_of_player ON result (player, at);
    CREATE INDEX result_of_game ON result (game, at);
    """,
    "CREATE INDEX room_by_code ON room (code)",
]
"""Each step leads from one schema version to the next; the file's `user_version` counts them."""

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], Any]


@dataclass(frozen=True, slots=True)
class _Task:
    work: Work
    done: asyncio.Future[Any]
    reads: bool
    """It only reads: that works on a full or read-only disk, too."""


class SqliteStorage:
    durable = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._ids: dict[str, int] = {}
        """Row of each open room. Only the writing thread uses it."""

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        ready = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, args=(ready,), name="sqlite", daemon=True)
        self._thread.start()
        await ready

    async def stop(self) -> None:
        if self._thread and self._thread.is_alive():
            self._tasks.put(None)
            await asyncio.to_thread(self._thread.join)

    # What rooms ask for, as work for the thread.

    async def open(self, room: str, private: bytes = b"{}") -> None:
        def work(db: sqlite3.Connection) -> None:
            try:
                sql = "INSERT INTO room (code, opened, epoch, private) VALUES (?, ?, 1, ?)"
                row = db.execute(sql, (room, time.time(), private)).lastrowid
            except sqlite3.IntegrityError:
                raise Conflict(f"room {room} exists already") from None
            assert row is not None
            self._ids[room] = row

        await self._do(work)

    async def take_over(self, room: str, epoch: int) -> None:
        def work(db: sqlite3.Connection) -> None:
            sql = "UPDATE room SET epoch = ? WHERE id = ? AND epoch < ?"
            if db.execute(sql, (epoch, self._ids.get(room), epoch)).rowcount != 1:
                raise Conflict(f"room {room} has another owner")

        await self._do(work)

    async def append(
        self,
        room: str,
        epoch: int,
        seq: int,
        update: bytes,
        private: bytes = b"{}",
        results: Sequence[Result] = (),
    ) -> None:
        def work(db: sqlite3.Connection) -> None:
            row = self._ids.get(room)
            sql = "UPDATE room SET last_seq = ? WHERE id = ? AND epoch = ? AND last_seq = ?"
            if db.execute(sql, (seq, row, epoch, seq - 1)).rowcount != 1:
                raise Conflict(f"update {seq} of room {room} in epoch {epoch} does not fit")
            db.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", (row, seq, epoch, update, private))
            for result in results:
                db.execute(
                    "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    _result_row(row, result),
                )

        await self._do(work)

    async def snapshot(self, room: str, epoch: int, shelved: Shelved) -> None:
        def work(db: sqlite3.Connection) -> None:
            sql = "INSERT OR IGNORE INTO snapshot SELECT id, ?, ?, ? FROM room WHERE id = ? AND epoch = ?"
            db.execute(sql, (shelved.seq, shelved.public, shelved.private, self._ids.get(room), epoch))

        await self._do(work)

    async def updates(self, room: str, after: int) -> list[bytes] | None:
        def work(db: sqlite3.Connection) -> list[bytes] | None:
            row = self._ids.get(room)
            found = db.execute("SELECT last_seq FROM room WHERE id = ?", (row,)).fetchone()
            if found is None or after > found[0]:
                return None
            rows = db.execute("SELECT body FROM event WHERE room = ? AND seq > ? ORDER BY seq", (row, after)).fetchall()
            return [body for (body,) in rows] if len(rows) == found[0] - after else None

        return await self._do(work, reads=True)

    async def load(self) -> list[StoredRoom]:
        def work(db: sqlite3.Connection) -> list[StoredRoom]:
            rows = db.execute(
                "SELECT id, code, epoch, private FROM room WHERE ended IS NULL AND last_seq > 0 ORDER BY id"
            ).fetchall()
            self._ids.update({code: row for row, code, _, _ in rows})
            return [self._load_one(db, *row) for row in rows]

        return await self._do(work, reads=True)

    def _load_one(self, db: sqlite3.Connection, row: int, code: str, epoch: int, private: bytes) -> StoredRoom:
        sql = "SELECT seq, public, private FROM snapshot WHERE room = ? ORDER BY seq DESC LIMIT 1"
        found = db.execute(sql, (row,)).fetchone()
        snapshot = Shelved(*found) if found else NOTHING
        sql = "SELECT seq, body, private FROM event WHERE room = ? AND seq > ? ORDER BY seq"
        records = tuple(Record(*found) for found in db.execute(sql, (row, snapshot.seq)))
        sql = "SELECT seq, private FROM event WHERE room = ? ORDER BY seq DESC LIMIT ?"
        recent = tuple(db.execute(sql, (row, RECENT)))[::-1]
        return StoredRoom(code, epoch, private, snapshot, records, recent)

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

    async def results(self, player: str | None, game: str | None, most: int) -> list[Result]:
        def work(db: sqlite3.Connection) -> list[Result]:
            named = {"player": player, "game": game}
            where = " AND ".join(f"{column} = :{column}" for column, value in named.items() if value is not None)
            sql = (
                "SELECT player, code, game, game_no, seat, name, score, won, opponents, bests, at FROM result "
                f"{'WHERE ' if where else ''}{where} ORDER BY at DESC LIMIT :most"
            )
            return [_result(row) for row in db.execute(sql, {**named, "most": most})]

        return await self._do(work, reads=True)

    async def leaders(self, game: str | None, most: int) -> list[tuple[str, int, int]]:
        def work(db: sqlite3.Connection) -> list[tuple[str, int, int]]:
            where = "" if game is None else "WHERE game = :game "
            sql = (  # SQLite takes the name from the row that has the newest date
                f"SELECT name, count(*), sum(won), max(at) FROM result {where}"
                "GROUP BY player ORDER BY sum(won) DESC, count(*), name LIMIT :most"
            )
            return [(name, played, won) for name, played, won, _ in db.execute(sql, {"game": game, "most": most})]

        return await self._do(work, reads=True)

    async def drop(self, room: str) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("UPDATE room SET ended = ? WHERE id = ?", (time.time(), self._ids.pop(room, None)))

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
        if self._thread is None or not self._thread.is_alive():
            raise Unavailable("the store is closed")
        done: asyncio.Future[T] = self._loop.create_future()
        self._tasks.put(_Task(work, done, reads))
        return await done

    def _run(self, ready: asyncio.Future[None]) -> None:
        try:
            held = lock(self._folder)
            db = _connect(self._folder / FILE)
        except Exception as error:
            self._tell([(ready, None, error)])
            return
        self._tell([(ready, None, None)])
        with held, db:
            while (first := self._tasks.get()) is not None:
                tasks = [first]
                stop = False
                while len(tasks) < MOST_PER_COMMIT and not self._tasks.empty():
                    task = self._tasks.get()
                    if task is None:
                        stop = True
                        break
                    tasks.append(task)
                self._tell(_commit(db, [task for task in tasks if not task.reads]))
                self._tell(_read(db, [task for task in tasks if task.reads]))
                if stop:
                    break
        db.close()

    def _tell(self, results: "Results") -> None:
        if not results:
            return

        def tell() -> None:
            for done, value, error in results:
                if done.done():
                    continue
                if error is None:
                    done.set_result(value)
                else:
                    done.set_exception(error)

        with contextlib.suppress(RuntimeError):  # the loop has ended, and with it everybody who waited
            self._loop.call_soon_threadsafe(tell)


Results = list[tuple[asyncio.Future[Any], Any, BaseException | None]]


def _read(db: sqlite3.Connection, tasks: list[_Task]) -> Results:
    """After all that was written before."""
    results: Results = []
    for task in tasks:
        try:
            results.append((task.done, task.work(db), None))
        except Exception as error:
            problem = Unavailable(str(error)) if isinstance(error, sqlite3.Error) else error
            results.append((task.done, None, problem))
    return results


def _commit(db: sqlite3.Connection, tasks: list[_Task]) -> Results:
    """All of these in one transaction: together on the disk, or none of them."""
    if not tasks:
        return []
    results: Results = []
    try:
        db.execute("BEGIN IMMEDIATE")
        for task in tasks:
            try:
                results.append((task.done, task.work(db), None))
            except Conflict as conflict:  # it wrote nothing; the others may go on
                results.append((task.done, None, conflict))
        db.execute("COMMIT")
    except Exception as error:
        if db.in_transaction:
            db.execute("ROLLBACK")
        problem = Unavailable(str(error)) if isinstance(error, sqlite3.Error) else error
        return [(task.done, None, problem) for task in tasks]
    return results


def _result_row(row: int | None, result: Result) -> tuple[Any, ...]:
    opponents, bests = canonical(result.opponents).decode(), canonical(result.bests).decode()
    who = (result.player, result.room, result.game, result.name)
    return (row, result.game_no, result.seat, time.time(), *who, result.score, result.won, opponents, bests)


def _result(row: tuple[Any, ...]) -> Result:
    player, code, game, game_no, seat, name, score, won, opponents, bests, at = row
    told = parse_object(f'{{"opponents": {opponents}, "bests": {bests}}}')
    others = tuple(told["opponents"])
    return Result(player, code, game, game_no, seat, name, score, bool(won), others, told["bests"], at)


def lock(folder: Path) -> Any:
    """One server per folder: two would not see each other's rooms."""
    try:
        if folder.is_file():
            raise StorageError(f"{folder} is a file; --data wants a folder.")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = (folder / LOCK).open("w")
    except OSError as error:
        raise StorageError(f"The data folder {folder} can't be used: {error.strerror}.") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise StorageError(f"Another server uses the data folder {folder}. Name another one with --data.") from None
    return handle


def _connect(path: Path) -> sqlite3.Connection:
    try:
        new = not path.exists() or path.stat().st_size == 0
        if not new:
            check(path)
        db = sqlite3.connect(path, isolation_level=None, timeout=5)
        path.chmod(0o600)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        _migrate(db)
        db.execute("UPDATE room SET ended = ? WHERE ended IS NULL AND last_seq = 0", (time.time(),))
        return db
    except sqlite3.OperationalError as error:
        raise StorageError(f"The data file {path} can't be used: {error}.") from None
    except sqlite3.DatabaseError as error:
        raise StorageError(_damaged(path, error)) from None
    except OSError as error:
        raise StorageError(f"The data file {path} can't be used: {error.strerror}.") from None


def check(path: Path) -> None:
    """Look before touching anything: what is damaged or newer stays as it is."""
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise StorageError(
                f"The data file {path} is from a newer dicegames (schema {version}, this one knows {len(MIGRATIONS)}). "
                "Update dicegames; the file was not touched."
            )
        if (found := db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise StorageError(_damaged(path, found))
    finally:
        db.close()


def _damaged(path: Path, why: object) -> str:
    short = " ".join(str(why).split())[:60]
    return f"The data file {path} is damaged ({short}). It was not touched: restore a backup, or move it away."


def _migrate(db: sqlite3.Connection) -> None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
        db.executescript(f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {number}; COMMIT;")

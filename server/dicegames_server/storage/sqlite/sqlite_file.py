"""The SQLite file: its lock, its tables, and their migration from older versions."""

import sqlite3
import time
from pathlib import Path
from typing import Any

from dicegames_protocol.system.private_files import private_folder, try_lock
from dicegames_server.storage.base import OUTDATED, StorageError

DATABASE_FILE = "dicegames.sqlite3"
LOCK_FILE = "dicegames.lock"

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
    """
    CREATE TABLE log (
        id INTEGER PRIMARY KEY, room INTEGER NOT NULL REFERENCES room (id), seq INTEGER NOT NULL,
        epoch INTEGER NOT NULL, body BLOB NOT NULL, private BLOB NOT NULL
    );
    INSERT INTO log (room, seq, epoch, body, private) SELECT room, seq, epoch, body, private FROM event;
    DROP TABLE event;
    ALTER TABLE log RENAME TO event;
    CREATE UNIQUE INDEX event_of_room ON event (room, seq);
    ALTER TABLE room DROP COLUMN last_seq;
    """,  # rows in order of arrival: a commit of many rooms writes to the last few pages, not to one for each room
    "ALTER TABLE result ADD COLUMN counted INTEGER NOT NULL DEFAULT 1",
    """
    CREATE TABLE secret (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE player_key (key TEXT PRIMARY KEY, player TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE link (code TEXT PRIMARY KEY, player TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
    """,
    """
    CREATE TABLE listed (
        number INTEGER PRIMARY KEY, before TEXT NOT NULL, room TEXT NOT NULL, commitment TEXT NOT NULL,
        proof TEXT NOT NULL
    )
    """,
    "ALTER TABLE result ADD COLUMN shared INTEGER NOT NULL DEFAULT 0",
    """
    ALTER TABLE result ADD COLUMN players INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE result ADD COLUMN bots TEXT NOT NULL DEFAULT '';
    ALTER TABLE result ADD COLUMN gave_up INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE result ADD COLUMN accuracy REAL;
    ALTER TABLE result ADD COLUMN luck REAL;
    ALTER TABLE result ADD COLUMN reviewed INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE result ADD COLUMN edited REAL;
    CREATE INDEX result_in_order ON result (at, room, game_no, seat);
    CREATE INDEX result_edited ON result (edited) WHERE edited IS NOT NULL;
    """,
]
"""Each step leads from one schema version to the next. The `user_version` of the file counts them."""


class InUse(StorageError):
    """A server uses the data folder."""


def lock(folder: Path) -> Any:
    """Lock the folder for one server: two would not see each other's rooms. Close the handle to unlock.

    Raises StorageError, and InUse where another server has locked it.
    """
    try:
        if folder.is_file():
            raise StorageError(f"{folder} is a file; --data wants a folder.")
        private_folder(folder)
        handle = (folder / LOCK_FILE).open("w")
    except OSError as error:
        raise StorageError(f"The data folder {folder} can't be used: {error.strerror}.") from None
    if not try_lock(handle.fileno()):
        handle.close()
        raise InUse(f"Another server uses the data folder {folder}. Name another one with --data.")
    return handle


def connect(path: Path) -> sqlite3.Connection:
    try:
        new = not path.exists() or path.stat().st_size == 0
        if not new:
            check(path)
        db = sqlite3.connect(path, isolation_level=None, timeout=5)
        path.chmod(0o600)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA wal_autocheckpoint = 4000")  # 16 MiB: pages that change often are copied less often
        migrate(db)
        never_begun = "NOT EXISTS (SELECT 1 FROM event WHERE room = room.id)"
        db.execute(f"UPDATE room SET ended = ? WHERE ended IS NULL AND {never_begun}", (time.time(),))
        return db
    except sqlite3.OperationalError as error:
        raise StorageError(f"The data file {path} can't be used: {error}.") from None
    except sqlite3.DatabaseError as error:
        raise StorageError(_damaged(path, error)) from None
    except OSError as error:
        raise StorageError(f"The data file {path} can't be used: {error.strerror}.") from None


def check(path: Path) -> None:
    """Check a file without changing it. StorageError where it is damaged or from a newer version of dicegames."""
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise StorageError(
                f"The data file {path} is from a newer dicegames (schema {version}, this one knows {len(MIGRATIONS)}). "
                "Update dicegames; the file was not touched.",
                OUTDATED,
            )
        if (found := db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise StorageError(_damaged(path, found))
    finally:
        db.close()


def _damaged(path: Path, why: object) -> str:
    short = " ".join(str(why).split())[:60]
    return f"The data file {path} is damaged ({short}). It was not touched: restore a backup, or move it away."


def migrate(db: sqlite3.Connection) -> None:
    """Bring the tables up to date."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
        db.executescript(f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {number}; COMMIT;")

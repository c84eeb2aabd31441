"""Watches over the SQLite file: that it is still there, and that nothing of it is lost.

SQLite does not notice if its file is deleted or replaced: it writes on, and everything is gone after a restart. So the
device and inode of the file and of its write-ahead log are compared while commits are made, four times a second.

SQLite does not say either how much it lost when the write-ahead log was cut or damaged while no server ran. So the id
of the last update is kept in a small file beside it, written after each commit.
"""

import contextlib
import logging
import os
import sqlite3
import time
from pathlib import Path

from dicegames_protocol.system.private_files import open_private
from dicegames_server.core.system import read_at_start, write_at_start

log = logging.getLogger("dicegames.storage")
LAST_FILE = "dicegames.last"
CHECK_SECONDS = 0.25
"""Seconds between two looks at the file: often enough to lose little, seldom enough to cost nothing."""
_DIGITS = 20


class FileGuard:
    def __init__(self, database: Path, db: sqlite3.Connection) -> None:
        """Call this when the file is open and its write-ahead log exists."""
        self._database = database
        self._files = (database, database.with_name(f"{database.name}-wal"))
        self._known = [_identity(path) for path in self._files]
        self._gone = False
        self._next_check = 0.0
        self._last = open_private(database.with_name(LAST_FILE), os.O_RDWR | os.O_CREAT)
        self._compare(_newest(db))

    def check(self) -> None:
        """Raise sqlite3.OperationalError if the file is no longer the one that was opened."""
        now = time.monotonic()
        if now < self._next_check and not self._gone:
            return
        self._next_check = now + CHECK_SECONDS
        if [_identity(path) for path in self._files] == self._known:
            return
        if not self._gone:
            self._gone = True
            log.error(
                "the data file %s was removed or replaced while the server runs: nothing can be saved any more. "
                "Put it back and restart the server",
                self._database,
            )
        raise sqlite3.OperationalError("the data file was removed or replaced")

    def committed(self, db: sqlite3.Connection, last: int | None) -> None:
        """A commit was made: note its last update. This is not synced: it is only compared, never relied on.

        `last`: the id of that update; 0 if the commit had none; None if it must be looked up, since rows may be gone.
        """
        newest = _newest(db) if last is None else last
        if newest or last is None:
            with contextlib.suppress(OSError):
                write_at_start(self._last, b"%0*d\n" % (_DIGITS, newest))

    def close(self) -> None:
        os.close(self._last)

    def _compare(self, newest: int) -> None:
        """Say how many updates are missing that were there when the last server ended."""
        noted = read_at_start(self._last, _DIGITS)
        missing = int(noted) - newest if noted.isdigit() else 0
        if missing > 0:
            log.warning(
                "%s has lost its last %d update%s: its write-ahead log was cut or damaged. The rooms go on from what "
                "is left",
                self._database,
                missing,
                "s" if missing > 1 else "",
            )


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _newest(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT max(id) FROM event").fetchone()[0] or 0)

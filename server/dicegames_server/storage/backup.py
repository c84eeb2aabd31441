"""A copy of the data while the server goes on, and the way back.

SQLite copies page by page from a consistent view, so a backup is the data of one moment, however busy the server is.
"""

import contextlib
import itertools
import os
import sqlite3
from pathlib import Path

from dicegames_server.storage.base import StorageError
from dicegames_server.storage.sqlite import FILE, check, lock


def backup(folder: Path, target: Path) -> int:
    """Copy the data of a server to a file, whole or not at all. Gives its size."""
    source = folder / FILE
    if not source.exists():
        raise StorageError(f"There is no data in {folder}. Name the folder of the server with --data.")
    new = target.with_name(f"{target.name}.part")
    try:
        new.unlink(missing_ok=True)
        os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        _copy(source, new)
        check(new)
        new.replace(target)
    except (OSError, sqlite3.Error) as error:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
        raise StorageError(f"The backup {target} can't be written: {_why(error)}.") from None
    return target.stat().st_size


def restore(source: Path, folder: Path) -> Path | None:
    """Put a backup in the place of a server's data; the server must not run. Gives where the old data is now."""
    if not source.is_file():
        raise StorageError(f"There is no file {source}.")
    try:
        check(source)
    except sqlite3.DatabaseError:
        raise StorageError(f"{source} is no backup of dicegames.") from None
    data = folder / FILE
    with lock(folder):
        try:
            new = data.with_name(f"{FILE}.part")
            new.unlink(missing_ok=True)
            _copy(source, new)
            new.chmod(0o600)
            aside = _set_aside(data)
            new.replace(data)
        except (OSError, sqlite3.Error) as error:
            raise StorageError(f"The data in {folder} can't be replaced: {_why(error)}.") from None
    return aside


def _copy(source: Path, target: Path) -> None:
    data = sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)
    copy = sqlite3.connect(target)
    with contextlib.closing(data), contextlib.closing(copy):
        data.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it


def _set_aside(data: Path) -> Path | None:
    """What was there stays there under another name, with its write-ahead log folded in."""
    if not data.exists():
        return None
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(data)) as old:
        old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    names = (data.with_name(f"{FILE}.before-restore-{number}") for number in itertools.count(1))
    aside = next(name for name in names if not name.exists())
    data.replace(aside)
    for ending in ("-wal", "-shm"):
        data.with_name(f"{FILE}{ending}").unlink(missing_ok=True)
    return aside


def _why(error: OSError | sqlite3.Error) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)

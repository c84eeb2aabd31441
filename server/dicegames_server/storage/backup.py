"""Backup of the data while the server runs, and restore.

SQLite copies page by page from a consistent view. So a backup is the data of one moment, however busy the server is.

A backup also has what makes the server the same server on another machine: its id, which is in the database anyway, and
the key and certificate of `--tls self`, which are a file beside it. Without them every client would stop and warn.
"""

import contextlib
import itertools
import os
import sqlite3
from pathlib import Path
from typing import Any

from dicegames_protocol.system.private_files import open_private, replace
from dicegames_server.core.system import give_to_owner_of
from dicegames_server.settings import CERTIFICATE_FILE
from dicegames_server.storage.base import StorageError
from dicegames_server.storage.commitments import LIST_SECRET
from dicegames_server.storage.sqlite.sqlite_file import DATABASE_FILE, LOCK_FILE, InUse, check, lock, migrate
from dicegames_server.storage.sqlite.sqlite_guard import LAST_FILE


def backup(folder: Path, target: Path) -> int:
    """Copy the data of a server to a file, completely or not at all. Gives its size in bytes. Raises StorageError."""
    source = folder / DATABASE_FILE
    if not source.exists():
        raise StorageError(f"There is no data in {folder}. Name the folder of the server with --data.")
    if target.resolve().parent == folder.resolve() and target.name.startswith(DATABASE_FILE):
        raise StorageError(f"{target} belongs to the data itself. Name another file for the copy.")
    new = target.with_name(f"{target.name}.part")
    try:
        new.unlink(missing_ok=True)
        os.close(open_private(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        _copy(source, new)
        _put_in(new, folder / CERTIFICATE_FILE)
        check(new)
        replace(new, target)
    except (OSError, sqlite3.Error) as error:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
        raise StorageError(f"The backup {target} can't be written: {_why(error)}.") from None
    return target.stat().st_size


def restore(source: Path, folder: Path) -> Path | None:
    """Replace the data of a server by a backup. The server must not run.

    Gives the file that has the old data now, or None where there was none. Raises StorageError.
    """
    if not source.is_file():
        raise StorageError(f"There is no file {source}.")
    try:
        check(source)
        ours = _is_ours(source)
    except sqlite3.DatabaseError:
        ours = False
    if not ours:
        raise StorageError(f"{source} is no backup of dicegames.")
    data = folder / DATABASE_FILE
    with _lock_of_stopped(folder):
        try:
            new = data.with_name(f"{DATABASE_FILE}.part")
            new.unlink(missing_ok=True)
            _copy(source, new)
            new.chmod(0o600)
            _keep_identity(data, new)
            _begin_a_new_list(new)
            certificate = _take_out(new, folder / CERTIFICATE_FILE)
            give_to_owner_of(folder, new, folder / LOCK_FILE, *certificate)
            aside = _set_aside(data)
            replace(new, data)
            for part in certificate:
                _replace_certificate(part, folder / CERTIFICATE_FILE)
        except (OSError, sqlite3.Error) as error:
            raise StorageError(f"The data in {folder} can't be replaced: {_why(error)}.") from None
    return aside


def _lock_of_stopped(folder: Path) -> Any:
    try:
        return lock(folder)
    except InUse:
        raise StorageError(
            f"The server with the data in {folder} is running: stop it first. Nothing changed."
        ) from None


def _put_in(copy: Path, certificate: Path) -> None:
    """Put the certificate of `--tls self` into a copy of the data, if there is one."""
    if not certificate.exists():
        return
    with contextlib.closing(sqlite3.connect(copy)) as db, db:
        if _has_secrets(db):
            db.execute("INSERT OR REPLACE INTO secret VALUES (?, ?)", (CERTIFICATE_FILE, certificate.read_bytes()))


def _take_out(copy: Path, certificate: Path) -> list[Path]:
    """Take the certificate out of a copy of the data, and write it beside its place. Empty where there is none."""
    with contextlib.closing(sqlite3.connect(copy)) as db, db:
        if not _has_secrets(db):
            return []
        found = db.execute("SELECT value FROM secret WHERE name = ?", (CERTIFICATE_FILE,)).fetchone()
        db.execute("DELETE FROM secret WHERE name = ?", (CERTIFICATE_FILE,))
    if found is None or (certificate.exists() and certificate.read_bytes() == found[0]):
        return []
    part = certificate.with_name(f"{certificate.name}.part")
    part.unlink(missing_ok=True)
    with os.fdopen(open_private(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        file.write(found[0])
    return [part]


def _replace_certificate(part: Path, certificate: Path) -> None:
    if certificate.exists():
        replace(certificate, _free_name(certificate))
    replace(part, certificate)


def _keep_identity(data: Path, copy: Path) -> None:
    """A backup from before servers had an id: this one keeps the id that it has by now."""
    if not data.exists():
        return
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(copy)) as db:
        if _has_secrets(db):
            return
        with contextlib.closing(sqlite3.connect(f"{data.absolute().as_uri()}?mode=ro", uri=True)) as old:
            kept = old.execute("SELECT name, value FROM secret").fetchall()
        migrate(db)
        with db:
            db.executemany("INSERT OR IGNORE INTO secret VALUES (?, ?)", kept)


def _begin_a_new_list(copy: Path) -> None:
    """The public list of commitments goes on where the backup does not know it, so it can't be continued."""
    with contextlib.closing(sqlite3.connect(copy)) as db, db:
        if db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'listed'").fetchone():
            db.execute("DELETE FROM listed")
            db.execute("DELETE FROM secret WHERE name = ?", (LIST_SECRET,))


def _has_secrets(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'secret'").fetchone() is not None


def _is_ours(path: Path) -> bool:
    """Whether a file is one of ours: it has a schema version, and our tables."""
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return version > 0 and {"room", "event", "snapshot"} <= tables


def _copy(source: Path, target: Path) -> None:
    data = sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)
    copy = sqlite3.connect(target)
    with contextlib.closing(data), contextlib.closing(copy):
        data.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a write-ahead log


def _set_aside(data: Path) -> Path | None:
    """Rename the old data, with its write-ahead log merged into it. Gives its new path, None where there was none."""
    if not data.exists():
        return None
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(data)) as old:
        old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    aside = _free_name(data)
    replace(data, aside)
    for name in (f"{DATABASE_FILE}-wal", f"{DATABASE_FILE}-shm", LAST_FILE):
        data.with_name(name).unlink(missing_ok=True)
    return aside


def _free_name(path: Path) -> Path:
    """A name for a file that is set aside."""
    names = (path.with_name(f"{path.name}.before-restore-{number}") for number in itertools.count(1))
    return next(name for name in names if not name.exists())


def _why(error: OSError | sqlite3.Error) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)

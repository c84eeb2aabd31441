"""Backups while a server plays, and restoring them."""

import os
import sqlite3
from pathlib import Path

import pytest

from dicegames_server.storage.backup import backup, restore
from dicegames_server.storage.base import StorageError
from dicegames_server.storage.sqlite.sqlite_file import DATABASE_FILE, LOCK_FILE
from dicegames_server.storage.sqlite.sqlite_store import SqliteStorage
from support.hall import Hall


async def hall_on(folder: Path, *rolls: tuple[int, ...]) -> Hall:
    storage = SqliteStorage(folder)
    await storage.start()
    return Hall(*rolls, storage=storage)


async def test_a_backup_of_a_running_game_goes_on_elsewhere(tmp_path: Path) -> None:
    hall = await hall_on(tmp_path / "data", (3, 4), (5, 5), (1, 2))
    ana, bo = await hall.table("doubles", "ana", "bo")
    await ana.move("roll")
    assert backup(tmp_path / "data", tmp_path / "copy") > 0
    await bo.move("roll")  # after the backup: not in it
    hall.check(ana, bo)
    hall.lobby.suspend()
    await hall.environment.storage.stop()

    assert restore(tmp_path / "copy", tmp_path / "elsewhere") is None
    other = await hall_on(tmp_path / "elsewhere", (6, 6))
    assert await other.lobby.registry.adopt() == 1
    room = next(iter(other.lobby.rooms))
    assert room.state.seq == ana.store.seq - 1
    assert room.state.playing
    other.lobby.suspend()
    await other.environment.storage.stop()


async def test_restoring_keeps_what_was_there(tmp_path: Path) -> None:
    hall = await hall_on(tmp_path / "data")
    await (await hall.peer()).create("doubles")
    backup(tmp_path / "data", tmp_path / "copy")
    await (await hall.peer()).create("doubles")
    with pytest.raises(StorageError, match="Another server uses the data folder"):
        restore(tmp_path / "copy", tmp_path / "data")
    hall.lobby.suspend()
    await hall.environment.storage.stop()
    aside = [restore(tmp_path / "copy", tmp_path / "data") for _ in range(2)]
    assert aside == [tmp_path / "data" / f"{DATABASE_FILE}.before-restore-{number}" for number in (1, 2)]
    assert rooms(tmp_path / "data" / DATABASE_FILE) == 1
    assert rooms(aside[0]) == 2


def rooms(path: Path | None) -> int:
    assert path
    with sqlite3.connect(path) as db:
        return int(db.execute("SELECT count(*) FROM room").fetchone()[0])


def test_what_is_no_data_and_what_is_no_backup(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="There is no data in"):
        backup(tmp_path / "nowhere", tmp_path / "copy")
    with pytest.raises(StorageError, match="There is no file"):
        restore(tmp_path / "copy", tmp_path / "data")
    (tmp_path / "copy").write_text("hello " * 1000)
    with pytest.raises(StorageError, match="is no backup of dicegames"):
        restore(tmp_path / "copy", tmp_path / "data")
    with sqlite3.connect(tmp_path / "foreign") as db:
        db.execute("CREATE TABLE x (y)")
        db.execute("PRAGMA user_version = 2")
    (tmp_path / "empty").touch()
    for name in ("foreign", "empty"):
        with pytest.raises(StorageError, match="is no backup of dicegames"):
            restore(tmp_path / name, tmp_path / "data")
    assert not (tmp_path / "data").exists()


async def test_a_backup_never_overwrites_the_data_itself(tmp_path: Path) -> None:
    hall = await hall_on(tmp_path / "data")
    for name in (DATABASE_FILE, f"{DATABASE_FILE}-wal"):
        with pytest.raises(StorageError, match="belongs to the data itself"):
            backup(tmp_path / "data", tmp_path / "elsewhere" / ".." / "data" / name)
    hall.lobby.suspend()
    await hall.environment.storage.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
async def test_what_root_restores_belongs_to_the_server(tmp_path: Path) -> None:
    hall = await hall_on(tmp_path / "data")
    hall.lobby.suspend()
    await hall.environment.storage.stop()
    backup(tmp_path / "data", tmp_path / "copy")
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", 12345, 12345)
    restore(tmp_path / "copy", tmp_path / "theirs")
    assert {path.stat().st_uid for path in [tmp_path / "theirs" / DATABASE_FILE, tmp_path / "theirs" / LOCK_FILE]} == {
        12345
    }


async def test_a_backup_that_can_not_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    hall = await hall_on(tmp_path / "data")
    hall.lobby.suspend()
    await hall.environment.storage.stop()
    with pytest.raises(StorageError, match="can't be written"):
        backup(tmp_path / "data", tmp_path / "no" / "folder")
    assert not (tmp_path / "no").exists()

"""Backups while a server plays, and restoring them."""

import os
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dicegames_protocol.messages.client import Resume
from dicegames_protocol.messages.server import CaughtUp, Snapshot, Update
from dicegames_server.lobby.server_identity import load_identity
from dicegames_server.net.tls.certificate import certificate_for
from dicegames_server.settings import CERTIFICATE_FILE
from dicegames_server.storage.backup import backup, restore
from dicegames_server.storage.base import StorageError
from dicegames_server.storage.sqlite.sqlite_file import DATABASE_FILE, LOCK_FILE, MIGRATIONS
from dicegames_server.storage.sqlite.sqlite_store import SqliteStorage
from support.hall import Hall
from support.posix import is_root
from support.settings import quick


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
    with pytest.raises(StorageError, match="is running: stop it first"):
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


@pytest.mark.skipif(not is_root(), reason="only root can give files away")
async def test_what_root_restores_belongs_to_the_server(tmp_path: Path) -> None:
    hall = await hall_on(tmp_path / "data")
    hall.lobby.suspend()
    await hall.environment.storage.stop()
    backup(tmp_path / "data", tmp_path / "copy")
    (tmp_path / "theirs").mkdir()
    if sys.platform == "win32":
        raise NotImplementedError
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


async def test_a_moved_server_is_the_same_server_to_everybody(tmp_path: Path) -> None:
    """Its id and its key come along: else every client would stop and warn of somebody in between."""
    here, there = tmp_path / "here", tmp_path / "there"
    before = certificate_for(quick(tls="self"), here)
    hall = await hall_on(here)
    id = (await load_identity(hall.environment.storage, here)).id
    backup(here, tmp_path / "copy")
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600
    hall.lobby.suspend()
    await hall.environment.storage.stop()
    other = certificate_for(quick(tls="self"), there)  # it was started there already, for a try
    restore(tmp_path / "copy", there)
    after = certificate_for(quick(tls="self"), there)
    assert before and after and other and after.fingerprint == before.fingerprint != other.fingerprint
    assert (there / CERTIFICATE_FILE).stat().st_mode & 0o777 == 0o600
    assert (there / f"{CERTIFICATE_FILE}.before-restore-1").exists()
    moved = await hall_on(there)
    assert (await load_identity(moved.environment.storage, there)).id == id
    with sqlite3.connect(there / DATABASE_FILE) as db:  # it is in its own file only
        assert db.execute("SELECT name FROM secret").fetchall() == [("identity",)]
    moved.lobby.suspend()
    await moved.environment.storage.stop()


async def test_a_backup_from_before_servers_had_an_id_keeps_the_one_of_today(tmp_path: Path) -> None:
    hall = await hall_on(tmp_path / "data")
    id = (await load_identity(hall.environment.storage, tmp_path)).id
    hall.lobby.suspend()
    await hall.environment.storage.stop()
    with sqlite3.connect(tmp_path / "old") as db:
        for script in MIGRATIONS[:5]:
            db.executescript(script)
        db.execute("PRAGMA user_version = 5")
    restore(tmp_path / "old", tmp_path / "data")
    again = await hall_on(tmp_path / "data")
    assert (await load_identity(again.environment.storage, tmp_path)).id == id
    again.lobby.suspend()
    await again.environment.storage.stop()


async def test_after_a_restore_another_history_is_not_taken_for_ones_own(tmp_path: Path) -> None:
    """The numbers of updates come again, and the dice are others. Who was there before gets the whole table."""
    hall = await hall_on(tmp_path / "data", (3, 4), (5, 5))
    ana, bo = await hall.table("doubles", "ana", "bo")
    backup(tmp_path / "data", tmp_path / "copy")
    await ana.move("roll")
    await bo.move("roll")
    hall.lobby.suspend()
    await hall.environment.storage.stop()
    restore(tmp_path / "copy", tmp_path / "data")

    other = await hall_on(tmp_path / "data", (1, 2), (2, 3), (4, 6))
    await other.lobby.registry.adopt()
    first = await other.peer()
    first.store = replace(bo.store, epoch=0)  # bo comes first, and asks for everything
    token = bo.store.tokens[1]
    room = bo.store.room or ""
    await first.expect(CaughtUp, Resume(id="r", room=room, seat_token=token, epoch=0, last_seq=0))
    again = await other.peer()
    again.store = replace(ana.store, seq=0, table={}, epoch=0)
    await again.expect(CaughtUp, Resume(id="r", room=room, seat_token=ana.store.tokens[0], epoch=0, last_seq=0))
    for peer in (again, first, again):
        await peer.move("roll")
        other.drain(again, first)
    assert first.store.seq > ana.store.seq
    late = await other.peer()
    late.store = ana.store  # with what it saw before the restore: the same room, seat and numbers, but other dice
    await late.resume(ana)
    assert any(isinstance(message, Snapshot) for message in late.seen)
    assert not any(isinstance(message, Update) for message in late.seen)
    other.check(first, late)
    other.lobby.suspend()
    await other.environment.storage.stop()

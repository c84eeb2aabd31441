"""The file under a running server, and what a server finds when it starts again."""

import asyncio
import logging
import shutil
from pathlib import Path

import pytest

from dicegames_server.app.wiring import assemble
from dicegames_server.settings import Settings
from dicegames_server.storage import base
from dicegames_server.storage.base import Entry, StorageError, Unavailable
from dicegames_server.storage.sqlite import sqlite_guard
from dicegames_server.storage.sqlite.sqlite_file import DATABASE_FILE
from dicegames_server.storage.sqlite.sqlite_guard import LAST_FILE
from dicegames_server.storage.sqlite.sqlite_store import SqliteStorage

PAGE_BYTES = 4096


@pytest.fixture(autouse=True)
def look_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_guard, "CHECK_SECONDS", 0.0)


async def started(folder: Path) -> SqliteStorage:
    storage = SqliteStorage(folder)
    await storage.start()
    return storage


async def append(storage: SqliteStorage, seq: int) -> None:
    await base.append(storage, Entry("KQ7M", 1, seq, b"{}"))


@pytest.mark.parametrize("which", [DATABASE_FILE, f"{DATABASE_FILE}-wal"])
async def test_a_file_that_is_deleted_under_the_server_is_noticed_at_once(
    tmp_path: Path, which: str, caplog: pytest.LogCaptureFixture
) -> None:
    """50 more moves were acknowledged, and gone after a restart."""
    storage = await started(tmp_path)
    await storage.open("KQ7M")
    await append(storage, 1)
    (tmp_path / which).unlink()
    for _ in range(3):
        with pytest.raises(Unavailable, match="removed or replaced"):
            await append(storage, 2)
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    await storage.stop()


async def test_a_file_that_is_replaced_under_the_server_is_noticed(tmp_path: Path) -> None:
    storage = await started(tmp_path)
    await storage.open("KQ7M")
    shutil.copy(tmp_path / DATABASE_FILE, tmp_path / "copy")
    (tmp_path / "copy").replace(tmp_path / DATABASE_FILE)
    with pytest.raises(Unavailable, match="removed or replaced"):
        await append(storage, 1)
    await storage.stop()


def cut(folder: Path) -> None:
    wal = folder / f"{DATABASE_FILE}-wal"
    wal.write_bytes(wal.read_bytes()[: wal.stat().st_size * 2 // 3])


async def test_what_a_cut_write_ahead_log_has_lost_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    storage = await started(tmp_path / "data")
    await storage.open("KQ7M")
    for seq in range(1, 11):
        await append(storage, seq)
    shutil.copytree(tmp_path / "data", tmp_path / "crashed")  # as if the server had been killed now
    await storage.stop()
    cut(tmp_path / "crashed")
    storage = await started(tmp_path / "crashed")
    assert "has lost its last" in caplog.text and "write-ahead log was cut or damaged" in caplog.text
    await storage.stop()


async def test_nothing_is_said_where_nothing_is_lost(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for room in "AB":
        storage = await started(tmp_path)
        await storage.open(room)
        await base.append(storage, Entry(room, 1, 1, b"{}"))
        await storage.drop(room, 1)
        await storage.forget(-1)  # the newest rows are deleted
        await storage.stop()
    (tmp_path / LAST_FILE).write_bytes(b"nonsense")
    await (await started(tmp_path)).stop()
    assert not caplog.records


def damage(whole: bytes, page: int, folder: Path) -> None:
    folder.mkdir()
    after = (page + 1) * PAGE_BYTES
    (folder / DATABASE_FILE).write_bytes(whole[: page * PAGE_BYTES] + b"\xa5" * PAGE_BYTES + whole[after:])


async def test_a_damaged_page_is_a_sentence(tmp_path: Path) -> None:
    """Every page of the file in turn: the server starts, or says in one sentence why not."""
    storage = await started(tmp_path / "good")
    await storage.open("KQ7M")
    for seq in range(1, 200):
        await append(storage, seq)
    await storage.stop()
    whole = await asyncio_read(tmp_path / "good" / DATABASE_FILE)
    sentences = 0
    for page in range(len(whole) // PAGE_BYTES):
        damage(whole, page, tmp_path / f"page{page}")
        server = assemble(Settings(data=str(tmp_path / f"page{page}"), host="127.0.0.1", port=0, admin=""))
        try:
            await server.start()
        except StorageError as error:
            sentences += 1
            assert str(tmp_path) in str(error) or "can't be read" in str(error)
        await server.stop()
    assert sentences


async def asyncio_read(path: Path) -> bytes:
    return await asyncio.to_thread(path.read_bytes)

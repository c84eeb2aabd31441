"""The logs of tables that were hosted here: found by their code, private, and not more than a few."""

import os
from pathlib import Path

import pytest

from dicegames_client.base.state import kept_logs
from dicegames_client.base.state.kept_logs import keep_log, kept_log
from dicegames_client.base.state.state_files import troubles
from dicegames_client.cli.keeping import KeptTables
from support.home import is_private, remember_in

STARTED, MOVED, OVER = b'{"events":[{"kind":"game_started"}]}', b'{"events":[]}', b'{"events":[{"kind":"game_over"}]}'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember_in(tmp_path, monkeypatch)


def content(code: str) -> list[bytes]:
    path = kept_log(code)
    return path.read_bytes().splitlines() if path else []


def test_a_log_is_found_by_its_code_and_only_by_it() -> None:
    assert kept_log("KQ7M") is None
    keep_log("KQ7M", [b"one", b"two"])
    keep_log("KQ7M", [b"one", b"two", b"three"])
    assert content("KQ7M") == [b"one", b"two", b"three"]
    path = kept_log("KQ7M")
    assert path and is_private(path) and len(list(path.parent.iterdir())) == 1
    for other in ("KQ7", "KQ7MX", "*", "../KQ7M", ""):
        assert kept_log(other) is None


def test_another_room_with_the_same_code_does_not_overwrite_the_first() -> None:
    keep_log("KQ7M", [b"a room of last week"])
    path = kept_log("KQ7M")
    assert path
    os.utime(path, (1, 1))
    keep_log("KQ7M", [b"a room of today"])
    assert content("KQ7M") == [b"a room of today"]
    assert path.read_bytes() == b"a room of last week\n"


def test_the_oldest_go_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_logs, "MOST_KEPT_LOGS", 3)
    for number in range(5):
        keep_log(f"RM{number}", [b"x"])
        path = kept_log(f"RM{number}")
        assert path
        os.utime(path, (number, number))
    assert [kept_log(f"RM{number}") is not None for number in range(5)] == [False, False, True, True, True]


async def test_a_table_is_kept_at_the_end_of_each_game_and_when_it_closes() -> None:
    tables = KeptTables()
    for update in (MOVED, STARTED, MOVED):
        tables.written("KQ7M", update)
    await tables.close()
    assert kept_log("KQ7M") is None, "the game goes on"
    tables.written("KQ7M", OVER)
    await tables.close()
    assert content("KQ7M") == [MOVED, STARTED, MOVED, OVER]
    tables.written("KQ7M", MOVED)
    tables.ended("KQ7M")
    await tables.close()
    assert content("KQ7M") == [MOVED, STARTED, MOVED, OVER, MOVED]
    assert tables.kept == {"KQ7M"}


async def test_a_table_that_closes_in_the_middle_of_a_game_is_kept_and_one_without_a_game_is_not() -> None:
    tables = KeptTables()
    tables.written("KQ7M", STARTED)
    tables.written("XXXX", MOVED)
    tables.ended("KQ7M")
    tables.ended("XXXX")
    await tables.close()
    assert content("KQ7M") == [STARTED]
    assert kept_log("XXXX") is None and tables.kept == {"KQ7M"}


async def test_a_disk_that_takes_nothing_is_told_and_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "dicegames").write_text("not a folder")
    tables = KeptTables()
    tables.written("KQ7M", STARTED)
    tables.ended("KQ7M")
    await tables.close()
    assert not tables.kept
    assert [told.partition(":")[0] for told in troubles()] == ["The log of KQ7M can't be kept on this machine"]

"""Saving a log: never over another file, unless somebody says so."""

import io
import sys
from pathlib import Path

import pytest

from dicegames_client.base.errors import ClientError
from dicegames_client.enter.saving import save, save_new, shown_path
from support.home import remember_in

LOG = [b'{"seq":1}', b'{"seq":2}']
TEXT = '{"seq":1}\n{"seq":2}\n'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    remember_in(tmp_path / "home", monkeypatch)
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_a_new_file_each_time_unless_it_has_the_same_in_it(here: Path) -> None:
    assert save_new(LOG, "KQ7M") == Path("KQ7M.jsonl")
    assert save_new(LOG, "KQ7M") == Path("KQ7M.jsonl")
    assert save_new([*LOG, b"{}"], "KQ7M") == Path("KQ7M-2.jsonl")
    assert save_new([b"{}"], "KQ7M") == Path("KQ7M-3.jsonl")
    assert (here / "KQ7M.jsonl").read_text() == TEXT
    assert shown_path(Path("KQ7M.jsonl")) == str(here / "KQ7M.jsonl")


@pytest.mark.skipif(sys.platform == "win32", reason="a folder that is gone can't be the current one there")
def test_in_the_data_folder_if_nothing_can_be_written_here(here: Path, tmp_path: Path) -> None:
    here.rmdir()
    path = save_new(LOG, "KQ7M")
    assert path == tmp_path / "home" / "dicegames" / "KQ7M.jsonl"
    assert path.read_text() == TEXT


def test_the_command_overwrites_only_with_force(here: Path) -> None:
    out = io.StringIO()
    (here / "mine.txt").write_text("my shopping list")
    with pytest.raises(ClientError) as refused:
        save(LOG, "KQ7M", "mine.txt", out, force=False)
    assert (refused.value.code, refused.value.sentence) == (
        2,
        "mine.txt is there already. Name another file, or overwrite it with --force.",
    )
    assert (here / "mine.txt").read_text() == "my shopping list"
    assert save(LOG, "KQ7M", "mine.txt", out, force=True) == 0
    assert (here / "mine.txt").read_text() == TEXT
    (here / "KQ7M.jsonl").write_text("another log")
    assert save(LOG, "KQ7M", None, out, force=False) == 0
    assert (here / "KQ7M.jsonl").read_text() == "another log"
    assert save(LOG, "KQ7M", None, out, force=True) == 0
    assert (here / "KQ7M.jsonl").read_text() == TEXT
    assert out.getvalue().splitlines() == [
        "2 updates saved in mine.txt.",
        "2 updates saved in KQ7M-2.jsonl.",
        "2 updates saved in KQ7M.jsonl.",
    ]


def test_standard_output(here: Path) -> None:
    out = io.StringIO()
    assert save(LOG, "KQ7M", "-", out, force=False) == 0
    assert out.getvalue() == TEXT and not list(here.iterdir())

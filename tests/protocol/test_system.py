"""What differs between systems, for both sides: the same promises are kept on all of them."""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dicegames_protocol.system import private_files
from dicegames_protocol.system.failures import reason
from support.home import is_private


def locked_elsewhere(path: Path) -> bool:
    """Whether another process finds the file locked."""
    program = (
        "import os, sys; from dicegames_protocol.system.private_files import try_lock; "
        "sys.exit(0 if try_lock(os.open(sys.argv[1], os.O_RDWR)) else 7)"
    )
    return subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode == 7


def test_a_lock_keeps_other_processes_out_and_ends_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    handle = private_files.open_private(path, os.O_RDWR | os.O_CREAT)
    assert private_files.try_lock(handle)
    assert locked_elsewhere(path)
    os.close(handle)
    assert not locked_elsewhere(path)


def test_what_is_written_to_a_private_file_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "one" / "two"
    private_files.private_folder(folder)
    private_files.private_folder(folder)  # again: it is there
    handle = private_files.open_private(folder / "file", os.O_WRONLY | os.O_CREAT)
    os.write(handle, b"one\ntwo\r\n\x1a")
    os.close(handle)
    assert private_files.read_bytes(folder / "file") == b"one\ntwo\r\n\x1a"
    assert is_private(folder / "file")
    if sys.platform != "win32":
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_file_is_replaced_while_somebody_reads_the_old_one(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("old")
    new.write_text("new")
    with old.open() as reading:
        replacing = threading.Thread(target=private_files.replace, args=(new, old))
        replacing.start()
        assert reading.read() == "old"
    replacing.join()
    assert old.read_text() == "new" and not new.exists()


@pytest.mark.skipif(sys.platform != "win32", reason="elsewhere an open file can be replaced")
def test_a_file_that_stays_open_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_files, "RETRY_SECONDS", 0.0)
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("old")
    new.write_text("new")
    with old.open(), pytest.raises(PermissionError):
        private_files.replace(new, old)
    assert old.read_text() == "old" and new.read_text() == "new"


def test_a_pipe_is_utf_8_unless_somebody_says_otherwise() -> None:
    program = (
        "import sys; from dicegames_protocol.system.pipes import use_utf8; "
        "use_utf8(None, sys.stdin, sys.stdout); print(sys.stdin.readline().strip(), '…')"
    )
    plain = {name: value for name, value in os.environ.items() if name not in ("PYTHONIOENCODING", "PYTHONUTF8")}
    for more, encoding in (({}, "utf-8"), ({"PYTHONIOENCODING": "cp1252"}, "cp1252")):
        told = subprocess.run(
            [sys.executable, "-c", program],
            input="ü\n".encode(encoding),
            capture_output=True,
            env={**plain, **more, "LC_ALL": "C.UTF-8"},
            check=True,
        )
        assert told.stdout.decode(encoding).strip() == "ü …"


def test_a_reason_has_no_full_stop_and_no_number() -> None:
    with pytest.raises(OSError) as raised:
        Path(os.devnull, "not there").read_bytes()
    assert reason(raised.value).islower()
    assert reason(OSError("Something else")) == "something else"


def test_the_reason_of_an_error_is_in_words() -> None:
    with socket.socket() as first, socket.socket() as second, pytest.raises(OSError) as raised:
        first.bind(("127.0.0.1", 0))
        second.bind(first.getsockname())
    words = reason(raised.value)
    assert words and words.islower() and not words.endswith(".") and "unknown" not in words
    assert reason(OSError("Nobody")) == "nobody"

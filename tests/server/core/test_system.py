"""What differs between systems, for the server: the same promises are kept on all of them."""

import os
import signal
import socket
import sys
import threading
from pathlib import Path

import pytest

from dicegames_protocol.system.private_files import open_private
from dicegames_server.core import system
from dicegames_server.net.bind import listening_socket


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize(
    ("now", "most", "kernel", "got"),
    [
        (1024, 524_288, 1_073_741_816, 524_288),  # Linux, as usual
        (1024, 1_073_741_816, 1_073_741_816, 1_048_576),  # a container
        (256, None, 10_240, 10_240),  # macOS: no limit, it says
        (256, None, 2_000_000, 1_048_576),
        (256, 1000, 10_240, 1000),
        (1_048_576, 1_048_576, 1_073_741_816, 1_048_576),
        (2_000_000, 2_000_000, 1_073_741_816, 2_000_000),  # nothing is taken away
        (256, None, 0, 256),  # and where nothing can be had, nothing breaks
    ],
)
def test_as_many_files_as_the_system_gives(
    now: int, most: int | None, kernel: int, got: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform == "win32":
        raise NotImplementedError
    import resource

    limit = [now, resource.RLIM_INFINITY if most is None else most]

    def change(what: int, wanted: tuple[int, int]) -> None:
        assert what == resource.RLIMIT_NOFILE and wanted[1] == limit[1]
        if wanted[0] > kernel:
            raise ValueError("current limit exceeds maximum limit")
        limit[0] = wanted[0]

    monkeypatch.setattr(resource, "getrlimit", lambda what: tuple(limit))
    monkeypatch.setattr(resource, "setrlimit", change)
    system.allow_open_files()
    assert system.open_files() == got


def test_a_file_is_read_and_written_at_its_start(tmp_path: Path) -> None:
    handle = open_private(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    system.write_at_start(handle, b"one\ntwo\r\n\x1a")
    system.write_at_start(handle, b"ONE")
    assert system.read_at_start(handle, 100) == b"ONE\ntwo\r\n\x1a"
    os.close(handle)
    assert (tmp_path / "file").read_bytes() == b"ONE\ntwo\r\n\x1a"


def test_nobody_shares_our_port_and_it_is_free_at_once_when_we_are_gone() -> None:
    with listening_socket("127.0.0.1", 0) as ours:
        where = ours.getsockname()
        for option in (None, socket.SO_REUSEADDR):
            with socket.socket() as thief:
                if option is not None:
                    thief.setsockopt(socket.SOL_SOCKET, option, 1)
                with pytest.raises(OSError):
                    thief.bind(where)
                    thief.listen()
        with socket.create_connection(where) as theirs:
            ours.accept()[0].close()  # we end it first, so the kernel remembers it for a while
            assert theirs.recv(1) == b""
    listening_socket(*where).close()


def test_what_stops_a_server() -> None:
    names = {signal.Signals(number).name for number in system.STOP_SIGNALS}
    assert names == {"SIGTERM", "SIGINT"} | ({"SIGBREAK"} if sys.platform == "win32" else set())


def test_how_long_a_thread_waited_is_a_number_everywhere() -> None:
    assert system.waited_seconds(threading.get_native_id()) >= 0.0
    assert system.waited_seconds(0) == 0.0

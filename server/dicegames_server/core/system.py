"""What differs between Linux, macOS and Windows, for the server alone; `protocol/…/system` has what both sides need.

The functions mean the same everywhere; where a system lacks something, the docstring says what happens there instead.
"""

import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

MANY_FILES, FEW_FILES = 1_048_576, 10_240
"""Limits of open files to ask for. macOS gives no process more than the second, whatever limit it shows."""
UNLIMITED = 2**31
WINDOW_SECONDS = 4.5
"""Windows: seconds that the server has to stop when its window is closed. The system ends it by force after five."""


def waited_seconds(thread: int) -> float:
    """Seconds for which a thread was ready to run and waited for a processor. 0 where the system does not tell.

    `thread` is its native id. Only Linux tells.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int(Path(f"/proc/self/task/{thread}/schedstat").read_text().split()[1]) / 1e9
    return 0.0


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    STOP_SIGNALS: tuple[int, ...] = (signal.SIGTERM, signal.SIGINT, signal.SIGBREAK)
    HANG_UP: int | None = None
    _CLOSE, _LOGOFF, _SHUTDOWN = 2, 5, 6
    _CONTROL = ctypes.WINFUNCTYPE(wintypes.BOOL, wintypes.DWORD)
    _heeding: list[object] = []
    """What the system calls when the window is closed. Python must not throw it away."""

    def heed_closed_window(stop: Callable[[int, object], None]) -> None:
        """Call `stop` when the window is closed or the user's session ends, and hold the system up for a while.

        Python would hear SIGBREAK for it, but the system ends the process as soon as that was taken note of.
        """

        def called(event: int) -> bool:
            if event not in (_CLOSE, _LOGOFF, _SHUTDOWN):
                return False  # Ctrl-C and Ctrl-Break are signals
            stop(signal.SIGBREAK, None)
            time.sleep(WINDOW_SECONDS)  # the end of the program ends this as well
            return True

        function = _CONTROL(called)
        _heeding.append(function)
        ctypes.windll.kernel32.SetConsoleCtrlHandler(function, True)

    def open_files() -> int:
        """Most files and connections that this process may have open."""
        return UNLIMITED

    def allow_open_files() -> None:
        """Raise that limit as far as the system allows."""

    def own_address(listening: socket.socket) -> None:
        """To call before `bind`: the address is free again when its process has ended, and nobody shares it.

        SO_REUSEADDR means something else here: that others may take the address away.
        """
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)

    def write_at_start(handle: int, data: bytes) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, data)

    def read_at_start(handle: int, size: int) -> bytes:
        os.lseek(handle, 0, os.SEEK_SET)
        return os.read(handle, size)

    def give_to_owner_of(folder: Path, *files: Path) -> None:
        """Give the files to the owner of the folder. Here they belong to who may use the folder anyway."""

else:
    import resource

    STOP_SIGNALS: tuple[int, ...] = (signal.SIGTERM, signal.SIGINT)
    """The signals that stop the server."""
    HANG_UP: int | None = signal.SIGHUP
    """The signal when a terminal window is closed; without one, to read the certificate again. None: there is none."""

    def heed_closed_window(stop: Callable[[int, object], None]) -> None:
        """Call `stop` when the window is closed. Here HANG_UP says so."""

    def open_files() -> int:
        """Most files and connections that this process may have open."""
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return UNLIMITED if most == resource.RLIM_INFINITY else most

    def allow_open_files() -> None:
        """Raise that limit as far as the system allows. Each connection is an open file; the usual limit is 1,024."""
        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if now == resource.RLIM_INFINITY:
            return
        for wanted in (MANY_FILES, FEW_FILES):
            allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
            with contextlib.suppress(ValueError, OSError):  # the system has a limit of its own
                if allowed > now:
                    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
                return

    def own_address(listening: socket.socket) -> None:
        """To call before `bind`: the address is free again when its process has ended, and nobody shares it."""
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)

    def write_at_start(handle: int, data: bytes) -> None:
        os.pwrite(handle, data, 0)

    def read_at_start(handle: int, size: int) -> bytes:
        return os.pread(handle, size, 0)

    def give_to_owner_of(folder: Path, *files: Path) -> None:
        """Give the files to the owner of the folder, so that the server can use them after a restore by root."""
        owner = folder.stat()
        for file in files:
            with contextlib.suppress(PermissionError):
                os.chown(file, owner.st_uid, owner.st_gid)

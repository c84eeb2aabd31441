"""One writer at a time: a lock between the processes of one user."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from dicegames_protocol.system.private_files import open_private, try_lock

LOCK_SECONDS = 2.0
"""Seconds to wait for the lock. Whoever holds it writes a small file; only a stopped process holds it for longer."""
LOCK_RETRY_SECONDS = 0.005


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock `path` for the block. After LOCK_SECONDS it goes on without: nobody waits for a stopped process.

    Raises OSError where the lock can't be made at all.
    """
    handle = open_private(path, os.O_RDWR | os.O_CREAT)
    try:
        until = time.monotonic() + LOCK_SECONDS
        while not try_lock(handle) and time.monotonic() < until:
            time.sleep(LOCK_RETRY_SECONDS)
        yield
    finally:
        os.close(handle)  # which gives the lock back

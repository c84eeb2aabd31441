"""The journeys run only where tests/windows/run has made the Windows machine, and not with all the other tests."""

import os
from collections.abc import AsyncIterator

import pytest

import support.process
import support.pty
from support.process import Process
from support.pty import Pty
from windows.machine import Machine, prepare

collect_ignore_glob = [] if os.environ.get("DICEGAMES_WINDOWS") else ["test_*.py"]

support.process.PATIENCE = support.pty.PATIENCE = 110.0  # programs start ten times slower in wine


@pytest.fixture(scope="session")
def machine() -> Machine:
    return prepare()


@pytest.fixture(autouse=True)
async def end_processes() -> AsyncIterator[None]:
    yield
    while Process.running:
        await Process.running.pop().kill()
    while Pty.running:
        Pty.running.pop().close()

"""What differs between systems: the same promises are kept on all of them."""

import asyncio
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import TextIO

import pytest

from dicegames_client.base import system


async def heard(event: asyncio.Event, number: int) -> None:
    event.clear()
    signal.raise_signal(number)
    await event.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, *system.ENDING_SIGNALS])
async def test_signals_are_heard_in_the_loop_and_afterwards_all_is_as_before(number: int) -> None:
    before = signal.getsignal(number)
    outer, inner = asyncio.Event(), asyncio.Event()
    with system.signals({number: outer.set}):
        await heard(outer, number)
        outer.clear()
        with system.signals({number: inner.set}):
            await heard(inner, number)
            assert not outer.is_set()
        inner.clear()
        await heard(outer, number)  # the outer block has it again
        assert not inner.is_set()
    assert signal.getsignal(number) is before


async def test_two_loops_need_no_signal_of_each_other() -> None:
    """Outside of the main thread there are none, and nothing breaks."""
    done = threading.Event()

    async def elsewhere() -> None:
        with system.signals({signal.SIGINT: done.clear}):
            done.set()

    before = signal.getsignal(signal.SIGINT)
    await asyncio.to_thread(lambda: asyncio.run(elsewhere()))
    assert done.is_set()
    assert signal.getsignal(signal.SIGINT) is before


async def test_what_comes_after_an_error_in_the_block_is_as_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyError), system.signals({signal.SIGINT: lambda: None}):
        raise KeyError
    assert signal.getsignal(signal.SIGINT) is before


def test_each_system_has_its_signals() -> None:
    names = {signal.Signals(number).name for number in system.ENDING_SIGNALS}
    if sys.platform == "win32":
        assert names == {"SIGTERM", "SIGBREAK"} and system.CONTINUED is None and not system.can_suspend()
    else:
        assert names == {"SIGTERM", "SIGHUP", "SIGQUIT"} and system.CONTINUED == signal.SIGCONT and system.can_suspend()


def test_without_a_terminal_there_is_no_echo_to_switch_off(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (tmp_path / "file").open() as stream:
        streams: list[TextIO | None] = [None, stream]
        for each in streams:
            with pytest.raises(OSError, match="no terminal"), system.without_echo(each):
                pass
    with pytest.raises(OSError, match="no terminal"), system.without_echo(stream):  # it is closed now
        pass


def test_the_kind_of_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    assert system.terminal_kind() == "xterm-256color"
    monkeypatch.setenv("TERM", "")
    assert system.terminal_kind() == ""
    monkeypatch.delenv("TERM")
    assert system.terminal_kind() == ("windows" if sys.platform == "win32" else "")


def test_a_refused_connection_is_known_as_one() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]

    async def connect() -> None:
        await asyncio.open_connection("127.0.0.1", port)

    with pytest.raises(OSError) as raised:
        asyncio.run(connect())
    assert system.connect_failure(raised.value) == "refused"
    assert system.connect_failure(TimeoutError()) == "timeout"
    assert system.connect_failure(OSError(1, "other")) == ""

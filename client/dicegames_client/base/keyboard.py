"""Lines from standard input, read without blocking the event loop or the end of the program."""

import asyncio
import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import TextIO


class Keyboard:
    """Reads in a daemon thread. An executor that blocks in readline would keep the process from ending."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream: TextIO | None = stream if stream is not None else sys.stdin
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._thread: threading.Thread | None = None

    @property
    def is_terminal(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    async def line(self) -> str | None:
        """The next line, or None at the end of input."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._read, daemon=True, name="keyboard")
            self._thread.start()
        return await self._lines.get()

    async def secret_line(self, question: str) -> str | None:
        """Ask, and return the next line, typed without an echo. OSError, before it asks, where that can't be done.

        The echo goes off before the question is shown: whoever answers at once is not shown either.
        """
        with _without_echo(self._stream):
            print(question, end="", flush=True)
            line = await self.line()
        print()  # the Enter was not shown either
        return line

    def _read(self) -> None:
        more = True
        while more:
            try:
                line = self._stream.readline() if self._stream else ""
                more = bool(line) or self.is_terminal  # a terminal goes on after Ctrl-D
            except (OSError, ValueError):  # it is gone, or closed
                line, more = "", False
            try:
                self._loop.call_soon_threadsafe(self._lines.put_nowait, line.rstrip("\r\n") if line else None)
            except RuntimeError:  # the event loop is closed: nobody reads the queue any more
                return


@contextlib.contextmanager
def _without_echo(stream: TextIO | None) -> Iterator[None]:
    """What is typed is not shown. The terminal is as before afterwards."""
    try:
        import termios
    except ImportError:  # not on this system
        raise OSError("no terminal without echo") from None
    if stream is None:
        raise OSError("no terminal")
    try:
        before = termios.tcgetattr(stream)
    except termios.error:  # which is no OSError
        raise OSError("no terminal") from None
    quiet = [*before]
    quiet[3] &= ~termios.ECHO
    termios.tcsetattr(stream, termios.TCSAFLUSH, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(stream, termios.TCSADRAIN, before)  # what was typed meanwhile is kept

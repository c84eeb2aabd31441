"""Lines that are typed, read without blocking the event loop or the end of the program."""

import asyncio
import contextlib
import sys
import threading
from typing import TextIO

from dicegames_client.base import system
from dicegames_protocol.text import encodable


class Keyboard:
    """Reads in a daemon thread. An executor that blocks in readline would keep the process from ending.

    It reads a line only when one is asked for. A Windows console shows what is typed, or not, as it was set when the
    reading began: with a line read ahead, the password that is asked for next would be shown.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream: TextIO | None = stream if stream is not None else sys.stdin
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._thread: threading.Thread | None = None
        self._wanted = threading.Semaphore(0)
        self._reading = False
        """Whether a line was asked for that has not come."""

    @property
    def is_terminal(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    async def line(self) -> str | None:
        """The next line, or None at the end of input."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._read, daemon=True, name="keyboard")
            self._thread.start()
        if not self._reading and self._lines.empty():
            self._reading = True
            self._wanted.release()
        return await self._lines.get()

    async def secret_line(self, question: str, out: TextIO) -> str | None:
        """Ask, and return the next line, typed without an echo. OSError, before it asks, where that can't be done.

        The echo goes off before the question is shown: whoever answers at once is not shown either.
        """
        with self.without_echo():
            print(question, end="", flush=True, file=out)
            line = await self.line()
        print(file=out)  # the Enter was not shown either
        return line

    def without_echo(self) -> contextlib.AbstractContextManager[None]:
        """What is typed in the block is not shown. Raises OSError where that can't be done."""
        if self._stream is None:
            raise OSError("no terminal")
        return system.without_echo(self._stream)

    def _read(self) -> None:
        more = True
        while more:
            self._wanted.acquire()
            try:
                line = system.read_line(self._stream) if self._stream else ""
                more = bool(line) or self.is_terminal  # a terminal goes on after Ctrl-D
            except (OSError, ValueError):  # it is gone, or closed
                line, more = "", False
            try:
                self._loop.call_soon_threadsafe(self._came, encodable(line.rstrip("\r\n")) if line else None)
            except RuntimeError:  # the event loop is closed: nobody reads the queue any more
                return

    def _came(self, line: str | None) -> None:
        self._reading = False
        self._lines.put_nowait(line)

"""Lines from standard input, read without holding up the event loop or the end of the program."""

import asyncio
import sys
import threading
from typing import TextIO


class Keyboard:
    """A daemon thread reads; an executor blocked in readline would keep the process from ending."""

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

    def _read(self) -> None:
        line: str | None = None
        while line is None or line or (self._stream is not None and self._stream.isatty()):
            try:
                line = self._stream.readline() if self._stream else ""
            except (OSError, ValueError):
                line = ""
            try:
                self._loop.call_soon_threadsafe(self._lines.put_nowait, line.rstrip("\r\n") if line else None)
            except RuntimeError:  # the loop is gone: nobody listens any more
                return

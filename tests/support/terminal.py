"""A terminal in memory: prompt_toolkit writes VT100, pyte reads it, keys go in through a pipe. No pty, no sleeping."""

import asyncio
import contextlib
import io
import re
import sys
from collections.abc import AsyncIterator, Callable

import pyte
from prompt_toolkit.data_structures import Size as PtSize
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.screens.screen import Screen
from dicegames_client.screens.terminal.shell import Shell

PATIENCE = 20.0
KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "backspace": "\x7f",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "left": "\x1b[D",
    "right": "\x1b[C",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "ctrl-c": "\x03",
    "ctrl-d": "\x04",
}


TITLE = re.compile(r"\x1b\]2;([^\x07\x1b]*)\x07")
"""With this the shell sets the title of the window. What is in it has to be as clean as everything else."""


class _TextOutput(io.StringIO):
    """The file that prompt_toolkit takes for the terminal."""

    encoding = "utf-8"

    def __init__(self, feed: Callable[[str], None]) -> None:
        super().__init__()
        self._feed = feed

    def write(self, data: str) -> int:
        self._feed(data)
        return len(data)

    def isatty(self) -> bool:
        return True


class Terminal:
    def __init__(
        self, display: DisplayOptions, columns: int, rows: int, now: Callable[[], float] | None, input: PipeInput
    ) -> None:
        self._size = PtSize(rows=rows, columns=columns)
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        self.written: list[str] = []
        self._input = input
        output = Vt100_Output(_TextOutput(self._feed), lambda: self._size, term="xterm-256color", enable_cpr=False)
        self.shell = Shell(display, input=input, output=output, now=now, pause=0)

    def _feed(self, data: str) -> None:
        self.written.append(data)
        self._stream.feed(data)

    def scribble(self, text: str) -> None:
        """Another program writes to the same terminal."""
        self._stream.feed(f"\x1b[H{text}")

    def resize(self, columns: int, rows: int) -> None:
        self._size = PtSize(rows=rows, columns=columns)
        self.screen.resize(rows, columns)
        self.shell._app._on_resize()

    async def press(self, *keys: str) -> None:
        """One key after the other, each in its own read, as a person would type."""
        for key in keys:
            await self.paste(KEYS.get(key, key))

    async def paste(self, text: str) -> None:
        """Everything in one read; then wait until the result is on the screen."""
        if sys.platform == "win32":
            self._input.send_text(text)  # its send_bytes drops what is no UTF-8; a console hands it over
        else:
            self._input.send_bytes(text.encode("utf-8", "surrogateescape"))
        await self.painted()

    async def type(self, text: str) -> None:
        for letter in text:
            await self.paste(letter)

    async def painted(self) -> None:
        """Until everything that has happened is on the screen."""
        async with asyncio.timeout(PATIENCE):
            for _ in range(3):  # the key is read, the message goes round, the answer is painted
                self.shell.painted.clear()
                self.shell.changed()
                await self.shell.painted.wait()

    async def until(self, text: str, there: bool = True) -> str:
        """Until a text is on the screen, or no longer there."""
        async with asyncio.timeout(PATIENCE):
            while (text in self.text) != there:
                self.shell.painted.clear()
                await self.shell.painted.wait()
        return self.text

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@contextlib.asynccontextmanager
async def terminal(
    screen: Screen | None = None,
    *,
    display: DisplayOptions | None = None,
    size: tuple[int, int] = (80, 24),
    now: Callable[[], float] | None = None,
) -> AsyncIterator[Terminal]:
    """A terminal that shows a screen, for as long as the test needs it."""
    with create_pipe_input() as input:
        made = Terminal(display or DisplayOptions(motion=False), size[0], size[1], now, input)
        over = asyncio.Event()

        async def show() -> None:
            if screen is not None:
                await made.shell.show(screen)
            await over.wait()

        running = asyncio.ensure_future(made.shell.run(show))
        try:
            async with asyncio.timeout(PATIENCE):
                await made.shell.painted.wait()
            yield made
        finally:
            over.set()
            if not running.done():
                made.shell._exit(None)
            await asyncio.gather(running, return_exceptions=True)

"""The terminal of a user who is connected over ssh. It knows nothing of ssh: texts come in, texts go out.

Until a screen takes the keys, what is typed becomes lines.
"""

import asyncio
import contextlib
import io
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from dicegames_client.base.terminal.keyboard import Keyboard
from dicegames_client.base.terminal.line_discipline import LineDiscipline
from dicegames_client.base.terminal.printing import clean
from dicegames_client.base.terminal.terminal import Report, Terminal

DEFAULT_COLUMNS, DEFAULT_ROWS = 80, 24
MOST_COLUMNS, MOST_ROWS = 300, 100
"""The largest screen that is painted. What a terminal says of its size may be anything."""
MOST_WAITING_LINES = 100
"""Typed lines that wait to be read. More are not taken."""


class RemoteStream(io.TextIOBase):
    """Standard output of a remote user. Like CleanStream, it lets no control character through."""

    def __init__(self, terminal: "RemoteTerminal") -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        shown = clean(text)
        self._terminal.write(shown.replace("\n", "\r\n") if self._terminal.has_screen else shown)
        return len(text)

    def isatty(self) -> bool:
        return self._terminal.has_screen

    @property
    def columns(self) -> int:
        return self._terminal.size[0]


class RemoteKeyboard(Keyboard):
    def __init__(self, discipline: LineDiscipline | None) -> None:
        self._lines = asyncio.Queue()
        self._discipline = discipline

    @property
    def is_terminal(self) -> bool:
        return self._discipline is not None

    async def line(self) -> str | None:
        return await self._lines.get()

    def put(self, line: str | None) -> None:
        if line is None or self._lines.qsize() < MOST_WAITING_LINES:
            self._lines.put_nowait(line)

    @contextlib.contextmanager
    def without_echo(self) -> Iterator[None]:
        if self._discipline:
            self._discipline.quiet = True
        try:
            yield
        finally:
            if self._discipline:
                self._discipline.quiet = False


class RemoteTerminal(Terminal):
    """`received`, `resized`, `finished` and `lost` are called by whoever has the connection."""

    def __init__(
        self,
        write: Callable[[str], None],
        *,
        environment: Mapping[str, str],
        size: tuple[int, int] | None,
        give_up: Callable[[], None],
    ) -> None:
        """`size`: columns and rows; None where the user has asked for no terminal (`ssh -T`).

        `give_up` ends the visit when nobody here heeds the end of the connection.
        """
        self.write = write
        """Show a text as it is. Everything else must use `out`."""
        self.environment = environment
        self.kind = environment.get("TERM", "")
        self.encoding = "ascii" if environment.get("LANG", "") in ("C", "POSIX") else "utf-8"
        self.has_screen = size is not None
        self.is_screen = self.has_screen
        self.present = True
        self.can_suspend = False
        self.size = _sane(size or (DEFAULT_COLUMNS, DEFAULT_ROWS))
        self.out = self.err = cast(io.TextIOWrapper, RemoteStream(self))
        self.on_keys: Callable[[str], None] | None = None
        """Gets everything that is typed, instead of the keyboard."""
        self.on_resize: Callable[[], None] = lambda: None
        self.closed = False
        self.last_words = ""
        """What is to be said when the screen is gone."""
        self.reports: list[Report] = []
        """Who hears of errors in tasks of this visit; the last one counts."""
        self._give_up = give_up
        self._heeding: list[tuple[Callable[[], None], Callable[[], None]]] = []
        self._discipline = LineDiscipline(write, self._put, self._interrupted) if self.has_screen else None
        self.keyboard: RemoteKeyboard = RemoteKeyboard(self._discipline)
        self._part = ""
        """The beginning of a line, where there is no terminal."""

    def _put(self, line: str | None) -> None:
        self.keyboard.put(line)

    def received(self, text: str) -> None:
        if self.on_keys:
            self.on_keys(text)
        elif self._discipline:
            self._discipline.feed(text)
        else:
            *lines, self._part = (self._part + text).split("\n")
            self._part = self._part[:4096]
            for line in lines:
                self._put(line.rstrip("\r"))

    def resized(self, columns: int, rows: int) -> None:
        self.size = _sane((columns, rows))
        self.on_resize()

    def finished(self) -> None:
        """Nothing more will be typed."""
        if not self.on_keys:
            self._put(None)

    def lost(self) -> None:
        """The connection is lost."""
        if not self.closed:
            self.closed = True
            self.write = lambda text: None
            self.end("")

    def end(self, why: str) -> None:
        """The visit ends now. `why` is told, where that can still be done."""
        self.last_words = why
        if self._heeding:
            self._heeding[-1][1]()
        else:
            self._give_up()

    def _interrupted(self) -> None:
        if self._heeding:
            self._heeding[-1][0]()
        else:
            self._give_up()

    @contextlib.contextmanager
    def heed(
        self,
        *,
        interrupt: Callable[[], None],
        end: Callable[[], None],
        go_on: Callable[[], None] = lambda: None,
    ) -> Iterator[None]:
        self._heeding.append((interrupt, end))
        try:
            yield
        finally:
            self._heeding.remove((interrupt, end))

    @contextlib.contextmanager
    def mishaps(self, report: Report) -> Iterator[None]:
        self.reports.append(report)
        try:
            yield
        finally:
            self.reports.remove(report)


def _sane(size: tuple[int, int]) -> tuple[int, int]:
    columns, rows = size
    return min(columns, MOST_COLUMNS) if columns > 0 else DEFAULT_COLUMNS, min(
        rows, MOST_ROWS
    ) if rows > 0 else DEFAULT_ROWS

"""Keys from a remote terminal, and a screen there, for prompt_toolkit.

prompt_toolkit's own module for ssh needs a pipe for each user and does not hear of a lost connection.
"""

import asyncio
import contextlib
import contextvars
import io
import itertools
from collections.abc import Callable, Iterator
from typing import TextIO, cast

from prompt_toolkit.application import application as _application
from prompt_toolkit.data_structures import Size as PtSize
from prompt_toolkit.input import Input
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from dicegames_client.base import visit
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.base.terminal.remote import RemoteTerminal
from dicegames_client.base.terminal.terminal import Terminal
from dicegames_client.screens.terminal.keys.key_parser import KeyParser
from dicegames_client.screens.terminal.keys.pasting import BURST_KEYS, typeable
from dicegames_client.screens.terminal.shell import Shell

REMOTE_PAUSE_SECONDS = 0.1
"""Least seconds between two paintings of news for a remote user. All of them share one process."""
MOST_HELD = 256
"""Most characters that wait. More were pasted anyway."""
HOLD_SECONDS = 0.005
"""Seconds for which a typed key waits for more. A paste comes in several parts; its first key must not act alone."""
_numbers = itertools.count(1)


def shell_on(terminal: Terminal, display: DisplayOptions) -> Shell:
    """The shell for a user's terminal, be it local or remote."""
    if not isinstance(terminal, RemoteTerminal):
        return Shell(display, terminal)
    _leave_window_signal_alone()
    input = RemoteInput(terminal)
    shell = Shell(
        display,
        terminal,
        input=input,
        output=_output(terminal),
        pause=REMOTE_PAUSE_SECONDS,
    )
    input.alone = shell.pressed_alone
    terminal.on_resize = shell.resized
    return shell


class RemoteInput(Input):
    """Parses what is typed, as it arrives. There is no file behind it."""

    def __init__(self, terminal: RemoteTerminal) -> None:
        self._terminal = terminal
        self._number = next(_numbers)
        self._keys: list[KeyPress] = []
        self.vt100_parser = Vt100Parser(self._keys.append)
        """The shell puts one in its place that tells reports of the terminal apart."""
        self._ready: Callable[[], None] | None = None
        self._context = contextvars.copy_context()
        self.alone: Callable[[str, str], bool] = lambda key, data: False
        """Takes a single key, without prompt_toolkit. False: it does not."""
        self._held = ""
        self._holding: asyncio.TimerHandle | None = None

    def _arrived(self, text: str) -> None:
        """Keys have come. Those that can be pasted wait for HOLD_SECONDS, so that a paste is seen as a whole."""
        self._held += text
        if self._holding:
            self._holding.cancel()
            self._holding = None
        if len(self._held) <= MOST_HELD and all(map(typeable, text)):
            self._holding = asyncio.get_running_loop().call_later(HOLD_SECONDS, self._take)
        else:
            self._take()

    def _take(self) -> None:
        text, self._held, self._holding = self._held, "", None
        late = isinstance(self.vt100_parser, KeyParser) and self.vt100_parser.unfinished
        if (
            len(text) > BURST_KEYS and text.isprintable() and not late
        ):  # it was pasted, even if the terminal does not say so
            self._keys.append(KeyPress(Keys.BracketedPaste, text))
        else:
            self.vt100_parser.feed(text)
        if self._ready is None:
            return
        whole = sum(len(press.data) for press in self._keys) == len(text)  # else the rest of a key is still to come
        while whole and self._keys and len(self._keys) <= BURST_KEYS:
            press = self._keys[0]
            if not self._context.copy().run(self.alone, str(getattr(press.key, "value", press.key)), press.data):
                break
            self._keys.pop(0)
        if self._keys or not whole:
            self._ready()

    def read_keys(self) -> list[KeyPress]:
        keys, self._keys[:] = list(self._keys), []
        return keys

    def flush_keys(self) -> list[KeyPress]:
        self.vt100_parser.flush()
        return self.read_keys()

    @property
    def closed(self) -> bool:
        return self._terminal.closed

    @contextlib.contextmanager
    def attach(self, input_ready_callback: Callable[[], None]) -> Iterator[None]:
        before, self._ready = self._ready, input_ready_callback
        self._context = contextvars.copy_context()
        self._terminal.on_keys = self._arrived
        try:
            yield
        finally:
            self._ready = before
            self._terminal.on_keys = self._arrived if before else None
            if self._holding and not before:  # nobody is there any more for whom they were typed
                self._holding.cancel()

    @contextlib.contextmanager
    def detach(self) -> Iterator[None]:
        before, self._ready = self._ready, None
        try:
            yield
        finally:
            self._ready = before

    def raw_mode(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def cooked_mode(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def fileno(self) -> int:
        raise io.UnsupportedOperation("a remote terminal is no file")

    def typeahead_hash(self) -> str:
        return f"remote-{self._number}"


class _Screen(io.TextIOBase):
    """What prompt_toolkit writes to."""

    def __init__(self, terminal: RemoteTerminal) -> None:
        self._terminal = terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._terminal.encoding

    def write(self, text: str) -> int:
        self._terminal.write(text)
        return len(text)

    def isatty(self) -> bool:
        return True


def _output(terminal: RemoteTerminal) -> Vt100_Output:
    def size() -> PtSize:
        columns, rows = terminal.size
        return PtSize(rows=rows, columns=columns)

    many = "256color" in terminal.kind or terminal.kind.endswith("-direct")
    depth = ColorDepth.DEPTH_8_BIT if many else ColorDepth.DEPTH_4_BIT
    stream = cast(TextIO, _Screen(terminal))
    return Vt100_Output(stream, size, term=terminal.kind, default_color_depth=depth, enable_cpr=False)


def _leave_window_signal_alone() -> None:
    """Every prompt_toolkit application takes SIGWINCH, which tells that the program's own window has a new size.

    A remote user's window has nothing to do with it. Without this, the last visitor would take the signal from the host
    whose screen is in the same process.
    """
    if getattr(_application.attach_winch_signal_handler, "for_remote", False):
        return
    original = _application.attach_winch_signal_handler

    def attach(handler: Callable[[], None]) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext() if visit.current() else original(handler)

    attach.for_remote = True  # type: ignore[attr-defined]
    _application.attach_winch_signal_handler = attach  # type: ignore[assignment]

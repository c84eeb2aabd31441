"""Where one user sits: what is typed there, what is shown there, and what happens to it from outside.

The rest of the client knows no signals, no standard streams and no exception handler of the event loop. It asks its
terminal. So the same screens and the same line mode run in the user's own terminal (LocalTerminal), and many at a time
in one server, for users who come over ssh (RemoteTerminal).
"""

import asyncio
import contextlib
import os
import signal
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TextIO

from dicegames_client.base import system
from dicegames_client.base.terminal import answers
from dicegames_client.base.terminal.keyboard import Keyboard
from dicegames_client.base.visit import visit_of

Report = Callable[[dict[str, Any]], None]
"""Gets what asyncio tells about something that went wrong in a task or a callback."""


class Terminal(ABC):
    keyboard: Keyboard
    out: TextIO
    err: TextIO
    environment: Mapping[str, str]
    """LANG, NO_COLOR and the like."""
    kind: str
    """The kind of terminal, such as xterm-256color. Empty: nobody says."""
    encoding: str
    present: bool
    """Whether there is a user who can be asked."""
    is_screen: bool
    """Whether a whole screen can be painted there, and single keys can be read."""
    can_suspend: bool
    """Whether Ctrl-Z leads back to the user's shell."""
    whole_pictures: bool = False
    """Whether it can be told where a picture begins and ends. It then shows nothing of a picture that is not whole."""
    typed: str = ""
    """Keys that were pressed before the screen was there, while the terminal was asked something."""

    @property
    def has_light_background(self) -> bool:
        """Whether the background is light. Where nobody says, it is dark."""
        return answers.said_by(self.environment) or False

    def asked(self) -> contextlib.AbstractContextManager[None]:
        """Ask the terminal about itself, while the block runs. Afterwards it is known what it told."""
        return contextlib.nullcontext()

    @abstractmethod
    def heed(
        self,
        *,
        interrupt: Callable[[], None],
        end: Callable[[], None],
        go_on: Callable[[], None] = lambda: None,
    ) -> contextlib.AbstractContextManager[None]:
        """For the block: `interrupt` is called for Ctrl-C, `end` when all ends from outside: the window is closed, the
        process is ended, the connection is lost. `go_on` is called when a stopped program goes on.
        """

    @abstractmethod
    def mishaps(self, report: Report) -> contextlib.AbstractContextManager[None]:
        """For the block: `report` hears of errors in tasks and callbacks that belong to this user."""


class LocalTerminal(Terminal):
    """The terminal in which this program was started."""

    def __init__(self) -> None:
        self.keyboard = Keyboard()
        self.environment = os.environ
        self.kind = system.terminal_kind()
        self.encoding = getattr(sys.stdout, "encoding", None) or "ascii"
        self.present = sys.stdin is not None and sys.stdin.isatty()
        self.is_screen = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
        self.can_suspend = system.can_suspend()
        self._light: bool | None = None
        """The background is light, as the terminal told. None: it was not asked, or did not tell."""

    @property
    def has_light_background(self) -> bool:
        return super().has_light_background if self._light is None else self._light

    @contextlib.contextmanager
    def asked(self) -> Iterator[None]:
        until = time.monotonic() + answers.SECONDS
        with contextlib.ExitStack() as asking:
            answer: system.Answer = lambda done, until: b""  # noqa: E731
            with contextlib.suppress(OSError, ValueError):  # the streams are no terminal, or closed
                answer = asking.enter_context(system.asked_of_terminal(answers.questions(self.kind, self.environment)))
            yield
            with contextlib.suppress(OSError, ValueError):
                heard = answer(answers.answered, until)
                self.typed += answers.typed(heard).decode(errors="ignore")
                self._light = answers.is_light(heard)
                self.whole_pictures = answers.shows_whole_pictures(heard)

    @property
    def out(self) -> TextIO:  # type: ignore[override]  # whatever it is now
        return sys.stdout

    @property
    def err(self) -> TextIO:  # type: ignore[override]
        return sys.stderr

    def heed(
        self,
        *,
        interrupt: Callable[[], None],
        end: Callable[[], None],
        go_on: Callable[[], None] = lambda: None,
    ) -> contextlib.AbstractContextManager[None]:
        handlers = dict.fromkeys(system.ENDING_SIGNALS, end)
        handlers[signal.SIGINT] = interrupt
        if system.CONTINUED is not None:
            handlers[system.CONTINUED] = go_on
        return system.signals(handlers)

    @contextlib.contextmanager
    def mishaps(self, report: Report) -> Iterator[None]:
        """This process may also be a server. What goes wrong for its visitors is not told here."""
        loop = asyncio.get_running_loop()
        before = loop.get_exception_handler()

        def heard(loop: asyncio.AbstractEventLoop, told: dict[str, Any]) -> None:
            if visit_of(told) is None:
                report(told)
            elif before:
                before(loop, told)
            else:
                loop.default_exception_handler(told)

        loop.set_exception_handler(heard)
        try:
            yield
        finally:
            loop.set_exception_handler(before)

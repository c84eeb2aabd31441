"""Our commands in a real terminal: a pty, whose output pyte interprets.

A thread reads all the time, as a terminal does, so that no process ever waits for us.
"""

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

import pexpect
import pyte

PATIENCE = 30.0
TERMINAL = {"TERM": "xterm-256color", "LANG": "C.UTF-8"}


class Pty:
    running: ClassVar[list["Pty"]] = []

    def __init__(
        self, *command: str, state: Path, size: tuple[int, int] = (80, 24), quiet: bool = False, **environment: str
    ) -> None:
        """`quiet`: only the bytes are kept, without an emulator that would cost time."""
        columns, rows = size
        self._quiet = quiet
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self._news = threading.Condition()
        self._child = pexpect.spawn(
            command[0],
            list(command[1:]),
            dimensions=(rows, columns),
            timeout=PATIENCE,
            env={
                **os.environ,
                "XDG_STATE_HOME": str(state),
                "TERM": "xterm-256color",
                "LANG": "C.UTF-8",
                **environment,
            },
        )
        self._child.delaybeforesend = None  # keys go out at once
        self.pid = int(self._child.pid)
        self._over = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        Pty.running.append(self)

    @classmethod
    def client(cls, *arguments: str, state: Path, **fields: Any) -> "Pty":
        return cls(sys.executable, "-m", "dicegames_client", *arguments, state=state, **fields)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._child.child_fd, 65536)
            except OSError:
                data = b""
            with self._news:
                if not data:
                    self._over = True
                    self._news.notify_all()
                    return
                self.raw += data
                if not self._quiet:
                    self._stream.feed(data)
                self._news.notify_all()

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, *wanted: str, never: str | None = None) -> str:
        """Until one of these texts is on the screen; returns the screen."""
        deadline = time.monotonic() + PATIENCE
        with self._news:
            while not any(text in self.text for text in wanted):
                left = deadline - time.monotonic()
                if left <= 0 or (self._over and not any(text in self.text for text in wanted)):
                    raise AssertionError(f"{wanted!r} never came:\n{self.text}")
                assert never is None or never not in self.text, self.text
                self._news.wait(left)
            return self.text

    def until_news(self, patience: float = 0.5) -> bool:
        """Until something was written. False: nothing was, for a while."""
        with self._news:
            return not self._over and self._news.wait(patience)

    def until_line(self, line: str) -> None:
        """Until the screen has exactly this line."""
        deadline = time.monotonic() + PATIENCE
        with self._news:
            while line not in self.text.splitlines():
                assert self._news.wait(deadline - time.monotonic()), f"{line!r} never came:\n{self.text}"

    def until_gone(self, unwanted: str) -> None:
        """Until this text is no longer on the screen."""
        deadline = time.monotonic() + PATIENCE
        with self._news:
            while unwanted in self.text:
                assert self._news.wait(deadline - time.monotonic()), f"{unwanted!r} stays:\n{self.text}"

    def scribble(self, text: str) -> None:
        """Another program writes to the same terminal."""
        with self._news:
            self._stream.feed(b"\x1b[H" + text.encode())

    def press(self, keys: str) -> None:
        self._child.send(keys)

    def press_until(self, key: str, *wanted: str) -> str:
        """Press a key until one of these texts comes: right after a moment on the stage keys do nothing."""
        for _ in range(20):
            self.press(key)
            self.until_news()
            with self._news:
                self._news.wait_for(lambda: any(text in self.text for text in wanted), 0.5)
            if any(text in self.text for text in wanted):
                break
        return self.until(*wanted)

    def type(self, text: str, line: str) -> None:
        """Letter by letter, as a person would, into the line that begins with this text; and Enter."""
        for end in range(1, len(text) + 1):
            self.press(text[end - 1])
            self.until(f"{line}{text[:end]}".rstrip())
        self.press("\r")

    def resize(self, columns: int, rows: int) -> None:
        with self._news:
            self.screen.resize(rows, columns)
            self._child.setwinsize(rows, columns)

    def settings(self) -> list[Any]:
        """The terminal settings that stty would show."""
        if sys.platform == "win32":
            raise NotImplementedError
        import termios

        return list(termios.tcgetattr(self._child.child_fd))

    def signal(self, number: int) -> None:
        self._child.kill(number)

    def ended(self) -> int:
        """The exit code, after everything was read."""
        self._reader.join(PATIENCE)
        self._child.wait()
        return int(self._child.exitstatus if self._child.exitstatus is not None else -(self._child.signalstatus or 0))

    def close(self) -> None:
        self._child.close(force=True)

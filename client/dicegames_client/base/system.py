"""What differs between Linux, macOS and Windows, for the client alone; `protocol/…/system` has what both sides need.

The functions mean the same everywhere; where a system lacks something, the docstring says what happens there instead.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop as Loop
    from socket import socket

Answer = Callable[[Callable[[bytes], bool], float], bytes]
"""(whether it is enough, the time of `time.monotonic` until which it is waited for) -> what a terminal has answered."""
CLOSING_SECONDS = 4.0
"""Windows: seconds that the program has to end when its window is closed. The system ends it by force after five."""


@contextlib.contextmanager
def signals(handlers: Mapping[int, Callable[[], None]]) -> Iterator[None]:
    """Call a handler in the running event loop when its signal comes. Afterwards everything is as before.

    The keys are numbers of signals that this system has. Blocks may be nested; the inner one has its signals for
    itself. Outside of the main thread no signal can be heard, and nothing happens here.

    Windows: closing the window, and the end of the user's session, count as SIGBREAK. The program then has
    CLOSING_SECONDS to end.
    """
    import asyncio  # takes a moment, and `--help` needs nothing of it

    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in handlers}
    heard = [number for number, handler in handlers.items() if _hear(loop, number, handler)]
    _nested.append({number: handlers[number] for number in heard})
    try:
        with _closing_window(loop, handlers):
            yield
    finally:
        _nested.pop()
        for number in heard:
            outer = next((each[number] for each in reversed(_nested) if number in each), None)
            if outer is not None:
                _hear(loop, number, outer)
                continue
            _hear_no_more(loop, number)
            if before[number] is not None:  # else it was not Python that had set it
                signal.signal(number, before[number])


_nested: list[dict[int, Callable[[], None]]] = []
"""The handlers of all `signals` blocks that are open, the innermost last."""


def firewall_prone(platform: str = sys.platform) -> bool:
    """Whether a firewall may be on. Whether it is, and what it lets in, only an administrator can see."""
    return platform.startswith(("win32", "darwin", "linux"))


def can_suspend() -> bool:
    """Whether Ctrl-Z can stop the program, for the shell to continue it later."""
    return hasattr(signal, "SIGTSTP")


def terminal_kind() -> str:
    """The kind of terminal, as TERM has it. Empty: nobody says.

    Windows: a console has no TERM. It is no worse for that, and called "windows".
    """
    return os.environ.get("TERM", "windows" if sys.platform == "win32" else "")


def hear_own_groups(ear: "socket") -> None:
    """A socket gets only the multicasts that it has asked for itself. Raises OSError.

    Linux gives it those of all other sockets, too, on whatever adapter. Other systems do not.
    """
    if sys.platform == "linux":
        ip, ip_multicast_all = 0, 49
        ear.setsockopt(ip, ip_multicast_all, 0)


if sys.platform == "win32":
    import ctypes
    import msvcrt
    import threading
    from ctypes import wintypes

    ENDING_SIGNALS: tuple[int, ...] = (signal.SIGTERM, signal.SIGBREAK)
    CONTINUED: int | None = None
    _ECHO, _LINES = 0x4, 0x2
    _CLOSE, _LOGOFF, _SHUTDOWN = 2, 5, 6
    _CONTROL = ctypes.WINFUNCTYPE(wintypes.BOOL, wintypes.DWORD)
    _REFUSALS = {121: "timeout", 1225: "refused"}
    _interrupted = threading.Event()
    """Set whenever a signal was heard: reading a line from a console ends then, and looks like the end of input."""

    def read_line(stream: TextIO) -> str:
        """The next line with its line break; empty at the end of input. Ctrl-C is no end of input, as elsewhere."""
        while True:
            line = stream.readline()
            if line or not stream.isatty() or not _interrupted.wait(0.2):
                return line
            _interrupted.clear()

    @contextlib.contextmanager
    def without_echo(stream: TextIO | None) -> Iterator[None]:
        """What is typed is not shown. The console is as before afterwards. OSError where there is none."""
        handle, before = _console_mode(stream)
        ctypes.windll.kernel32.FlushConsoleInputBuffer(handle)
        ctypes.windll.kernel32.SetConsoleMode(handle, before & ~_ECHO | _LINES)
        try:
            yield
        finally:
            ctypes.windll.kernel32.SetConsoleMode(handle, before)

    @contextlib.contextmanager
    def asked_of_terminal(query: bytes) -> Iterator[Answer]:
        """A console is not asked: its answers would come as keys."""
        yield lambda done, until: b""

    def _console_mode(stream: TextIO | None) -> tuple[wintypes.HANDLE, int]:
        if stream is None:
            raise OSError("no terminal")
        mode = wintypes.DWORD()
        try:
            handle = wintypes.HANDLE(msvcrt.get_osfhandle(stream.fileno()))
        except ValueError:  # it is closed
            raise OSError("no terminal") from None
        if not ctypes.windll.kernel32.GetConsoleMode(handle, ctypes.byref(mode)):
            raise OSError("no terminal")
        return handle, mode.value

    def _hear(loop: "Loop", number: int, handler: Callable[[], None]) -> bool:
        def heard(number: int, frame: object) -> None:
            _interrupted.set()
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(handler)

        try:
            signal.signal(number, heard)  # asyncio wakes its loop for any signal that Python handles
        except ValueError:  # not the main thread
            return False
        return True

    def _hear_no_more(loop: "Loop", number: int) -> None:
        pass  # signals() sets what was there before

    @contextlib.contextmanager
    def _closing_window(loop: "Loop", handlers: Mapping[int, Callable[[], None]]) -> Iterator[None]:
        """Python would hear SIGBREAK for it, but the system ends the process as soon as that was taken note of.

        So our own function is called first, in a thread that the system makes for it. It holds the system up.
        """
        ended = handlers.get(signal.SIGBREAK)
        if ended is None:
            yield
            return

        def called(event: int) -> bool:
            if event not in (_CLOSE, _LOGOFF, _SHUTDOWN):
                return False  # Ctrl-C and Ctrl-Break are signals
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(ended)
                time.sleep(CLOSING_SECONDS)  # the end of the program ends this as well
            return True

        function = _CONTROL(called)
        ctypes.windll.kernel32.SetConsoleCtrlHandler(function, True)
        try:
            yield
        finally:
            ctypes.windll.kernel32.SetConsoleCtrlHandler(function, False)

    def connect_failure(error: BaseException) -> str:
        """What a failed connection failed for: "refused", "timeout", or empty for anything else.

        The event loop gives codes of its own for the first ones, which Python does not know as what they are.
        """
        kinds = ((ConnectionRefusedError, "refused"), (TimeoutError, "timeout"))
        known = next((kind for error_class, kind in kinds if isinstance(error, error_class)), "")
        return known or _REFUSALS.get(getattr(error, "winerror", None) or 0, "")

else:
    import select
    import termios

    ENDING_SIGNALS: tuple[int, ...] = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    """The signals that end the program: from outside, or with its terminal."""
    CONTINUED: int | None = signal.SIGCONT
    """The signal after a suspension. None where there is no such thing."""

    def read_line(stream: TextIO) -> str:
        """The next line with its line break; empty at the end of input."""
        return stream.readline()

    @contextlib.contextmanager
    def without_echo(stream: TextIO | None) -> Iterator[None]:
        """What is typed is not shown. The terminal is as before afterwards. OSError where there is none."""
        if stream is None:
            raise OSError("no terminal")
        try:
            before = termios.tcgetattr(stream)
        except (termios.error, ValueError):  # neither is an OSError; the other one: it is closed
            raise OSError("no terminal") from None
        quiet = [*before]
        quiet[3] &= ~termios.ECHO
        termios.tcsetattr(stream, termios.TCSAFLUSH, quiet)
        try:
            yield
        finally:
            termios.tcsetattr(stream, termios.TCSADRAIN, before)  # what was typed meanwhile is kept

    @contextlib.contextmanager
    def asked_of_terminal(query: bytes) -> Iterator[Answer]:
        """Ask the terminal something, and do something else in the block; what is typed is not shown meanwhile. The
        result gives the answer, at the end of the block. Keys that were pressed are in it. OSError without a terminal.

        Windows: nothing is asked.
        """
        keys, screen = sys.stdin.fileno(), sys.stdout.fileno()
        try:
            before = termios.tcgetattr(keys)
        except termios.error:
            raise OSError("no terminal") from None
        quiet = [*before]
        quiet[3] &= ~(termios.ECHO | termios.ICANON)

        def answer(done: Callable[[bytes], bool], until: float) -> bytes:
            heard = b""
            while not done(heard) and select.select([keys], [], [], max(0.0, until - time.monotonic()))[0]:
                part = os.read(keys, 1024)
                heard += part
                if not part:
                    break
            return heard

        termios.tcsetattr(keys, termios.TCSANOW, quiet)
        try:
            os.write(screen, query)
            yield answer
        finally:
            termios.tcsetattr(keys, termios.TCSANOW, before)

    def _hear(loop: "Loop", number: int, handler: Callable[[], None]) -> bool:
        try:
            loop.add_signal_handler(number, handler)
        except (NotImplementedError, RuntimeError, ValueError):  # not the main thread, or a loop of another kind
            return False
        return True

    def _hear_no_more(loop: "Loop", number: int) -> None:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(number)

    @contextlib.contextmanager
    def _closing_window(loop: "Loop", handlers: Mapping[int, Callable[[], None]]) -> Iterator[None]:
        yield  # SIGHUP says so

    def connect_failure(error: BaseException) -> str:
        """What a failed connection failed for: "refused", "timeout", or empty for anything else."""
        kinds = ((ConnectionRefusedError, "refused"), (TimeoutError, "timeout"))
        return next((kind for error_class, kind in kinds if isinstance(error, error_class)), "")

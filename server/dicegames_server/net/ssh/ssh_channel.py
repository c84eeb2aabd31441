"""The terminal of one ssh user, as bytes: what is typed comes in, at the speed of a person, and what is shown goes out.

Nothing else is possible on it: no commands, no files, no forwarding, and of the environment only TERM and LANG.
"""

import codecs
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import asyncssh

from dicegames_server.core.clock import Clock, Handle
from dicegames_server.core.token_bucket import Bucket

log = logging.getLogger("dicegames.ssh")
KEYS_PER_SECOND, KEY_BURST = 20, 40
"""Keys that a user may press, in the long run and at once. More are dropped: each costs about a millisecond, and all
users share one event loop. Text that comes in one piece was pasted, and counts as one key."""
LINE_BYTES_PER_SECOND, LINE_BURST = 400, 4096
"""Characters of lines, where there is no terminal: they may come from a script. More waits, and nothing is lost."""
KEYS_AT_ONCE = 2
"""Keys that are handed on before others have their turn."""
LONGEST_PASTE = 16 * 1024
"""Characters of a paste. A longer one is dropped."""
RESIZE_SECONDS = 0.25
"""Seconds between two changes of the window's size that are heeded."""
_KEY = re.compile(
    r"\x1b\[200~.*?\x1b\[201~"  # a paste, as terminals mark it
    r"|\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|\x1b[^\[O]?"  # a key that sends a sequence
    r"|[^\x00-\x1f\x7f]{4,256}|.",  # text in one piece; any other key
    re.DOTALL,
)
_PASTE_BEGINS = "\x1b[200~"
MOST_UNSENT = 256 * 1024
"""Bytes that wait to be sent. Who does not read is cut off there; the seat is held."""
GOODBYE_SECONDS = 5.0
"""Seconds that a client has to end its connection when the visit is over."""
_TERM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,31}")
_LANG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,31}")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who has come, and with what terminal."""

    address: str
    user: str
    """The name that was given to ssh: a room's code, or anything."""
    key: str
    """Fingerprint of the user's public key, proven. Empty: the user has shown none."""
    term: str = ""
    lang: str = ""
    size: tuple[int, int] | None = None
    """Columns and rows. None: no terminal was asked for."""


class SshChannel(asyncssh.SSHServerSession[bytes]):
    """One session of one connection. `on_…` are set by whoever plays on it, when `started` is called."""

    def __init__(
        self,
        address: str,
        user: str,
        key: str,
        clock: Clock,
        unsent: Callable[[], int],
        abort: Callable[[], None],
        started: Callable[["SshChannel"], None],
    ) -> None:
        """`unsent`: bytes that the connection holds because its user does not read. `abort` ends the connection."""
        self._abort = abort
        self.caller = Caller(address, user, key)
        self._clock = clock
        self._unsent = unsent
        self._started = started
        self._channel: asyncssh.SSHServerChannel[bytes] | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._bucket = Bucket(clock, KEYS_PER_SECOND, KEY_BURST)
        self._lines = Bucket(clock, LINE_BYTES_PER_SECOND, LINE_BURST)
        self._waiting = ""
        """What was typed and not handed on yet. Meanwhile nothing more is read."""
        self._later: Handle | None = None
        self._term = ""
        self._size: tuple[int, int] | None = None
        self._told_size: tuple[int, int] | None = None
        self._resizing: Handle | None = None
        self.typed_at = clock.now()
        """When something was typed last, in seconds of the clock."""
        self.on_text: Callable[[str], None] = lambda text: None
        self.on_resize: Callable[[int, int], None] = lambda columns, rows: None
        self.on_end_of_input: Callable[[], None] = lambda: None
        self.on_lost: Callable[[], None] = lambda: None
        self.on_idle: Callable[[], None] = lambda: None
        self.may_press: Callable[[], bool] = lambda: True
        """Whether everybody at this address together may press one more key. If so, it is counted."""
        self.lost = False

    # What the connection tells.

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        self._channel = chan

    def pty_requested(self, term_type: str, term_size: tuple[int, int, int, int], term_modes: Any) -> bool:
        self._term = term_type if _TERM.fullmatch(term_type) else "dumb"
        self._size = term_size[:2]
        return True

    def shell_requested(self) -> bool:
        return True

    def session_started(self) -> None:
        assert self._channel
        lang = self._channel.get_environment().get("LANG", "")
        lang = lang if isinstance(lang, str) and _LANG.fullmatch(lang) else ""
        caller = self.caller
        self.caller = Caller(caller.address, caller.user, caller.key, self._term, lang, self._size)
        self._started(self)

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:
        self.typed_at = self._clock.now()
        self._waiting += self._decoder.decode(data)
        if self._later is None:
            self._hand_on()

    def _hand_on(self) -> None:
        """Hand on a few keys. The rest follows when other users had their turn."""
        self._later = None
        if self.caller.size is None:
            self._hand_on_lines()
            return
        for _ in range(KEYS_AT_ONCE):
            key = self._next_key()
            if not key or self.lost:
                break
            if self._bucket.take() and self.may_press():
                self.on_text(key)
        if self._channel is None or self.lost:
            return
        if self._waiting and not self._pasting:
            self._channel.pause_reading()
            self._later = self._clock.call_later(0, self._hand_on)
        else:
            self._channel.resume_reading()

    def _hand_on_lines(self) -> None:
        text, self._waiting = self._waiting, ""
        owed = self._lines.spend(len(text))
        if text and not self.lost:
            self.on_text(text)
        if self._channel is None or self.lost:
            return
        if owed:
            self._channel.pause_reading()
            self._later = self._clock.call_later(owed, self._hand_on)
        else:
            self._channel.resume_reading()

    def _next_key(self) -> str:
        """The next key, or a whole paste. Empty: there is none, or the end of a paste is still to come."""
        if self._pasting:
            if len(self._waiting) > LONGEST_PASTE:
                self._waiting = ""
            return ""
        found = _KEY.match(self._waiting)
        key = found[0] if found else ""
        self._waiting = self._waiting[len(key) :]
        return key

    @property
    def _pasting(self) -> bool:
        return self._waiting.startswith(_PASTE_BEGINS) and "\x1b[201~" not in self._waiting

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        """A window that is dragged tells many sizes. The first one counts at once, then the last one of each while."""
        self._size = (width, height)
        if self._resizing is None:
            self._resized()

    def _resized(self) -> None:
        told, self._told_size = self._told_size, self._size
        self._resizing = None
        if self._size and self._size != told and not self.lost:
            self.on_resize(*self._size)
            self._resizing = self._clock.call_later(RESIZE_SECONDS, self._resized)

    def eof_received(self) -> bool:
        self.on_end_of_input()
        return True  # what is still to be said can be said

    def break_received(self, msec: int) -> bool:
        self.on_text("\x03")
        return True

    def signal_received(self, signal: str) -> None:
        if signal == "INT":
            self.on_text("\x03")

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.lost:
            self.lost = True
            for timer in (self._later, self._resizing):
                if timer:
                    timer.cancel()
            self.on_lost()
            self._clock.call_later(GOODBYE_SECONDS, self._abort)

    # What is done on it.

    def write(self, data: bytes) -> None:
        """Never waits. Who does not read is cut off."""
        if self.lost or not self._channel:
            return
        try:
            self._channel.write(data)
        except OSError:  # it was closed in this moment, and we are told soon
            return
        if self._channel.get_write_buffer_size() + self._unsent() > MOST_UNSENT:
            log.info("%s does not read: cut off", self.caller.address)
            self.cut()

    def exit(self, code: int) -> None:
        """The visit is over."""
        if self._channel and not self.lost:
            self._channel.exit(code)

    def cut(self) -> None:
        """End the connection without a word."""
        self._abort()
        self.connection_lost(None)

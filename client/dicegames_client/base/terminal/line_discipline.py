"""What is typed on a remote terminal becomes lines, with an echo and the few keys that a local terminal has."""

from collections.abc import Callable

from dicegames_protocol.text import columns, strip

LONGEST_LINE = 2048
"""Characters of a line. What is typed beyond that is not taken."""
ENTER, ERASE, ERASE_ALL, INTERRUPT, END = ("\r", "\n"), ("\x7f", "\x08"), "\x15", "\x03", "\x04"
ESCAPE = "\x1b"


class LineDiscipline:
    """Backspace, Ctrl-U, Ctrl-C, Ctrl-D and Enter. Arrow keys and the like do nothing."""

    def __init__(
        self, echo: Callable[[str], None], put: Callable[[str | None], None], interrupt: Callable[[], None]
    ) -> None:
        """`put` gets each line, and None for Ctrl-D on an empty one."""
        self._echo = echo
        self._put = put
        self._interrupt = interrupt
        self._typed: list[str] = []
        self._sequence = ""
        """The beginning of an escape sequence, such as an arrow key sends. Empty: there is none."""
        self._after_return = False
        self.quiet = False
        """What is typed is not shown."""

    def feed(self, text: str) -> None:
        for char in text:
            if self._sequence:
                self._in_sequence(char)
            else:
                self._key(char)
            self._after_return = char == "\r"

    def _in_sequence(self, char: str) -> None:
        """Leave out ESC x, ESC O x and ESC [ … x."""
        self._sequence += char
        first = self._sequence[1]
        done = len(self._sequence) > 2 if first == "O" else first != "["
        if first == "[" and len(self._sequence) > 2:
            done = "@" <= char <= "~"
        if done or len(self._sequence) > 32:
            self._sequence = ""

    def _key(self, char: str) -> None:
        if char in ENTER:
            if not (char == "\n" and self._after_return):  # which was one key
                line, self._typed = "".join(self._typed), []
                self._show("\r\n")
                self._put(line)
        elif char in ERASE:
            if self._typed:
                self._erase(1)
        elif char == ERASE_ALL:
            self._erase(len(self._typed))
        elif char == INTERRUPT:
            self._typed = []
            self._echo("^C\r\n")
            self._interrupt()
        elif char == END:
            if not self._typed:
                self._put(None)
        elif char == ESCAPE:
            self._sequence = char
        elif strip(char) == char and len(self._typed) < LONGEST_LINE:
            self._typed.append(char)
            self._show(char)

    def _erase(self, count: int) -> None:
        gone = self._typed[len(self._typed) - count :]
        del self._typed[len(self._typed) - count :]
        self._show("\b \b" * columns("".join(gone)))

    def _show(self, text: str) -> None:
        if not self.quiet:
            self._echo(text)

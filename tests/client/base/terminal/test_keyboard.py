"""A secret is asked for on a real terminal, a pty: nothing of it is shown, however fast it is typed."""

import io
import os
import sys
from typing import TextIO, cast

import pytest

from dicegames_client.base.terminal.keyboard import Keyboard

if sys.platform == "win32":
    pytest.skip("Windows has no pty", allow_module_level=True)
else:
    import termios
assert sys.platform != "win32"


class Asked:
    """Standard output. Answers at once when it is asked, as an impatient person does."""

    def __init__(self, keys: int, terminal: int, answer: bytes) -> None:
        self._keys, self._terminal, self._answer = keys, terminal, answer
        self.echo_when_asked: bool | None = None

    def write(self, text: str) -> int:
        if text == "Password: ":
            self.echo_when_asked = _echo(self._terminal)
            os.write(self._keys, self._answer)
        return len(text)

    def flush(self) -> None:
        pass


def _echo(terminal: int) -> bool:
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


async def test_a_secret_is_not_shown_even_when_it_is_typed_at_once() -> None:
    keys, terminal = os.openpty()
    with os.fdopen(terminal) as stream, os.fdopen(keys, "rb", buffering=0):  # the keys go first, and end the reader
        keyboard = Keyboard(stream)
        out = Asked(keys, terminal, b"sesame\nroll\n")
        assert await keyboard.secret_line("Password: ", cast(TextIO, out)) == "sesame"
        assert out.echo_when_asked is False
        assert _echo(terminal)
        assert await keyboard.line() == "roll"  # typed ahead, and kept


async def test_without_a_terminal_there_is_no_question(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever gets the OSError asks in another way, so the question must not be on the screen yet."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as stream, os.fdopen(writing, "wb"), pytest.raises(OSError, match="no terminal"):
        await Keyboard(stream).secret_line("Password: ", sys.stdout)
    assert capsys.readouterr().out == ""


async def test_bytes_that_are_no_characters_can_be_sent_all_the_same() -> None:
    """In the locale C a terminal gives halves of characters for them, which no message can hold."""
    assert await Keyboard(io.StringIO("caf\udcc3 \udce9\n")).line() == "caf? ?"

"""What is typed on a remote terminal becomes lines, as on a local one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_client.base.terminal.line_discipline import LONGEST_LINE, LineDiscipline


class Typed:
    def __init__(self) -> None:
        self.shown = ""
        self.lines: list[str | None] = []
        self.interrupts = 0
        self.discipline = LineDiscipline(self._show, self.lines.append, self._interrupted)

    def _show(self, text: str) -> None:
        self.shown += text

    def _interrupted(self) -> None:
        self.interrupts += 1


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        ("roll\r", ["roll"]),
        ("roll\n", ["roll"]),
        ("roll\r\nbank\r\n", ["roll", "bank"]),
        ("\r\r", ["", ""]),
        ("rolk\x7fl\r", ["roll"]),
        ("\x7f\x7fa\r", ["a"]),
        ("nonsense\x15bank\r", ["bank"]),
        ("ro\x1b[A\x1b[1;5D\x1bOPll\r", ["roll"]),  # arrow keys and function keys
        ("ro\x1bxll\r", ["roll"]),
        ("half\x03bank\r", ["bank"]),
        ("\x04", [None]),
        ("a\x04b\r", ["ab"]),
        ("a\x00\x07\x9b\u202eb\r", ["ab"]),  # nothing that a terminal obeys
        ("grüße 日本\r", ["grüße 日本"]),
    ],
)
def test_keys_become_lines(keys: str, lines: list[str | None]) -> None:
    typed = Typed()
    typed.discipline.feed(keys)
    assert typed.lines == lines
    one_by_one = Typed()
    for key in keys:
        one_by_one.discipline.feed(key)
    assert one_by_one.lines == lines


def test_what_is_erased_is_erased_on_the_screen_too() -> None:
    typed = Typed()
    typed.discipline.feed("日\x7f")
    assert typed.shown == "日\b \b\b \b"  # it is two columns wide


def test_ctrl_c_interrupts() -> None:
    typed = Typed()
    typed.discipline.feed("ro\x03")
    assert typed.interrupts == 1 and typed.shown.endswith("^C\r\n")


def test_a_secret_is_not_shown() -> None:
    typed = Typed()
    typed.discipline.quiet = True
    typed.discipline.feed("sesame\x7fe\r")
    assert typed.lines == ["sesame"] and typed.shown == ""


@given(st.text())
def test_whatever_comes_nothing_is_shown_that_a_terminal_obeys(text: str) -> None:
    typed = Typed()
    typed.discipline.feed(text)
    rest = typed.shown.replace("\b \b", "").replace("^C\r\n", "").replace("\r\n", "")
    assert all(char.isprintable() for char in rest)


def test_a_line_without_an_end_takes_no_more_memory() -> None:
    typed = Typed()
    typed.discipline.feed("x" * (LONGEST_LINE + 1000) + "\r")
    assert typed.lines == ["x" * LONGEST_LINE]

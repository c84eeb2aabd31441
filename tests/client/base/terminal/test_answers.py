"""The terminal is asked for the colour of its background, and whatever the user types meanwhile is not lost."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.terminal import answers
from dicegames_client.base.terminal.display_options import display_options_of
from dicegames_client.base.terminal.terminal import LocalTerminal

WHITE, BLACK = b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\", b"\x1b]11;rgb:00/00/00\x07"
ATTRIBUTES = b"\x1b[?62;22c"
Answering = Callable[[bytes], LocalTerminal]


@pytest.mark.parametrize(
    ("heard", "light"),
    [
        (WHITE, True),
        (BLACK, False),
        (b"\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\" + ATTRIBUTES, True),
        (b"\x1b]11;rgba:1c1c/1c1c/1c1c/ffff\x07", False),
        (b"\x1b]11;rgb:f/f/f\x07", True),
        (ATTRIBUTES, None),
        (b"", None),
        (b"\x1b]11;rgb:zz/00/00\x07", None),
    ],
)
def test_answers(heard: bytes, light: bool | None) -> None:
    assert answers.is_light(heard) is light


@pytest.mark.parametrize(("answer", "known"), [(b"1", True), (b"2", True), (b"0", False), (b"3", False), (b"4", False)])
def test_whether_pictures_come_whole(answer: bytes, known: bool) -> None:
    heard = WHITE + b"\x1b[?2026;" + answer + b"$y" + ATTRIBUTES
    assert answers.shows_whole_pictures(heard) is known
    assert answers.typed(b"a" + heard + b"b") == b"ab"
    assert not answers.shows_whole_pictures(WHITE + ATTRIBUTES)


@pytest.mark.parametrize(
    ("kind", "environment", "asked"),
    [
        ("xterm-256color", {}, True),
        ("xterm-256color", {"TERM_PROGRAM": "iTerm.app"}, True),
        ("xterm-256color", {"TERM_PROGRAM": "Apple_Terminal"}, False),
        ("linux", {}, False),
        ("vt220", {}, False),
    ],
)
def test_terminals_that_would_show_the_question_are_not_asked(
    kind: str, environment: dict[str, str], asked: bool
) -> None:
    assert (b"2026" in answers.questions(kind, environment)) is asked
    assert answers.questions(kind, environment).endswith(b"\x1b[c")


def test_keys_between_the_answers_stay() -> None:
    assert answers.typed(b"a" + WHITE + b"b" + ATTRIBUTES + b"c") == b"abc"
    assert answers.answered(WHITE) is False and answers.answered(WHITE + ATTRIBUTES)


@pytest.mark.parametrize(
    ("said", "light"), [("0;15", True), ("15;0", False), ("0;default;7", True), ("", None), ("x", None)]
)
def test_the_environment(said: str, light: bool | None) -> None:
    assert answers.said_by({"COLORFGBG": said}) is light


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Iterator[Answering]:
    """Makes a terminal that gives these bytes as soon as it is asked."""
    master, slave = pytest.importorskip("pty", reason="a Windows console is not asked").openpty()
    threads: list[threading.Thread] = []

    def made(answer: bytes) -> LocalTerminal:
        def far() -> None:
            asked = b""
            while answers.questions("xterm", {}) not in asked:
                asked += os.read(master, 1024)
            os.write(master, answer)

        for name in ("stdin", "stdout"):  # here: pytest has its own between two steps
            monkeypatch.setattr(sys, name, os.fdopen(os.dup(slave), "r+b", buffering=0))
        threads.append(threading.Thread(target=far, daemon=True))
        threads[-1].start()
        terminal = LocalTerminal()
        terminal.environment = {}
        return terminal

    yield made
    for thread in threads:
        thread.join(5)
    for descriptor in (master, slave):
        os.close(descriptor)


@pytest.mark.parametrize(("colour", "light"), [(WHITE, True), (BLACK, False), (b"", False)])
async def test_a_terminal_that_answers(answering: Answering, colour: bytes, light: bool) -> None:
    terminal = answering(b"r" + colour + ATTRIBUTES)
    with terminal.asked():
        assert not terminal.has_light_background  # nobody knows yet
    assert terminal.has_light_background is light
    assert terminal.typed == "r" and not terminal.whole_pictures


async def test_a_terminal_that_shows_whole_pictures_says_so(answering: Answering) -> None:
    terminal = answering(b"\x1b[?2026;2$y" + ATTRIBUTES)
    with terminal.asked():
        assert not terminal.whole_pictures
    assert terminal.whole_pictures and terminal.typed == ""


async def test_a_terminal_that_says_nothing_is_not_waited_for(
    answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "SECONDS", 0.0)
    terminal = answering(b"")
    with terminal.asked():
        pass
    assert terminal.has_light_background is False


async def test_nobody_is_asked_where_there_is_no_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = (tmp_path / "file").open("w+")
    monkeypatch.setattr(sys, "stdin", file)
    monkeypatch.setattr(sys, "stdout", file)
    terminal = LocalTerminal()
    terminal.environment = {"COLORFGBG": "0;15"}
    with terminal.asked():
        pass
    assert terminal.has_light_background is True
    assert file.tell() == 0
    file.close()


@pytest.mark.parametrize(
    ("theme", "shown"),
    [
        (None, ("default", True)),
        ("dark", ("default", False)),
        ("light", ("default", True)),
        ("high-contrast", ("high-contrast", True)),
        ("mono", ("mono", False)),
    ],
)
async def test_a_theme_that_is_chosen(theme: str | None, shown: tuple[str, bool]) -> None:
    """On a light answers."""
    terminal = LocalTerminal()
    terminal.encoding, terminal.kind = "utf-8", "xterm"
    terminal.environment = {"COLORTERM": "truecolor", "COLORFGBG": "0;15"}
    display = display_options_of(CommandLine(theme=theme), terminal)
    assert (display.theme, display.light) == shown and display.truecolor

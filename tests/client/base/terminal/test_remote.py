"""A remote terminal: lines or keys in, cleaned text out, and what happens when it ends."""

import asyncio
from collections.abc import Callable

import pytest

from dicegames_client.base.terminal.remote import MOST_COLUMNS, MOST_ROWS, MOST_WAITING_LINES, RemoteTerminal


class Far:
    def __init__(self, size: tuple[int, int] | None = (80, 24), **environment: str) -> None:
        self.shown = ""
        self.given_up = 0
        environment = {"TERM": "xterm", "LANG": "C.UTF-8", **environment}
        self.terminal = RemoteTerminal(self._show, environment=environment, size=size, give_up=self._give_up)

    def _show(self, text: str) -> None:
        self.shown += text

    def _give_up(self) -> None:
        self.given_up += 1


async def test_without_a_terminal_lines_come_as_they_are() -> None:
    far = Far(size=None)
    far.terminal.received("ready\nro")
    far.terminal.received("ll\r\n")
    far.terminal.finished()
    keyboard = far.terminal.keyboard
    assert [await keyboard.line(), await keyboard.line(), await keyboard.line()] == ["ready", "roll", None]
    print("hello", file=far.terminal.out)
    assert far.shown == "hello\n"


async def test_on_a_terminal_there_is_an_echo_and_every_line_begins_at_the_left() -> None:
    far = Far()
    far.terminal.received("roll\r")
    assert await far.terminal.keyboard.line() == "roll"
    print("one\ntwo", file=far.terminal.out)
    assert far.shown == "roll\r\none\r\ntwo\r\n"


async def test_nothing_foreign_is_printed_uncleaned() -> None:
    far = Far()
    print("\x1b[31mred\x07\u202e", file=far.terminal.err)
    assert far.shown == "[31mred\r\n"


async def test_a_secret_has_no_echo() -> None:
    far = Far()
    asking = asyncio.ensure_future(far.terminal.keyboard.secret_line("Password: ", far.terminal.out))
    await asyncio.sleep(0)
    far.terminal.received("sesame\r")
    assert await asking == "sesame"
    assert "sesame" not in far.shown


@pytest.mark.parametrize(
    ("told", "taken"),
    [((0, 0), (80, 24)), ((2**31, 2**31), (MOST_COLUMNS, MOST_ROWS)), ((-1, 5), (80, 5)), ((132, 43), (132, 43))],
)
async def test_what_a_terminal_says_of_its_size_may_be_anything(told: tuple[int, int], taken: tuple[int, int]) -> None:
    far = Far(told)
    assert far.terminal.size == taken
    far.terminal.resized(*told)
    assert far.terminal.size == taken


async def test_who_heeds_the_end_decides_and_else_the_visit_is_given_up() -> None:
    far = Far()
    heard: list[str] = []

    def note(what: str) -> Callable[[], None]:
        return lambda: heard.append(what)

    with far.terminal.heed(interrupt=note("interrupt"), end=note("end")):
        far.terminal.received("\x03")
        far.terminal.lost()
    assert heard == ["interrupt", "end"] and not far.given_up
    other = Far()
    other.terminal.end("The server is shutting down.")
    assert other.given_up == 1 and other.terminal.last_words


async def test_after_it_is_lost_nothing_is_written() -> None:
    far = Far()
    far.terminal.lost()
    far.terminal.lost()
    print("hello", file=far.terminal.out)
    assert far.shown == "" and far.given_up == 1


async def test_lines_that_nobody_reads_take_no_more_memory() -> None:
    far = Far(size=None)
    far.terminal.received("x\n" * (MOST_WAITING_LINES + 50))
    assert far.terminal.keyboard._lines.qsize() == MOST_WAITING_LINES


@pytest.mark.parametrize(
    ("lang", "encoding"), [("", "utf-8"), ("de_DE.UTF-8", "utf-8"), ("C", "ascii"), ("POSIX", "ascii")]
)
async def test_the_language_says_which_characters_there_are(lang: str, encoding: str) -> None:
    assert Far(LANG=lang).terminal.encoding == encoding

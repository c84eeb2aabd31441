"""Hostile names, chat and labels, as a malicious server could send them, drawn to a real pty.

The output must contain only the client's own control sequences and printable text.
"""

import asyncio
import os
import random
import re
import sys
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from prompt_toolkit.data_structures import Size as PtSize
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from dicegames_client.base.glyphs import ASCII, UNICODE
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.guest.events import News
from dicegames_client.screens.terminal.shell import Shell
from dicegames_protocol.messages.server import Cause, Error, Said, ServerMessage, Update
from support.hall import Hall
from support.sitting import Sitting, begin, sit_down
from support.terminal import TITLE

if sys.platform == "win32":
    pytest.skip("Windows has no pty", allow_module_level=True)
else:
    import tty
assert sys.platform != "win32"

MANY = 100_000 if os.environ.get("DICEGAMES_LONG") else 30_000
ROWS, COLUMNS = 100, 120
NAMES = 60
MARK = "666"
"""Stands in every hostile sequence and in none of the client's own."""
OWN = re.compile(
    r"\x1b\[(?:\?(?:1049|25|2004|1|1000|1003|1006|1015|7|12)[hl]|[0-9;]*m|[0-9;]*H|[0-9]*[ABCDGJK]|[0-6] q|2[23];2t)"
    r"|[\r\n\b]"
)
PIECES = (
    *(f"\x1b[{MARK}{end}" for end in "mHJKABCDhlnqrst"),
    f"\x1b]0;{MARK}\x07",
    f"\x1b]52;c;{MARK}\x1b\\",
    f"\x1bP{MARK}q\x1b\\",
    f"\x9b{MARK}m",
    f"\x90{MARK}\x9c",
    *(chr(code) for code in range(0x20)),
    *(chr(code) for code in range(0x7F, 0xA0)),
    "\u202e\u202d\u2066\u2067\u2068\u2069\u200e\u200f",
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e",
    "\u2028\u2029\u0085",
    "e" + "\u0301" * 30,
    "\ud800",
    "\udfff",
    "\ue000\U000f0000\U0010ffff",
    "\u0378\ufffe\U0001fffe",
    "👩‍👩‍👧‍👦",
    "🇩🇪",
    "❤️",
    "漢字",
    "한글",
    "שלום",
    "ﷺ",
    "ก็็็็็",
    "\u3164\u2800\u115f",
    "plain",
    "%s{0}$(id)`id`",
)


def hostile(rng: random.Random) -> str:
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 6))) + chr(rng.randrange(0x110000))


class Master:
    """The other end of a pty, read all the time."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.data = b""
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        while True:
            try:
                got = os.read(self._fd, 65536)
            except OSError:
                return
            if not got:
                return
            self.data += got


@contextmanager
def pty_output() -> Iterator[tuple[Vt100_Output, Master]]:
    master, slave = os.openpty()
    tty.setraw(slave)
    end = Master(master)
    with os.fdopen(slave, "w", encoding="utf-8") as file:
        yield Vt100_Output(file, lambda: PtSize(ROWS, COLUMNS), term="xterm-256color", enable_cpr=False), end
    end.reader.join(20)
    os.close(master)


def news(sitting: Sitting, message: ServerMessage) -> None:
    before = sitting._store
    sitting._store, _ = before.receive(message)
    sitting.table.hear(News(message, before, sitting._store), sitting.now)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
async def test_nothing_hostile_reaches_the_terminal(glyphs: object) -> None:
    display = DisplayOptions(glyphs=UNICODE if glyphs is UNICODE else ASCII, motion=False)
    rng = random.Random(7)
    hall = Hall()
    table = await sit_down(hall, "double-or-nothing", "ana", "bo", display=display)
    await begin(table)
    ana = table[0]
    seats = {
        str(number): {"name": "x", "ready": False, "rematch": False, "left": False, "standin": False}
        for number in range(2, NAMES)
    }
    seq = ana.store.seq

    def update(**patch: object) -> None:
        nonlocal seq
        seq += 1
        news(ana, Update(seq=seq, cause=Cause(kind="x"), events=(), patch=patch))

    update(seats=seats)
    shown = 0
    with create_pipe_input() as input, pty_output() as (output, master):
        shell = Shell(display, input=input, output=output, now=lambda: hall.clock.now(), pause=0)

        async def flow() -> None:
            nonlocal shown
            showing = asyncio.ensure_future(shell.show(ana.table))
            while shown < MANY // 2:
                names = {str(number): {"name": hostile(rng)} for number in range(NAMES)}
                labels = {take: {"label": hostile(rng)} for take in ("add", "double")}
                update(seats=names, offers=labels, room={"title": hostile(rng), "summary": hostile(rng)})
                for _ in range(12):
                    news(ana, Said(name=hostile(rng), text=hostile(rng)))
                news(ana, Error(code="internal", message=hostile(rng)))
                shown += NAMES + 2 * 80 + 5
                shell.painted.clear()
                shell.changed()
                await shell.painted.wait()
            showing.cancel()

        await shell.run(flow)
    text = TITLE.sub(r"\1", master.data.decode())
    assert len(text) > MANY
    assert MARK in text  # harmless as digits, once the escape before them is gone
    own = OWN.findall(text)
    assert not [sequence for sequence in own if MARK in sequence]
    rest = OWN.sub("", text)
    bad = {char for char in rest if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")}
    assert not bad, sorted(map(ascii, bad))
    assert not set(rest) & set("\u3164\u2800\u115f\ufe0f")  # blanks that look like letters, and selectors
    if display.glyphs is ASCII:
        assert rest.isascii()

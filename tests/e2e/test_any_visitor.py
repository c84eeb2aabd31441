"""Any keys, any bytes and any size of the window, from users over ssh: nobody holds the server up or ends a visit.

All of it runs in the server's process, without the limits on keys. A visit that would hang fails by the timeout.
The long form: `DICEGAMES_LONG=1 .venv/bin/pytest tests/e2e/test_any_visitor.py --timeout=3600`.
"""

import asyncio
import logging
import os
import random
from typing import Any, cast

import pytest

from dicegames_client.cli.controller import run_on
from dicegames_client.screens.terminal import remote_screen
from dicegames_server.app.ssh_guests import SshGuests
from dicegames_server.app.wiring import assemble
from dicegames_server.net.ssh.ssh_channel import Caller, SshChannel
from support.eventually import eventually
from support.ports import free_port
from support.settings import quick

STEPS = 100_000 if os.environ.get("DICEGAMES_LONG") else 1_500
ROUNDS = 4
"""Rounds of the event loop between two steps: so long the client has to paint, and the server to answer."""
SIZES = (0, 1, 2, 3, 4, 5, 6, 7, 12, 20, 24, 40, 59, 60, 80, 120, 300, 2**31 - 1)
KEYS = [
    *"abcdefghijklmnopqrstuvwxyz0123456789/?. ",
    *("\r", "\t", "\x7f", "\x1b", "\x03", "\x04", "\x0c", "\x01", "é", "名", "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[31m"),
    *("\x1b[200~pasted\rq\x1b[201~", "nny", "roll\r", "/set target=1\r", "\n", "3\n", "help\n", "quit\n"),
]
LOST = 0.004
"""How likely a visitor hangs up instead of pressing a key. Without it, all would end up where no key leads out."""
USERS = ("ana", "", "ZZZZ", "watch-ZZZZ", "näme", "x" * 300, "\x1b[2J")


class FakeChannel:
    """A channel that takes whatever is written, and tells when the visit is over."""

    def __init__(self, rng: random.Random) -> None:
        size = None if rng.random() < 0.1 else (rng.choice(SIZES), rng.choice(SIZES))
        term = rng.choice(["xterm-256color", "dumb", "linux"])
        self.caller = Caller("127.0.0.1", rng.choice(USERS), "", term, "C.UTF-8", size)
        self.code: int | None = None
        self.written = 0
        self.on_lost: Any = None
        self.on_text: Any = None
        self.on_resize: Any = None

    def write(self, data: bytes) -> None:
        self.written += len(data)

    def exit(self, code: int) -> None:
        self.code = code


@pytest.mark.parametrize("seed", [1, 2])
async def test_whatever_visitors_do(
    seed: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(remote_screen, "HOLD_SECONDS", 0.0)
    caplog.set_level(logging.ERROR)
    made: list[SshGuests] = []

    def guests(*arguments: Any) -> SshGuests:
        made.append(SshGuests(run_on, *arguments))
        return made[0]

    server = assemble(quick(ssh=free_port()), guests=cast(Any, guests))
    await server.start()
    rng = random.Random(seed)
    visits = [FakeChannel(rng) for _ in range(3)]
    for channel in visits:
        made[0].visit(cast(SshChannel, channel))
    codes: list[int] = []
    lost: list[FakeChannel] = []
    for _ in range(STEPS):
        at = rng.randrange(len(visits))
        if (code := visits[at].code) is not None:
            codes.append(code)
            visits[at] = FakeChannel(rng)
            made[0].visit(cast(SshChannel, visits[at]))
        elif rng.random() < LOST:
            visits[at].on_lost()
            lost.append(visits[at])
            visits[at] = FakeChannel(rng)
            made[0].visit(cast(SshChannel, visits[at]))
        elif rng.random() < 0.15:
            visits[at].on_resize(rng.choice(SIZES), rng.choice(SIZES))
        else:
            visits[at].on_text(rng.choice(KEYS))
        for _ in range(ROUNDS):
            await asyncio.sleep(0)
    await eventually(lambda: all(channel.code is not None for channel in lost))
    assert codes.count(0) > 3 * STEPS / 1500 and len(lost) > STEPS / 500  # some have left in peace
    assert caplog.text == ""  # what goes wrong at a visit, and what can't be painted, is logged
    last = FakeChannel(random.Random(0))
    last.caller = Caller("127.0.0.1", "ana", "", "xterm-256color", "", (80, 24))
    made[0].visit(cast(SshChannel, last))
    await eventually(lambda: last.written > 0)
    early = FakeChannel(random.Random(0))
    made[0].visit(cast(SshChannel, early))
    early.on_lost()  # before anything was done for this visitor
    await eventually(lambda: early.code is not None)
    await server.stop()

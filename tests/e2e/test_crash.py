"""kill -9 under load: every acknowledged move is in the log exactly once, and play continues.

`DICEGAMES_LONG=1 .venv/bin/pytest tests/e2e/test_crash.py --timeout=3600` is the long form.
"""

import asyncio
import json
import os
import random
import signal
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create, Join, Ready
from dicegames_protocol.messages.server import Ack, Joined
from dicegames_server.audit.audit import audit
from dicegames_server.storage.sqlite.sqlite_file import DATABASE_FILE
from support.hurry import hurried
from support.posix import KILL
from support.process import Process
from support.robot import Robot

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("double-or-nothing", {"target": 1000, "best_of": 99}),
    ("farkle", {"target": 20_000}),
    ("doubles", {"sealed": True, "rounds": 5}),
]
KILLS = 1000 if os.environ.get("DICEGAMES_LONG") else 10
TABLES = 4


class Load:
    """Tables of robots that play for ever, and the moves that the server has acknowledged."""

    def __init__(self, address: Address, sleep: Callable[[float], Awaitable[None]] = hurried) -> None:
        """`sleep`: how players wait before they try to come back."""
        self.address = address
        self._sleep = sleep
        self.acked: dict[tuple[str, str], int] = {}
        """(room, id of the move) -> update."""
        self.robots: list[Robot] = []
        self.enough = asyncio.Event()
        self.wanted = 0

    def acknowledged(self, room: str, ack: Ack) -> None:
        self.acked[room, ack.id] = ack.seq
        if len(self.acked) >= self.wanted:
            self.enough.set()

    async def acks(self, more: int) -> None:
        """Wait until this many more moves were acknowledged."""
        self.enough.clear()
        self.wanted = len(self.acked) + more
        async with asyncio.timeout(60):
            await self.enough.wait()

    async def table(self, seed: int) -> None:
        while True:
            players = [Guest(self.address, sleep=self._sleep) for _ in range(2)]
            for player in players:
                await player.open()
            game, options = GAMES[seed // 10 % len(GAMES)]
            joined = await players[0].ask(Create(id="1", game=game, name="ana", options=options))
            assert isinstance(joined, Joined)
            await players[1].ask(Join(id="1", room=joined.room, name="bo"))
            for player in players:
                await player.ask(Ready(id="ready"))
            robots = [Robot(player, seed + number) for number, player in enumerate(players)]
            for robot in robots:
                robot.on_ack = lambda ack, room=joined.room: self.acknowledged(room, ack)  # type: ignore[misc]
            self.robots += robots
            await asyncio.gather(*(robot.play() for robot in robots))


async def serve(tmp_path: Path, port: int) -> tuple[Process, int]:
    limits = {"DICEGAMES_MESSAGES_PER_SECOND": "1000000", "DICEGAMES_MESSAGE_BURST": "1000000"}
    arguments = ["--host", "127.0.0.1", "--port", str(port), "--data", str(tmp_path / "data")]
    server = await Process.start("dicegames_server", *arguments, state=tmp_path, **limits)
    line = await server.until("listening on")
    line += await server.until("\n")
    return server, int(line.rsplit(" ", 1)[1])


def check(folder: Path, load: Load) -> int:
    """The log on the disk: complete, without gaps, and with every acknowledged move exactly once."""
    db = sqlite3.connect(folder / DATABASE_FILE)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    found: dict[tuple[str, str], list[int]] = {}
    for row, code in db.execute("SELECT id, code FROM room").fetchall():
        rows = db.execute("SELECT seq, private, body FROM event WHERE room = ? ORDER BY seq", (row,)).fetchall()
        assert [seq for seq, _, _ in rows] == list(range(1, len(rows) + 1))
        failed = [found for found in audit(body for _, _, body in rows) if not found.ok]
        assert not failed, f"room {code}: {failed}"
        for seq, private, _ in rows:
            if answers := json.loads(private).get("answers"):
                found.setdefault((code, answers[1]), []).append(seq)
    db.close()
    for move, seq in load.acked.items():
        assert found.get(move) == [seq], f"move {move} was acknowledged as update {seq}, the log has {found.get(move)}"
    return sum(len(seqs) for seqs in found.values())


async def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    rng = random.Random(1)
    server, port = await serve(tmp_path, 0)
    load = Load(Address("127.0.0.1", port))
    tables = [asyncio.ensure_future(load.table(10 * number)) for number in range(TABLES)]
    for _ in range(KILLS):
        await load.acks(rng.randint(1, 60))
        server.signal(KILL)
        await server.ended()
        server, _ = await serve(tmp_path, port)
    await load.acks(50)  # and play goes on
    server.signal(signal.SIGTERM)
    assert await server.ended() == 0
    moves = check(tmp_path / "data", load)
    alarms = {alarm for robot in load.robots for alarm in robot.alarms}
    assert not alarms, alarms
    print(f"{KILLS} kills, {len(load.acked)} moves acknowledged, {moves} in the log")
    for table in tables:
        table.cancel()
    await asyncio.gather(*tables, return_exceptions=True)

"""One Doubles table of two to a thousand players: what a roll costs, and what happens when all cash out at once."""

import asyncio
import json
import statistics
import time
from dataclasses import dataclass
from typing import Any, Self

from bench.play import HELLO, Talk, join_bare
from bench.servers import Measured
from bench.wire import Wire, connect
from dicegames_protocol.patch import apply

AT_ONCE = 250


@dataclass(frozen=True, slots=True)
class Rolls:
    bytes_each: float
    """Of one delivery."""
    cpu_us: float
    """Per delivery."""


@dataclass(frozen=True, slots=True)
class Storm:
    sent_ms: float
    """Until the last of them had been told to cash out."""
    seen_ms: float
    """Until everyone had seen everything."""
    cpu_ms: float
    load_cpu: float


class BigTable:
    """Only the host reads what is sent. The others only check whether it is a roll."""

    def __init__(self, server: Measured) -> None:
        self._server = server
        self._wires: dict[int, Wire] = {}
        self._room = ""
        self._table: dict[str, Any] = {}
        self._seq = self._heard = 0
        self._all_heard = asyncio.Event()
        self._sizes: list[int] = []

    @classmethod
    async def open(cls, server: Measured, players: int) -> Self:
        table = cls(server)
        options = {"rounds": 500, "window": 0}
        await table._enter({"type": "create", "game": "doubles", "name": "p0", "seats": players, "options": options})
        numbers = iter(range(1, players))

        async def arrive() -> None:
            for number in numbers:
                await table._enter({"type": "join", "room": table._room, "name": f"p{number}"})

        await asyncio.gather(*(arrive() for _ in range(AT_ONCE)))
        await table._until_heard(0, {"type": "start", "id": "s"})
        return table

    async def rolls(self, count: int) -> Rolls:
        """This many rolls, one at a time."""
        cpu, self._sizes = self._server.nanoseconds, []
        for _ in range(count):
            await self._roll()
        spent = (self._server.nanoseconds - cpu) / 1e3
        return Rolls(statistics.median(self._sizes), spent / count / len(self._wires))

    async def storm(self) -> Storm:
        """All players cash out as fast as possible. The last cash-out ends the round."""
        await self._roll()
        while not self._table["game"]["rolls"]:  # that roll has ended a round
            await self._roll()
        seen = asyncio.Event()
        left = len(self._wires)

        def found() -> None:
            nonlocal left
            left -= 1
            if not left:
                seen.set()

        for wire in self._wires.values():
            wire.awaits = (b'"round_over"', found)
        cash = json.dumps({"type": "move", "id": "cash", "seq": self._seq, "move": {"take": "cash"}}).encode()
        began, cpu, own = time.perf_counter(), self._server.nanoseconds, time.process_time()
        for wire in self._wires.values():
            wire.send(cash)
        sent = time.perf_counter() - began
        await seen.wait()
        took = time.perf_counter() - began
        spent = (self._server.nanoseconds - cpu) / 1e6
        return Storm(1000 * sent, 1000 * took, spent, (time.process_time() - own) / took)

    def close(self) -> None:
        for wire in self._wires.values():
            wire.close()

    async def _enter(self, message: dict[str, Any]) -> None:
        talk = Talk()
        wire = await connect(self._server.port, talk.hear)
        wire.send(HELLO)
        wire.send(json.dumps({**message, "id": "1"}).encode())
        joined = await talk.until(b'"joined"')
        if not self._wires:
            told = json.loads(joined)
            self._room, self._table, self._wires[0] = told["room"], told["snapshot"], wire
            wire.hear = self._read
        else:
            seat = joined[joined.index(b'"seat":') + 7 :].split(b",", 1)[0]
            self._wires[int(seat)] = wire
            wire.hear = self._hear

    async def _roll(self) -> None:
        roller = self._table["game"]["roller"]
        move = {"type": "move", "id": f"{self._seq}", "seq": self._seq, "move": {"take": "roll"}}
        await self._until_heard(roller, move)

    async def _until_heard(self, seat: int, message: dict[str, Any]) -> None:
        self._heard = 0
        self._all_heard.clear()
        self._wires[seat].send(json.dumps(message).encode())
        await self._all_heard.wait()

    def _hear(self, wire: Wire, message: bytes) -> None:
        if b'"rolled"' in message or b'"game_started"' in message:
            self._heard += 1
            if self._heard == len(self._wires):
                self._all_heard.set()

    def _read(self, wire: Wire, message: bytes) -> None:
        if message.startswith(b'{"type":"update"'):
            told = json.loads(message)
            self._seq, self._table = told["seq"], apply(self._table, told["patch"])
            if b'"rolled"' in message and b'"round_over"' not in message:
                self._sizes.append(len(message))
        self._hear(wire, message)


class BareTable:
    """The same number of clients on a bare server, where a roll is any message that is broadcast to all."""

    def __init__(self, server: Measured) -> None:
        self._server = server
        self._wires: list[Wire] = []
        self._heard = 0
        self._all_heard = asyncio.Event()

    @classmethod
    async def open(cls, server: Measured, players: int) -> "BareTable":
        table = cls(server)
        table._wires = [await join_bare(server, b"%d players" % players, table._hear) for _ in range(players)]
        return table

    async def rolls(self, count: int) -> float:
        """Microseconds per delivery."""
        cpu = self._server.nanoseconds
        for number in range(count):
            self._heard = 0
            self._all_heard.clear()
            self._wires[number % len(self._wires)].send(b'{"type":"move","id":"1","seq":1,"move":{"take":"roll"}}')
            await self._all_heard.wait()
        return (self._server.nanoseconds - cpu) / 1e3 / count / len(self._wires)

    def close(self) -> None:
        for wire in self._wires:
            wire.close()

    def _hear(self, wire: Wire, message: bytes) -> None:
        if message.startswith(b'{"type":"update"'):
            self._heard += 1
            if self._heard == len(self._wires):
                self._all_heard.set()

"""Rolls of Doubles that all players have a part in, compared with rolls in which nobody has one.

Without tips the server rolls at once, with one update: that is what a roll cost before, and the yardstick here.
"""

import re
import statistics
import time
from dataclasses import dataclass
from typing import Any

from bench.big_table import BigTable
from bench.servers import Measured
from bench.wire import Wire
from dicegames_protocol.fairness.chain import USABLE, Chain

PENDING = re.compile(rb'"pending":\{"draw":(\d+)')


@dataclass(frozen=True, slots=True)
class RollCost:
    took_ms: list[float]
    """From the move until the roller has the dice."""
    cpu_us: float
    """Of the server, per roll."""
    bytes_each: float
    """That one player receives for a roll, all messages together."""


class AloneTable(BigTable):
    """Nobody gives a tip: the server rolls alone."""

    def __init__(self, server: Measured) -> None:
        super().__init__(server)
        self._sent_at = 0.0
        self._took: list[float] = []
        self._roller = 0

    async def costs(self, count: int) -> RollCost:
        self._took = []
        cpu, taken = self._server.nanoseconds, self._wires[0].taken
        for _ in range(count):
            self._roller = self._table["game"]["roller"]
            self._sent_at = time.perf_counter()
            await self._roll()
        spent = (self._server.nanoseconds - cpu) / 1e3 / count
        return RollCost([1000 * took for took in self._took], spent, (self._wires[0].taken - taken) / count)

    def _hear(self, wire: Wire, message: bytes) -> None:
        if wire is self._wires.get(self._roller) and b'"rolled"' in message:
            self._took.append(time.perf_counter() - self._sent_at)
        super()._hear(wire, message)


class TogetherTable(AloneTable):
    """Every client has a chain, and shows its links when it is asked."""

    def __init__(self, server: Measured) -> None:
        super().__init__(server)
        self._chains: dict[Wire, tuple[Chain, int]] = {}
        self._given: dict[str, Chain] = {}

    async def _enter(self, message: dict[str, Any]) -> None:
        chain = Chain(message["name"].encode().ljust(32))
        before = set(self._wires.values())
        await super()._enter({**message, "commit": chain.tip.hex()})
        self._given[message["name"]] = chain
        for wire in set(self._wires.values()) - before:
            self._chains.setdefault(wire, (chain, 0))

    def settle(self) -> "TogetherTable":
        """The game has begun: whose links are asked for is known."""
        for seat in self._table["fair"]["committee"]:
            name = self._table["seats"][str(seat)]["name"]
            self._chains[self._wires[seat]] = (self._given[name], 0)
        return self

    def _hear(self, wire: Wire, message: bytes) -> None:
        if found := PENDING.search(message):
            self._show(wire, int(found[1]))
        super()._hear(wire, message)

    def _show(self, wire: Wire, draw: int) -> None:
        fair = self._table.get("fair") or {}
        seats = {self._wires[seat]: seat for seat in fair.get("committee") or ()}
        if wire not in seats:
            return
        chain, shown = self._chains[wire]
        link, tip = chain.link(shown + 1).hex(), ""
        self._chains[wire] = (chain, shown + 1)
        if shown + 1 == USABLE:
            following = Chain(chain.tip)
            self._chains[wire], tip = (following, 0), f',"tip":"{following.tip.hex()}"'
        wire.send(b'{"type":"show","id":"s%d","draw":%d,"link":"%b"%b}' % (draw, draw, link.encode(), tip.encode()))


class SoloTable(TogetherTable):
    """One player, whose links travel with the moves, as among bots: nothing is waited for."""

    async def _roll(self) -> None:
        wire = self._wires[0]
        chain, shown = self._chains[wire]
        self._chains[wire] = (chain, shown + 1)
        link = {"link": chain.link(shown + 1).hex()}
        if shown + 1 == USABLE:
            following = Chain(chain.tip)
            self._chains[wire], link["tip"] = (following, 0), following.tip.hex()
        move = {"type": "move", "id": f"{self._seq}", "seq": self._seq, "move": {"take": "roll"}, "links": {"0": link}}
        await self._until_heard(0, move)


def percentile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def summed(costs: list[RollCost]) -> tuple[float, float, float, float]:
    """p50 and p99 of the time in ms, CPU in us, bytes."""
    took = [one for cost in costs for one in cost.took_ms]
    cpu = statistics.median(cost.cpu_us for cost in costs)
    return percentile(took, 0.5), percentile(took, 0.99), cpu, statistics.median(cost.bytes_each for cost in costs)

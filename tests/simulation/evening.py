"""One evening: a few people, one server that crashes now and then, a bad network and a bad disk; all from one seed."""

import asyncio
import itertools
import logging
import random
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass
from pathlib import Path

import pytest

from dicegames_client.base.errors import NETWORK, ClientError
from dicegames_client.base.visit import Visit
from dicegames_client.base.wire import Wire
from simulation.checks import Checks, Failure
from simulation.disk import Disk
from simulation.loop import VirtualLoop
from simulation.network import Link, SimWire
from simulation.node import Node
from simulation.people import SERVER, Person
from support.luck import same_luck

CALM_SECONDS = 40.0
"""Virtual seconds without faults, in which every running game goes on."""
GO_HOME_SECONDS = 120.0
"""Virtual seconds after which nobody waits for an answer any more."""
NAMES = ("ana", "bo", "cy", "dee", "eli", "fay")


@dataclass(frozen=True)
class Report:
    """What became of one evening."""

    seed: int
    digest: str
    seconds: float
    """Virtual seconds."""
    faults: Counter[str]
    counts: Counter[str]
    failure: str = ""
    trace: tuple[str, ...] = ()


class _Errors(logging.Handler):
    """Whatever the server logs as an error is a failure."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(self.format(record))


class Evening:
    def __init__(self, seed: int, minutes: float, loop: VirtualLoop, kept: int) -> None:
        rng = self._rng = random.Random(f"evening {seed}")
        self.faults: Counter[str] = Counter()
        self.disk = Disk(random.Random(f"disk {seed}"), self.faults)
        self.checks = Checks(self.disk, self.faults, kept)
        self.rooms: list[str] = []
        self.calm = self.over = False
        self._loop = loop
        self._seconds = minutes * 60
        self._links: list[Link] = []
        self._numbers = itertools.count(1)
        self._node: Node | None = None
        self._crashes = rng.choice((0.0, 1 / 60, 1 / 20))
        self._network_faults = rng.choice((0.0, 0.02, 0.1))
        self._disk_faults = rng.choice((0.0, 0.01, 0.05))
        self._people = [Person(self, name, rng.getrandbits(32)) for name in NAMES[: rng.randint(2, 6)]]

    def visit(self, name: str) -> Visit:
        """The way of a person to the server, without a socket."""

        async def connect(room: str) -> Wire:
            await asyncio.sleep(self._rng.uniform(0.001, 0.2))
            node = self._node
            if node is None or node.lobby is None:
                raise ClientError("The server is away.", NETWORK)
            link = Link(self._rng, next(self._numbers), self.faults)
            self._links.append(link)
            node.accept(link, name, room)
            self.checks.trace(f"{name} opens link {link.number}")
            return SimWire(link)

        return Visit(home=SERVER, connect=connect, folder=Path("nowhere"), caller=name)

    def holds(self, room: str, seat: int, name: str) -> bool:
        """Whether the seat of a room on this node belongs to this player."""
        kept = self._node.lobby.registry.here(room) if self._node and self._node.lobby is not None else None
        if kept is None:
            return False
        seats = kept.room.state.seats
        return seat in seats.present and seats[seat].name == name

    async def run(self) -> None:
        await self._start_node()
        people = [self._loop.create_task(person.run(), name=person.name, context=Context()) for person in self._people]
        self.disk.trouble = self._disk_faults
        until = self._loop.time() + self._seconds
        while self._loop.time() < until:
            await self._look(people, self._rng.uniform(0.2, 1.5))
            self._trouble_links()
            if self._rng.random() < self._crashes:
                await self._crash()
        await self._calm_down(people)
        self.over = True
        until = self._loop.time() + GO_HOME_SECONDS
        while not all(task.done() for task in people):
            await self._look(people, 1.0)
            if self._loop.time() > until:
                for task in people:
                    task.print_stack()
                self.checks.fail(f"{[task.get_name() for task in people if not task.done()]} never go home")
        await self._end()

    async def _look(self, people: list[asyncio.Task[None]], seconds: float) -> None:
        await asyncio.sleep(seconds)
        self.checks.look()
        if self._loop.problems:
            self.checks.fail(f"nobody has looked after this: {self._loop.problems[0]}")
        for task in people:
            if task.done():
                task.result()

    def _trouble_links(self) -> None:
        self._links = [link for link in self._links if not link.ended]
        for link in self._links:
            if not link.disturbed and self._rng.random() < self._network_faults:
                link.trouble()
                self.checks.trace(f"trouble with link {link.number}")

    async def _start_node(self) -> None:
        node = Node(f"node {next(self._numbers)}", self.disk, self.checks, self._rng)
        self._node = node
        await self._loop.create_task(node.start(), name=f"start of {node.name}", context=node.context())
        self.checks.trace(f"{node.name} starts with {len(node.lobby.rooms) if node.lobby is not None else 0} rooms")

    async def _crash(self) -> None:
        node, self._node = self._node, None
        assert node
        self.faults["crash"] += 1
        self.checks.trace(f"{node.name} crashes")
        node.crash(self._loop)
        await asyncio.sleep(self._rng.uniform(0.1, 5.0))
        await self._start_node()

    async def _calm_down(self, people: list[asyncio.Task[None]]) -> None:
        """No more faults. Every game that is running goes on, or is over."""
        self.calm, self.disk.trouble = True, 0.0
        for link in self._links:
            link.heal()
        assert self._node and self._node.lobby is not None
        before = {room: room.state for room in self._node.lobby.rooms}
        self.checks.trace("no more faults")
        until = self._loop.time() + CALM_SECONDS
        while self._loop.time() < until:
            await self._look(people, 5.0)
        for room, state in before.items():
            here = self._node.lobby.registry.has(room)
            if here and state.info.phase in ("dealing", "playing") and room.state.seq == state.seq:
                self.checks.fail(f"room {room.code} does not go on: it stays at update {state.seq}")
        for person in self._people:
            if person.guest:
                self.checks.client(person.name, person.guest.store)

    async def _end(self) -> None:
        """The server stops. Nothing of it is left."""
        node = self._node
        assert node
        await self._loop.create_task(node.stop(), name="stop", context=node.context())
        await asyncio.sleep(30.0)
        self.checks.finish()
        if left := self._loop.timers_of(node):
            self.checks.fail(f"timers of the server are left: {left}")
        if left := [task for task in self._loop.tasks_of() if "Evening.run" not in task]:
            self.checks.fail(f"tasks are left: {left}")


def spend(
    seed: int, minutes: float = 3.0, kept: int = 60, sabotage: Callable[[pytest.MonkeyPatch], None] | None = None
) -> Report:
    """Spend the evening of this seed. `sabotage` breaks the production code, to see that it is noticed."""
    loop = VirtualLoop(random.Random(f"loop {seed}"))  # type: ignore[abstract]  # no sockets, signals or processes
    errors, logger = _Errors(), logging.getLogger("dicegames")
    level, spreads = logger.level, logger.propagate
    logger.addHandler(errors)
    logger.setLevel(logging.ERROR)
    logger.propagate = False
    failure = ""
    with pytest.MonkeyPatch.context() as patch:
        same_luck(patch, seed)
        patch.setattr(time, "time", lambda: loop.time() + 1.7e9)
        if sabotage:
            sabotage(patch)
        evening = Evening(seed, minutes, loop, kept)
        try:
            loop.run_until_complete(evening.run())
            if errors.said:
                failure = f"the server has logged an error: {errors.said[0]}"
        except Failure as found:
            failure = str(found)
        except Exception as error:
            failure = "".join(traceback.format_exception(error)[-9:])
        finally:
            failed_with = list(errors.said)
            loop.close()
            loop.bury()
    logger.removeHandler(errors)
    logger.setLevel(level)
    logger.propagate = spreads
    if failed_with and failure and "checks.Failure" not in failed_with[0]:
        failure += f"\n(the server has logged: {failed_with[0][-1500:]})"
    checks = evening.checks
    return Report(
        seed,
        checks.digest,
        loop.time() - 1000,
        evening.faults,
        checks.counts,
        failure,
        tuple(checks.lines) if failure or not kept else (),
    )

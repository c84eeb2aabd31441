"""Several nodes under load, and faults in them: no acknowledged move is lost, and play continues.

The long form, with the usual lease and 200 faults on two and on three nodes:

    DICEGAMES_LONG=1 .venv/bin/pytest -s tests/e2e/test_nodes.py --timeout=7200
"""

import asyncio
import contextlib
import json
import os
import random
import statistics
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from dicegames_client.base.errors import ClientError
from dicegames_client.guest.events import Back, Finished, Lost, News
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.server_link import Refusal
from dicegames_client.guest.store import Store
from dicegames_protocol import patch
from dicegames_protocol.codec import state_hash
from dicegames_protocol.messages.client import AddBot, Create, Leave, Rematch, Request, Start, Watch
from dicegames_protocol.messages.server import Ack, Error, Joined
from dicegames_protocol.table import Move
from support.nodes import Node, Nodes
from support.posix import CONTINUE, STOP, cores, stay_on
from support.postgres import MISSING, Postgres, binaries

LONG = bool(os.environ.get("DICEGAMES_LONG"))
ROOMS = 200 if LONG else 16
BOTS_ONLY = 0.1
"""This part of the rooms has only bots in it, and somebody who watches."""
FAULTS = 200 if LONG else 4
LEASE = 6.0 if LONG else 1.5
PLAY_ON_WITHIN = 10.0
PATIENCE = 60.0
VISITORS = 10 if LONG else 4
"""So many come while a node is away, each for another of its rooms."""
AGAIN = 0.2
"""After so long a player tries again what the server could not do."""
Make = Callable[[int], Awaitable[Nodes]]


@pytest.fixture
async def nodes(postgres: Postgres, tmp_path: Path) -> AsyncIterator[Make]:
    made: list[Nodes] = []

    async def make(count: int) -> Nodes:
        together = Nodes(postgres, tmp_path, LEASE, DICEGAMES_BOT_SECONDS="0.3")
        made.append(together)
        await together.start(count)
        return together

    yield make
    for together in made:
        await together.stop()


class Table:
    """A room that plays for ever: a player against a bot, or bots among themselves with a spectator."""

    def __init__(self, nodes: Nodes, seed: int, *, bots_only: bool) -> None:
        self._nodes = nodes
        self._rng = random.Random(seed)
        self.bots_only = bots_only
        self.guest = Guest(nodes.address)
        self.room = ""
        self.acked: dict[str, int] = {}
        self.moved = asyncio.Condition()
        self.longest = 0.0
        """Pause between two updates."""
        self.lost = 0
        self._last = 0.0
        self._heard: deque[str] = deque(maxlen=8)

    @property
    def is_over(self) -> bool:
        return self.bots_only and self.guest.store.phase == "over"

    def __str__(self) -> str:
        """For the developer who has to find out why it does not continue."""
        store, connection = self.guest.store, self.guest._connection
        owned = self._nodes.ask("SELECT owner, epoch, next_seq FROM room WHERE code = %s AND ended IS NULL", self.room)
        heard = "\n    ".join(text[:160] for text in self._heard)
        return (
            f"{self.room}{', only bots' * self.bots_only}: update {store.seq}, epoch {store.epoch}, to move "
            f"{store.wanted()}, at {connection and connection.address.url}, lost {self.lost} times; "
            f"storage {owned}\n    {heard}"
        )

    async def open(self) -> None:
        await self.guest.open()
        options = {"target": 1000, "best_of": 99}
        joined = await self.guest.ask(Create(id="1", game="double-or-nothing", name="ana", options=options))
        assert isinstance(joined, Joined)
        self.room = joined.room
        await self._done(lambda id: AddBot(id=id), lambda store: len(store.table["seats"]) == 2)
        await self._done(lambda id: Start(id=id), lambda store: store.phase != "waiting")
        if self.bots_only:
            watching = Guest(self._nodes.address)
            await watching.open()
            await watching.ask(Watch(id="1", room=self.room))
            await self.guest.ask(Leave(id="4"))
            await self.guest.close()
            self.guest = watching

    async def _done(self, command: Callable[[str], Request], done: Callable[[Store], bool]) -> None:
        """Ask until it is done. On a busy machine the room may move meanwhile, and the server says: do it again."""
        async with asyncio.timeout(PATIENCE):
            while not done(self.guest.store):
                try:
                    await self.guest.ask(command(self.guest.new_id()))
                except Refusal:
                    await asyncio.sleep(AGAIN)

    async def play(self) -> None:
        news = self.guest.news()
        tried = -1
        mine: set[str] = set()
        self._last = time.monotonic()
        while True:
            store = self.guest.store
            seat = store.wanted()
            if seat is not None and store.seq != tried:
                tried = store.seq
                mine.add(await self._move(seat))
            elif store.phase == "over" and store.seats and store.seq != tried:
                tried = store.seq
                with contextlib.suppress(ClientError):
                    await self.guest.send(Rematch(id=self.guest.new_id()))
            heard = await anext(news)
            self._heard.append(f"{time.monotonic():.2f} {heard.message if isinstance(heard, News) else heard}")
            match heard:
                case Finished():
                    raise AssertionError(f"room {self.room}: {heard.sentence}")
                case Lost():
                    self.lost += 1
                case Back():
                    tried = -1
                case News(message=Ack() as ack) if ack.id in mine:
                    self.acked[ack.id] = ack.seq
                case News(message=Error(code="unavailable")):
                    await asyncio.sleep(AGAIN)
                    tried = -1
            if self.guest.store.seq > store.seq:
                await self._has_moved()

    async def _move(self, seat: int) -> str:
        offers = self.guest.store.offers(seat)
        take = self._rng.choice(sorted(offers))
        try:
            return await self.guest.move(seat, Move(take=take))
        except ClientError:  # the connection is gone: it will come back
            return ""

    async def _has_moved(self) -> None:
        now = time.monotonic()
        self.longest = max(self.longest, now - self._last)
        self._last = now
        async with self.moved:
            self.moved.notify_all()

    async def next_update(self) -> float:
        """Returns at the next update of this table."""
        async with self.moved:
            await self.moved.wait()
        return time.monotonic()


class Load:
    def __init__(self, nodes: Nodes, rooms: int = ROOMS) -> None:
        self.nodes = nodes
        self.tables = [Table(nodes, number, bots_only=number < rooms * BOTS_ONLY) for number in range(rooms)]
        self._playing: list[asyncio.Future[None]] = []

    async def start(self) -> None:
        for start in range(0, len(self.tables), 20):
            await asyncio.gather(*(table.open() for table in self.tables[start : start + 20]))
        self._playing = [asyncio.ensure_future(table.play()) for table in self.tables]

    def among(self, rooms: set[str]) -> list[Table]:
        """The tables that still play: bots do not ask for a rematch."""
        return [table for table in self.tables if table.room in rooms and not table.is_over]

    async def play_on(self, began: float, among: set[str]) -> list[float]:
        """How long each of these rooms takes, from now until its next move."""
        tables = self.among(among)
        waiting = [asyncio.ensure_future(table.next_update()) for table in tables]
        done, late = await asyncio.wait(waiting, timeout=PATIENCE) if waiting else (set(), set())
        for playing in self._playing:
            if playing.done():
                playing.result()
        for one in late:
            one.cancel()
        if late:
            stuck = [table for table, one in zip(tables, waiting, strict=True) if one in late]
            told = "\n".join(str(table) for table in stuck[:5])
            raise AssertionError(
                f"{len(late)} rooms of {len(among)} did not go on:\n{told}\n{self.nodes.told(stuck[0].room)}"
            )
        return [one.result() - began for one in done]

    async def stop(self) -> None:
        for playing in self._playing:
            playing.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)

    def check(self) -> tuple[int, int]:
        """The log in the database: complete, without gaps, one owner after the other, with every promised move."""
        assert self.nodes.wrongly_written() == []
        known = self.nodes.ask("SELECT id, code FROM room")
        assert sorted(code for _, code in known) == sorted(table.room for table in self.tables)
        of = {table.room: table for table in self.tables}
        acked = moves = 0
        for row, code in known:
            log = self.nodes.ask("SELECT seq, epoch, body, private FROM event WHERE room = %s ORDER BY seq", row)
            assert [seq for seq, *_ in log] == list(range(1, len(log) + 1))
            epochs = [epoch for _, epoch, *_ in log]
            assert epochs == sorted(epochs), f"room {code}"
            found: dict[str, list[int]] = {}
            for seq, _, _, private in log:
                if answers := json.loads(private).get("answers"):
                    found.setdefault(answers[1], []).append(seq)
            for move, seq in of[code].acked.items():
                assert found.get(move) == [seq], f"room {code}: {move} was told as {seq}, the log has {found.get(move)}"
            self._check_state(of[code], [json.loads(body)["patch"] for _, _, body, _ in log])
            acked += len(of[code].acked)
            moves += sum(len(seqs) for seqs in found.values())
        return acked, moves

    def _check_state(self, table: Table, patches: list[dict[str, object]]) -> None:
        """The state that the client has built from its updates is the state of the log."""
        state: dict[str, object] = {}
        for step in patches[: table.guest.store.seq]:
            state = patch.apply(state, step)
        assert state_hash(table.guest.store.table) == state_hash(state), f"room {table.room}"


async def killed(nodes: Nodes, node: Node, somebody_comes: Callable[[], Awaitable[None]]) -> None:
    await nodes.kill(node)
    await somebody_comes()
    await nodes.add(node.number)


async def stopped(nodes: Nodes, node: Node, somebody_comes: Callable[[], Awaitable[None]]) -> None:
    node.process.signal(STOP)
    await somebody_comes()  # who gets in only when the lease is over
    node.process.signal(CONTINUE)


async def cut(nodes: Nodes, node: Node, somebody_comes: Callable[[], Awaitable[None]]) -> None:
    node.relay.refusing = True
    node.relay.cut()
    await somebody_comes()
    node.relay.refusing = False


async def silenced(nodes: Nodes, node: Node, somebody_comes: Callable[[], Awaitable[None]]) -> None:
    """PostgreSQL executes everything, but its answers are held back; later they come all at once."""
    node.relay.hold(back=True)
    await somebody_comes()
    node.relay.let_go()


FAULT = [killed, stopped, cut, silenced]


async def visit(together: Nodes, room: str) -> None:
    """A spectator comes for a moment and leaves; whoever is told to try again in a moment does so."""
    async with asyncio.timeout(PATIENCE):
        while True:
            visitor = Guest(together.address.at(room))
            try:
                await visitor.open()
                await visitor.ask(Watch(id="1", room=room))
                return
            except Refusal:
                await asyncio.sleep(AGAIN)
            finally:
                await visitor.close()


async def strike(together: Nodes, load: Load, rng: random.Random, faults: range) -> None:
    """One fault after the other, each at a node that has rooms, and how long these rooms take to continue."""
    times: list[float] = []
    for number in faults:
        node = rng.choice([node for node in together.all.values() if together.rooms_of(node)])
        rooms = together.rooms_of(node)

        async def somebody_comes(number: int = node.number, rooms: set[str] = rooms) -> None:
            await together.balancer.until_down(number)
            await asyncio.gather(*(visit(together, room) for room in sorted(rooms)[:VISITORS]))

        fault = FAULT[number % len(FAULT)]
        playing = asyncio.ensure_future(load.play_on(time.monotonic(), rooms))
        await fault(together, node, somebody_comes)
        took = await playing
        times += took
        await together.balancer.all_up()
        print(
            f"{number + 1}: {fault.__name__}, {len(rooms)} rooms, all play on after {max(took, default=0):.1f} s",
            flush=True,
        )
    parts = statistics.quantiles(times, n=100)
    print(
        f"{len(together.all)} nodes, {len(faults)} faults: until rooms play on, "
        f"p50 {parts[49]:.1f} s, p99 {parts[98]:.1f} s"
    )
    if LONG:  # with the usual lease; what this machine does besides is not the tests' business
        assert parts[98] <= PLAY_ON_WITHIN


async def test_nodes_die_stop_are_cut_off_and_are_renewed(nodes: Make) -> None:
    together = await nodes(2)
    load = Load(together)
    await load.start()
    rng = random.Random(1)
    await strike(together, load, rng, range(FAULTS // 2))
    await together.add(3)
    await strike(together, load, rng, range(FAULTS // 2, FAULTS))
    await roll(together, load)
    await load.stop()
    acked, moves = load.check()
    print(f"{acked} moves acknowledged, {moves} in the log")


async def roll(together: Nodes, load: Load) -> None:
    """All nodes are drained and started again, one after the other."""
    everywhere = {table.room for table in load.tables}
    for _ in range(4):  # who was still on the way after the last fault has arrived by then
        await load.play_on(time.monotonic(), everywhere)
    for table in load.tables:
        table.longest, table.lost = 0.0, 0
    for number in list(together.all):
        await together.drain(number)
        assert not together.rooms_of(together.all[number])
        await together.add(number)
        await load.play_on(time.monotonic(), everywhere)
    seated = sum(bool(table.guest.store.seats) for table in load.tables)
    lost = sum(table.lost for table in load.tables)
    longest = max(table.longest for table in load.tables)
    print(
        f"rolling restart of {len(together.all)} nodes with {ROOMS} rooms: {seated} keep their seats, "
        f"{lost} lost the connection, longest pause {longest:.1f} s"
    )
    assert seated == sum(not table.bots_only for table in load.tables)
    assert lost == 0


async def test_postgres_goes_away_and_comes_back(tmp_path: Path) -> None:
    """Nobody is disconnected, nothing is acknowledged meanwhile, and nothing has to be restarted."""
    if binaries() is None:
        pytest.skip(MISSING)
    own = Postgres.start()
    together = Nodes(own, tmp_path, LEASE, DICEGAMES_BOT_SECONDS="0.2")
    try:
        await together.start(2)
        load = Load(together, rooms=20)
        await load.start()
        everywhere = {table.room for table in load.tables}
        await load.play_on(time.monotonic(), everywhere)
        own.halt()
        visitor = Guest(together.address)
        await visitor.open()
        refused = await visitor.try_ask(Create(id="1", game="doubles", name="bo"))
        assert isinstance(refused, Error)
        assert refused.code == "unavailable"
        await visitor.close()
        promised = [len(table.acked) for table in load.tables]
        own.go()
        began = time.monotonic()
        times = await load.play_on(began, everywhere)
        assert sum(promised) < sum(len(table.acked) for table in load.tables)
        assert sum(table.lost for table in load.tables) == 0
        await load.stop()
        acked, moves = load.check()
        print(f"PostgreSQL away: {acked} moves acknowledged, {moves} in the log; all play on {max(times):.1f} s after")
    finally:
        await together.stop()
        own.stop()


BURNERS = 2
BURN = "import time; end = time.monotonic() + 60\nwhile time.monotonic() < end: pass"
ROUNDS = 6
MOST_CHANGES = 4
"""Most changes of its node that a room may go through in the test below."""
EPOCHS = """
SELECT id, count(*) FROM (SELECT id, epoch FROM room UNION SELECT room, epoch FROM event) AS written GROUP BY id
"""
"""For each room, in how many epochs it was written. The numbers of epochs are drawn: they do not count anything."""


async def test_rooms_go_on_when_three_nodes_share_a_starved_core(postgres: Postgres, tmp_path: Path) -> None:
    """With a short lease, on one core that others use, too: rooms may change their node, but not all the time."""
    together = Nodes(postgres, tmp_path, 1.0, DICEGAMES_BOT_SECONDS="0.3")
    core = min(cores())
    burners: list[asyncio.subprocess.Process] = []
    try:
        await together.start(3)
        load = Load(together, rooms=15)
        await load.start()
        everywhere = {table.room for table in load.tables}
        await load.play_on(time.monotonic(), everywhere)
        before = dict(together.ask(EPOCHS))
        burners += [await asyncio.create_subprocess_exec(sys.executable, "-c", BURN) for _ in range(BURNERS)]
        for pid in [*(node.process.pid for node in together.all.values()), *(burner.pid for burner in burners)]:
            stay_on(pid, core)
        for _ in range(ROUNDS):
            await load.play_on(time.monotonic(), everywhere)
        after = dict(together.ask(EPOCHS))
        changes = sorted(after[room] - before[room] for room in before)
        print(
            f"a starved core: {len(before)} rooms changed their node {changes[-1]} times at most, {sum(changes)} in all"
        )
        assert changes[-1] <= MOST_CHANGES
        await load.stop()
        load.check()
    finally:
        for burner in burners:
            burner.kill()
            await burner.wait()
        await together.stop()

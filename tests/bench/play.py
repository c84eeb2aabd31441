"""Tables of two players who move as fast as turns allow, on our server or on a bare one."""

import asyncio
import itertools
import time
from collections.abc import Callable

from bench.compare import Window
from bench.servers import Measured
from bench.wire import Wire, connect, seq_of

ENDLESS = 1 << 60
HELLO = b'{"type":"hello","protocol":[3,3],"client":"bench"}'


class Table:
    """Two players. The one who receives an update that the other one caused moves next."""

    def __init__(self, tables: "Tables") -> None:
        self._tables = tables
        self.players: list[Wire] = []
        self.room = b""
        self.seq = 0
        self.turn = 0
        self.moved_at = 0.0
        self.under_way = self.between_games = False
        self.left = 0
        """So many moves are made without being asked again."""

    def move(self) -> None:
        player = self.players[self.turn]
        self.moved_at = time.perf_counter()
        self.under_way = True
        player.send(b'{"type":"move","id":"%d","seq":%d,"move":{"take":"add"}}' % (next(self._tables.ids), self.seq))

    def hear(self, wire: Wire, message: bytes) -> None:
        """Updates are counted at the player who did not move. The player who has the turn then moves."""
        if wire is self.players[self.turn] or not message.startswith(b'{"type":"update"'):
            return
        seq = seq_of(message)
        if seq <= self.seq:
            return
        self.seq = seq
        if self.under_way:
            self.under_way = False
            self._tables.moved(time.perf_counter() - self.moved_at)
        if b'"game_over"' in message:
            self.between_games = True
            for player in self.players:
                player.send(b'{"type":"rematch","id":"%d"}' % next(self._tables.ids))
        elif b'"wants_rematch"' not in message or b'"game_started"' in message:
            self.turn, self.between_games = _turn(message, self.turn), False
            self._tables.goes_on()
            if self.left:
                self.left -= 1
                self.move()


def _turn(message: bytes, last: int) -> int:
    """The player who has the turn: the seat of the offers, if there are any; on a bare server they alternate."""
    offers = message.find(b'"offers"')
    return 1 - last if offers < 0 else message[message.index(b'"seat":', offers) + 7] - 48


class Tables:
    def __init__(self, server: Measured) -> None:
        self.server = server
        self.tables: list[Table] = []
        self.ids = itertools.count()
        self._took: list[float] = []
        self._rest = asyncio.Event()

    def moved(self, took: float) -> None:
        self._took.append(took)

    def goes_on(self) -> None:
        self._rest.set()

    async def window(self, seconds: float) -> Window:
        """As many moves as possible in this time."""
        self._took = []
        began, cpu, own = time.perf_counter(), self.server.nanoseconds, time.process_time()
        for table in self.tables:
            table.left = ENDLESS
            table.move()
        await asyncio.sleep(seconds)
        took, self._took = self._took, []
        lasted = time.perf_counter() - began
        window = Window(len(took), lasted, (self.server.nanoseconds - cpu) / 1e9, time.process_time() - own, took)
        for table in self.tables:
            table.left = 0
        await self._all_heard()
        return window

    async def moves(self, table: Table, count: int) -> None:
        """This many moves at one table."""
        table.left = count - 1
        table.move()
        await self._all_heard()

    async def _all_heard(self) -> None:
        while any(table.under_way or table.between_games for table in self.tables):
            self._rest.clear()
            await self._rest.wait()

    def close(self) -> None:
        for table in self.tables:
            for player in table.players:
                player.close()


class Talk:
    """A connection until it is in its room."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[bytes] = asyncio.Queue()

    def hear(self, wire: Wire, message: bytes) -> None:
        self.heard.put_nowait(message)

    async def until(self, wanted: bytes) -> bytes:
        while True:
            message = await self.heard.get()
            if wanted in message:
                return message


async def watch(server: Measured, room: bytes, hear: Callable[[Wire, bytes], None]) -> tuple[Wire, bytes]:
    """Into a room of our server as a spectator. Also returns what a spectator is sent there."""
    talk = Talk()
    wire = await connect(server.port, talk.hear)
    wire.send(HELLO)
    wire.send(b'{"type":"watch","id":"w","room":"%b"}' % room)
    joined = await talk.until(b'"joined"')
    wire.hear = hear
    return wire, joined


async def join_bare(server: Measured, room: bytes, hear: Callable[[Wire, bytes], None]) -> Wire:
    """Into a room of a bare server."""
    talk = Talk()
    wire = await connect(server.port, talk.hear)
    wire.send(room)
    await talk.until(b'"joined"')
    wire.hear = hear
    return wire


async def bare_tables(server: Measured, rooms: int) -> Tables:
    tables = Tables(server)
    for number in range(rooms):
        table = Table(tables)
        table.players = [await join_bare(server, b"%d" % number, table.hear) for _ in range(2)]
        tables.tables.append(table)
    return tables


async def our_tables(server: Measured, rooms: int, target: int = 20) -> Tables:
    tables = Tables(server)
    for _ in range(rooms):
        table = Table(tables)
        talks = [Talk(), Talk()]
        for talk in talks:
            player = await connect(server.port, talk.hear)
            player.send(HELLO)
            table.players.append(player)
        ana, bo = table.players
        ana.send(
            b'{"type":"create","id":"c","game":"double-or-nothing","name":"ana",'
            b'"options":{"target":%d,"best_of":99,"first":"1"}}' % target
        )
        joined = await talks[0].until(b'"joined"')
        room = table.room = joined[joined.index(b'"room":"') + 8 :].split(b'"', 1)[0]
        bo.send(b'{"type":"join","id":"j","room":"%b","name":"bo"}' % room)
        await talks[1].until(b'"joined"')
        for player in table.players:
            player.send(b'{"type":"ready","id":"r"}')
        begun = await talks[1].until(b'"phase":"playing"')
        table.seq = seq_of(begun)
        await talks[0].until(b'"phase":"playing"')
        for player in table.players:
            player.hear = table.hear
        tables.tables.append(table)
    return tables

"""A match of more than ten thousand moves, compared with one that has just begun: does it cost more?"""

from bench.compare import Ratio, Window
from bench.play import Table, Tables, our_tables, watch
from bench.servers import Measured

TARGET = 200
"""A game of the series takes one move less; measured are whole games, since a game has a trail that grows with it."""
PAIRS = 7


class Match:
    def __init__(self, tables: Tables, table: Table) -> None:
        self._tables = tables
        self._table = table
        self._begin = table.seq
        self.windows: list[Window] = []
        self.first_move = 0
        self.bytes_each = 0.0
        self.join_bytes = 0

    @property
    def moves(self) -> int:
        return self._table.seq - self._begin

    async def game(self) -> Window:
        server, players = self._tables.server, self._table.players
        moves, cpu, taken = self.moves, server.nanoseconds, sum(player.taken for player in players)
        await self._tables.moves(self._table, TARGET - 1)
        moves = self.moves - moves
        self.bytes_each = (sum(player.taken for player in players) - taken) / moves / len(players)
        return Window(moves, 0.0, (server.nanoseconds - cpu) / 1e9, 0.0)

    async def look(self) -> None:
        """Note the state of the match, and what a new spectator is sent now, between two games."""
        self.first_move = self.moves + 1
        wire, joined = await watch(self._tables.server, self._table.room, lambda wire, message: None)
        self.join_bytes = len(joined)
        wire.close()


async def both(server: Measured, moves: int) -> tuple[Match, Match, Ratio]:
    """A new match and one of so many moves, game by game in turn, and the cost of a move in the old one."""
    tables = await our_tables(server, 2, target=TARGET)
    young, old = (Match(tables, table) for table in tables.tables)
    while old.moves < moves:
        await old.game()
    await young.game()  # the first one warms up
    for match in (young, old):
        await match.look()
    for _ in range(PAIRS):
        for match in (young, old):
            match.windows.append(await match.game())
    tables.close()
    pairs = zip(young.windows, old.windows, strict=True)
    return young, old, Ratio.of([late.cost / early.cost for early, late in pairs])

"""Answers questions about finished games: a player's history, a player's statistics, and the leaderboard."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from dicegames_protocol.messages.client import AskHistory, AskLeaderboard, AskStats
from dicegames_protocol.messages.history import LeaderRow, OpponentRow, PlayedGame, StatsRow
from dicegames_protocol.messages.server import History, Leaderboard, Stats
from dicegames_server.core.errors import Refused
from dicegames_server.room.environment import Environment
from dicegames_server.storage.base import Result

MOST_LEADERS = 20
MOST_RESULTS = 2000
"""Most results of a player, the latest ones, that are read for the statistics."""
FRESH_SECONDS = 10.0
"""Seconds for which a leaderboard is cached: it reads the games of all players, and anybody may ask for it."""


class GameHistory:
    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._leaders: dict[str | None, tuple[float, tuple[LeaderRow, ...]]] = {}

    async def answer(
        self, message: AskHistory | AskStats | AskLeaderboard, player: str | None
    ) -> History | Stats | Leaderboard:
        """The answer to a question. `player` is the hash of the player key of the client that asks.

        Raises Refused without a player key, and for a leaderboard where the server keeps none.
        """
        if isinstance(message, AskLeaderboard):
            return Leaderboard(id=message.id, rows=await self._leaderboard(message.game))
        if player is None:
            raise Refused("unauthorized", "Without a player key there is no history.")
        storage = self._environment.storage
        if isinstance(message, AskHistory):
            found = await storage.results(player, None, message.most)
            return History(id=message.id, games=tuple(_played(result) for result in found))
        games, opponents = _stats(await storage.results(player, None, MOST_RESULTS))
        return Stats(id=message.id, games=games, opponents=opponents)

    async def _leaderboard(self, game: str | None) -> tuple[LeaderRow, ...]:
        if not self._environment.settings.leaderboard:
            raise Refused("unavailable", "This server keeps no leaderboard.")
        now = self._environment.clock.now()
        self._leaders = {key: kept for key, kept in self._leaders.items() if now - kept[0] < FRESH_SECONDS}
        if game not in self._leaders:
            found = await self._environment.storage.leaders(game, MOST_LEADERS)
            rows = tuple(LeaderRow(name=name, played=played, won=won) for name, played, won in found)
            self._leaders[game] = (now, rows)
        return self._leaders[game][1]


def _played(result: Result) -> PlayedGame:
    return PlayedGame(
        at=round(result.at),
        game=result.game,
        room=result.room,
        name=result.name,
        score=result.score,
        won=result.won,
        shared=result.shared or None,
        opponents=result.opponents,
        bests=result.bests,
    )


def _stats(results: Iterable[Result]) -> tuple[tuple[StatsRow, ...], tuple[OpponentRow, ...]]:
    """Statistics by game and by opponent."""
    games: defaultdict[str, list[Result]] = defaultdict(list)
    met: Counter[str] = Counter()
    beaten: Counter[str] = Counter()
    for result in results:
        games[result.game].append(result)
        met.update(set(result.opponents))
        beaten.update(set(result.opponents) if result.won else ())
    rows = []
    for game, mine in sorted(games.items()):
        bests: dict[str, int] = {}
        for result in mine:
            for what, value in result.bests.items():
                bests[what] = max(value, bests.get(what, value))
        won = sum(result.won for result in mine)
        best = max(result.score for result in mine)
        rows.append(StatsRow(game=game, played=len(mine), won=won, best_score=best, bests=bests))
    opponents = tuple(OpponentRow(name=name, played=times, won=beaten[name]) for name, times in met.most_common(20))
    return tuple(rows), opponents

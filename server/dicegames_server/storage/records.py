"""Questions about games that are over: your history, how you did, and who has won most."""

from dicegames_protocol.messages.client import AskHistory, AskLeaderboard, AskStats
from dicegames_protocol.messages.history import LeaderRow
from dicegames_protocol.messages.server import History, Leaderboard, Stats
from dicegames_server.games.base import Refused
from dicegames_server.room.environment import House
from dicegames_server.room.results import played, stats

MOST_LEADERS = 20
MOST_RESULTS = 2000
"""So many of somebody's latest games are looked at for their statistics."""
FRESH_SECONDS = 10.0
"""A leaderboard may be so old: it takes a look at everybody's games, and everybody may ask for it."""


class Records:
    def __init__(self, house: House) -> None:
        self._house = house
        self._leaders: dict[str | None, tuple[float, tuple[LeaderRow, ...]]] = {}

    async def answer(
        self, message: AskHistory | AskStats | AskLeaderboard, player: str | None
    ) -> History | Stats | Leaderboard:
        """`player` is the hash of the key of whoever asks."""
        if isinstance(message, AskLeaderboard):
            return Leaderboard(id=message.id, rows=await self._leaderboard(message.game))
        if player is None:
            raise Refused("unauthorized", "Without a player key there is no history.")
        storage = self._house.storage
        if isinstance(message, AskHistory):
            found = await storage.results(player, None, message.most)
            return History(id=message.id, games=tuple(played(result) for result in found))
        games, opponents = stats(await storage.results(player, None, MOST_RESULTS))
        return Stats(id=message.id, games=games, opponents=opponents)

    async def _leaderboard(self, game: str | None) -> tuple[LeaderRow, ...]:
        if not self._house.settings.leaderboard:
            raise Refused("unavailable", "This server keeps no leaderboard.")
        now = self._house.clock.now()
        self._leaders = {key: kept for key, kept in self._leaders.items() if now - kept[0] < FRESH_SECONDS}
        if game not in self._leaders:
            found = await self._house.storage.leaders(game, MOST_LEADERS)
            rows = tuple(LeaderRow(name=name, played=played, won=won) for name, played, won in found)
            self._leaders[game] = (now, rows)
        return self._leaders[game][1]

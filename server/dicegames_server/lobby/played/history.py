"""Answers questions about finished games: a player's history, a player's statistics, and the leaderboard."""

from dicegames_protocol.messages.client import AskHistory, AskLeaderboard, AskStats
from dicegames_protocol.messages.history import LeaderRow, PlayedGame
from dicegames_protocol.messages.server import History, Leaderboard, Stats
from dicegames_server.core.errors import Refused
from dicegames_server.lobby.played.ladder import Board
from dicegames_server.lobby.played.ratings import Ratings
from dicegames_server.lobby.played.statistics import month_span, statistics
from dicegames_server.room.environment import Environment
from dicegames_server.storage.base import Result
from dicegames_server.storage.past_games import ALL_TIME

MOST_LEADERS = 20
MOST_RESULTS = 2000
"""Most results of a player, the latest ones, that are read for the statistics."""
FRESH_SECONDS = 10.0
"""Seconds for which a leaderboard is cached: it reads the games of all players, and anybody may ask for it."""
MOST_CACHED = 64
Wanted = tuple[str | None, str | None, str | None, bool]
"""Which leaderboard: game, by what, season, with bots."""


class GameHistory:
    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._ratings = Ratings(environment)
        self._leaders: dict[Wanted, tuple[float, Leaderboard]] = {}

    async def answer(
        self, message: AskHistory | AskStats | AskLeaderboard, player: str | None
    ) -> History | Stats | Leaderboard:
        """The answer to a question. `player` is the hash of the player key of the client that asks.

        Raises Refused without a player key, and for a leaderboard where the server keeps none.
        """
        if isinstance(message, AskLeaderboard):
            return await self._leaderboard(message)
        if player is None:
            raise Refused("unauthorized", "Without a player key there is no history.")
        storage = self._environment.storage
        if isinstance(message, AskHistory):
            found = await storage.results(player, None, message.most)
            return History(id=message.id, games=tuple(_played(result) for result in found))
        rows, opponents = statistics(await storage.results(player, None, MOST_RESULTS))
        if self._environment.settings.leaderboard:
            boards = [Board(row.game, False) for row in rows]
            skills = await self._ratings.of_player(player, boards, ALL_TIME)
            rows = tuple(row.but(skill=skills.get(board)) for row, board in zip(rows, boards, strict=True))
        return Stats(id=message.id, games=rows, opponents=opponents)

    async def _leaderboard(self, asked: AskLeaderboard) -> Leaderboard:
        if not self._environment.settings.leaderboard:
            raise Refused("unavailable", "This server keeps no leaderboard.")
        now = self._environment.clock.now()
        wanted = (asked.game, asked.by, asked.season, bool(asked.bots))
        kept = self._leaders.get(wanted)
        if kept is None or now - kept[0] >= FRESH_SECONDS:
            found = await self._found(asked)
            self._leaders = {key: old for key, old in self._leaders.items() if now - old[0] < FRESH_SECONDS}
            while len(self._leaders) >= MOST_CACHED:
                del self._leaders[next(iter(self._leaders))]
            kept = self._leaders[wanted] = (now, found)
        return kept[1].but(id=asked.id)

    async def _found(self, asked: AskLeaderboard) -> Leaderboard:
        span = month_span(asked.season) if asked.season else ALL_TIME
        if asked.by == "skill":
            if asked.game is None:
                raise Refused("bad_message", "Skill is ranked game by game. Name one.")
            board = Board(asked.game, bool(asked.bots))
            rows, games = await self._ratings.leaders(board, span, MOST_LEADERS)
            return Leaderboard(id=asked.id, rows=rows, game=asked.game, meaningful_after=games)
        past = self._environment.storage.past_games
        found = await past.leaders(asked.game, MOST_LEADERS, span, bool(asked.bots))
        leaders = tuple(LeaderRow(name=name, played=played, won=won) for name, played, won in found)
        return Leaderboard(id=asked.id, rows=leaders)


def _played(result: Result) -> PlayedGame:
    return PlayedGame(
        at=round(result.at),
        game=result.game,
        room=result.room,
        name=result.name,
        score=result.score,
        won=result.won,
        shared=result.shared or None,
        gave_up=result.gave_up or None,
        opponents=result.opponents,
        bests=result.bests,
        accuracy=result.accuracy,
        luck=result.luck,
    )

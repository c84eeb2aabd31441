"""Finished games: the rows in `history`, `stats` and `leaderboard`."""

from pydantic import Field

from dicegames_protocol.base import Model


class PlayedGame(Model):
    at: int = Field(description="when it ended, in seconds since 1970")
    game: str
    room: str
    name: str
    score: int
    won: bool
    opponents: tuple[str, ...]
    bests: dict[str, int] = Field(description="what was remarkable, such as 'best pot'")


class StatsRow(Model):
    game: str
    played: int
    won: int
    best_score: int
    bests: dict[str, int]


class OpponentRow(Model):
    name: str
    played: int
    won: int = Field(description="games that you won with them at the table")


class LeaderRow(Model):
    name: str
    played: int
    won: int

"""Finished games: the rows in `history`, `stats` and `leaderboard`."""

from pydantic import Field

from dicegames_protocol.base import Int, Model


class PlayedGame(Model):
    at: Int = Field(description="when it ended, in seconds since 1970")
    game: str
    room: str
    name: str
    score: Int
    won: bool
    opponents: tuple[str, ...]
    bests: dict[str, Int] = Field(description="what was remarkable, such as 'best pot'")


class StatsRow(Model):
    game: str
    played: Int
    won: Int
    best_score: Int
    bests: dict[str, Int]


class OpponentRow(Model):
    name: str
    played: Int
    won: Int = Field(description="games that you won with them at the table")


class LeaderRow(Model):
    name: str
    played: Int
    won: Int

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
    shared: bool | None = Field(None, description="others have won as well")
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


class CommitmentEntry(Model):
    """An entry of the server's public list of commitments. docs/fair-dice.md says what is signed."""

    number: Int
    before: str = Field(description="hash of the entry before it, in hex; empty in the first one")
    room: str = Field(description="stands for the room; only who knows its id can tell which one it is")
    commit: str
    proof: str = Field(description="the server's signature")

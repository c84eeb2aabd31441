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
    gave_up: bool | None = Field(None, description="you left before the end, so it is lost")
    opponents: tuple[str, ...]
    bests: dict[str, Int] = Field(description="what was remarkable, such as 'best pot'")
    accuracy: float | None = Field(None, description="how well you decided, from 0 to 1; absent where nobody knows")
    luck: float | None = Field(
        None, description="the part of a win that the dice gave you, or took away; absent where nobody knows"
    )


class MarksRow(Model):
    """Accuracy and luck over some games. Games that were not reviewed have no part in it."""

    reviewed: Int = Field(description="how many games")
    accuracy: float | None = Field(None, description="the mean of those in which there was something to decide")
    luck: float = Field(description="the sum, in wins")


class MonthRow(MarksRow):
    month: str = Field(description="in UTC, such as 2026-11")


class SkillRow(Model):
    """A rating, and the interval around it in which the true one is in 95 of 100 cases."""

    rating: Int
    interval: Int
    played: Int = Field(description="rated games")


class StatsRow(Model):
    game: str
    played: Int
    won: Int
    best_score: Int
    bests: dict[str, Int]
    with_bots: Int = Field(0, description="how many of the games had bots at the table")
    won_with_bots: Int = 0
    marks: MarksRow | None = Field(None, description="over all games; absent where none was reviewed")
    months: tuple[MonthRow, ...] = Field((), description="the same by month, the latest last, at most twelve")
    skill: SkillRow | None = Field(None, description="among people; absent where there is none")


class OpponentRow(Model):
    name: str
    played: Int
    won: Int = Field(description="games that you won with them at the table")


class LeaderRow(Model):
    name: str
    played: Int = Field(description="games that count; by skill: rated games")
    won: Int | None = Field(None, description="only by wins")
    bot: str | None = Field(None, description="the level, if it is a bot of the server")
    rating: Int | None = Field(None, description="only by skill, with what follows; 1500 is where everybody begins")
    interval: Int | None = Field(None, description="the true rating is within so much of it in 95 of 100 cases")
    provisional: bool | None = Field(None, description="it does not mean much yet")


class CommitmentEntry(Model):
    """An entry of the server's public list of commitments. docs/fair-dice.md says what is signed."""

    number: Int
    before: str = Field(description="hash of the entry before it, in hex; empty in the first one")
    room: str = Field(description="stands for the room; only who knows its id can tell which one it is")
    commit: str
    proof: str = Field(description="the server's signature")

"""The review of a game that is over: how well everybody played, and what was luck. All chances are from 0 to 1."""

from typing import Literal

from pydantic import Field

from dicegames_protocol.base import Int, Model

Mark = Literal["best", "fine", "slip", "mistake", "blunder"]
SLIP, MISTAKE, BLUNDER = 0.02, 0.05, 0.10
"""A decision that gives away so much of the chance to win is called by this name."""
AS_GOOD = 0.0005
"""A decision that gives away no more than this is as good as the best."""
MOST_REVIEWED_MOVES = 500
"""Most decisions in a review. Where there were more, those that cost nothing are left out first."""
MOST_POINTS_OF_CURVE = 400


def mark_of(cost: float) -> Mark:
    if cost >= BLUNDER:
        return "blunder"
    if cost >= MISTAKE:
        return "mistake"
    if cost >= SLIP:
        return "slip"
    return "fine" if cost > AS_GOOD else "best"


class ReviewedMove(Model):
    """A decision: a move, or doing nothing in time."""

    seq: Int = Field(description="the update in which it was made")
    seat: Int
    mark: Mark
    cost: float = Field(description="the chance to win that it gave away")
    chance: float = Field(description="the seat's chance to win with the best move")
    took: str = Field(description="what was done, such as 'banking 450'")
    best: str = Field(description="what would have been best")
    why: str | None = Field(None, description="why, in one sentence; absent where it cost next to nothing")
    away: bool = Field(False, description="the server moved for somebody who was away, or too late")


class ReviewedPlayer(Model):
    """What became of a player's chance to win: `start` - `lost` - `away` + `given` + `luck` = `end`."""

    seat: Int
    name: str
    bot: str | None = Field(None, description="the level of a bot of the server")
    start: float = Field(description="the chance before the first dice")
    end: float = Field(description="1 for the winner; shared by several winners")
    lost: float = Field(description="given away by the player's own decisions")
    away: float = Field(0.0, description="given away by moves that the server made for the player")
    given: float = Field(description="gained, or lost, by what others decided")
    luck: float = Field(description="gained, or lost, by dice")
    accuracy: float | None = Field(
        None, description="1 is perfect: the part of what the decisions were worth that was kept; absent without any"
    )
    decisions: Int
    slips: Int
    mistakes: Int
    blunders: Int
    costliest: tuple[Int, ...] = Field((), description="places in `moves`: the decisions that cost most, at most three")


class CurvePoint(Model):
    """The chances to win after an update."""

    seq: Int
    chances: tuple[float, ...] = Field(description="of the players, in the order of `players`")


class GameReview(Model):
    room: str
    game: str
    title: str
    summary: str
    game_no: Int
    exact: bool = Field(description="whether the chances are exact; else they are close")
    players: tuple[ReviewedPlayer, ...]
    moves: tuple[ReviewedMove, ...]
    curve: tuple[CurvePoint, ...]
    left_out: Int = Field(0, description="decisions that `moves` leaves out")


class Review(Model):
    """How well everybody played. Of a long game, decisions that cost little and points of the curve are left out."""

    type: Literal["review"] = "review"
    id: str
    review: GameReview

"""A review that can be shown, whatever came: figures within their bounds, texts without anything that could do harm."""

import math
from collections.abc import Sequence

from dicegames_protocol.messages.review import (
    MOST_POINTS_OF_CURVE,
    MOST_REVIEWED_MOVES,
    CurvePoint,
    GameReview,
    ReviewedMove,
    ReviewedPlayer,
)
from dicegames_protocol.text import strip

MOST_SHOWN_PLAYERS = 100
"""Most players whose review is shown."""
MOST_COSTLY = 3
_MOST_LETTERS = 240
"""Most characters of a sentence. Ours are shorter."""
_MOST_NAME_LETTERS = 32


def cleaned(review: GameReview) -> GameReview:
    """The same review, fit to be shown. Each player's `costliest` are places of own decisions."""
    players = review.players[:MOST_SHOWN_PLAYERS]
    moves = tuple(_move(move) for move in review.moves[:MOST_REVIEWED_MOVES])
    points = [point for point in review.curve if len(point.chances) == len(review.players)]
    return review.but(
        room=_text(review.room, _MOST_NAME_LETTERS),
        title=_text(review.title, _MOST_NAME_LETTERS),
        summary=_text(review.summary, _MOST_LETTERS),
        players=tuple(_player(player, moves) for player in players),
        moves=moves,
        curve=tuple(_point(point, len(players)) for point in points[:MOST_POINTS_OF_CURVE]),
        left_out=max(0, review.left_out),
    )


def _player(player: ReviewedPlayer, moves: Sequence[ReviewedMove]) -> ReviewedPlayer:
    own = dict.fromkeys(
        place for place in player.costliest if 0 <= place < len(moves) and moves[place].seat == player.seat
    )
    return player.but(
        name=_text(player.name, _MOST_NAME_LETTERS) or f"seat {player.seat + 1}",
        bot=_text(player.bot, _MOST_NAME_LETTERS) if player.bot else None,
        start=_within(player.start, 0, 1),
        end=_within(player.end, 0, 1),
        lost=_within(player.lost),
        away=_within(player.away),
        given=_within(player.given),
        luck=_within(player.luck),
        accuracy=None if player.accuracy is None else _within(player.accuracy, 0, 1),
        costliest=tuple(list(own)[:MOST_COSTLY]),
    )


def _move(move: ReviewedMove) -> ReviewedMove:
    return move.but(
        cost=_within(move.cost, 0, 1),
        chance=_within(move.chance, 0, 1),
        took=_text(move.took),
        best=_text(move.best),
        why=_text(move.why) or None if move.why else None,
    )


def _point(point: CurvePoint, players: int) -> CurvePoint:
    return point.but(chances=tuple(_within(chance, 0, 1) for chance in point.chances[:players]))


def _within(value: float, low: float = -99.99, high: float = 99.99) -> float:
    """What is no number at all counts as 0. A sum over a long game may well be above 1."""
    return 0.0 if math.isnan(value) else max(low, min(value, high))


def _text(text: str, most: int = _MOST_LETTERS) -> str:
    return strip(text[:most])

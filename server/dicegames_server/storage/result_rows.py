"""Converts results of games to and from table rows, for every store that has tables."""

from typing import Any

from dicegames_protocol.codec import canonical, parse_object
from dicegames_server.storage.base import Result


def to_row(room: int, result: Result) -> tuple[Any, ...]:
    """The row to write.

    Its columns: room, game_no, seat, player, code, game, name, score, won, opponents, bests, counted, shared.
    """
    opponents, bests = canonical(result.opponents).decode(), canonical(result.bests).decode()
    who = (result.player, result.room, result.game, result.name)
    told = (result.score, result.won, opponents, bests, result.counted, result.shared)
    return (room, result.game_no, result.seat, *who, *told)


def from_row(row: tuple[Any, ...]) -> Result:
    """The result in a row that was read.

    Its columns: player, code, game, game_no, seat, name, score, won, opponents, bests, shared, at.
    """
    player, code, game, game_no, seat, name, score, won, opponents, bests, shared, at = row
    told = parse_object(f'{{"opponents": {opponents}, "bests": {bests}}}')
    others = tuple(told["opponents"])
    who = (player, code, game, game_no, seat, name, score)
    return Result(*who, bool(won), others, told["bests"], at, shared=bool(shared))

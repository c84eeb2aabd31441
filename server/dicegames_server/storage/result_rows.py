"""Converts results of games to and from table rows, for every store that has tables."""

from typing import Any

from dicegames_protocol.codec import canonical, parse_object
from dicegames_server.storage.base import Result


def to_row(room: int, result: Result) -> tuple[Any, ...]:
    """The row to write: room, game_no, seat, player, code, game, name, score, won, opponents, bests, counted."""
    opponents, bests = canonical(result.opponents).decode(), canonical(result.bests).decode()
    who = (result.player, result.room, result.game, result.name)
    return (room, result.game_no, result.seat, *who, result.score, result.won, opponents, bests, result.counted)


def from_row(row: tuple[Any, ...]) -> Result:
    """The result in a row that was read: player, code, game, game_no, seat, name, score, won, opponents, bests, at."""
    player, code, game, game_no, seat, name, score, won, opponents, bests, at = row
    told = parse_object(f'{{"opponents": {opponents}, "bests": {bests}}}')
    others = tuple(told["opponents"])
    return Result(player, code, game, game_no, seat, name, score, bool(won), others, told["bests"], at)

"""Converts results of games to and from table rows, for every store that has tables."""

from typing import Any

from dicegames_protocol.codec import canonical, parse_object
from dicegames_server.storage.base import Result
from dicegames_server.storage.past_games import RatedRow

READ_COLUMNS = (
    "player, code, game, game_no, seat, name, score, won, opponents, bests, shared, "
    "players, bots, gave_up, accuracy, luck"
)
RATED_COLUMNS = "room, game_no, seat, player, game, name, won, players, bots, gave_up"


def to_row(room: int, result: Result) -> tuple[Any, ...]:
    """The row to write.

    Its columns: room, game_no, seat, player, code, game, name, score, won, opponents, bests, counted, shared, players,
    bots, gave_up.
    """
    opponents, bests = canonical(result.opponents).decode(), canonical(result.bests).decode()
    who = (result.player, result.room, result.game, result.name)
    bots = canonical(result.bots).decode() if result.bots else ""
    told = (result.score, result.won, opponents, bests, result.counted, result.shared)
    return (room, result.game_no, result.seat, *who, *told, result.players, bots, result.gave_up)


def from_row(row: tuple[Any, ...]) -> Result:
    """The result in a row that was read.

    Its columns: READ_COLUMNS, and the time.
    """
    player, code, game, game_no, seat, name, score, won, opponents, bests, shared, *more, at = row
    players, bots, gave_up, accuracy, luck = more
    told = parse_object(f'{{"opponents": {opponents}, "bests": {bests}}}')
    others = tuple(told["opponents"])
    who = (player, code, game, game_no, seat, name, score)
    end = (bool(shared), players, _bots(bots), bool(gave_up), accuracy, luck)
    return Result(*who, bool(won), others, told["bests"], at, True, *end)


def to_rated(row: tuple[Any, ...]) -> RatedRow:
    """The row for ratings. Its columns: RATED_COLUMNS, and the time."""
    room, game_no, seat, player, game, name, won, players, bots, gave_up, at = row
    return RatedRow(room, game_no, seat, player, game, name, bool(won), players, _bots(bots), bool(gave_up), at)


def _bots(text: str) -> tuple[tuple[str, bool], ...]:
    return tuple((level, won) for level, won in parse_object(f'{{"bots": {text}}}')["bots"]) if text else ()

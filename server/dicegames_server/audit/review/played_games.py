"""The games in a log: where each begins and ends, and with which options it was played."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from dicegames_protocol import patch
from dicegames_protocol.base import JsonObject
from dicegames_protocol.messages.server import Update
from dicegames_protocol.options import OptionError
from dicegames_server.audit.review.judge import Judge
from dicegames_server.audit.review.judges import judge_for
from dicegames_server.games import rules_of
from dicegames_server.games.base import Rules


class NoReview(Exception):
    """There is no review of this game. str() is a sentence that says why."""


class GameInLog(NamedTuple):
    """A game that is over."""

    number: int
    """1 is the first game of the room."""
    begin: int
    """The place of the update with which it begins."""
    end: int
    """The place of the update that ends it."""
    table: JsonObject
    """The table before it."""


def played_games(updates: Sequence[Update]) -> list[GameInLog]:
    """The games of a log that are over, in their order."""
    found: dict[int, GameInLog] = {}
    table: JsonObject = {}
    before: JsonObject = {}
    begin = number = 0
    for place, update in enumerate(updates):
        kinds = {event["kind"] for event in update.events}
        after = patch.apply(table, update.patch)
        if "game_started" in kinds:
            begin, before, number = place, table, after["room"]["game_no"]
        if "game_goes_on" in kinds:
            found.pop(number, None)
        if "game_over" in kinds:
            found[number] = GameInLog(number, begin, place, before)
        table = after
    return list(found.values())


def choose(updates: Sequence[Update], number: int | None = None) -> GameInLog:
    """One game of a log; without a number, the last one. Raises NoReview."""
    games = played_games(updates)
    if not games:
        raise NoReview("No game in this log is over. How well you play is told only after a game.")
    if number is None:
        return games[-1]
    try:
        return next(game for game in games if game.number == number)
    except StopIteration:
        known = f"1 to {games[-1].number}" if len(games) > 1 else f"{games[0].number}"
        raise NoReview(f"There is no game {number} in this log that is over. There is: {known}.") from None


def judge_of(room: JsonObject, seats: int) -> tuple[Rules[Any, Any], Judge]:
    """The rules of a game, and a judge for it. `room`: what the log tells about the room. Raises NoReview."""
    kind = rules_of(room["game"])
    if kind is None or kind.version != room["rules"]:
        raise NoReview("This game was played by rules that this version of dicegames does not know.")
    try:
        rules = kind(kind.options_type.read(room["options"]))
    except OptionError as error:
        raise NoReview(f"This game was played with options that are not known here. {error}") from None
    judge = judge_for(rules, seats)
    if judge is None:
        raise NoReview(f"There are no reviews of {rules.title}.")
    return rules, judge

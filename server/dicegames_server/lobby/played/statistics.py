"""A player's statistics, worked out from their results. Pure functions. Months are those of UTC."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from dicegames_protocol.messages.history import MarksRow, MonthRow, OpponentRow, StatsRow
from dicegames_server.storage.base import Result
from dicegames_server.storage.past_games import Span

MOST_OPPONENTS = 20
MOST_MONTHS = 12


def month_of(at: float) -> str:
    """The month of a moment in seconds since 1970, such as 2026-11."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m")


def month_span(month: str) -> Span:
    """From the first moment of a month to just before the next one."""
    year, number = map(int, month.split("-"))
    begin = datetime(year, number, 1, tzinfo=UTC)
    end = datetime(year + number // 12, number % 12 + 1, 1, tzinfo=UTC)
    return Span(begin.timestamp(), end.timestamp())


def statistics(results: Iterable[Result]) -> tuple[tuple[StatsRow, ...], tuple[OpponentRow, ...]]:
    """Statistics by game and by opponent."""
    games: defaultdict[str, list[Result]] = defaultdict(list)
    met: Counter[str] = Counter()
    beaten: Counter[str] = Counter()
    for result in results:
        games[result.game].append(result)
        met.update(set(result.opponents))
        beaten.update(set(result.opponents) if result.won else ())
    rows = tuple(_of_game(game, mine) for game, mine in sorted(games.items()))
    known = met.most_common(MOST_OPPONENTS)
    return rows, tuple(OpponentRow(name=name, played=times, won=beaten[name]) for name, times in known)


def _of_game(game: str, mine: Sequence[Result]) -> StatsRow:
    bests: dict[str, int] = {}
    for result in mine:
        for what, value in result.bests.items():
            bests[what] = max(value, bests.get(what, value))
    months: defaultdict[str, list[Result]] = defaultdict(list)
    for result in mine:
        months[month_of(result.at)].append(result)
    by_month = [(month, _marks(found)) for month, found in sorted(months.items())]
    return StatsRow(
        game=game,
        played=len(mine),
        won=sum(result.won for result in mine),
        best_score=max(result.score for result in mine),
        bests=bests,
        with_bots=sum(bool(result.bots) for result in mine),
        won_with_bots=sum(bool(result.bots) and result.won for result in mine),
        marks=_marks(mine),
        months=tuple(
            MonthRow(month=month, reviewed=marks.reviewed, accuracy=marks.accuracy, luck=marks.luck)
            for month, marks in by_month
            if marks
        )[-MOST_MONTHS:],
    )


def _marks(results: Sequence[Result]) -> MarksRow | None:
    """Accuracy and luck over these games. None where none of them was reviewed."""
    luck = [result.luck for result in results if result.luck is not None]
    accuracy = [result.accuracy for result in results if result.accuracy is not None]
    if not luck:
        return None
    mean = round(math.fsum(accuracy) / len(accuracy), 4) if accuracy else None
    return MarksRow(reviewed=len(luck), accuracy=mean, luck=round(math.fsum(luck), 4))

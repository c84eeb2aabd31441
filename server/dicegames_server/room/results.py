"""What remains of a game: who won, with how many points, and what was remarkable. Pure.

Results are kept per player key: a name is only what somebody was called that evening.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from dicegames_protocol.messages.history import OpponentRow, PlayedGame, StatsRow
from dicegames_server.storage.base import Result
from dicegames_server.table.state import Change


def results_of(change: Change) -> tuple[Result, ...]:
    """The results that an update brings: of everybody with a key, when the game is over."""
    state = change.state
    if state.match is None or state.match.winners is None or not any(e.kind == "game_over" for e in change.events):
        return ()
    scores = state.match.rules.scores(state.match.state)
    names = {seat: state.seats[seat].name for seat in scores if state.seats.get(seat)}
    return tuple(
        Result(
            player=key,
            room=state.info.code,
            game=state.info.game,
            game_no=state.info.game_no,
            seat=seat,
            name=names[seat],
            score=scores[seat],
            won=seat in state.match.winners,
            opponents=tuple(name for other, name in names.items() if other != seat),
            bests=dict(state.bests.get(seat, {})),
        )
        for seat, key in state.seats.keys.items()
        if seat in names
    )


def played(result: Result) -> PlayedGame:
    return PlayedGame(
        at=round(result.at),
        game=result.game,
        room=result.room,
        name=result.name,
        score=result.score,
        won=result.won,
        opponents=result.opponents,
        bests=result.bests,
    )


def stats(results: Iterable[Result]) -> tuple[tuple[StatsRow, ...], tuple[OpponentRow, ...]]:
    """By game, and by opponent."""
    games: defaultdict[str, list[Result]] = defaultdict(list)
    met: Counter[str] = Counter()
    beaten: Counter[str] = Counter()
    for result in results:
        games[result.game].append(result)
        met.update(set(result.opponents))
        beaten.update(set(result.opponents) if result.won else ())
    rows = []
    for game, mine in sorted(games.items()):
        bests: dict[str, int] = {}
        for result in mine:
            for what, value in result.bests.items():
                bests[what] = max(value, bests.get(what, value))
        won = sum(result.won for result in mine)
        best = max(result.score for result in mine)
        rows.append(StatsRow(game=game, played=len(mine), won=won, best_score=best, bests=bests))
    opponents = tuple(OpponentRow(name=name, played=times, won=beaten[name]) for name, times in met.most_common(20))
    return tuple(rows), opponents

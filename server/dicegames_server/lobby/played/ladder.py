"""Ratings, worked out from results in the order in which the games ended. The same results give the same ratings.

What keeps people from climbing on their own second seat, besides what counts for the leaderboard at all:

- Newcomers do not move those who are known. So a throw-away key is worth nothing before it has played some games, and
  by then it is known how badly it plays.
- Of the games that the same two finish on one day, only so many are rated.
- Who leaves before the end is the last one.
- A rating is provisional until it stands on games with several others who are known.

Games with bots are a list of their own, in which the bots are rated as well.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dicegames_protocol.messages.history import LeaderRow
from dicegames_server.lobby.played.skill import LEAST_GAMES, Skill, after_game, is_sure, order, shown, unknown
from dicegames_server.storage.past_games import RatedRow

KNOWN_AFTER = 5
"""Rated games after which somebody is no newcomer."""
LEAST_RIVALS = 2
"""A rating that means something stands on games with so many others, if they are people."""
MOST_A_DAY = 20
"""Most games of the same two on one day (UTC) that are rated."""
MOST_RATED_PLAYERS = 100
"""Most players of a game that is rated: the work grows with their square."""
SECONDS_OF_DAY = 24 * 3600


class Board(NamedTuple):
    """Which list: of one game, among people or with bots."""

    game: str
    bots: bool


@dataclass(frozen=True, slots=True)
class Standing:
    skill: Skill
    games: int = 0
    name: str = ""
    bot: str | None = None
    """The level, if it is a bot."""
    rivals: frozenset[str] = frozenset()
    """Some of the known players whom they have met: LEAST_RIVALS at the most."""

    @property
    def known(self) -> bool:
        return self.games >= KNOWN_AFTER or self.bot is not None


@dataclass(frozen=True, slots=True)
class _Seat:
    player: str
    won: bool
    name: str
    bot: str | None = None
    gave_up: bool = False

    @property
    def rank(self) -> int:
        """0 for winners, 1 for others, 2 for those who left before the end."""
        return 0 if self.won else 2 if self.gave_up else 1


class Ladder:
    """All boards of a span of time. A ladder upon another one changes nothing in that."""

    def __init__(self, below: "Ladder | None" = None) -> None:
        self._below = below
        self._boards: dict[Board, dict[str, Standing]] = {}
        self._day = -1
        self._met: Counter[tuple[str, str, str]] = Counter()
        """How often two have met in a game on the present day."""

    def add(self, rows: Sequence[RatedRow]) -> None:
        """Rate a game. `rows`: all of it that counts. Where somebody is missing there, nobody is rated."""
        seats = _seats(rows)
        if not 2 <= len(seats) <= MOST_RATED_PLAYERS or len(seats) != rows[0].players:
            return
        if len({seat.player for seat in seats if seat.bot is None}) < len(rows):
            return  # two keys that were linked since then: a game against oneself
        board = Board(rows[0].game, bool(rows[0].bots))
        if not board.bots and self._too_often(board.game, rows[0].at, seats):
            return
        before = [self.of(board, seat.player) or Standing(unknown(), bot=seat.bot) for seat in seats]
        skills = after_game([standing.skill for standing in before], [seat.rank for seat in seats])
        known = [seat.player for seat, standing in zip(seats, before, strict=True) if standing.known]
        changed = self._boards.setdefault(board, {})
        for seat, standing, skill in zip(seats, before, skills, strict=True):
            others = frozenset(player for player in known if player != seat.player)
            if standing.known and not others and seat.bot is None:
                continue  # all the others are newcomers
            rivals = frozenset(sorted(standing.rivals | others)[:LEAST_RIVALS])
            changed[seat.player] = Standing(skill, standing.games + 1, seat.name, seat.bot, rivals)

    def of(self, board: Board, player: str) -> Standing | None:
        found = self._boards.get(board, {}).get(player)
        return found or (self._below.of(board, player) if self._below else None)

    def _too_often(self, game: str, at: float, seats: Sequence[_Seat]) -> bool:
        """Whether each winner has met each of the others too often on this day. It counts the game."""
        day = int(at // SECONDS_OF_DAY)
        if day != self._day:
            self._day = day
            self._met.clear()
        best = min(seat.rank for seat in seats)
        pairs = [
            (game, min(one.player, two.player), max(one.player, two.player))
            for one in seats
            if one.rank == best
            for two in seats
            if two is not one and (two.rank > best or one.player < two.player)
        ]
        often = all(self._times(day, pair) >= MOST_A_DAY for pair in pairs)
        self._met.update(pairs)
        return often

    def _times(self, day: int, pair: tuple[str, str, str]) -> int:
        here = self._met[pair] if self._day == day else 0
        return here + (self._below._times(day, pair) if self._below else 0)

    def rows(self, board: Board, most: int, share: float) -> tuple[LeaderRow, ...]:
        """The best of a board, ranked by the lower end of the interval. `share`: see `is_sure`."""
        found = [*self.standings(board).values()]
        told = [shown(standing.skill) for standing in found]
        ranking = order((one, standing.games, standing.name) for one, standing in zip(told, found, strict=True))
        return tuple(
            LeaderRow(
                name=found[at].name,
                played=found[at].games,
                bot=found[at].bot,
                rating=told[at].rating,
                interval=told[at].interval,
                provisional=not _means_something(found[at], board, share) or None,
            )
            for at in ranking[:most]
        )

    def standings(self, board: Board) -> dict[str, Standing]:
        """Everybody on a board, by player."""
        below = self._below.standings(board) if self._below else {}
        return {**below, **self._boards.get(board, {})}


def _means_something(standing: Standing, board: Board, share: float) -> bool:
    met_enough = board.bots or len(standing.rivals) >= LEAST_RIVALS
    return standing.games >= LEAST_GAMES and met_enough and is_sure(standing.skill, share)


def _seats(rows: Sequence[RatedRow]) -> list[_Seat]:
    """All who played, as far as their results are there. Of bots of one level there is one rating."""
    people = [_Seat(row.player, row.won, row.name, gave_up=row.gave_up) for row in rows]
    return people + [_Seat(f"bot {level}", won, level, level) for level, won in rows[0].bots]


def games_in(rows: Iterable[RatedRow]) -> list[list[RatedRow]]:
    """Rows in their order, put together by games."""
    games: list[list[RatedRow]] = []
    for row in rows:
        if games and (games[-1][0].room, games[-1][0].game_no) == (row.room, row.game_no):
            games[-1].append(row)
        else:
            games.append([row])
    return games

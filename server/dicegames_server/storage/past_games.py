"""What is worked out from finished games: the marks of their players, the list of who won most, and ratings.

The store only keeps and finds. What the marks and ratings are is worked out in `lobby/played/`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

Cursor = tuple[float | int, ...]
"""A place in the order of all results. What is in it is known to the store that made it."""


class FinishedGame(NamedTuple):
    room: str
    game_no: int


class Marks(NamedTuple):
    """What a review says about one player."""

    accuracy: float | None
    luck: float


class Span(NamedTuple):
    """A span of time, in seconds since 1970: from `begin` to just before `end`."""

    begin: float
    end: float


ALL_TIME = Span(0.0, 4e9)


@dataclass(frozen=True, slots=True)
class RatedRow:
    """What ratings need to know of a player's result. Only results that count for the leaderboard are rated."""

    room: int
    """Stands for the room: no two rooms have the same number."""
    game_no: int
    seat: int
    player: str
    game: str
    name: str
    won: bool
    players: int
    bots: tuple[tuple[str, bool], ...]
    gave_up: bool
    at: float


class ResultPage(NamedTuple):
    """Results in the order in which the games ended."""

    rows: tuple[RatedRow, ...]
    cursors: tuple[Cursor, ...]
    """For each row: the place just after it."""
    now: float
    """The time of the store's clock, in seconds since 1970."""


class PastGames(Protocol):
    async def unmarked(self, after: float, before: float, most: int) -> list[FinishedGame]:
        """Games that nobody has reviewed, and whose log is still there, newest first.

        They ended more than `before` and less than `after` seconds ago.
        """

    async def mark(self, game: FinishedGame, marks: Mapping[int, Marks]) -> None:
        """Keep what a review says, by seat. The game counts as reviewed from now on, also where nothing is said."""

    async def leaders(self, game: str | None, most: int, span: Span, bots: bool) -> list[tuple[str, int, int]]:
        """Players with the most wins, in one game or in all: name used last, games played, games won.

        `bots`: only games with bots at the table count; otherwise only those without.
        """

    async def page(self, span: Span, after: Cursor | None, most: int) -> ResultPage:
        """At most `most` results that count, after a place; without one, from the beginning of the span."""

    async def changed_since(self, at: float) -> bool:
        """Whether results that were there already have been changed since then: corrected, or given to another
        player."""

"""Sevens: the last round of a game, solved exactly for players who see what those before them have scored.

Each plays for the win. Whoever has no chance any more keeps. Players who tie play whole extra rounds in the same
order, and whoever is last knows what is needed: so a tie is worth a little more to the last one.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from dicegames_server.bots.theory.sevens import MOST, Turn, dot

Shared = Callable[[int], tuple[float, ...]]
"""How many have tied -> the chance of each, in their order."""
MOST_SOLVED_TIES = 3
"""A tie of more players than this counts as even."""
ENOUGH_PASSES = 8


class LastRound:
    """The chances in a last round. `shared` says what a tie is worth."""

    def __init__(self, shared: Shared, keep: int = 50_000) -> None:
        self._shared = shared
        self.chances = lru_cache(maxsize=keep)(self._chances)
        """Chance of each of the `tied` players who lead now, in their order, then of those who have yet to play.

        `needs`: the points with which each of these would tie.
        """

    def results(self, tied: int, needs: tuple[int, ...]) -> list[tuple[float, ...]]:
        """The chances after the next player has ended a turn with 0, 1, 2 … points."""
        need, rest = needs[0], needs[1:]
        worse: tuple[float, ...] = ()
        found = []
        for points in range(MOST + 1):
            if points < need:
                if not worse:
                    after = self.chances(tied, rest)
                    worse = (*after[:tied], 0.0, *after[tied:])
                found.append(worse)
            elif points == need:
                found.append(self.chances(tied + 1, rest))
            else:
                lead = points - need
                after = self.chances(1, tuple(min(more + lead, MOST + 1) for more in rest))
                found.append((*(0.0,) * tied, *after))
        return found

    def _chances(self, tied: int, needs: tuple[int, ...]) -> tuple[float, ...]:
        if not needs:
            return self._shared(tied)
        results = self.results(tied, needs)
        ends = Turn([result[tied] for result in results]).ends()
        return tuple(dot(ends, column) for column in zip(*results, strict=True))


@cache
def tied_shares(players: int) -> tuple[float, ...]:
    """The chance of each of some players who have tied at the end of a game, in their order."""
    shares = (1 / players,) * players
    if 1 < players <= MOST_SOLVED_TIES:
        for _ in range(ENOUGH_PASSES):  # each pass makes the error twenty times smaller: so rarely all tie again
            shares = _play_off(shares)
    return shares


def _play_off(again: Sequence[float]) -> tuple[float, ...]:
    """An extra round of players who have tied, if these are their chances where all tie again."""
    many = len(again)
    extra = LastRound(lambda tied: tuple(again) if tied == many else tied_shares(tied))
    return extra.chances(0, (-1,) * many)


@cache
def last_round() -> LastRound:
    return LastRound(tied_shares)


def needs_of(totals: Sequence[int], place: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Who leads among those who have played, and what each of the others needs to tie with them.

    `totals`: in the order of play. `place`: whose turn it is.
    """
    best = max(totals[:place], default=min(totals) - 1)
    leading = tuple(number for number, total in enumerate(totals[:place]) if total == best)
    return leading, tuple(min(best - total, MOST + 1) for total in totals[place:])

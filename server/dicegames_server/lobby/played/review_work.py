"""The work of a review, cut into slices: reading the log of a game, then going through it. The worker calls it."""

from collections.abc import Callable, Sequence

from dicegames_protocol import patch
from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import decode_update
from dicegames_protocol.messages.review import GameReview
from dicegames_protocol.messages.server import Cause, Update
from dicegames_server.audit.review.played_games import NoReview
from dicegames_server.audit.review.reviewing import NO_SENSE, Reviewing

SLICE_SECONDS = 0.02
"""Seconds of work after which others have their turn in the worker."""


class TooLong(Exception):
    """There is no review of this game, because it would take too long."""


class Allowance:
    """The seconds of work that a review may take. Time in which it waits does not count."""

    def __init__(self, now: Callable[[], float], seconds: float) -> None:
        self._now = now
        self._left = seconds
        self._begun_at = 0.0
        self.working = False
        """Whether a slice has begun and not ended."""

    def begin(self) -> None:
        self.working = True
        self._begun_at = self._now()

    @property
    def slice_is_over(self) -> bool:
        return self._now() - self._begun_at >= SLICE_SECONDS

    @property
    def spent(self) -> bool:
        """Whether the slice that has begun has lasted for too long."""
        return self._now() - self._begun_at >= self._left

    def end(self) -> None:
        """Raises TooLong where all of it is used up."""
        self.working = False
        self._left -= self._now() - self._begun_at
        if self._left <= 0:
            raise TooLong


class GameReading:
    """Reads the log of a room from its beginning, and keeps what a review of one game needs."""

    def __init__(self, game_no: int, allowance: Allowance) -> None:
        self._game_no = game_no
        self._allowance = allowance
        self._table: JsonObject = {}
        self._updates: list[Update] = []
        self._complete = False
        self.seq = 0
        """The last update that was read."""

    def read(self, lines: Sequence[bytes]) -> None:
        self._allowance.begin()
        for line in lines:
            update = decode_update(line)
            if update.seq <= self.seq:
                continue  # read before, though nobody heard of it
            after = patch.apply(self._table, update.patch)
            if any(event["kind"] == "game_started" for event in update.events):
                self._complete = bool(self._updates)
                if after["room"]["game_no"] == self._game_no:
                    before = Update(seq=self.seq, cause=Cause(kind="open"), events=(), patch=self._table)
                    self._updates = [before]
            if self._updates and not self._complete:
                self._updates.append(update)
            self._table, self.seq = after, update.seq
        self._allowance.end()

    @property
    def updates(self) -> list[Update]:
        """The table before the game, as one update, then the updates of the game. Raises NoReview."""
        if not self._updates:
            raise NoReview(NO_SENSE)
        return self._updates


class ReviewSlices:
    """A review that is worked out slice by slice. Only the worker's thread comes here."""

    def __init__(self, begin: Callable[[], Reviewing], allowance: Allowance) -> None:
        self._begin = begin
        self._allowance = allowance
        self._reviewing: Reviewing | None = None
        self._result: GameReview | None = None

    def next(self) -> GameReview | None:
        """The review, or None where there is more to do. If nobody heard the review, it is given again.

        Raises NoReview, TooLong.
        """
        if self._result:
            return self._result
        self._allowance.begin()
        if self._reviewing is None:
            self._reviewing = self._begin()
        try:
            while not self._allowance.slice_is_over:
                next(self._reviewing)
        except StopIteration as stop:
            self._result = stop.value
        self._allowance.end()
        return self._result

"""Reviews games after their end, so that accuracy and luck are kept with the results of their players.

Nobody waits for it. It works in the worker in short slices with pauses between, one game after the other. A game that
would take too long simply has no marks. What is not done when the server stops is caught up by the next one, from the
log. On several nodes two of them may do the same: it comes to the same.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from dicegames_protocol.messages.server import Update
from dicegames_server.audit.review.played_games import NoReview
from dicegames_server.audit.review.reviewing import Reviewing, review
from dicegames_server.core.clock import pause
from dicegames_server.core.worker import TooMuch
from dicegames_server.lobby.played.review_work import Allowance, GameReading, ReviewSlices, TooLong
from dicegames_server.room.environment import Environment
from dicegames_server.storage.base import Unavailable, Unknown
from dicegames_server.storage.past_games import FinishedGame, Marks

log = logging.getLogger("dicegames.reviewer")
BETWEEN_SLICES_SECONDS = 0.02
"""Seconds between two slices: reviews take half of a core at the most."""
MOST_WAITING_GAMES = 100
"""Most games that wait for their review. More are left to be caught up."""
BUSY_SECONDS = 0.25
"""Seconds after which the worker is asked again, where it is still at work."""
LINES_AT_ONCE = 200
MOST_READ_UPDATES = 50_000
"""A game that ends later in the log of its room has no review."""
CATCH_UP_AFTER = 120.0
CATCH_UP_FOR = 24 * 3600.0
"""Seconds from the end of a game between which it is caught up."""
T = TypeVar("T")


class Reviewer:
    def __init__(self, environment: Environment, begin: Callable[[Sequence[Update]], Reviewing] = review) -> None:
        self._environment = environment
        self._begin = begin
        self._waiting: deque[FinishedGame] = deque()
        self._task: asyncio.Future[None] | None = None
        self._stopped = environment.settings.review_seconds <= 0

    @property
    def idle(self) -> bool:
        return self._task is None

    def finished(self, room: str, game_no: int) -> None:
        """A game has ended, and its end is committed. This returns at once."""
        game = FinishedGame(room, game_no)
        if self._stopped or game in self._waiting or len(self._waiting) >= MOST_WAITING_GAMES:
            return
        self._waiting.append(game)
        if self._task is None:
            self._task = asyncio.ensure_future(self._work())
            self._task.add_done_callback(self._ended)

    async def catch_up(self) -> None:
        """Look for games that nobody has reviewed, such as those of a process that has ended."""
        if self.idle and not self._stopped:
            past = self._environment.storage.past_games
            for game in await past.unmarked(CATCH_UP_FOR, CATCH_UP_AFTER, MOST_WAITING_GAMES):
                self.finished(*game)

    def stop(self) -> None:
        """Stop at once. What is left is caught up by the next process."""
        self._stopped = True
        self._waiting.clear()
        if self._task:
            self._task.cancel()

    def _ended(self, task: "asyncio.Future[None]") -> None:
        self._task = None

    async def _work(self) -> None:
        while self._waiting:
            game = self._waiting.popleft()
            try:
                await self._environment.storage.past_games.mark(game, await self._marks(game))
            except (Unavailable, Unknown, TooMuch):
                log.info("game %d of room %s is reviewed later", game.game_no, game.room)

    async def _marks(self, game: FinishedGame) -> dict[int, Marks]:
        """What its review says about each player. Empty where there is no review."""
        allowance = Allowance(self._environment.clock.now, self._environment.settings.review_seconds)
        try:
            reading = GameReading(game.game_no, allowance)
            while found := await self._environment.storage.read(game.room, reading.seq, LINES_AT_ONCE):
                if not found[1]:
                    break
                if reading.seq >= MOST_READ_UPDATES:
                    raise TooLong
                await self._in_worker(partial(reading.read, found[1]), allowance)
            slices = ReviewSlices(partial(self._begin, reading.updates), allowance)
            while (reviewed := await self._in_worker(slices.next, allowance)) is None:
                pass
        except NoReview:
            return {}
        except TooLong:
            log.info("game %d of room %s has no review: it would take too long", game.game_no, game.room)
            return {}
        except (Unavailable, Unknown, TooMuch):
            raise
        except Exception:
            log.exception("game %d of room %s can't be reviewed", game.game_no, game.room)
            return {}
        return {player.seat: Marks(player.accuracy, player.luck) for player in reviewed.players if player.bot is None}

    async def _in_worker(self, work: Callable[[], T], allowance: Allowance) -> T:
        """The result of some work. Raises TooMuch where others keep the worker busy, and TooLong."""
        clock = self._environment.clock
        while True:
            try:
                result = await self._environment.worker.run("reviews", work)
                await pause(clock, BETWEEN_SLICES_SECONDS)
                return result
            except TooMuch:
                if not allowance.working:
                    raise
                if allowance.spent:
                    raise TooLong from None
            await pause(clock, BUSY_SECONDS)  # the worker is still at it, and hands the result out when asked again

"""Reviews a log on this machine: in a thread of its own, because it may take seconds, with what is done so far."""

import asyncio
import threading
from collections.abc import Callable, Sequence

from dicegames_client.base.errors import REFUSED, ClientError
from dicegames_client.review.cleaned import cleaned
from dicegames_protocol.messages.review import GameReview
from dicegames_protocol.messages.server import Update

NOT_REVIEWED = "This game can't be reviewed"


class LogReviewer:
    """The reviews of the games of one log. `done` is the part of the present one that is worked out, from 0 to 1."""

    def __init__(self, updates: Sequence[Update]) -> None:
        self._updates = updates
        self.done = 0.0

    async def played(self) -> list[int]:
        """The numbers of the games that are over. None where the log makes no sense."""
        from dicegames_server.audit.review.played_games import played_games  # loads the rules: only where it is asked

        try:
            return [game.number for game in await asyncio.to_thread(played_games, self._updates)]
        except (KeyError, TypeError):
            return []

    async def review(self, number: int | None = None) -> GameReview:
        """The review of a game; without a number, of the last one. Raises ClientError. It can be cancelled."""
        loop, stop = asyncio.get_running_loop(), threading.Event()
        result: asyncio.Future[GameReview] = loop.create_future()

        def settle(review: GameReview | None, error: Exception | None) -> None:
            if result.done():
                return
            if review:
                result.set_result(review)
            else:
                result.set_exception(error or ClientError(f"{NOT_REVIEWED}.", REFUSED))

        def work() -> None:
            review, error = None, None
            try:
                review = self._work_out(number, stop.is_set)
            except Exception as problem:
                error = problem
            try:
                loop.call_soon_threadsafe(settle, review, error)
            except RuntimeError:  # the event loop is closed: the process ends
                return

        threading.Thread(target=work, name="reviewer", daemon=True).start()
        try:
            return await result
        finally:
            stop.set()

    def _work_out(self, number: int | None, stopped: Callable[[], bool]) -> GameReview | None:
        """The review, or None where it was stopped. Raises ClientError."""
        from dicegames_server.audit.review.played_games import NoReview
        from dicegames_server.audit.review.reviewing import review

        self.done = 0.0
        try:
            reviewing = review(self._updates, number)
            while not stopped():
                self.done = next(reviewing)
        except StopIteration as stop:
            found: GameReview = stop.value
            return cleaned(found)
        except NoReview as reason:
            raise ClientError(str(reason), REFUSED) from None
        except Exception as error:
            raise ClientError(f"{NOT_REVIEWED} ({type(error).__name__}).", REFUSED) from None
        return None

"""How well everybody played, for those in a room: worked out from its log, in the worker, once for all who ask.

One review is worked out at a time, in slices: other users of the worker get their turn after each slice. Who asks for a
game that is being reviewed waits for the same result, and later gets the same bytes. Nothing is told during a game.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from weakref import WeakKeyDictionary

from dicegames_protocol.codec import decode_update, encode
from dicegames_protocol.messages.server import Update
from dicegames_server.audit.review.played_games import NoReview
from dicegames_server.audit.review.reviewing import review
from dicegames_server.audit.review.shortening import shortened
from dicegames_server.core.clock import pause
from dicegames_server.core.errors import Refused
from dicegames_server.core.worker import TooMuch
from dicegames_server.lobby.played.review_work import Allowance, ReviewSlices, TooLong
from dicegames_server.lobby.played.reviewer import BUSY_SECONDS
from dicegames_server.room.environment import Environment
from dicegames_server.room.room import Room
from dicegames_server.storage.base import Unavailable, Unknown

log = logging.getLogger("dicegames.reviews")
REVIEW_SECONDS = 20.0
"""Most seconds for one review."""
WAIT_SECONDS = 15.0
"""Most seconds that anybody waits for an answer. Clients take a server for dead that says nothing for 20."""
MOST_READ = 20_000
"""Most updates of a log that is read for a review."""
MOST_REVIEWS = 32
"""Most reviews that are worked out or wait for their turn."""
MOST_KEPT = 8
"""Most games of a room whose reviews are kept."""
_PAGE = 200
T = TypeVar("T")

NOT_DURING_PLAY = "How well you play is told only after the game."
STILL_AT_IT = "The review is still being worked out. Ask again in a moment."
REVIEWS_BUSY = "Too many games are being reviewed at the moment. Try again."


@dataclass(frozen=True, slots=True)
class _Asked:
    match: object
    """The game that the room was about. A correction may still change how it ended; then it is another value."""
    answer: "asyncio.Task[bytes | str]"
    """The review as JSON, or a sentence why there will never be one here."""


class Reviews:
    def __init__(self, environment: Environment, stays: Callable[[Room], bool]) -> None:
        """`stays`: whether a room is still there. A review of a room that is gone is given up."""
        self._environment = environment
        self._stays = stays
        self._asked: WeakKeyDictionary[Room, dict[int, _Asked]] = WeakKeyDictionary()
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def of(self, room: Room, number: int | None) -> bytes:
        """The review of a game of a room, as JSON. Without a number: of the last one. Raises Refused."""
        self._check(room)
        last = room.state.info.game_no
        number = last if number is None else number
        if not last:
            raise Refused("illegal_move", f"No game is over here. {NOT_DURING_PLAY}")
        if number > last:
            raise Refused("bad_message", f"There is no game {number} in this room. The last one is game {last}.")
        asked = self._asked.setdefault(room, {})
        found = asked.get(number)
        if found is None or (number == last and found.match is not room.state.match):
            answer = asyncio.ensure_future(self._in_turn(room, number))
            found = asked[number] = _Asked(room.state.match, answer)
            answer.add_done_callback(partial(_forget_failure, asked, number))
            if len(asked) > MOST_KEPT:
                del asked[next(iter(asked))]
        told = await self._patiently(found.answer)
        self._check(room)  # the next game may have begun meanwhile
        if isinstance(told, str):
            raise Refused("unavailable", told)
        return told

    async def _patiently(self, answer: "asyncio.Task[bytes | str]") -> bytes | str:
        """The answer. Whoever has waited for long is told to ask again; it is worked out meanwhile."""
        enough = asyncio.get_running_loop().create_future()
        timer = self._environment.clock.call_later(WAIT_SECONDS, lambda: enough.set_result(None))
        try:
            await asyncio.wait((answer, enough), return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
        if not answer.done():
            raise Refused("unavailable", STILL_AT_IT)
        return answer.result()

    def _check(self, room: Room) -> None:
        """Raise Refused where a review would help somebody who plays, or nobody."""
        if not self._stays(room):
            raise Refused("unavailable", "The room is gone.")
        if room.state.info.phase in ("dealing", "playing"):
            raise Refused("illegal_move", NOT_DURING_PLAY)

    async def _in_turn(self, room: Room, number: int) -> bytes | str:
        if self._waiting >= MOST_REVIEWS:
            raise Refused("unavailable", REVIEWS_BUSY)
        self._waiting += 1
        try:
            async with self._turn:
                return await self._work_out(room, number)
        except NoReview as reason:
            return str(reason)
        except (Unavailable, Unknown):
            raise Refused("unavailable", "The server can't read or write right now. Try again.") from None
        except Refused:
            raise
        except Exception as error:
            log.exception("room %s can't be reviewed", room.code)
            raise Refused("internal", f"This game can't be reviewed ({type(error).__name__}).") from None
        finally:
            self._waiting -= 1

    async def _work_out(self, room: Room, number: int) -> bytes | str:
        too_long = f"That takes too long here. 'dicegames-client review {room.code}' does it on your machine."
        until = self._environment.clock.now() + REVIEW_SECONDS
        updates: list[Update] = []
        while page := await self._page(room, len(updates)):
            updates += await self._run(room, partial(_read, page), until) or ()
            if len(updates) > MOST_READ or self._environment.clock.now() >= until:
                return too_long
        slices = ReviewSlices(partial(review, updates, number), Allowance(self._environment.clock.now, REVIEW_SECONDS))

        def go_on() -> bytes | None:
            return encode(shortened(found)) if (found := slices.next()) else None

        try:
            return await self._run(room, go_on, until) or too_long
        except TooLong:
            return too_long

    async def _page(self, room: Room, after: int) -> list[bytes]:
        found = await self._environment.storage.read(room.code, after, _PAGE)
        return found[1] if found else []

    async def _run(self, room: Room, work: Callable[[], T | None], until: float) -> T | None:
        """Let the worker do this, again and again until there is a result. None: it took too long."""
        clock = self._environment.clock
        while clock.now() < until:
            self._check(room)
            try:
                if (result := await self._environment.worker.run("review", work)) is not None:
                    return result
            except TooMuch:
                await pause(clock, BUSY_SECONDS)
        return None


def _read(lines: list[bytes]) -> list[Update]:
    return [decode_update(line) for line in lines]


def _forget_failure(asked: dict[int, _Asked], number: int, answer: "asyncio.Task[bytes | str]") -> None:
    """Whoever asks next tries again."""
    failed = answer.cancelled() or answer.exception()
    if failed and (found := asked.get(number)) and found.answer is answer:
        del asked[number]

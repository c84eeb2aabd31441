"""An inbox: jobs from many sides, carried out one after the other.

Whoever asks gets exactly one answer, whatever happens to the job: refused, failed, or the inbox closed before it came
to it. A second answer would be a bug; it is logged and not sent.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.server import Error, ErrorCode
from dicegames_server.core.eager import Begun, begin
from dicegames_server.games.base import Refused
from dicegames_server.storage.base import Conflict, NotWritten, Unavailable

log = logging.getLogger("dicegames.inbox")
MOVED = "This room goes on at another machine. Try again in a moment."
Reply = Callable[[bytes], None]
Job = Callable[[Reply], Awaitable[None]]


class Gone(Exception):
    """What was asked goes unanswered, for the connection ends and it is asked again elsewhere."""


@dataclass(slots=True, eq=False)
class Ask:
    job: Job | None
    id: str | None
    send: Reply | None
    done: asyncio.Future[None] | None = None
    begun: Begun | None = None
    """A job that has been started and now waits for something."""
    answered: bool = False
    error: ErrorCode | None = None
    """What it was refused with."""
    comes: bool = False
    """Whoever asks is not in yet: if the room goes elsewhere meanwhile, they do not hear of it any other way."""
    claims: "Callable[[Ask], None] | None" = None
    """Instead of a job: what is done by whoever claims the inbox, as soon as no job is before."""

    def reply(self, answer: bytes) -> None:
        if self.answered:
            log.error("a second answer to command %r was held back", self.id)
        elif self.send:
            self.send(answer)
        self.answered = True

    def fail(self, code: ErrorCode, message: str, hint: str | None = None) -> None:
        if not self.answered:
            self.error = code
            self.reply(encode(Error(id=self.id, code=code, message=message, hint=hint)))

    def finish(self) -> None:
        if self.done and not self.done.done():
            self.done.set_result(None)


class Inbox:
    def __init__(self, name: str, on_error: Callable[[ErrorCode], None] = lambda code: None) -> None:
        self._name = name
        self._on_error = on_error
        self._queue: asyncio.Queue[Ask] = asyncio.Queue()
        self._closed: str | None = None
        self._moves = False
        self._busy = False
        """A job is being done."""
        self._claims = 0
        self._before = 0
        """Jobs for the task that are not done yet. While there are none, one may begin in the task of whoever asks."""
        self._freed: asyncio.Future[None] | None = None
        self._paused = False
        self._excuse: str | None = None
        self._resumed: asyncio.Future[None] | None = None
        self._complained = False
        """That nothing can be saved has been logged, and nothing was saved since."""
        self._task = asyncio.create_task(self._run(), name=name)

    async def ask(
        self, job: Job, id: str | None = None, send: Reply | None = None, *, comes: bool = False
    ) -> ErrorCode | None:
        """Have a job done, and wait until it is. Without `send` nobody is told how it went; an error is given back.

        `comes`: it is for somebody who is not in yet.
        """
        ask = Ask(job, id, send, comes=comes)
        if self._turned_away(ask):
            return ask.error
        if self._free:
            ask.begun = begin(self._carry_out(ask))
            if ask.begun is None:  # done already: most jobs have nothing to wait for, and no task need be woken
                return ask.error
        ask.done = asyncio.get_running_loop().create_future()
        self._put(ask)
        await ask.done
        return ask.error

    def post(self, job: Job, id: str | None = None, send: Reply | None = None) -> None:
        """Have a job done some time: nobody waits for it, though somebody may want an answer."""
        ask = Ask(job, id, send)
        if not self._turned_away(ask):
            self._put(ask)

    def claim(self, id: str, send: Reply) -> Ask | None:
        """Whoever claims the inbox does their job themselves, and has to `release` it. None: a job is before.

        Several may claim it at a time; they see to their order themselves. Jobs wait until all have released it.
        """
        if self._busy or self._before or self._paused or self._closed is not None:
            return None
        self._claims += 1
        return Ask(None, id, send)

    async def claim_later(self, id: str, send: Reply, claims: Callable[[Ask], None]) -> None:
        """Claim the inbox when all jobs that were before are done; `claims` is called then, and has to `release` it."""
        ask = Ask(None, id, send, claims=claims)
        if self._turned_away(ask):
            return
        ask.done = asyncio.get_running_loop().create_future()
        self._put(ask)
        await ask.done

    def release(self, ask: Ask, error: Exception | None = None) -> None:
        if error:
            self._explain(ask, error)
        else:
            self._complained = False
        ask.finish()
        self._claims -= 1
        if not self._claims and self._freed and not self._freed.done():
            self._freed.set_result(None)

    def pause(self, excuse: str | None = None) -> None:
        """Nothing is begun until `go_on`. With an excuse, whoever wants an answer is given that instead of waiting."""
        self._paused, self._excuse = True, excuse

    def go_on(self) -> None:
        self._paused, self._excuse = False, None
        if self._resumed and not self._resumed.done():
            self._resumed.set_result(None)

    def close(self, why: str, *, moves: bool = False) -> None:
        """No more jobs. Whoever still waits is told why, unless it all `moves` elsewhere and is asked again there."""
        self._closed, self._moves = why, moves
        self._task.cancel()
        while not self._queue.empty():
            self._leave(self._queue.get_nowait())

    def _leave(self, ask: Ask) -> None:
        """The inbox was closed before this was done."""
        if self._moves and ask.comes:
            ask.fail("unavailable", MOVED)
        ask.answered = ask.answered or self._moves
        ask.fail("no_such_room", self._closed or "")
        ask.finish()

    @property
    def _free(self) -> bool:
        return not (self._busy or self._before or self._claims or self._paused)

    def _turned_away(self, ask: Ask) -> bool:
        """Whether nothing comes of this now, which has been told."""
        if self._closed is not None and self._moves:
            ask.fail("unavailable", MOVED)
        elif self._closed is not None:
            ask.fail("no_such_room", self._closed)
        elif self._excuse is not None and ask.send:
            self._fail(ask, "unavailable", self._excuse)
        else:
            return False
        return True

    def _put(self, ask: Ask) -> None:
        self._before += 1
        self._queue.put_nowait(ask)

    async def _run(self) -> None:
        while True:
            ask = await self._queue.get()
            try:
                while self._paused:
                    self._resumed = asyncio.get_running_loop().create_future()
                    await self._resumed
            except asyncio.CancelledError:
                self._leave(ask)
                raise
            if ask.claims:
                self._claims += 1
                self._before -= 1
                try:
                    ask.claims(ask)
                except Exception as error:
                    self.release(ask, error)
                continue
            try:
                if self._claims:
                    self._freed = asyncio.get_running_loop().create_future()
                    await self._freed
                self._busy = True
                await (ask.begun or self._carry_out(ask))
            finally:
                self._busy = False
                self._before -= 1
                if self._closed is not None:
                    self._leave(ask)
                ask.finish()

    async def _carry_out(self, ask: Ask) -> None:
        try:
            if ask.job:
                await ask.job(ask.reply)
        except Exception as error:
            self._explain(ask, error)

    def _explain(self, ask: Ask, error: Exception) -> None:
        """Tell whoever asked why nothing came of it."""
        if isinstance(error, Gone):
            if ask.comes:
                ask.fail("unavailable", MOVED)
            ask.answered = True
        elif isinstance(error, Refused):
            self._fail(ask, error.code, error.message, error.hint)
        elif isinstance(error, NotWritten):
            self._fail(ask, "unavailable", "That could not be saved, so nothing was changed. Try again.")
        elif isinstance(error, Unavailable | Conflict):
            if not self._complained:  # people who try again do not fill the log
                log.warning("%s: can't commit: %s", self._name, error)
            self._complained = True
            self._fail(ask, "unavailable", "The server can't save right now; nothing was changed. Try again soon.")
        else:
            log.error("%s: a command failed", self._name, exc_info=error)
            self._fail(ask, "internal", "Something went wrong on the server; nothing was changed.")

    def _fail(self, ask: Ask, code: ErrorCode, message: str, hint: str | None = None) -> None:
        self._on_error(code)
        ask.fail(code, message, hint)

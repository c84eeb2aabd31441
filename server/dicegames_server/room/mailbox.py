"""A room's mailbox: it takes jobs from many callers and runs them one after the other.

Moves take a shorter path: a move claims the mailbox instead of becoming a job. docs/architecture/a-move.md says how
much time that saves.

The mailbox is in one of these states:

    idle      There is no job and no claim. The mailbox's own task takes a job. A move claims the mailbox at once.
    working   One job is running. Everything else waits in the queue, moves included.
    claimed   One or more moves are being committed. Further moves claim the mailbox, too, and keep their own order.
              A job waits until all claims are released. While a job waits, new moves wait behind it.
    paused    Nothing new starts until `go_on`: the room is being moved, or its owner is not known. If an excuse was
              given, a caller who wants an answer gets the excuse and does not wait.
    closed    Final. Every caller who still waits is told why. If the room moves to another node, only callers who are
              not in the room yet are told; the others ask again there.

    idle -> working -> idle                 a job comes and is done
    idle -> claimed -> claimed -> idle      moves come and are released
    claimed -> working                      the last claim is released while a job waits
    any -> paused -> the state before       pause, go_on
    any -> closed                           close

Invariant: every caller gets exactly one answer, whether the job succeeds, is refused or fails, or the mailbox is closed
before the job starts. The one exception is a room that moves, see above. A second answer would be a bug; it is logged
and not sent.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.server import Error, ErrorCode
from dicegames_server.core.eager import Suspended, run_eagerly
from dicegames_server.core.errors import Refused
from dicegames_server.storage.base import Conflict, NotWritten, Unavailable

log = logging.getLogger("dicegames.mailbox")
MOVED = "This room goes on at another machine. Try again in a moment."
Reply = Callable[[bytes], None]
Job = Callable[[Reply], Awaitable[None]]


class Gone(Exception):
    """The command is not answered here: the connection ends, and the client asks again elsewhere."""


@dataclass(slots=True, eq=False)
class Envelope:
    job: Job | None
    id: str | None
    send: Reply | None
    done: asyncio.Future[None] | None = None
    suspended: Suspended | None = None
    """The rest of a job that was begun at once and now waits for something."""
    answered: bool = False
    error: ErrorCode | None = None
    """The error code that was sent as the answer, if any."""
    arriving: bool = False
    """The caller is not in the room yet. If the room moves to another node meanwhile, only this answer can say so."""
    claims: "Callable[[Envelope], None] | None" = None
    """Set instead of `job`: called with a claim on the mailbox as soon as no job is before it."""

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


class Mailbox:
    def __init__(self, name: str, on_error: Callable[[ErrorCode], None] = lambda code: None) -> None:
        self._name = name
        self._on_error = on_error
        self._queue: asyncio.Queue[Envelope] = asyncio.Queue()
        self._closed: str | None = None
        self._moves = False
        self._busy = False
        """Whether a job is running."""
        self._claims = 0
        self._before = 0
        """Number of jobs that are not done yet. While there are any, moves wait behind them."""
        self._freed: asyncio.Future[None] | None = None
        self._paused = False
        self._excuse: str | None = None
        self._resumed: asyncio.Future[None] | None = None
        self._complained = False
        """Whether a failed commit was logged, and nothing was committed since."""
        self._task = asyncio.create_task(self._run(), name=name)

    async def ask(
        self, job: Job, id: str | None = None, send: Reply | None = None, *, arriving: bool = False
    ) -> ErrorCode | None:
        """Queue a job and wait until it is done. Returns the error code if it failed.

        The answer goes to `send`; without `send` no answer is sent. `arriving`: the caller is not in the room yet.
        """
        envelope = Envelope(job, id, send, arriving=arriving)
        if self._turned_away(envelope):
            return envelope.error
        if not (self._busy or self._before or self._claims or self._paused):
            envelope.suspended = run_eagerly(self._carry_out(envelope))
            if envelope.suspended is None:  # done already: no task need be woken
                return envelope.error
        envelope.done = asyncio.get_running_loop().create_future()
        self._put(envelope)
        await envelope.done
        return envelope.error

    def post(self, job: Job, id: str | None = None, send: Reply | None = None) -> None:
        """Queue a job and do not wait for it. The answer goes to `send`, if there is one."""
        envelope = Envelope(job, id, send)
        if not self._turned_away(envelope):
            self._put(envelope)

    def claim(self, id: str, send: Reply, *, joins: bool = False) -> Envelope | None:
        """Claim the mailbox. The caller then does the work itself and has to call `release`.

        None: not now, because a job is running or waiting, or the mailbox is paused or closed. Call `claim_later`.
        Several callers may hold a claim at a time; they keep their own order. Jobs wait until all claims are released.
        `joins`: the caller only waits together with one that holds a claim already, and begins nothing.
        """
        if self._closed is not None or (not joins and (self._busy or self._before or self._paused)):
            return None
        self._claims += 1
        return Envelope(None, id, send)

    async def claim_later(
        self, id: str, send: Reply, claims: Callable[[Envelope], None], *, patient: bool = False
    ) -> None:
        """Claim the mailbox when all earlier jobs are done. `claims` is called then and has to call `release`.

        `patient`: the caller waits, too, where others are given an excuse.
        """
        envelope = Envelope(None, id, send, claims=claims)
        if self._turned_away(envelope, patient=patient):
            return
        envelope.done = asyncio.get_running_loop().create_future()
        self._put(envelope)
        await envelope.done

    def release(self, envelope: Envelope, error: Exception | None = None) -> None:
        """Give a claim back. With `error`, the caller is told why nothing was changed."""
        if error:
            self._explain(envelope, error)
        else:
            self._complained = False
        envelope.finish()
        self._claims -= 1
        if not self._claims and self._freed and not self._freed.done():
            self._freed.set_result(None)

    def pause(self, excuse: str | None = None) -> None:
        """Start nothing new until `go_on`. With an excuse, a caller who wants an answer gets it and does not wait."""
        self._paused, self._excuse = True, excuse

    def go_on(self) -> None:
        self._paused, self._excuse = False, None
        if self._resumed and not self._resumed.done():
            self._resumed.set_result(None)

    def close(self, why: str, *, moves: bool = False) -> None:
        """Take no more jobs. Callers who still wait are told why.

        `moves`: the room moves to another node. Then only callers who are not in the room yet are told; the others ask
        again there.
        """
        self._closed, self._moves = why, moves
        self._task.cancel()
        while not self._queue.empty():
            self._leave(self._queue.get_nowait())

    def _leave(self, envelope: Envelope) -> None:
        """Answer a command that was not done before the mailbox was closed."""
        if self._moves and envelope.arriving:
            envelope.fail("unavailable", MOVED)
        envelope.answered = envelope.answered or self._moves
        envelope.fail("no_such_room", self._closed or "")
        envelope.finish()

    def _turned_away(self, envelope: Envelope, *, patient: bool = False) -> bool:
        """Whether the mailbox does not accept this now. If so, the caller has been told why."""
        if self._closed is not None and self._moves:
            envelope.fail("unavailable", MOVED)
        elif self._closed is not None:
            envelope.fail("no_such_room", self._closed)
        elif self._excuse is not None and envelope.send and not patient:
            self._fail(envelope, "unavailable", self._excuse)
        else:
            return False
        return True

    def _put(self, envelope: Envelope) -> None:
        self._before += 1
        self._queue.put_nowait(envelope)

    async def _run(self) -> None:
        while True:
            await self._deliver(await self._queue.get())

    async def _deliver(self, envelope: Envelope) -> None:
        try:
            while self._paused:
                self._resumed = asyncio.get_running_loop().create_future()
                await self._resumed
        except asyncio.CancelledError:
            self._leave(envelope)
            raise
        if envelope.claims:
            self._claims += 1
            self._before -= 1
            try:
                envelope.claims(envelope)
            except Exception as error:
                self.release(envelope, error)
            return
        try:
            if self._claims:
                self._freed = asyncio.get_running_loop().create_future()
                await self._freed
            self._busy = True
            await (envelope.suspended or self._carry_out(envelope))
        finally:
            self._busy = False
            self._before -= 1
            if self._closed is not None:
                self._leave(envelope)
            envelope.finish()

    async def _carry_out(self, envelope: Envelope) -> None:
        try:
            if envelope.job:
                await envelope.job(envelope.reply)
        except Exception as error:
            self._explain(envelope, error)

    def _explain(self, envelope: Envelope, error: Exception) -> None:
        """Tell the caller why the command was not carried out."""
        if isinstance(error, Gone):
            if envelope.arriving:
                envelope.fail("unavailable", MOVED)
            envelope.answered = True
        elif isinstance(error, Refused):
            self._fail(envelope, error.code, error.message, error.hint)
        elif isinstance(error, NotWritten):
            self._fail(envelope, "unavailable", "That could not be saved, so nothing was changed. Try again.")
        elif isinstance(error, Unavailable | Conflict):
            if not self._complained:  # retries do not fill the log
                log.warning("%s: can't commit: %s", self._name, error)
            self._complained = True
            self._fail(envelope, "unavailable", "The server can't save right now; nothing was changed. Try again soon.")
        else:
            log.error("%s: a command failed", self._name, exc_info=error)
            self._fail(envelope, "internal", "Something went wrong on the server; nothing was changed.")

    def _fail(self, envelope: Envelope, code: ErrorCode, message: str, hint: str | None = None) -> None:
        self._on_error(code)
        envelope.fail(code, message, hint)

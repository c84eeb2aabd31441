"""An event loop whose time is virtual. When nothing is ready, time jumps to the next timer.

What is ready at the same time runs in an order that is drawn from the seed. Everything that belongs to a process (a
context variable) can be frozen, as by kill -9: its tasks and timers never run again, not even their `finally`.
"""

import asyncio
import contextlib
import heapq
import itertools
import random
import traceback
from asyncio import Handle, TimerHandle
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, ContextVar, copy_context
from typing import Any, TypeVar

T = TypeVar("T")
MOST_STEPS_AT_ONCE = 200_000
"""Steps without any time between them after which the loop is said to spin."""


class Process:
    """Something that can be killed as a whole."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dead = False

    def context(self) -> Context:
        context = Context()
        context.run(PROCESS.set, self)
        return context


PROCESS: ContextVar[Process | None] = ContextVar("process", default=None)


class Stuck(Exception):
    """Nothing is ready, and no timer will ever make anything ready; or it never stops being ready."""


class VirtualLoop(asyncio.AbstractEventLoop):
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._now = 1000.0
        self._order = itertools.count()
        self._ready: list[Handle] = []
        self._timers: list[tuple[float, int, TimerHandle]] = []
        self._tasks: dict[asyncio.Task[Any], Process | None] = {}
        self._graves: list[asyncio.Task[Any]] = []
        self._closed = False
        self.steps = 0
        self.problems: list[str] = []
        """What nobody has looked after: exceptions of callbacks and of tasks."""

    def time(self) -> float:
        return self._now

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return not self._closed

    def is_closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        self._closed = True
        self._ready, self._timers = [], []

    def create_future(self) -> "asyncio.Future[Any]":
        return asyncio.Future(loop=self)

    def create_task(
        self,
        coro: Coroutine[Any, Any, T] | Generator[Any, None, T],
        *,
        name: str | None = None,
        context: Context | None = None,
        **_: Any,
    ) -> "asyncio.Task[T]":
        task: asyncio.Task[T] = asyncio.Task(coro, loop=self, name=name or "task", context=context)
        self._tasks[task] = (copy_context() if context is None else context).get(PROCESS)
        task.add_done_callback(lambda done: self._tasks.pop(done, None), context=Context())
        return task

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Context | None = None) -> Handle:  # type: ignore[override]
        handle = Handle(callback, args, self, copy_context() if context is None else context)
        if not self._closed:
            self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> TimerHandle:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> TimerHandle:
        handle = TimerHandle(when, callback, args, self, copy_context() if context is None else context)
        if not self._closed:
            heapq.heappush(self._timers, (when, next(self._order), handle))
        return handle

    def _timer_handle_cancelled(self, handle: TimerHandle) -> None:
        """asyncio tells this. Cancelled timers are left where they are, and skipped."""

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> "asyncio.Future[Any]":  # type: ignore[override]
        """There are no threads: it is done at once."""
        done = self.create_future()
        done.set_result(func(*args))
        return done

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        told = "".join(traceback.format_exception(error)[-4:]) if error else ""
        self.problems.append(f"{context.get('message')} {told}")

    default_exception_handler = call_exception_handler

    def run_until_complete(self, future: Any) -> Any:
        """Run until this is done, and give its result."""
        task = asyncio.ensure_future(future, loop=self)
        asyncio._set_running_loop(self)
        try:
            while not task.done():
                self._run_once()
        finally:
            asyncio._set_running_loop(None)
        return task.result()

    def _run_once(self) -> None:
        while self._timers and self._timers[0][2].cancelled():
            heapq.heappop(self._timers)
        if not self._ready:
            if not self._timers:
                raise Stuck("everybody waits, and nothing will happen any more")
            self._now = max(self._now, self._timers[0][0])
            self._spun = 0
        while self._timers and self._timers[0][0] <= self._now:
            self._ready.append(heapq.heappop(self._timers)[2])
        batch, self._ready = self._ready, []
        if len(batch) > 1:
            self._rng.shuffle(batch)
        self._spun += len(batch)
        if self._spun > MOST_STEPS_AT_ONCE:
            raise Stuck(f"it never stops at {self._now:.3f}: {batch[0]}")
        for handle in batch:
            process = _context_of(handle).get(PROCESS)
            if not handle.cancelled() and not (process and process.dead):
                self.steps += 1
                handle._run()

    _spun = 0

    def kill(self, process: Process) -> None:
        """Nothing of this process ever runs again. Its tasks are kept until the end, so that nothing cleans up."""
        process.dead = True
        for task in [task for task, of in self._tasks.items() if of is process]:
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            self._graves.append(task)
            del self._tasks[task]

    def bury(self) -> None:
        """Throw away all that is not done. Whatever it still wants to do meanwhile leads nowhere."""
        asyncio._set_running_loop(self)
        for task in [*self._graves, *self._tasks]:
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            with contextlib.suppress(BaseException):
                task.get_coro().close()
        self._graves.clear()
        self._tasks.clear()
        asyncio._set_running_loop(None)

    def tasks_of(self, process: Process | None = None) -> list[str]:
        """The tasks that are not done: of a process, or of all."""
        return [f"{task.get_name()} {task.get_coro()}" for task, of in self._tasks.items() if process in (None, of)]

    def timers_of(self, process: Process) -> list[str]:
        live = [handle for _, _, handle in self._timers if not handle.cancelled()]
        return [repr(handle) for handle in live if _context_of(handle).get(PROCESS) is process]


def _context_of(handle: Handle) -> Context:
    context: Context = handle._context  # type: ignore[attr-defined]
    return context

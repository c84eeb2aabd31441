"""A worker for calculations that may take long: odds, and the moves of expert bots.

The event loop belongs to everybody. Whatever grows with options, scores or seats is calculated in one thread beside
it. A caller waits for a limited time and then does without the result. A key, such as the address of whoever asks, has
only a few calculations at a time, so nobody can fill the queue alone. Questions of people come before the moves of
bots, and these before what nobody waits for. Among equals the keys take turns.
"""

import asyncio
import logging
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, Protocol, TypeVar

log = logging.getLogger("dicegames.worker")
LIMIT_SECONDS = 1.0
"""Seconds that a caller waits for a result."""
PATIENCE = 3
"""People who ask wait so many times as long: something else may be under way that can't be interrupted."""
MOST_CALCULATIONS = 64
"""Most calculations that are under way or wait."""
MOST_PER_KEY = 4
"""Most calculations of one key that are under way or wait."""
_LATER = ("bot",)
_LAST = ("prepare", "review", "reviews", "ratings")
"""Kinds of keys that come after the questions of people. A kind is the key, or the first part of it."""
T = TypeVar("T")


class TooMuch(Exception):
    """There is no result: it would take too long, or too much is being calculated already."""


class Worker(Protocol):
    async def run(self, key: Hashable, work: Callable[[], T]) -> T:
        """The result of `work`, which must be pure. Raises TooMuch."""


class AtOnce:
    """Calculates in the caller's own time, so that the result is there at once. For tests."""

    async def run(self, key: Hashable, work: Callable[[], T]) -> T:
        return work()


class _Job(NamedTuple):
    key: Hashable
    work: Callable[[], Any]
    result: "asyncio.Future[Any]"
    loop: asyncio.AbstractEventLoop


class _Jobs:
    """The calculations that wait, each in the line of its key. Any thread may come here."""

    def __init__(self) -> None:
        self._lines: tuple[OrderedDict[Hashable, deque[_Job]], ...] = (OrderedDict(), OrderedDict(), OrderedDict())
        """By rank, the most urgent first: key -> its jobs. The key whose turn it is comes first."""
        self._there = threading.Condition()

    def put(self, job: _Job) -> None:
        with self._there:
            self._lines[_rank(job.key)].setdefault(job.key, deque()).append(job)
            self._there.notify()

    def get(self) -> _Job:
        """The next calculation. Waits for one."""
        with self._there:
            self._there.wait_for(lambda: any(self._lines))
            lines = next(lines for lines in self._lines if lines)
            key, jobs = lines.popitem(last=False)
            job = jobs.popleft()
            if jobs:
                lines[key] = jobs  # behind all others
            return job


def _rank(key: Hashable) -> int:
    kind = key[0] if isinstance(key, tuple) and key else key
    return 2 if kind in _LAST else 1 if kind in _LATER else 0


class WorkerThread:
    """One thread for all calculations. It is a daemon: a calculation never keeps the process from ending."""

    def __init__(self, limit_seconds: float = LIMIT_SECONDS, most_waiting: int = MOST_CALCULATIONS) -> None:
        self._limit_seconds = limit_seconds
        self._most_waiting = most_waiting
        self._jobs = _Jobs()
        self._keys: Counter[Hashable] = Counter()
        """Calculations that are not done, by key. A caller who waits no longer does not make room for another."""
        self._thread: threading.Thread | None = None

    async def run(self, key: Hashable, work: Callable[[], T]) -> T:
        if self._keys[key] >= MOST_PER_KEY or self._keys.total() >= self._most_waiting:
            raise TooMuch
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()
        self._keys[key] += 1
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="worker", daemon=True)
            self._thread.start()
        self._jobs.put(_Job(key, work, result, loop))
        limit = self._limit_seconds * (PATIENCE if _rank(key) == 0 else 1)
        too_late = loop.call_later(limit, _give_up, result)  # asyncio.timeout needs a task; see eager.py
        try:
            return await result
        finally:
            too_late.cancel()

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            value, error = None, None
            try:
                if not job.result.done():  # nobody waits any more: not worth the work
                    value = job.work()
            except Exception as problem:
                error = problem
            try:
                job.loop.call_soon_threadsafe(self._done, job, value, error)
            except RuntimeError:  # the event loop is closed: the process ends
                return

    def _done(self, job: _Job, value: Any, error: Exception | None) -> None:
        self._keys[job.key] -= 1
        if not self._keys[job.key]:
            del self._keys[job.key]
        if job.result.done():
            if error:
                log.error("a calculation failed", exc_info=error)
        elif error:
            job.result.set_exception(error)
        else:
            job.result.set_result(value)


def _give_up(result: "asyncio.Future[Any]") -> None:
    if not result.done():
        result.set_exception(TooMuch())

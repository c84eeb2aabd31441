"""The clock, passed in as an argument. Tests pass a clock that they move themselves."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Handle(Protocol):
    def cancel(self) -> None: ...


class Clock(Protocol):
    def now(self) -> float:
        """Seconds on a monotonic clock."""

    def call_later(self, delay: float, callback: Callable[[], None]) -> Handle: ...


async def pause(clock: Clock, seconds: float) -> None:
    """Wait, with time measured by this clock."""
    over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    handle = clock.call_later(seconds, lambda: None if over.done() else over.set_result(None))
    try:
        await over
    finally:
        handle.cancel()


class SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def call_later(self, delay: float, callback: Callable[[], None]) -> Handle:
        return asyncio.get_running_loop().call_later(delay, callback)

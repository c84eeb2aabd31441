"""Waiting for something that is bound to happen, without an event of its own."""

import asyncio
from collections.abc import Callable

PATIENCE_SECONDS = 30.0


async def eventually(true: Callable[[], bool]) -> None:
    """Let everything else run until this is true. It fails the test only if it never comes true."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not true():  # noqa: ASYNC110  # there is no event to wait for
            await asyncio.sleep(0)

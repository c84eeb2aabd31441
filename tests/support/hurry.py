"""A client's back-off in fast motion: the same steps, a fiftieth of the time."""

import asyncio


async def hurried(delay: float) -> None:
    await asyncio.sleep(delay / 50)

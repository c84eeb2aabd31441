"""A coroutine that begins at once, in the running task, instead of waiting for its turn on the event loop.

Most commands wait for nothing. They are done before a task would have been woken. A task awaits the rest of the others.
"""

from collections.abc import Coroutine, Generator
from functools import partial
from typing import Any


class Suspended:
    """The rest of a coroutine that has run up to its first wait."""

    def __init__(self, coroutine: Coroutine[Any, Any, object], waits_for: Any) -> None:
        self._coroutine = coroutine
        self._waits_for = waits_for

    def __await__(self) -> Generator[Any, Any, None]:
        while True:
            try:
                yield self._waits_for
            except BaseException as error:  # cancelled, or whatever it waited for went wrong: the coroutine decides
                step = partial(self._coroutine.throw, error)
            else:
                step = partial(self._coroutine.send, None)
            try:
                self._waits_for = step()
            except StopIteration:
                return


def run_eagerly(coroutine: Coroutine[Any, Any, object]) -> Suspended | None:
    """Run a coroutine up to its first wait. None: it had nothing to wait for and is done."""
    try:
        return Suspended(coroutine, coroutine.send(None))
    except StopIteration:
        return None

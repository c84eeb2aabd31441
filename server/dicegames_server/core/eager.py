"""A coroutine that begins at once, in whatever is running, instead of waiting for its turn on the event loop.

Most commands have nothing to wait for and are done before anybody would have been woken. The rest of one that does
wait is awaited by a task.
"""

from collections.abc import Coroutine, Generator
from functools import partial
from typing import Any


class Begun:
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


def begin(coroutine: Coroutine[Any, Any, object]) -> Begun | None:
    """Run a coroutine up to its first wait. None: it had nothing to wait for and is done."""
    try:
        return Begun(coroutine, coroutine.send(None))
    except StopIteration:
        return None

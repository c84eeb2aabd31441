"""Asks the user, and tells the user something. lines/ does it in lines, screens/ on the screen."""

from collections.abc import Callable, Sequence
from typing import Protocol

Check = Callable[[str], str | None]
"""Returns a sentence if an answer is not allowed, else None."""


class Prompter(Protocol):
    @property
    def present(self) -> bool:
        """Whether there is a user to ask."""

    async def question(self, text: str, *, check: Check | None = None, start: str = "") -> str:
        """An answer that passes `check`. `start` is the text that is already in the line, where that can be shown."""

    async def secret(self, text: str) -> str: ...

    async def choose(self, question: str, choices: Sequence[tuple[str, str]], names: Sequence[str] = ()) -> int:
        """Let the user choose. A choice is a name and a description.

        Returns the index of the choice, from 0. In line mode, one of `names` can be typed instead of a number.
        """

    async def confirm(self, question: str, *, usual: bool = True) -> bool:
        """Ask yes or no. Enter means what is `usual`. On the screen one key is the answer."""

    async def offer(self, said: str, key: str, verb: str) -> bool:
        """Say that something can't be had, and offer something else: on the screen `key` takes it."""

    def tell(self, text: str) -> None: ...

    def wait(self, text: str, *, long: bool = False) -> None:
        """Say what takes time now. `long`: it takes longer than expected."""

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

    def tell(self, text: str) -> None: ...

    def wait(self, text: str, *, long: bool = False) -> None:
        """Say what takes time now. `long`: it takes longer than expected."""


async def confirm(prompter: Prompter, question: str) -> bool:
    """Ask yes or no; Enter means yes."""

    def check(typed: str) -> str | None:
        known = typed.strip().lower() in ("", "y", "yes", "n", "no")
        return None if known else "Type y or n, or just Enter for yes."

    typed = await prompter.question(f"{question} Enter for yes, n for no: ", check=check)
    return not typed.strip().lower().startswith("n")

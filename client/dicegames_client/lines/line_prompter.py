"""Asking the person at the keyboard, and telling them something: in lines here, in screens in screens/voice.py."""

import getpass
import sys
from collections.abc import Callable, Sequence
from typing import Protocol

from dicegames_client.base.errors import USAGE, ClientError
from dicegames_client.base.keyboard import Keyboard
from dicegames_client.lines.line_output import fit

Check = Callable[[str], str | None]
"""A sentence where an answer can't be, else None."""


class Voice(Protocol):
    @property
    def present(self) -> bool:
        """Whether there is a person to ask."""

    async def question(self, text: str, *, check: Check | None = None, start: str = "") -> str:
        """An answer that passes the check; `start` is what stands there already, where that can be shown."""

    async def secret(self, text: str) -> str: ...

    async def choose(self, question: str, choices: Sequence[tuple[str, str]], names: Sequence[str] = ()) -> int:
        """The number of a choice (its name and what is said about it), from 0."""

    def tell(self, text: str) -> None: ...

    def wait(self, text: str, *, long: bool = False) -> None:
        """What takes its time now; `long`: more than one expects."""


async def confirm(voice: Voice, question: str) -> bool:
    """Yes or no; Enter is a yes."""

    def check(typed: str) -> str | None:
        known = typed.strip().lower() in ("", "y", "yes", "n", "no")
        return None if known else "Type y or n, or just Enter for yes."

    typed = await voice.question(f"{question} Enter for yes, n for no: ", check=check)
    return not typed.strip().lower().startswith("n")


class LineVoice:
    def __init__(self, keyboard: Keyboard, *, silent: bool = False) -> None:
        """`silent`: nobody is to be asked, because the output is for a program."""
        self._keyboard = keyboard
        self._silent = silent

    @property
    def present(self) -> bool:
        return sys.stdin is not None and sys.stdin.isatty()

    async def question(self, text: str, *, check: Check | None = None, start: str = "") -> str:
        if self._silent:
            raise ClientError("With --json everything has to be on the command line (see --help).", USAGE)
        while True:
            print(text, end="", flush=True)
            line = await self._keyboard.line()
            if line is None:
                print()
                raise ClientError("There is nobody to ask: give the answer on the command line (see --help).", USAGE)
            wrong = check(line) if check else None
            if wrong is None:
                return line
            print(wrong)

    async def secret(self, text: str) -> str:
        if not self.present:
            raise ClientError("There is nobody to ask for the password: use --password-file.", USAGE)
        return getpass.getpass(text)

    async def choose(self, question: str, choices: Sequence[tuple[str, str]], names: Sequence[str] = ()) -> int:
        """By number, or by one of the `names`."""
        for number, (name, about) in enumerate(choices, start=1):
            print(fit(f"{number}  {name}{': ' if about else ''}{about}", sys.stdout))
        found: list[int] = []

        def check(typed: str) -> str | None:
            word = typed.strip().lower()
            known = [name.lower() for name in names]
            if word.isdigit() and len(word) < 9 and 1 <= int(word) <= len(choices):
                found.append(int(word) - 1)
            elif word and word in known:
                found.append(known.index(word))
            return None if found else f"Type a number from 1 to {len(choices)}."

        await self.question(f"{question} 1 to {len(choices)}: ", check=check)
        return found[0]

    def tell(self, text: str) -> None:
        print(text)

    def wait(self, text: str, *, long: bool = False) -> None:
        """In lines there is nothing to see until it is there, unless that takes long."""
        if long:
            print(f"{text} …", flush=True)

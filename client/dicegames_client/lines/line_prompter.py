"""The Prompter for line mode."""

import asyncio
import getpass
import sys
from collections.abc import Sequence

from dicegames_client.base.errors import USAGE, ClientError
from dicegames_client.base.keyboard import Keyboard
from dicegames_client.base.printing import fit
from dicegames_client.enter.prompter import Check


class LinePrompter:
    def __init__(self, keyboard: Keyboard, *, silent: bool = False) -> None:
        """`silent`: never ask, because the output is for a program."""
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
        try:
            return await self._keyboard.secret_line(text) or ""
        except OSError:  # a system that hides what is typed in another way
            return await asyncio.to_thread(getpass.getpass, text)

    async def choose(self, question: str, choices: Sequence[tuple[str, str]], names: Sequence[str] = ()) -> int:
        """Choose by number, or by one of the `names`."""
        if self._silent:
            raise ClientError("With --json everything has to be on the command line (see --help).", USAGE)
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
        """In line mode nothing is printed while the user waits, unless it takes long."""
        if long:
            print(f"{text} …", flush=True)

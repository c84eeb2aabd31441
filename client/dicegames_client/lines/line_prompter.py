"""The Prompter for line mode."""

import asyncio
import getpass
from collections.abc import Sequence

from dicegames_client.base import visit
from dicegames_client.base.errors import USAGE, ClientError
from dicegames_client.base.terminal.printing import fit
from dicegames_client.base.terminal.terminal import Terminal
from dicegames_client.enter.prompter import Check

NO_ANSWERS = ("quit", "exit")
"""Answers to any question that mean: none of it. Nobody is called that."""


class LinePrompter:
    def __init__(self, terminal: Terminal, *, silent: bool = False) -> None:
        """`silent`: never ask, because the output is for a program."""
        self._terminal = terminal
        self._silent = silent

    @property
    def present(self) -> bool:
        return self._terminal.present

    async def question(self, text: str, *, check: Check | None = None, start: str = "") -> str:
        if self._silent:
            raise ClientError("With --json everything has to be on the command line (see --help).", USAGE)
        while True:
            self._ask(f"{text}(Enter for {start}) " if start else text)
            line = await self._terminal.keyboard.line()
            line = start if start and line == "" else line
            if line is None:
                self._print("")
                if visit.current():
                    raise ClientError("Nothing was answered, so this is the end of your visit.", USAGE)
                raise ClientError("There is nobody to ask: give the answer on the command line (see --help).", USAGE)
            if line.strip().lower() in NO_ANSWERS:
                raise ClientError("You have left.", 0)
            wrong = check(line) if check else None
            if wrong is None:
                return line
            self._print(wrong)

    async def secret(self, text: str) -> str:
        if not self.present:
            raise ClientError("There is nobody to ask for the password: use --password-file.", USAGE)
        try:
            return await self._terminal.keyboard.secret_line(text, self._terminal.out) or ""
        except OSError:  # a system that hides what is typed in another way
            return await asyncio.to_thread(getpass.getpass, text)

    async def choose(self, question: str, choices: Sequence[tuple[str, str]], names: Sequence[str] = ()) -> int:
        """Choose by number, or by one of the `names`."""
        if self._silent:
            raise ClientError("With --json everything has to be on the command line (see --help).", USAGE)
        for number, (name, about) in enumerate(choices, start=1):
            self._print(fit(f"{number}  {name}{': ' if about else ''}{about}", self._terminal.out))
        found: list[int] = []

        def check(typed: str) -> str | None:
            word = typed.strip().lower()
            known = [name.lower() for name in names]
            if word.isdigit() and len(word) < 9 and 1 <= int(word) <= len(choices):
                found.append(int(word) - 1)
            elif word and word in known:
                found.append(known.index(word))
            return None if found else f"Type a number from 1 to {len(choices)}, or 'quit'."

        await self.question(f"{question} 1 to {len(choices)}: ", check=check)
        return found[0]

    async def confirm(self, question: str, *, usual: bool = True) -> bool:
        def check(typed: str) -> str | None:
            known = typed.strip().lower() in ("", "y", "yes", "n", "no")
            return None if known else f"Type y or n, or just Enter for {'yes' if usual else 'no'}."

        how = "Enter for yes, n for no" if usual else "y for yes, Enter for no"
        typed = (await self.question(f"{question} {how}: ", check=check)).strip().lower()
        return typed.startswith("y") if typed else usual

    async def offer(self, said: str, key: str, verb: str) -> bool:
        return await self.confirm(f"{said} {verb.capitalize()} it instead?")

    def tell(self, text: str) -> None:
        self._print(text)

    def wait(self, text: str, *, long: bool = False) -> None:
        """In line mode nothing is printed while the user waits, unless it takes long."""
        if long:
            self._print(f"{text} …")

    def _ask(self, text: str) -> None:
        """The cursor stays behind the question. A program that reads the output gets a whole line."""
        out = self._terminal.out
        if out.isatty() and self._terminal.keyboard.is_terminal:
            print(text, end="", flush=True, file=out)
        else:
            self._print(text.rstrip())

    def _print(self, text: str) -> None:
        print(text, flush=True, file=self._terminal.out)

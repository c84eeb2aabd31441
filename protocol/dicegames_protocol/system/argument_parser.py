"""A parser of command lines whose errors are sentences, for the client and the server alike."""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

_WRONG_TYPE = re.compile(r"argument (\S+): invalid (int|float) value: '(.*)'", re.DOTALL)
_NO_VALUE = re.compile(r"argument (\S+): expected (?:one|at least one) argument")
_NOT_TOGETHER = re.compile(r"argument (\S+): not allowed with argument (\S+)")
"""What argparse says."""
_NUMBERS = {"int": "a whole number", "float": "a number"}


class WrongArguments(ValueError):
    """A command line that can't be understood. str() is a sentence for who typed it."""


class Parser(argparse.ArgumentParser):
    """Words are written in full. An option that is not given leaves no trace: the defaults are elsewhere."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        quiet = {"allow_abbrev": False, "argument_default": argparse.SUPPRESS}
        super().__init__(*arguments, **{**quiet, **settings})
        self._given: Sequence[str] = ()
        self.guess: Callable[[str], str] = lambda word: ""
        """What else could be meant by a word that is no command."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._given = tuple(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        if wrong := _WRONG_TYPE.fullmatch(message):
            message = f"{wrong[1]} must be {_NUMBERS[wrong[2]]}, not '{wrong[3][:32]}'"
        elif wrong := _NO_VALUE.fullmatch(message):
            message = f"{wrong[1]} needs a value after it"
        elif wrong := _NOT_TOGETHER.fullmatch(message):
            message = f"{wrong[2]} and {wrong[1]} do not go together"
        raise WrongArguments(f"{message[:1].upper()}{message[1:]}. {self._try()}")

    def commands(self) -> "dict[str, Parser]":
        """The parsers of the commands, by name."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return dict(action.choices)
        return {}

    def flags(self) -> list[str]:
        """The options that `--help` shows."""
        shown = [action for action in self._actions if action.help != argparse.SUPPRESS]
        return [flag for action in shown for flag in action.option_strings]

    def unknown(self, word: str, where: str, more: Iterable[str] = ()) -> str:
        """A sentence about a word that is not taken here. `more`: other options to think of."""
        from dicegames_protocol.text import did_you_mean

        option = word.partition("=")[0]
        meant = did_you_mean(option, [*self.flags(), *more]) if word.startswith("-") else ""
        return f"There is no option '{option[:32]}' for {where}.{meant}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        from dicegames_protocol.text import did_you_mean

        meant = did_you_mean(str(value), map(str, action.choices))
        if action.dest == "command":
            known = self.flags()
            before = self._given[: self._given.index(value)]
            # After an option that does not exist, the word was meant for it, and is no command.
            if stray := next((word for word in before if word[:1] == "-" and word.partition("=")[0] not in known), ""):
                raise WrongArguments(self.unknown(stray, self.prog))
            raise WrongArguments(f"There is no command '{value[:32]}'.{meant or self.guess(value)} {self._try()}")
        *others, last = map(str, action.choices)
        name = action.option_strings[-1] if action.option_strings else f"The {action.dest}"
        listed = f"{', '.join(others)} or {last}" if others else last
        raise WrongArguments(f"{name} must be {listed}, not '{str(value)[:32]}'.{meant}")

    def _try(self) -> str:
        return f"Try: {self.prog} --help"

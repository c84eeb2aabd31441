"""Scripts with which a shell completes a command line. They are made from its parser."""

from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterator
from typing import Any

from dicegames_protocol.system.argument_parser import Parser

SHELLS = ("bash", "zsh", "tcsh", "fish")
_FILES = ("password_file", "tls_cert", "tls_key", "file", "source", "config", "witnesses")
_FOLDERS = ("data",)
"""Names of arguments."""


def add_completion(commands: Any, program: str) -> None:
    """Add the command that prints such a script. `program` is what the shell completes."""
    asked = commands.add_parser(
        "completion",
        help="print what makes a shell complete this command",
        epilog=(
            f'bash: eval "$({program} completion bash)"\nzsh:  eval "$({program} completion zsh)"\n'
            f"fish: {program} completion fish | source\ntcsh: {program} completion tcsh > FILE; source FILE\n\n"
            "Put it into the file that your shell reads at its start."
        ),
        formatter_class=RawDescriptionHelpFormatter,
    )
    asked.add_argument("shell", choices=SHELLS)


def completion(parser: Parser, shell: str) -> str:
    """The script for a shell. Needs shtab."""
    import shtab

    for action in _actions(parser):
        if action.dest in _FILES:
            action.complete = shtab.FILE
        elif action.dest in _FOLDERS:
            action.complete = shtab.DIRECTORY
    return str(shtab.complete(parser, shell=shell))


def _actions(parser: Parser) -> Iterator[Any]:
    """The arguments of a parser and of all its commands."""
    yield from parser._actions
    for command in parser.commands().values():
        yield from _actions(command)

"""The command line of `dicegames-server`: parsed into one value, with every default in one place."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NoReturn

from dicegames_protocol import __version__
from dicegames_protocol.bot_levels import LEVELS
from dicegames_protocol.games import keys

USAGE = 2
PROGRAM = "dicegames-server"
SETTINGS = ("host", "port", "admin", "log", "data", "tls", "tls_cert", "tls_key", "announce", "ssh")
"""The settings that have a flag."""


@dataclass(frozen=True, slots=True)
class ArenaFlags:
    """Flags of `arena`, where bots play against each other."""

    game: str = ""
    seats: str = "expert,steady"
    games: int = 1000
    seed: int = 1
    jobs: int | None = None
    """Number of processes. None: one for each core."""
    option: Sequence[str] = ()
    csv: bool = False


@dataclass(frozen=True, slots=True)
class ServerCommand:
    command: str | None = None
    """The subcommand. None: serve."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings that were given as flags."""
    config: Path | None = None
    json: bool = False
    markdown: bool = False
    within: float = 600.0
    """Seconds after which a draining server stops anyway."""
    wait: bool = False
    file: Path = Path()
    """The file of a backup, for `backup` and `restore`."""
    shell: str = ""
    arena: ArenaFlags = field(default_factory=ArenaFlags)


def parse(argv: Sequence[str] | None, program: str = PROGRAM) -> ServerCommand:
    """Parse the command line. Exits after --help, and if the arguments are wrong. `program` is what was typed."""
    found = vars(_parser(program).parse_args(argv))
    settings = {name: found.pop(name) for name in SETTINGS if name in found}
    arena = {name: found.pop(name) for name in {field.name for field in fields(ArenaFlags)} & found.keys()}
    return ServerCommand(**found, settings=settings, arena=ArenaFlags(**arena))


def completion(shell: str) -> str:
    """A script with which a shell completes the command. Needs shtab."""
    import shtab

    return str(shtab.complete(complete_files(_parser(PROGRAM)), shell=shell))


def complete_files(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The parser, in which arguments that are files know it. Needs shtab."""
    import shtab

    parsers = [parser, *next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction)).choices.values()]
    for action in (action for one in parsers for action in one._actions):
        if action.dest in ("file", "config", "tls_cert", "tls_key"):
            action.complete = shtab.FILE
        elif action.dest == "data":
            action.complete = shtab.DIRECTORY
    return parser


class _Parser(argparse.ArgumentParser):
    def __init__(self, *arguments: Any, **settings: Any) -> None:
        quiet = {"allow_abbrev": False, "argument_default": argparse.SUPPRESS}
        super().__init__(*arguments, **{**quiet, **settings})

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{message[:1].upper()}{message[1:]}. Try: {self.prog} --help\n")


def _parser(program: str) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=program,
        description="The dicegames server: it owns the rooms that players join.",
        epilog="Every setting can also come from the environment (DICEGAMES_PORT=9000) or from the --config file; "
        "a flag wins over the environment, the environment over the file. 'settings' lists them all.",
    )
    return fill(parser)


def fill(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The parser, with everything that the server takes."""
    version = f"{parser.prog} {__version__}"
    parser.add_argument("--version", action="version", version=version)
    parser.add_argument("--host", metavar="ADDRESS", help="address to listen on (default: all of this machine's)")
    parser.add_argument("--port", type=int, help="port to listen on (default: 8765)")
    parser.add_argument("--admin", metavar="ADDRESS:PORT", help="for status and metrics (default: 127.0.0.1:8766)")
    parser.add_argument("--announce", action="store_true", help="be found on the local network")
    parser.add_argument("--ssh", type=int, metavar="PORT", help="let people play with nothing but ssh, on this port")
    parser.add_argument("--tls", choices=("self",), help="encrypt, with a certificate of its own making")
    parser.add_argument("--tls-cert", metavar="FILE", help="encrypt, with this certificate (PEM)")
    parser.add_argument("--tls-key", metavar="FILE", help="and this key (PEM)")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings file (TOML)")
    parser.add_argument(
        "--data",
        metavar="DIR",
        help="folder where rooms are kept; 'memory' keeps nothing; or postgresql://… that several nodes share",
    )
    parser.add_argument("--log", choices=("text", "json"), help="log lines for people or for machines")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    status = commands.add_parser("status", help="how a running server is")
    status.add_argument("--json", action="store_true", help="as JSON, for scripts")
    drain = commands.add_parser("drain", help="no new games; a running server stops when those that run are over")
    drain.add_argument(
        "--within",
        type=float,
        metavar="S",
        help=f"stop after so many seconds anyway (default: {ServerCommand().within:g})",
    )
    drain.add_argument("--wait", action="store_true", help="come back when the server has stopped")
    backup = commands.add_parser("backup", help="copy the data to a file, while the server goes on")
    backup.add_argument("file", type=Path, metavar="FILE")
    restore = commands.add_parser("restore", help="put a backup in the place of the data; the server must not run")
    restore.add_argument("file", type=Path, metavar="FILE")
    completion = commands.add_parser("completion", help="print what makes a shell complete this command")
    completion.add_argument("shell", choices=("bash", "zsh", "tcsh"))
    schema = commands.add_parser("schema", help="print the protocol as JSON Schema, and stop")
    schema.add_argument("--markdown", action="store_true", help="as tables for people instead")
    arena = commands.add_parser("arena", help="let bots play each other and count, without a server")
    arena.add_argument("game", metavar="GAME", help=", ".join(keys()))
    levels = f"who plays: {', '.join(LEVELS)}; some games know more (default: {ArenaFlags().seats})"
    arena.add_argument("--seats", metavar="A,B", help=levels)
    arena.add_argument("--games", type=int, metavar="N", help=f"how many games (default: {ArenaFlags().games})")
    arena.add_argument(
        "--seed",
        type=int,
        metavar="S",
        help=f"the same seed gives the same games (default: {ArenaFlags().seed})",
    )
    arena.add_argument("--jobs", type=int, metavar="N", help="processes (default: one for each core)")
    arena.add_argument("--option", action="append", metavar="NAME=VALUE", help="an option of the game")
    form = arena.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="as comma-separated values")
    form.add_argument("--json", action="store_true", help="as JSON")
    commands.add_parser("tables", help="work out the tables of the bots anew, and stop")
    commands.add_parser("settings", help="print all settings with their defaults as TOML, and stop")
    for command in commands.choices.values():
        command.add_argument("--version", action="version", version=version, help=argparse.SUPPRESS)
    return parser

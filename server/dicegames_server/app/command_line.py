"""The command line of `dicegames-server`: parsed into one value, with every default in one place."""

import argparse
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from dicegames_protocol import __version__
from dicegames_protocol.bot_levels import LEVELS
from dicegames_protocol.games import keys
from dicegames_protocol.system.argument_parser import Parser, WrongArguments
from dicegames_protocol.system.completion import add_completion, completion

USAGE = 2
PROGRAM = "dicegames-server"
FLAGS: Mapping[str, Mapping[str, Any]] = {
    "host": {"metavar": "ADDRESS", "help": "address to listen on (default: all of this machine's)"},
    "port": {"type": int, "help": "port to listen on (default: 8765)"},
    "admin": {"metavar": "ADDRESS:PORT", "help": "for status and metrics (default: 127.0.0.1:8766)"},
    "announce": {"action": "store_true", "help": "be found on the local network"},
    "ssh": {"type": int, "metavar": "PORT", "help": "let people play with nothing but ssh, on this port"},
    "tls": {"choices": ("self",), "help": "encrypt, with a certificate of its own making"},
    "tls_cert": {"metavar": "FILE", "help": "encrypt, with this certificate (PEM)"},
    "tls_key": {"metavar": "FILE", "help": "and this key (PEM)"},
    "config": {"type": Path, "metavar": "FILE", "help": "settings file (TOML)"},
    "data": {
        "metavar": "DIR",
        "help": "folder where rooms are kept; 'memory' keeps nothing; or postgresql://… that several nodes share",
    },
    "log": {"choices": ("text", "json"), "help": "log lines for people or for machines"},
}
"""The flags of the server itself."""
SETTINGS = tuple(name for name in FLAGS if name != "config")
"""The settings that have a flag."""
OPERATED = ("config", "data", "admin", "port")
"""The flags that tell which server is meant. They may stand before or after the command."""
HEEDED: Mapping[str | None, Collection[str]] = {
    None: FLAGS,
    **dict.fromkeys(("status", "drain", "backup", "restore"), OPERATED),
}
"""The flags of the server that mean something to a command; nothing to the others."""


SEATS = "expert,steady"
"""Who plays in the arena if nobody is named."""


@dataclass(frozen=True, slots=True)
class ArenaFlags:
    """Flags of `arena`, where bots play against each other."""

    game: str = ""
    seats: str | None = None
    """Who plays, separated by commas. None: an expert and a steady bot; with `exploit`, the game's own exploiters."""
    exploit: str | None = None
    """The bot whose weak points are looked for."""
    players: int | None = None
    """Players at a table, with `exploit`. None: two."""
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


def parse(argv: Sequence[str] | None = None, program: str = PROGRAM) -> ServerCommand:
    """Parse the command line. Exits after --help. Raises WrongArguments. `program` is what was typed."""
    parser = _parser(program)
    namespace, rest = parser.parse_known_args(argv)
    found = vars(namespace)
    command = found.get("command")
    if rest:
        at = parser.commands()[command] if command else parser
        raise WrongArguments(at.unknown(rest[0], f"'{command}'" if command else program))
    if strange := [name for name in FLAGS if name in found and name not in HEEDED.get(command, ())]:
        raise WrongArguments(f"'{command}' does not need {_flag(strange[0])}. Try: {program} {command} --help")
    settings = {name: found.pop(name) for name in SETTINGS if name in found}
    arena = {name: found.pop(name) for name in {field.name for field in fields(ArenaFlags)} & found.keys()}
    return ServerCommand(**found, settings=settings, arena=ArenaFlags(**arena))


def script(shell: str) -> str:
    """A script with which a shell completes the command."""
    return completion(_parser(PROGRAM, games=True), shell)


def _parser(program: str, *, games: bool = False) -> Parser:
    parser = Parser(
        prog=program,
        description="The dicegames server: it owns the rooms that players join.",
        epilog="Every setting can also come from the environment (DICEGAMES_PORT=9000) or from the --config file; "
        "a flag wins over the environment, the environment over the file. 'settings' lists them all.",
    )
    return fill(parser, games=games)


def _add_flags(parser: Any, names: Iterable[str]) -> None:
    """Add flags to a parser, or to a group in it."""
    for name in names:
        parser.add_argument(_flag(name), **FLAGS[name])


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def fill(parser: Parser, *, games: bool = False) -> Parser:
    """The parser, with everything that the server takes. `games`: it knows the names of games, for a shell."""
    version = f"{parser.prog} {__version__}"
    parser.add_argument("--version", action="version", version=version)
    _add_flags(parser, FLAGS)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
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
    for command in (status, drain, backup, restore):
        _add_flags(command.add_argument_group("the server that is meant"), OPERATED)
    add_completion(commands, parser.prog)
    schema = commands.add_parser("schema", help="print the protocol as JSON Schema, and stop")
    schema.add_argument("--markdown", action="store_true", help="as tables for people instead")
    arena = commands.add_parser("arena", help="let bots play each other and count, without a server")
    arena.add_argument("game", metavar="GAME", help=", ".join(keys()), choices=keys() if games else None)
    levels = f"who plays: {', '.join(LEVELS)}; some games know more; or a file, ./mine.py (default: {SEATS})"
    arena.add_argument("--seats", metavar="A,B", help=levels)
    arena.add_argument(
        "--exploit", metavar="BOT", help="look for weak points of this bot: play each known exploiter against it"
    )
    arena.add_argument("--players", type=int, metavar="N", help="players at a table, with --exploit (default: 2)")
    many = f"how many games; with --exploit, for each exploiter (default: {ArenaFlags().games})"
    arena.add_argument("--games", type=int, metavar="N", help=many)
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

"""`dicegames-server`: the stand-alone server, and what whoever runs it needs."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from dicegames_server.settings import Settings

USAGE, OK, STOPPED = 2, 0, 130
SETTINGS = ("host", "port", "admin", "log", "data", "tls", "tls_cert", "tls_key", "announce")
"""Settings that have a flag."""


def main(argv: Sequence[str] | None = None) -> int:
    try:
        return _main(_parser().parse_args(argv))
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stdout = None
        return OK


def _main(arguments: argparse.Namespace) -> int:
    match arguments.command:
        case "schema":
            return _print_schema(arguments.markdown)
        case "settings":
            return _print_settings()
        case "arena":
            return _arena(arguments)
        case "tables":
            return _write_tables()
        case "completion":
            return _print_completion(arguments.shell)
    from dicegames_server.settings import SettingsError, load, unknown_variables

    flags = {name: value for name in SETTINGS if (value := getattr(arguments, name)) is not None}
    try:
        settings = load(flags, arguments.config)
        match arguments.command:
            case "status" | "drain":
                return _operate(settings, arguments)
            case "backup" | "restore":
                return _copy(settings, arguments)
        from dicegames_server.app.run import serve

        problem = serve(settings, unknown_variables())
    except SettingsError as error:
        problem = str(error)
    except KeyboardInterrupt:
        return OK
    return _fail(problem) if problem else OK


def _operate(settings: "Settings", arguments: argparse.Namespace) -> int:
    from dicegames_protocol.codec import encode
    from dicegames_server.ops.admin_client import OperatingError, drain, lines, status, wait_for_the_end

    try:
        told = status(settings) if arguments.command == "status" else drain(settings, arguments.within)
        if arguments.command == "drain" and arguments.wait:
            wait_for_the_end(settings)
    except OperatingError as error:
        print(error, file=sys.stderr)
        return error.code
    if arguments.command == "drain" and arguments.wait:
        print("The server has stopped.")
    elif arguments.command == "drain" and told.get("others"):
        print("No new games. The other nodes take over what runs here; the server stops then.")
    elif arguments.command == "drain":
        print(f"No new games. {told['playing']} running; the server stops when they are over.")
    elif arguments.json:
        print(encode(told).decode())
    else:
        print("\n".join(lines(told)))
    return OK


def _copy(settings: "Settings", arguments: argparse.Namespace) -> int:
    from dicegames_server.storage import data_folder, is_postgres
    from dicegames_server.storage.backup import backup, restore
    from dicegames_server.storage.base import StorageError

    if is_postgres(settings.data):
        return _fail("The data is in PostgreSQL, which has its own tools for this: pg_dump and pg_restore.")
    folder = data_folder(settings)
    if folder is None:
        return _fail("A server that keeps its rooms in memory has no data to copy.")
    try:
        if arguments.command == "backup":
            size = backup(folder, arguments.file)
            print(f"Written: {arguments.file} ({size:,} bytes)")
        else:
            aside = restore(arguments.file, folder)
            print(f"Restored: {folder}" + (f". What was there is now {aside}" if aside else ""))
    except StorageError as error:
        return _fail(str(error))
    return OK


def _print_completion(shell: str) -> int:
    import shtab

    parser = _parser()
    parsers = [parser, *next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction)).choices.values()]
    for action in (action for one in parsers for action in one._actions):
        if action.dest in ("file", "config", "tls_cert", "tls_key"):
            action.complete = shtab.FILE
        elif action.dest == "data":
            action.complete = shtab.DIRECTORY
    print(shtab.complete(parser, shell=shell))
    return OK


def _print_schema(as_markdown: bool) -> int:
    from dicegames_protocol.codec import pretty
    from dicegames_server.app.reference import markdown
    from dicegames_server.app.schema import schema

    print(markdown() if as_markdown else pretty(schema()))
    return OK


def _print_settings() -> int:
    """All settings with their defaults, in the form of a settings file."""
    from dicegames_server.settings import Settings

    for name, field in Settings.model_fields.items():
        print(f"# {field.description}\n{name} = {_toml(field.default)}\n")
    return OK


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(part) for part in value)}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _arena(arguments: argparse.Namespace) -> int:
    """Bots against each other, and what came of it."""
    import time

    from dicegames_protocol.codec import encode
    from dicegames_protocol.options import OptionError
    from dicegames_server.bots import arena

    names = [name.strip().lower() for name in arguments.seats.split(",") if name.strip()]
    options = dict(pair.partition("=")[::2] for pair in arguments.option)
    tally = arena.Tally()
    began = time.monotonic()
    try:
        if arguments.games < 1:
            raise arena.ArenaError("--games must be at least 1.")
        arena.progress(0, arguments.games, began)
        for tally in arena.run_all(arguments.game, names, options, arguments.games, arguments.seed, arguments.jobs):
            arena.progress(tally.games, arguments.games, began)
    except (arena.ArenaError, OptionError) as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr, flush=True)
        return STOPPED
    rows = arena.table(names, tally)
    if arguments.json:
        print(
            encode({"game": arguments.game, "turns": tally.turns, "cpu_seconds": tally.seconds, "bots": rows}).decode()
        )
    elif arguments.csv:
        print(",".join(rows[0]), *(",".join(str(value) for value in row.values()) for row in rows), sep="\n")
    else:
        print("\n".join(arena.report(rows, tally)))
    return OK


def _write_tables() -> int:
    """Work out anew what is shipped as a table because it takes too long at the start."""
    from dicegames_server.bots.theory import doubles

    path = Path(doubles.__file__).with_name(doubles.FILE)
    path.write_bytes(doubles.dump(doubles.work_out()) + b"\n")
    print(f"Written: {path.name}")
    return OK


def _fail(sentence: str) -> int:
    from dicegames_protocol.text import strip

    print(strip(sentence), file=sys.stderr)
    return USAGE


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{message[:1].upper()}{message[1:]}. Try: {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="dicegames-server",
        allow_abbrev=False,
        description="The dicegames server: it owns the rooms that dicegames-client joins.",
        epilog="Every setting can also come from the environment (DICEGAMES_PORT=9000) or from the --config file; "
        "a flag wins over the environment, the environment over the file. 'settings' lists them all.",
    )
    parser.add_argument("--host", metavar="ADDRESS", help="address to listen on (default: all of this machine's)")
    parser.add_argument("--port", type=int, help="port to listen on (default: 8765)")
    parser.add_argument("--admin", metavar="ADDRESS:PORT", help="for status and metrics (default: 127.0.0.1:8766)")
    parser.add_argument("--announce", action="store_true", default=None, help="be found on the local network")
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
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    status = commands.add_parser("status", help="how a running server is")
    status.add_argument("--json", action="store_true", help="as JSON, for scripts")
    drain = commands.add_parser("drain", help="no new games; a running server stops when those that run are over")
    drain.add_argument(
        "--within", type=float, default=600, metavar="S", help="stop after so many seconds anyway (default: 600)"
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
    arena.add_argument("game", metavar="GAME", help="doubles, sevens, farkle or double-or-nothing")
    levels = "who plays: easy, steady, expert; in Doubles also at-500, third-seven … (default: expert,steady)"
    arena.add_argument("--seats", default="expert,steady", metavar="A,B", help=levels)
    arena.add_argument("--games", type=int, default=1000, metavar="N", help="how many games (default: 1000)")
    arena.add_argument(
        "--seed", type=int, default=1, metavar="S", help="the same seed gives the same games (default: 1)"
    )
    arena.add_argument("--jobs", type=int, metavar="N", help="processes (default: one for each core)")
    arena.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game")
    form = arena.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="as comma-separated values")
    form.add_argument("--json", action="store_true", help="as JSON")
    commands.add_parser("tables", help="work out the tables of the bots anew, and stop")
    commands.add_parser("settings", help="print all settings with their defaults as TOML, and stop")
    return parser


if __name__ == "__main__":
    sys.exit(main())

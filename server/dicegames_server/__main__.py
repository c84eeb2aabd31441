"""`dicegames-server`: the stand-alone server."""

import argparse
import asyncio
import importlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from dicegames_server.settings import Settings

USAGE, OK, STOPPED = 2, 0, 130


def main(argv: Sequence[str] | None = None) -> int:
    try:
        return _main(_parser().parse_args(argv))
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stdout = None
        return OK


def _main(arguments: argparse.Namespace) -> int:
    if arguments.command == "schema":
        return _print_schema(arguments.markdown)
    if arguments.command == "settings":
        return _print_settings()
    if arguments.command == "arena":
        return _arena(arguments)
    if arguments.command == "tables":
        return _write_tables()
    from dicegames_server.settings import SettingsError, load

    flags = {name: value for name in ("host", "port", "log", "data") if (value := getattr(arguments, name)) is not None}
    try:
        settings = load(flags, arguments.config)
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(_serve(settings))
    except SettingsError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return OK


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is installed (extra `speed`), else asyncio's own loop."""
    try:
        uvloop = importlib.import_module("uvloop")
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


async def _serve(settings: "Settings") -> int:
    import logging

    from dicegames_server.assembly import assemble
    from dicegames_server.logs import set_up
    from dicegames_server.storage.base import StorageError

    set_up(settings.log)
    server = assemble(settings)
    try:
        await server.start()
    except StorageError as error:
        return _fail(str(error))
    except OSError as error:
        await server.stop()
        return _fail(_cant_listen(settings.host, settings.port, error))
    logging.getLogger("dicegames").info("listening on %s port %d", settings.host, server.port)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
    logging.getLogger("dicegames").info("shutting down")
    await server.stop()
    return OK


def _cant_listen(host: str, port: int, error: OSError) -> str:
    import errno

    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is already in use. Is a server running? Another one can be named with --port."
    if error.errno == errno.EACCES:
        return f"Port {port} may not be used without special rights. Take one above 1023."
    why = os.strerror(error.errno).lower() if error.errno else str(error)
    return f"Can't listen on {host} port {port}: {why}."


def _print_schema(as_markdown: bool) -> int:
    from dicegames_protocol.codec import pretty
    from dicegames_server.reference import markdown
    from dicegames_server.schema import schema

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
    from dicegames_server import arena

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
    from dicegames_server.theory import doubles

    path = Path(doubles.__file__).with_name(doubles.FILE)
    path.write_bytes(doubles.dump(doubles.work_out()) + b"\n")
    print(f"Written: {path.name}")
    return OK


def _fail(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return USAGE


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{message[:1].upper()}{message[1:]}. Try: {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="dicegames-server",
        description="The dicegames server: it owns the rooms that dicegames-client joins.",
        epilog="Every setting can also come from the environment (DICEGAMES_PORT=9000) or from the --config file; "
        "a flag wins over the environment, the environment over the file. 'settings' lists them all.",
    )
    parser.add_argument("--host", metavar="ADDRESS", help="address to listen on (default: all of this machine's)")
    parser.add_argument("--port", type=int, help="port to listen on (default: 8765)")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings file (TOML)")
    parser.add_argument("--data", metavar="DIR", help="folder where rooms are kept; 'memory' keeps nothing")
    parser.add_argument("--log", choices=("text", "json"), help="log lines for people or for machines")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
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

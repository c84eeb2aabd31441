"""`dicegames-server`: the stand-alone server, and the commands for its operator."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dicegames_protocol.system.argument_parser import WrongArguments
from dicegames_protocol.system.pipes import use_utf8
from dicegames_server.app.command_line import PROGRAM, SEATS, USAGE, ArenaFlags, ServerCommand, parse, script

if TYPE_CHECKING:
    from dicegames_server.settings import Settings

OK, FAILED, STOPPED = 0, 1, 130


def main(argv: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Run the command and return the exit code. `program` is what was typed: `dicegames server` comes here, too."""
    use_utf8(sys.stdout, sys.stderr)
    try:
        asked = parse(argv, program)
        if asked.command == "completion" and program != PROGRAM:
            return _fail(f"A shell completes it with the rest: {program.split()[0]} completion {asked.shell}")
        return _main(asked)
    except WrongArguments as error:
        return _fail(str(error))
    except BrokenPipeError:  # the reader of our output has closed the pipe
        sys.stdout = None
        return OK
    except OSError as error:
        return _fail(f"Something could not be read or written: {error.strerror or error}.", FAILED)


def _main(asked: ServerCommand) -> int:
    match asked.command:
        case "schema":
            return _print_schema(asked.markdown)
        case "settings":
            return _print_settings()
        case "arena":
            return _arena(asked.arena, as_json=asked.json)
        case "tables":
            return _write_tables()
        case "completion":
            print(script(asked.shell))
            return OK
    from dicegames_server.settings import SettingsError, load, unknown_variables
    from dicegames_server.storage.base import StorageError

    try:
        settings = load(asked.settings, asked.config)
        match asked.command:
            case "status" | "drain":
                return _operate(settings, asked)
            case "backup" | "restore":
                return _copy(settings, asked)
        from dicegames_server.app.run import serve

        serve(settings, unknown_variables())
    except SettingsError as error:
        return _fail(str(error))
    except StorageError as error:
        return _fail(str(error), error.code)
    except KeyboardInterrupt:
        return OK
    return OK


def _operate(settings: "Settings", asked: ServerCommand) -> int:
    from dicegames_protocol.codec import encode
    from dicegames_server.ops.admin_client import AdminError, drain, lines, status, wait_for_the_end

    try:
        told = status(settings) if asked.command == "status" else drain(settings, asked.within)
        if asked.command == "drain" and asked.wait:
            wait_for_the_end(settings)
    except AdminError as error:
        print(error, file=sys.stderr)
        return error.code
    if asked.command == "drain" and asked.wait:
        print("The server has stopped.")
    elif asked.command == "drain" and told.get("others"):
        print("No new games. The other nodes take over what runs here; the server stops then.")
    elif asked.command == "drain":
        print(f"No new games. {told['playing']} running; the server stops when they are over.")
    elif asked.json:
        print(encode(told).decode())
    else:
        print("\n".join(lines(told)))
    return OK


def _copy(settings: "Settings", asked: ServerCommand) -> int:
    from dicegames_server.storage import data_folder, is_postgres
    from dicegames_server.storage.backup import backup, restore
    from dicegames_server.storage.base import StorageError

    if is_postgres(settings.data):
        return _fail("The data is in PostgreSQL, which has its own tools for this: pg_dump and pg_restore.")
    folder = data_folder(settings)
    if folder is None:
        return _fail("A server that keeps its rooms in memory has no data to copy.")
    try:
        if asked.command == "backup":
            size = backup(folder, asked.file)
            print(f"Written: {asked.file} ({size:,} bytes)")
        else:
            aside = restore(asked.file, folder)
            print(f"Restored: {folder}" + (f". What was there is now {aside}" if aside else ""))
    except StorageError as error:
        return _fail(str(error), error.code)
    return OK


def _print_schema(as_markdown: bool) -> int:
    from dicegames_protocol.codec import pretty
    from dicegames_server.app.reference import markdown
    from dicegames_server.app.schema import schema

    print(markdown() if as_markdown else pretty(schema()))
    return OK


def _print_settings() -> int:
    """Print all settings with their defaults, in the form of a settings file."""
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


def _arena(flags: ArenaFlags, *, as_json: bool) -> int:
    """Let bots play against each other, and print the results."""
    from dicegames_protocol.options import OptionError
    from dicegames_server.bots.arena.contestants import ArenaError

    try:
        if flags.games < 1:
            raise ArenaError("--games must be at least 1.")
        options = dict(pair.partition("=")[::2] for pair in flags.option)
        if flags.exploit is not None:
            return _exploit(flags, flags.exploit, options, as_json=as_json)
        if flags.players is not None:
            raise ArenaError("--players goes with --exploit. Without it, --seats says who plays.")
        return _compete(flags, options, as_json=as_json)
    except (ArenaError, OptionError) as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr, flush=True)
        return STOPPED


def _compete(flags: ArenaFlags, options: dict[str, str], *, as_json: bool) -> int:
    import time

    from dicegames_server.bots.arena import contests
    from dicegames_server.bots.arena.contestants import names_in

    names = names_in(SEATS if flags.seats is None else flags.seats)
    tally = contests.Tally()
    began = time.monotonic()
    for tally in contests.run_all(flags.game, names, options, flags.games, flags.seed, flags.jobs):
        contests.progress(tally.games, flags.games, began)
    rows = contests.table(names, tally)
    told = {"game": flags.game, "moves": tally.moves, "cpu_seconds": tally.seconds, "bots": rows}
    _print_rows(flags, as_json, told, rows, contests.report(rows, tally))
    return OK


def _exploit(flags: ArenaFlags, named: str, options: dict[str, str], *, as_json: bool) -> int:
    """Let the exploiters of a game play against a bot, and print what they win."""
    import time

    from dicegames_server.bots.arena import contests, exploiting
    from dicegames_server.bots.arena.contestants import ArenaError, names_in

    bot, *more = names_in(named) or [""]
    if more:
        raise ArenaError("--exploit takes one bot. Its rivals are named with --seats.")
    rivals = exploiting.rivals_for(flags.game, names_in(flags.seats or ""))
    players = 2 if flags.players is None else flags.players
    results: exploiting.Results = {}
    began = time.monotonic()
    for results in exploiting.exploit(flags.game, bot, rivals, options, players, flags.games, flags.seed, flags.jobs):
        done = sum(tally.games for tally in results.values())
        contests.progress(done, flags.games * len(rivals), began)
    rows = exploiting.exploited(results)
    told = {
        "game": flags.game,
        "bot": bot,
        "players": players,
        "exploitability": exploiting.exploitability(rows),
        "exploiters": rows,
    }
    _print_rows(flags, as_json, told, rows, exploiting.report_on(bot, players, rows, results))
    return OK


def _print_rows(
    flags: ArenaFlags, as_json: bool, told: dict[str, Any], rows: list[dict[str, Any]], lines: list[str]
) -> None:
    from dicegames_protocol.codec import encode

    if as_json:
        print(encode(told).decode())
    elif flags.csv:
        print(",".join(rows[0]), *(",".join(str(value) for value in row.values()) for row in rows), sep="\n")
    else:
        print("\n".join(lines))


def _write_tables() -> int:
    """Compute the tables of the Doubles bot again. They are shipped as a file because it takes minutes."""
    from dicegames_server.bots.theory import doubles_tables

    path = Path(doubles_tables.__file__).with_name(doubles_tables.TABLE_FILE)
    for done in doubles_tables.work_out_tables():
        if isinstance(done, str):
            print(f"  {done}", file=sys.stderr)
        else:
            path.write_bytes(done + b"\n")
    print(f"Written: {path.name}")
    return OK


def _fail(sentence: str, code: int = USAGE) -> int:
    from dicegames_protocol.text import strip

    print(strip(sentence), file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())

"""Parses the command line into a CommandLine. Loads only argparse until the flags of a game are needed.

The defaults are in the dataclasses of base/command_line.py: argparse has none.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin

from dicegames_client.base.command_line import CLIENT_ALONE, SSH_PORT, CommandLine, HostFlags, program
from dicegames_client.base.errors import USAGE, ClientError, did_you_mean, no_game
from dicegames_protocol import __version__
from dicegames_protocol.bot_levels import DEFAULT_LEVEL, LEVELS
from dicegames_protocol.games import keys, types_of

THEME_NAMES = ("default", "dark", "light", "high-contrast", "colour-blind", "mono")


_UNKNOWN_COMMAND = re.compile(r"argument COMMAND: invalid choice: '(.*)' \(choose from (.*)\)", re.DOTALL)
"""What argparse says."""


class _Parser(argparse.ArgumentParser):
    def __init__(self, *arguments: Any, **settings: Any) -> None:
        quiet = {"allow_abbrev": False, "argument_default": argparse.SUPPRESS}
        super().__init__(*arguments, **{**quiet, **settings})

    def error(self, message: str) -> Any:
        if unknown := _UNKNOWN_COMMAND.fullmatch(message):
            meant = did_you_mean(unknown[1], re.findall(r"[\w-]+", unknown[2]))
            raise ClientError(f"There is no command '{unknown[1][:32]}'.{meant} Try: {self.prog} --help", USAGE)
        raise ClientError(f"{message[:1].upper()}{message[1:]}. Try: {self.prog} --help", USAGE)


def parser() -> argparse.ArgumentParser:
    top = _Parser(
        prog=program(),
        description="Dice games for the terminal, played together over the network.",
        epilog=f"'{program()} host' opens a table on this machine and tells you what your friends have to type. "
        f"'{program()}' alone is the start screen.",
    )
    version = f"{program()} {__version__}"
    top.add_argument("--version", action="version", version=version)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)

    start = commands.add_parser("start", help="the start screen; the same as no command at all")
    _common(start)

    host = commands.add_parser("host", help="open a table on this machine", add_help=False)
    host.add_argument("-h", "--help", action="store_true", help="show this; 'host GAME --help' adds the game's options")
    host.add_argument("game", nargs="?", metavar="GAME", help=f"{', '.join(keys())}; asked for if left out")
    host.add_argument("--bots", type=int, metavar="N", help="fill N seats with bots")
    levels = f"{', '.join(LEVELS[:-1])} or {LEVELS[-1]}"
    host.add_argument("--level", metavar="LEVEL", help=f"how well they play: {levels} (default: {DEFAULT_LEVEL})")
    host.add_argument(
        "--no-bots", action="store_true", help="no bots at this table, and no programs that say they are one"
    )
    host.add_argument("--fast-bots", action="store_true", help="bots do not take the time of a person to think")
    host.add_argument("--quiet-bots", action="store_true", help="bots say nothing")
    host.add_argument("--players", metavar="A,B", help="several people at this keyboard")
    host.add_argument("--seats", type=int, metavar="N", help="seats at the table")
    host.add_argument("--now", action="store_true", help="start at once, without waiting for anybody")
    host.add_argument("--private", action="store_true", help="do not show the room in the list of rooms")
    host.add_argument("--turn-limit", type=int, metavar="S", help="seconds for a turn (default: no limit)")
    host.add_argument("--host", dest="bind", metavar="ADDRESS", help="address to listen on (default: all)")
    host.add_argument("--on", metavar="ADDRESS", help="open the table on this server instead of on this machine")
    host.add_argument("--port", type=int, help=f"port to listen on (default: {HostFlags().port})")
    host.add_argument(
        "--no-announce", dest="announce", action="store_false", help="do not be found on the local network"
    )
    host.add_argument(
        "--ssh",
        type=_ssh_port,
        nargs="?",
        const=SSH_PORT,
        metavar="PORT",
        help=f"friends may play with nothing but ssh (default port: {SSH_PORT})",
    )
    host.add_argument("--tls", choices=("self",), help="encrypt, with a certificate of its own making")
    host.add_argument("--tls-cert", metavar="FILE", help="encrypt, with this certificate (PEM)")
    host.add_argument("--tls-key", metavar="FILE", help="and this key (PEM)")
    _common(host)

    practice = commands.add_parser("practice", help="learn a game: five guided minutes against a bot")
    practice.add_argument("game", nargs="?", metavar="GAME", help=f"{', '.join(keys())}; asked for if left out")
    _common(practice)

    join = commands.add_parser("join", help="take a seat at somebody's table")
    near = "192.168.1.23:8765/KQ7M, or KQ7M; without one, what is found on this network"
    join.add_argument("address", nargs="?", metavar="ADDRESS", help=near)
    join.add_argument("--players", metavar="A,B", help="several people at this keyboard")
    _common(join)

    watch = commands.add_parser("watch", help="look on at somebody's table")
    watch.add_argument("address", nargs="?", metavar="ADDRESS", help=near)
    _common(watch)

    of_room = "such as game.jsonl, 192.168.1.23:8765/KQ7M, or KQ7M; also a table that you hosted here and closed"
    save = commands.add_parser("save", help="keep the log of a room in a file", epilog=_exits("0 saved"))
    save.add_argument("source", metavar="ADDRESS", help=of_room)
    save.add_argument("file", nargs="?", metavar="FILE", help="default: a new CODE.jsonl; - is standard output")
    save.add_argument("--force", action="store_true", help="overwrite the file if it is there already")
    replay = commands.add_parser("replay", help="tell the story of a room again", epilog=_exits("0 told"))
    replay.add_argument("source", metavar="FILE|ADDRESS", help=of_room)
    replay.add_argument("--step", action="store_true", help="wait for Enter after every update")
    replay.add_argument("--speed", type=float, metavar="N", help="so many updates per second (default: all)")
    replay.add_argument("--round", type=int, metavar="N", help="begin with this round")
    proven = "0 proven, the dice were fair; 1 something is wrong; 6 nothing is wrong, but it is not proven"
    verify = commands.add_parser("verify", help="check the dice and every move of a log", epilog=_exits(proven))
    verify.add_argument("source", metavar="FILE|ADDRESS", help=of_room)
    verify.add_argument(
        "--with", dest="witnesses", action="append", metavar="FILE", help="compare it with what somebody else saw"
    )
    _looks(replay)
    replay.add_argument("--plain", action="store_true", help="line mode: one sentence per line")
    for command in (save, replay, verify):
        _password(command)
        command.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)

    past = [
        commands.add_parser("history", help="your games on a server"),
        commands.add_parser("stats", help="how your games on a server went"),
        commands.add_parser("leaderboard", help="who has won most on a server"),
    ]
    past[0].add_argument("--most", type=int, metavar="N", help=f"so many games (default: {CommandLine().most})")
    past[2].add_argument("--game", dest="of_game", metavar="GAME", help="of one game only")
    for command in past:
        command.add_argument("address", nargs="?", metavar="ADDRESS", help="such as 192.168.1.23:8765")
        command.add_argument("--json", action="store_true", help="as JSON, for scripts")
        command.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)

    rooms = commands.add_parser("rooms", help="list the rooms of a server, or of all on this network")
    rooms.add_argument("address", nargs="?", metavar="ADDRESS", help="such as 192.168.1.23:8765")
    rooms.add_argument("--json", action="store_true", help="one JSON object per line, for scripts")
    rooms.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
    forget = commands.add_parser("forget", help="forget what is known about a server, such as its old key")
    forget.add_argument("address", metavar="ADDRESS", help="such as wss://192.168.1.23:8765")
    forget.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
    link = commands.add_parser("link", help="make another device of yours the same player on a server")
    link.add_argument("address", nargs="?", metavar="ADDRESS", help="such as wss://dice.example.org")
    link.add_argument("--code", metavar="CODE", help="the code that the other device shows")
    words = commands.add_parser("words", help="show the words with which you are the same player on a new machine")
    recover = commands.add_parser("recover", help="be the player of your recovery words, which are asked for")
    for command in (link, words, recover):
        command.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
    completion = commands.add_parser("completion", help="print what makes a shell complete this command")
    completion.add_argument("shell", choices=("bash", "zsh", "tcsh"))
    for command in commands.choices.values():
        command.add_argument("--version", action="version", version=version, help=argparse.SUPPRESS)
    if program() != CLIENT_ALONE:  # its arguments never come here: main hands them to the server
        more = f"the server alone, for a machine that stays on: see '{program()} server --help'"
        commands.add_parser("server", help=more)
    return top


def _exits(good: str) -> str:
    """What the exit codes of a command for logs mean. `good`: those that are its own."""
    return (
        f"Exit codes: {good}; 2 a wrong command line, or a file that can't be read or written; 3 no server can be "
        "reached; 4 the server refuses, or the log is not whole; 5 one side needs a newer dicegames."
    )


def _ssh_port(typed: str) -> int:
    if not (typed.isascii() and typed.isdecimal() and 0 < int(typed[:6]) < 65536):
        raise argparse.ArgumentTypeError(f"'{typed[:20]}' is no port. Name one, such as {SSH_PORT}, or none")
    return int(typed)


def _common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--name", help="your name at the table")
    _password(command)
    _looks(command)
    form = command.add_mutually_exclusive_group()
    form.add_argument("--plain", action="store_true", help="line mode: one sentence per line")
    form.add_argument("--json", action="store_true", help="one message per line, for scripts")
    command.add_argument("--debug", action="store_true", help="show where it went wrong when it does")


def _looks(command: argparse.ArgumentParser) -> None:
    screen = command.add_argument_group("the screen")
    screen.add_argument("--theme", choices=THEME_NAMES, help="colours; light and dark instead of asking the terminal")
    either = argparse.BooleanOptionalAction
    screen.add_argument("--ascii", action=either, help="draw with plain ASCII characters")
    screen.add_argument("--motion", action=either, help="dice tumble")
    screen.add_argument("--bell", action=either, help="ring when it is your turn, and notify you if you look elsewhere")
    screen.add_argument("--hints", action=either, help="a line of advice in your first games")
    screen.add_argument("--mouse", action=either, help="the wheel scrolls the feed and pages")


def _password(command: argparse.ArgumentParser) -> None:
    command.add_argument("--ask-password", action="store_true", help="ask for the room's password")
    command.add_argument("--password-file", metavar="FILE", help="read the room's password from a file")


def parse(argv: Sequence[str] | None) -> CommandLine:
    """The parsed command line. Exits after --help. Raises ClientError if it is wrong."""
    top = parser()
    given = list(sys.argv[1:] if argv is None else argv)
    if not given or (given[0].startswith("-") and given[0] not in ("-h", "--help", "--version")):
        given.insert(0, "start")
    namespace, rest = top.parse_known_args(given)
    found = vars(namespace)
    if found["command"] == "practice":
        if rest:
            raise ClientError(f"There is no option '{rest[0]}' for 'practice'.", USAGE)
        return _practice(found)
    if found["command"] != "host":
        if rest:
            raise ClientError(f"There is no option '{rest[0]}' for '{found['command']}'.", USAGE)
        return CommandLine(**found)
    game = found.get("game")
    if found.pop("help", False):
        _print_host_help(top, game)
    if rest and game and given.index(rest[0]) < given.index(game):
        game = None  # in `host --rounds 3` the 3 is not a game
    flags = {name: found.pop(name) for name in {field.name for field in fields(HostFlags)} & found.keys()}
    host = HostFlags(**{**flags, "game": game, "options": read_options(game, rest)})
    return CommandLine(**found, host=host)


def _practice(found: dict[str, Any]) -> CommandLine:
    """A short game against a bot, on this machine only."""
    game = found.pop("game", None)
    types = types_of(game) if game else None
    if game and types is None:
        raise ClientError(no_game(game), USAGE)
    table = HostFlags(
        game=game,
        options=types.practice if types else {},
        bots=1,
        level=LEVELS[0],
        quiet_bots=True,
        now=True,
        private=True,
        bind="127.0.0.1",
        port=0,
        announce=False,
    )
    return CommandLine(**{**found, "command": "host"}, practice=True, host=table)


def read_options(game: str | None, rest: list[str]) -> dict[str, Any]:
    """The flags of a game: `--rounds 8-12` becomes {"rounds": "8-12"}. The server checks the values."""
    if not rest:
        return {}
    if game is None:
        raise ClientError(f"'{rest[0]}' belongs to a game. Say which one first: {program()} host GAME …", USAGE)
    known = _game_parser(game)
    found, unknown = known.parse_known_args(rest)
    if unknown:
        flags = " ".join(action.option_strings[0] for action in known._actions if action.option_strings)
        raise ClientError(f"There is no option '{unknown[0]}' for {game}. The game has: {flags}", USAGE)
    return {key: value for key, value in vars(found).items() if value is not None}


def _game_parser(game: str) -> argparse.ArgumentParser:
    types = types_of(game)
    if types is None:
        raise ClientError(no_game(game), USAGE)
    options = _Parser(prog=f"{program()} host {game}", add_help=False, usage=argparse.SUPPRESS)
    group = options.add_argument_group(f"options of {types.title}")
    for name, field in types.options.model_fields.items():
        flag = f"--{types.options.flag(name)}"
        default = field.get_default(call_default_factory=True)
        text = f"{field.description} (default: {'none' if default == {} else default})".replace("%", "%%")
        if isinstance(default, bool):
            group.add_argument(
                flag, dest=name, action=argparse.BooleanOptionalAction, default=None, help=field.description
            )
        else:
            words = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
            group.add_argument(flag, dest=name, metavar="|".join(words) or "X", help=text)
    return options


def _commands(top: argparse.ArgumentParser) -> Any:
    (commands,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    return commands


def _print_host_help(top: argparse.ArgumentParser, game: str | None) -> None:
    _commands(top).choices["host"].print_help()
    if game:
        print()
        _game_parser(game).print_help()
    raise SystemExit(0)


def print_completion(shell: str) -> int:
    import shtab

    top = parser()
    for action in _commands(top).choices["host"]._actions:
        if action.dest == "game":
            action.choices = keys()
    names = ("password_file", "tls_cert", "tls_key", "file", "source")
    for command in _commands(top).choices.values():
        for action in command._actions:
            if action.dest in names:
                action.complete = shtab.FILE
    if server := _commands(top).choices.get("server"):
        from dicegames_server.app.command_line import complete_files, fill

        complete_files(fill(server))
    print(shtab.complete(top, shell=shell))
    return 0

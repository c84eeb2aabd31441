"""Parses the command line into a CommandLine. Loads only argparse until the flags of a game are needed.

The defaults are in the dataclasses of base/command_line.py: argparse has none.
"""

import argparse
import sys
from collections.abc import Sequence

from dicegames_client.base.command_line import CLIENT_ALONE, CommandLine, program
from dicegames_client.base.errors import USAGE, ClientError
from dicegames_client.cli.host_arguments import add_host_flags, game_parser, host_command, practice_command
from dicegames_protocol import __version__
from dicegames_protocol.games import keys, types_of
from dicegames_protocol.system.argument_parser import Parser, WrongArguments
from dicegames_protocol.system.completion import add_completion, completion

LEADERBOARD_EPILOG = (
    "A rating is a guess; the true one is within the interval in 95 of 100 cases. By skill the list is ranked by the "
    "lower end of the interval, so few games with much luck lead nowhere."
)
THEME_NAMES = ("default", "dark", "light", "high-contrast", "colour-blind", "mono")


def parser(*, games: bool = False) -> Parser:
    """The parser of all commands. `games`: it knows the names and the options of games, for a shell."""
    top = Parser(
        prog=program(),
        description="Dice games for the terminal, played together over the network.",
        epilog=f"'{program()} host' opens a table on this machine and tells you what your friends have to type. "
        f"'{program()}' alone is the start screen.",
    )
    top.guess = _a_game
    version = f"{program()} {__version__}"
    top.add_argument("--version", action="version", version=version)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)

    start = commands.add_parser("start", help="the start screen; the same as no command at all")
    _common(start)

    which = f"{', '.join(keys())}; asked for if left out"
    host = commands.add_parser("host", help="open a table on this machine", add_help=False)
    if games:
        _add_games(host)
    else:
        host.add_argument("game", nargs="?", metavar="GAME", help=which)
    add_host_flags(host)
    _common(host)

    practice = commands.add_parser("practice", help="learn a game: five guided minutes against a bot")
    practice.add_argument("game", nargs="?", metavar="GAME", help=which, choices=keys() if games else None)
    _common(practice)

    join = commands.add_parser("join", help="take a seat at somebody's table")
    near = "192.168.1.23:8765/KQ7M, or KQ7M; without one, what is found on this network"
    join.add_argument("address", nargs="?", metavar="ADDRESS", help=near)
    join.add_argument("--players", metavar="A,B", help="several people at this keyboard")
    _common(join)

    watch = commands.add_parser("watch", help="look on at somebody's table")
    watch.add_argument("address", nargs="?", metavar="ADDRESS", help=near)
    _common(watch)

    room = "192.168.1.23:8765/KQ7M, or KQ7M; also a table that you hosted here and closed"
    log = f"such as game.jsonl, {room}"
    save = commands.add_parser("save", help="keep the log of a room in a file", epilog=_exits("0 saved"))
    save.add_argument("source", metavar="ADDRESS", help=f"such as {room}")
    save.add_argument("file", nargs="?", metavar="FILE", help="default: a new CODE.jsonl; - is standard output")
    save.add_argument("--force", action="store_true", help="overwrite the file if it is there already")
    replay = commands.add_parser("replay", help="tell the story of a room again", epilog=_exits("0 told"))
    replay.add_argument("source", metavar="FILE|ADDRESS", help=log)
    replay.add_argument("--step", action="store_true", help="wait for Enter after every update")
    replay.add_argument("--speed", type=float, metavar="N", help="so many updates per second (default: all)")
    replay.add_argument("--round", type=int, metavar="N", help="begin with this round")
    proven = "0 proven, the dice were fair; 1 something is wrong; 6 nothing is wrong, but it is not proven"
    verify = commands.add_parser("verify", help="check the dice and every move of a log", epilog=_exits(proven))
    verify.add_argument("source", metavar="FILE|ADDRESS", help=log)
    verify.add_argument(
        "--with", dest="witnesses", action="append", metavar="FILE", help="compare it with what somebody else saw"
    )
    review = commands.add_parser("review", help="how well everybody played, and what was luck", epilog=_exits("0 told"))
    review.add_argument("source", metavar="FILE|ADDRESS", help=log)
    review.add_argument("--game", dest="game_no", type=int, metavar="N", help="game N of the room (default: the last)")
    review.add_argument("--json", action="store_true", help="as JSON, for scripts")
    either = argparse.BooleanOptionalAction
    review.add_argument("--ascii", action=either, help="draw with plain ASCII characters")
    _looks(replay)
    replay.add_argument("--plain", action="store_true", help="line mode: one sentence per line")
    for command in (save, replay, verify, review):
        _password(command)
        command.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)

    past = [
        commands.add_parser("history", help="your games on a server"),
        commands.add_parser("stats", help="how your games on a server went"),
        commands.add_parser(
            "leaderboard", help="who has won most on a server, or who plays best", epilog=LEADERBOARD_EPILOG
        ),
    ]
    past[0].add_argument("--most", type=int, metavar="N", help=f"so many games (default: {CommandLine().most})")
    past[2].add_argument(
        "--game", dest="of_game", metavar="GAME", help="of one game only", choices=keys() if games else None
    )
    past[2].add_argument("--by", choices=("wins", "skill"), help="rank by wins (default), or by skill, game by game")
    past[2].add_argument("--season", metavar="MONTH", help="such as 2026-11, or all (default); months are those of UTC")
    past[2].add_argument("--bots", dest="with_bots", action="store_true", help="games with bots, which count apart")
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
    add_completion(commands, program())
    for command in commands.choices.values():
        command.add_argument("--version", action="version", version=version, help=argparse.SUPPRESS)
    if program() != CLIENT_ALONE:  # its arguments never come here: main hands them to the server
        more = f"the server alone, for a machine that stays on: see '{program()} server --help'"
        commands.add_parser("server", help=more)
    return top


def _a_game(word: str) -> str:
    """What to say of a command that is the name of a game, or nearly one."""
    from dicegames_protocol.text import did_you_mean

    game = next((key for key in keys() if f"'{key}'" in did_you_mean(word, keys()) or key == word.lower()), "")
    return f" Did you mean '{program()} host {game}'?" if game else ""


def _exits(good: str) -> str:
    """What the exit codes of a command for logs mean. `good`: those that are its own."""
    return (
        f"Exit codes: {good}; 2 a wrong command line, or a file that can't be read or written; 3 no server can be "
        "reached; 4 the server refuses, or the log is not whole; 5 one side needs a newer dicegames."
    )


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
    try:
        return _understood(top, given)
    except WrongArguments as error:
        raise ClientError(str(error), USAGE) from None


def _understood(top: Parser, given: list[str]) -> CommandLine:
    namespace, rest = top.parse_known_args(given)
    found = vars(namespace)
    command = top.commands()[found["command"]]
    if found["command"] == "host":
        if found.pop("help", False):
            _print_host_help(command, found.get("game"))
        return host_command(found, rest, given, command)
    if rest and rest[0] in top.commands():
        raise WrongArguments(f"The command comes first: {program()} {rest[0]} …")
    if rest:
        raise WrongArguments(command.unknown(rest[0], f"'{found['command']}'"))
    return practice_command(found) if found["command"] == "practice" else CommandLine(**found)


def _print_host_help(host: Parser, game: str | None) -> None:
    host.print_help()
    if game:
        print()
        game_parser(game).print_help()
    raise SystemExit(0)


def _add_games(host: Parser) -> None:
    """Make each game a command of `host`, with the options of both: a shell completes what stands after the game."""
    games = host.add_subparsers(dest="game", metavar="GAME", parser_class=Parser)
    for key in keys():
        blurb = types.blurb if (types := types_of(key)) else ""
        one = games.add_parser(key, help=blurb, add_help=False, parents=[game_parser(key)])
        add_host_flags(one)
        _common(one)


def print_completion(shell: str) -> int:
    top = parser(games=True)
    if server := top.commands().get("server"):
        from dicegames_server.app.command_line import fill

        fill(server, games=True)
    print(completion(top, shell))
    return 0

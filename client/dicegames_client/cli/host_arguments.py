"""The arguments of `host` and `practice`: the table, the server for it, and the options of its game."""

import argparse
from dataclasses import fields
from typing import Any

from dicegames_client.base.command_line import SSH_PORT, CommandLine, HostFlags, program
from dicegames_client.base.errors import USAGE, ClientError, no_game
from dicegames_protocol.bot_levels import DEFAULT_LEVEL, LEVELS
from dicegames_protocol.games import keys, types_of
from dicegames_protocol.system.argument_parser import Parser, WrongArguments

_HERE = "is about a server on this machine, but with --on the table is elsewhere"
_OWNER = "is for the owner of a server to decide, and with --on that is somebody else"
_NOT_WITH_ON = {
    **dict.fromkeys(("bind", "port", "announce", "ssh", "tls", "tls_cert", "tls_key"), _HERE),
    **dict.fromkeys(("fast_bots", "quiet_bots"), _OWNER),
}
"""Flags for the server that `host` starts -> why they do not go with a server elsewhere."""


def add_host_flags(host: Parser) -> None:
    """Add all flags of `host`, except those of a game."""
    host.add_argument("-h", "--help", action="store_true", help="show this; 'host GAME --help' adds the game's options")
    host.add_argument("--bots", type=int, metavar="N", help="fill N seats with bots")
    levels = f"{', '.join(LEVELS[:-1])} or {LEVELS[-1]}"
    level = f"how well they play: {levels} (default: {DEFAULT_LEVEL})"
    host.add_argument("--level", metavar="LEVEL", choices=LEVELS, help=level)
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
    host.add_argument("--host", dest="bind", type=_bind, metavar="ADDRESS", help="address to listen on (default: all)")
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


def _bind(typed: str) -> str:
    if not typed.strip():
        raise argparse.ArgumentTypeError("an address is missing. All addresses of this machine are 0.0.0.0")
    return typed


def _ssh_port(typed: str) -> int:
    if not (typed.isascii() and typed.isdecimal() and 0 < int(typed[:6]) < 65536):
        raise argparse.ArgumentTypeError(f"'{typed[:20]}' is no port. Name one, such as {SSH_PORT}, or none")
    return int(typed)


def practice_command(found: dict[str, Any]) -> CommandLine:
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


def host_command(found: dict[str, Any], rest: list[str], given: list[str], host: Parser) -> CommandLine:
    """`host`, parsed. `rest`: what its parser did not know. `given`: all that was typed. Raises ClientError."""
    game = found.pop("game", None)
    if rest and game and given.index(rest[0]) < given.index(game):
        game = None  # in `host --rounds 3` the 3 is not a game
    flags = {name: found.pop(name) for name in {field.name for field in fields(HostFlags)} & found.keys()}
    options = _read_options(game, rest, host)
    if wrong := [name for name in _NOT_WITH_ON if name in flags and "on" in flags]:
        flag = next(action.option_strings[0] for action in host._actions if action.dest == wrong[0])
        raise ClientError(f"{flag} {_NOT_WITH_ON[wrong[0]]}.", USAGE)
    return CommandLine(**found, host=HostFlags(**{**flags, "game": game, "options": options}))


def _read_options(game: str | None, rest: list[str], host: Parser) -> dict[str, Any]:
    """The flags of a game: `--rounds 8-12` becomes {"rounds": "8-12"}. Their values are checked later."""
    if not rest:
        return {}
    if game is None:
        of_games = [flag for key in keys() for flag in game_parser(key).flags()]
        if rest[0].partition("=")[0] in of_games:
            raise ClientError(f"'{rest[0]}' belongs to a game. Say which one first: {program()} host GAME …", USAGE)
        raise WrongArguments(host.unknown(rest[0], "'host'", of_games))
    known = game_parser(game)
    found, unknown = known.parse_known_args(rest)
    if unknown:
        has = " ".join(action.option_strings[0] for action in known._actions)
        raise WrongArguments(f"{known.unknown(unknown[0], game, host.flags())} The game has: {has}")
    return {key: value for key, value in vars(found).items() if value is not None}


def game_parser(game: str) -> Parser:
    """The parser for the options of a game. Raises ClientError where there is no such game."""
    types = types_of(game)
    if types is None:
        raise ClientError(no_game(game), USAGE)
    options = Parser(prog=f"{program()} host {game}", add_help=False, usage=argparse.SUPPRESS)
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
            words = types.options.choices(name)
            group.add_argument(flag, dest=name, metavar="|".join(words or ["X"]), choices=words, help=text)
    return options

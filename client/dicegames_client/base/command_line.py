"""What the user asked for on the command line: one value for all commands, with every default in one place.

`cli/arguments.py` fills it in. A flag that a command does not have keeps its default. Sentences that tell somebody what
to type next name the command as it was typed here: `program()`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DEFAULT_PORT = 8765
ALL_SEASONS = "all"
SSH_PORT = 2222
"""The port for ssh that `host --ssh` takes, if none is named."""
CLIENT_ALONE, ALL_IN_ONE = "dicegames-client", "dicegames"
"""The command for the client only, and the one that has the server as well."""

_program = CLIENT_ALONE


def program() -> str:
    """The command as the user types it, such as dicegames-client, dicegames or dicegames.pyz."""
    return _program


def for_others() -> str:
    """The command as somebody on another machine types it. There the file may have another name."""
    return CLIENT_ALONE if _program == CLIENT_ALONE else ALL_IN_ONE


def called_as(name: str) -> None:
    """Say once, at the start, how the command was typed."""
    global _program
    _program = name


@dataclass(frozen=True, slots=True)
class HostFlags:
    """The flags of `host`: the table that it opens, and the server for it."""

    game: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """The game's own flags, as typed. The server checks the values."""
    bots: int = 0
    level: str | None = None
    no_bots: bool = False
    fast_bots: bool = False
    quiet_bots: bool = False
    seats: int | None = None
    now: bool = False
    private: bool = False
    turn_limit: int = 0
    """Seconds for a turn; 0 is no limit."""
    on: str | None = None
    """The server to open the table on, instead of this machine."""
    bind: str = ""
    """The address to listen on; empty means all."""
    port: int = DEFAULT_PORT
    announce: bool = True
    ssh: int = 0
    """The port for friends who come with ssh; 0 is none."""
    tls: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None


@dataclass(frozen=True, slots=True)
class CommandLine:
    command: str = "start"
    address: str | None = None
    """A room or a server, as typed."""
    name: str | None = None
    players: str | None = None
    """Names of several people at this keyboard, separated by commas."""
    ask_password: bool = False
    password_file: str | None = None
    host: HostFlags = field(default_factory=HostFlags)

    # How it is shown.
    theme: str | None = None
    ascii: bool | None = None
    motion: bool | None = None
    bell: bool | None = None
    hints: bool | None = None
    mouse: bool | None = None
    practice: bool = False
    """The table is for practice: it tells what to do."""
    plain: bool = False
    json: bool = False
    debug: bool = False

    # Logs and past games.
    source: str = ""
    """The log that is meant: a file, or the address or the code of a room."""
    file: str | None = None
    force: bool = False
    """Overwrite the file."""
    witnesses: Sequence[str] = ()
    """Files with what others saw, for `verify`."""
    step: bool = False
    speed: float = 0
    """Updates per second; 0 is all at once."""
    round: int = 0
    """The first round that `replay` shows; 0: nobody has said."""
    game_no: int | None = None
    """The game of the log that `review` is about. None: the last one."""
    most: int = 20
    """Most games that `history` lists."""
    of_game: str | None = None
    by: str = "wins"
    """What the leaderboard ranks by: wins or skill."""
    season: str = ALL_SEASONS
    """The month of the leaderboard, such as 2026-11."""
    with_bots: bool = False
    """The leaderboard of games with bots."""

    code: str | None = None
    """The code that another device shows, for `link`."""

    shell: str = ""
    """The shell that `completion` is for."""

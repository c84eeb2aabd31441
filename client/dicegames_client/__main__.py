"""The entry points `dicegames-client`, with commands such as host, join, watch and rooms, and `dicegames`.

`dicegames` has the same commands, and everything of `dicegames-server` after the word `server`.
"""

import contextlib
import re
import sys
from collections.abc import Sequence

from dicegames_client.base.command_line import ALL_IN_ONE, CLIENT_ALONE, called_as
from dicegames_client.base.errors import ClientError
from dicegames_client.base.terminal.printing import clean_streams, fit

_OUR_NAME = re.compile(r"dicegames[\w.-]*")


def main(argv: Sequence[str] | None = None) -> int:
    """`dicegames-client`: run the command and return the exit code.

    An error becomes a sentence on stderr. With --debug, an unexpected error is raised instead.
    """
    return _run(list(sys.argv[1:] if argv is None else argv), CLIENT_ALONE)


def whole(argv: Sequence[str] | None = None) -> int:
    """`dicegames`: every command of the client, and `dicegames server …` for those of the server."""
    given = list(sys.argv[1:] if argv is None else argv)
    name = _file_name()
    if given[:1] == ["server"]:
        from dicegames_server.__main__ import main as server

        return server(given[1:], program=f"{name} server")
    return _run(given, name)


def _file_name() -> str:
    """The name of the file that was started. A single-file program has the name that its user gave it."""
    name = re.split(r"[/\\]", sys.argv[0])[-1].removesuffix(".exe")
    return name if _OUR_NAME.fullmatch(name) and name != CLIENT_ALONE else ALL_IN_ONE


def _run(given: list[str], name: str) -> int:
    called_as(name)
    with clean_streams():
        return _main(given)


def _main(argv: list[str]) -> int:
    from dicegames_client.cli.arguments import parse, print_completion

    debug = "--debug" in argv
    try:
        asked = parse(argv)
        if asked.command == "completion":
            return print_completion(asked.shell)
        from dicegames_client.cli.controller import run

        return run(asked)
    except ClientError as error:
        print(fit(error.sentence, sys.stderr), file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        return 0
    except BrokenPipeError:  # the program that read our output has closed the pipe
        sys.stdout = None
        return 0
    except OSError as error:
        if debug:
            raise
        with contextlib.suppress(OSError):
            print(f"Something could not be read or written: {error.strerror or error}.", file=sys.stderr)
        return 1
    except Exception as error:
        if debug:
            raise
        print(
            f"Something went wrong here ({type(error).__name__}). Run it again with --debug to see what.",
            file=sys.stderr,
        )
        return 1


if __name__ == "__main__":
    sys.exit(main())

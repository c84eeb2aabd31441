"""The entry point of `dicegames-client`, with commands such as host, join, watch and rooms."""

import contextlib
import sys
from collections.abc import Sequence

from dicegames_client.base.errors import ClientError
from dicegames_client.base.printing import clean_streams, fit


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code.

    An error becomes a sentence on stderr. With --debug, an unexpected error is raised instead.
    """
    with clean_streams():
        return _main(argv)


def _main(argv: Sequence[str] | None) -> int:
    from dicegames_client.cli.arguments import parse, print_completion

    debug = "--debug" in (argv if argv is not None else sys.argv)
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

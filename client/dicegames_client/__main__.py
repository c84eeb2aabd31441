"""`dicegames-client`: host, join, watch, rooms."""

import contextlib
import sys
from collections.abc import Sequence

from dicegames_client.base.errors import ClientError


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code. Whatever goes wrong becomes a sentence on stderr."""
    from dicegames_client.cli.arguments import parse, print_completion

    debug = "--debug" in (argv if argv is not None else sys.argv)
    try:
        arguments, options = parse(argv)
        if arguments.command == "completion":
            return print_completion(arguments.shell)
        from dicegames_client.cli.controller import run

        return run(arguments, options)
    except ClientError as error:
        from dicegames_client.lines.line_output import fit

        print(fit(error.sentence, sys.stderr), file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        return 0
    except BrokenPipeError:  # whoever read our output has seen enough
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

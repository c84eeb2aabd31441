"""Errors in words that tell the user what to do next, each with its exit code."""

from dicegames_client.base.system import connect_failure
from dicegames_protocol.system.failures import reason

USAGE, NETWORK, REFUSED, VERSION, NOT_PROVEN = 2, 3, 4, 5, 6
"""Exit codes, besides 0 (success) and 1 (any other error)."""


def no_game(typed: str) -> str:
    """A sentence about the name of a game that is none."""
    from dicegames_protocol.games import keys
    from dicegames_protocol.text import did_you_mean  # only on an error: `--help` must be quick

    meant = did_you_mean(typed, keys())
    return f"There is no game called '{typed[:32]}'.{meant} The games are: {', '.join(keys())}."


class ClientError(Exception):
    """Ends the program with a sentence on stderr and an exit code, never with a traceback."""

    def __init__(self, sentence: str, code: int) -> None:
        from dicegames_protocol.text import strip  # the same

        self.sentence = strip(sentence)  # parts of it may come from a server or from another person
        self.code = code
        super().__init__(self.sentence)


def network_error(error: BaseException, host: str, port: int, patience: float) -> ClientError:
    """The error for a failed connection, in words. `patience` is the timeout in seconds."""
    import socket  # not for `--help`

    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if isinstance(error, socket.gaierror):
        code = "" if "." in host else " (A room's code has 4 to 8 letters and digits.)"
        sentence = f'Can\'t find a server called "{host}". Check the spelling.{code}'
    elif (failure := connect_failure(error)) == "refused":
        sentence = f"{host} is there, but nothing listens on port {port}. Is the host's window still open?"
    elif failure == "timeout":
        sentence = (
            f"No answer from {place} after {patience:.0f} s. Are you on the same network? "
            f"A firewall may block port {port}."
        )
    elif isinstance(error, ConnectionResetError):
        sentence = f"{place} is there, but breaks off at once."
    elif isinstance(error, OSError):
        sentence = f"Can't reach {place}: {reason(error)}. Are you on the same network?"
    else:
        sentence = f"Something answers at {place}, but it is not a dicegames server."
    return ClientError(sentence, NETWORK)

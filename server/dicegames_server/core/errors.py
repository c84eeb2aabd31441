"""Exceptions: a command that is refused, and a connection that has ended."""

from dicegames_protocol.messages.server import ErrorCode


class Refused(Exception):
    """A command is not carried out. `code` and `message` (a sentence) go to the client that sent it."""

    def __init__(self, code: ErrorCode, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.hint = hint


class Ended(Exception):
    """A connection has ended, or is not let in. `reason` may be a sentence for the user."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason

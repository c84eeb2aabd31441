"""The exception for a command that is refused."""

from dicegames_protocol.messages.server import ErrorCode


class Refused(Exception):
    """A command is not carried out. `code` and `message` (a sentence) go to the client that sent it."""

    def __init__(self, code: ErrorCode, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.hint = hint

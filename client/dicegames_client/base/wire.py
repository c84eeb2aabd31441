"""The bare connection under a link to a server: texts go out and come in, until one side ends it.

Over the network it is a websocket (guest/web_socket.py). For a user who plays over ssh it stays inside the process.
"""

from typing import Protocol


class Closed(Exception):
    """The connection has ended. Code 1006 (LOST) means that it ended without a close frame."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


LOST = 1006


class Wire(Protocol):
    binding: str
    """What a proof of the server's identity is bound to on this connection."""
    certificate: bytes
    """The certificate that the server shows, in DER form. Empty: it is not encrypted."""

    async def send(self, text: str) -> None:
        """Send a text. Raises Closed."""

    async def receive(self) -> str | bytes:
        """The next text. Raises Closed at the end."""

    async def close(self, code: int) -> bool:
        """End the connection with a close code. Returns whether the other side has confirmed it."""

    def abort(self) -> None:
        """End it without a word, as a broken network would."""

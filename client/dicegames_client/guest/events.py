"""What a guest tells: messages, and what becomes of the connection."""

from dataclasses import dataclass

from dicegames_client.guest.store import Store
from dicegames_protocol.messages.server import ServerMessage


@dataclass(frozen=True, slots=True)
class News:
    """A message, with what was known before and after it."""

    message: ServerMessage
    before: Store
    after: Store


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection is gone; the guest tries to come back."""


@dataclass(frozen=True, slots=True)
class StillLost:
    """The guest has tried for so many seconds; the sentence says what is wrong."""

    seconds: float
    sentence: str


@dataclass(frozen=True, slots=True)
class Back:
    """The connection is there again, and all that was missed has been told."""


@dataclass(frozen=True, slots=True)
class Ended:
    """It is over, and why."""

    sentence: str
    code: int


SLOW = 1.0
NOT_YET = "One moment: the server has not answered yet."
"""What is said to whoever waits longer than that for an answer."""

Happening = News | Lost | StillLost | Back | Ended

"""What a guest reports: messages from the server, and changes of the connection."""

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
class Alarm:
    """Something is wrong with the dice or with the history of the room. The sentence says what."""

    sentence: str
    severe: bool = True
    """False: it only looks bad, and may be nobody's fault."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection is lost; the guest tries to reconnect."""

    why: str = ""
    """A sentence, if we have ended it ourselves because the server made no sense."""


@dataclass(frozen=True, slots=True)
class StillLost:
    """The guest has tried to reconnect for `seconds`; the sentence says what is wrong."""

    seconds: float
    sentence: str


@dataclass(frozen=True, slots=True)
class Back:
    """The connection is back, and everything that was missed has been reported."""

    said: str = ""
    """A sentence, if it is not as it was: the seat was taken anew."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The guest has ended. The sentence says why; `code` is the exit code."""

    sentence: str
    code: int


SLOW_ANSWER_SECONDS = 1.0
"""Seconds without an answer before NOT_YET is shown."""
NOT_YET = "One moment: the server has not answered yet."
"""Shown to a player who waits longer than that for an answer."""

GuestEvent = News | Alarm | Lost | StillLost | Back | Finished
NO_CONNECTION = "There is no connection at the moment; nothing was sent."

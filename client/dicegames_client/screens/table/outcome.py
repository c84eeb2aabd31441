"""The result of a visit to a table, for the code that goes on from there."""

from dataclasses import dataclass

from dicegames_client.guest.events import Finished
from dicegames_protocol.text import strip


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the visit ended."""

    code: int = 0
    sentence: str = ""
    gave_up: bool = True
    next_table: str = ""
    """The room that the spectator wants to watch next."""


def left(ended: Finished | None, *, gave_up: bool, hosting: bool) -> Outcome:
    """The user leaves. `ended`: it was over already, and why."""
    if ended:
        return Outcome(ended.code, strip(ended.sentence), gave_up=gave_up)
    return Outcome(sentence=f"You have {'closed' if hosting else 'left'} the table.")

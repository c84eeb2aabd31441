"""The result of a visit to a table, for the code that goes on from there."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the visit ended."""

    code: int = 0
    sentence: str = ""
    gave_up: bool = True
    next_table: str = ""
    """The room that the spectator wants to watch next."""

"""What a visit to a table has led to, for the evening to go on with."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended at this table."""

    code: int = 0
    sentence: str = ""
    gave_up: bool = True
    next_table: str = ""
    """The room that somebody wants to watch next."""

"""What was remarkable in a game: for each kind, the strongest that was seen."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Highlight:
    kind: str
    """Such as 'Luckiest roll'; a recap has one line for each kind."""
    weight: float
    sentence: str

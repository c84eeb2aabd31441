"""Remarkable moments of a game. A recap keeps the strongest one of each kind."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Highlight:
    kind: str
    """Such as 'Luckiest roll'. A recap has one line for each kind."""
    weight: float
    sentence: str

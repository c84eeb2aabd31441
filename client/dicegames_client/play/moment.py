"""A moment that matters: a bust, a farkle, the end of a round. It is shown on the stage for a short time. A value."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Moment:
    title: str
    """A word or two, in capitals."""
    sentence: str
    """Who, and how much."""
    style: str = "hot"
    faces: tuple[int, ...] = ()
    """The dice that led to it."""
    pauses: bool = False
    """A round or a game has ended: a key that is pressed now ends the moment, and does nothing else."""

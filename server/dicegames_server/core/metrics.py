"""What the server counts about itself, cheaply enough to count always. `/metrics` and `/status` read it."""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper ends of the buckets in which times are counted, in seconds."""


class Times:
    """How long something took, as counts in buckets; the last one is for everything longer."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float, bucket: int | None = None) -> None:
        """`bucket`: where it falls, if that is known already."""
        self.counts[bisect_left(BOUNDS, seconds) if bucket is None else bucket] += 1
        self.total += seconds


@dataclass(slots=True)
class Meter:
    moves: int = 0
    updates: int = 0
    connected: int = 0
    """Connections since the start."""
    cuts: Counter[str] = field(default_factory=Counter)
    """Connections that the server ended or refused, by cause."""
    redirects: int = 0
    """How often somebody was sent to another node."""
    errors: Counter[str] = field(default_factory=Counter)
    """Commands that were refused, by code."""
    move: Times = field(default_factory=Times)
    """From the frame of a move to its broadcast."""
    commit: Times = field(default_factory=Times)
    lag: Times = field(default_factory=Times)
    """How much later than asked for the event loop came round."""
    longest_lag: float = 0.0
    most_unsent: int = 0
    """Bytes that had piled up for somebody who was cut off."""

    def committed(self, move: bool, seconds: float) -> None:
        """An update, which took so long from the command to its broadcast."""
        self.updates += 1
        bucket = bisect_left(BOUNDS, seconds)
        self.commit.add(seconds, bucket)
        if move:
            self.moves += 1
            self.move.add(seconds, bucket)

    def refused(self, code: str) -> None:
        self.errors[code] += 1

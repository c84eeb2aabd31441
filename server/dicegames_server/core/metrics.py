"""What the server counts about itself. Counting is cheap, so it is always on. `/metrics` and `/status` read it."""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds of the histogram buckets, in seconds."""


class Histogram:
    """How long something took, as counts in buckets. The last bucket is for everything above the last bound."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float, bucket: int | None = None) -> None:
        """Count one time. `bucket`: its index, if the caller has worked it out already."""
        self.counts[bisect_left(BOUNDS, seconds) if bucket is None else bucket] += 1
        self.total += seconds


@dataclass(slots=True)
class Metrics:
    moves: int = 0
    updates: int = 0
    connected: int = 0
    """Connections since the start."""
    cuts: Counter[str] = field(default_factory=Counter)
    """Connections that the server ended or refused, by cause."""
    redirects: int = 0
    """How often a client was sent to another node."""
    errors: Counter[str] = field(default_factory=Counter)
    """Commands that were refused, by code."""
    move: Histogram = field(default_factory=Histogram)
    """Time from the frame of a move to its broadcast."""
    commit: Histogram = field(default_factory=Histogram)
    """Time from any command to the broadcast of its update."""
    lag: Histogram = field(default_factory=Histogram)
    """How late the event loop was with a timer."""
    longest_lag: float = 0.0
    """Longest lag of the event loop so far, in seconds."""
    stalls: int = 0
    """How often something held the event loop for too long (ops/loop_lag.py)."""
    most_unsent: int = 0
    """Most unsent bytes of a connection that was cut off."""

    def committed(self, move: bool, seconds: float) -> None:
        """Count an update. `seconds`: from the command to the broadcast."""
        self.updates += 1
        bucket = bisect_left(BOUNDS, seconds)
        self.commit.add(seconds, bucket)
        if move:
            self.moves += 1
            self.move.add(seconds, bucket)

    def refused(self, code: str) -> None:
        self.errors[code] += 1

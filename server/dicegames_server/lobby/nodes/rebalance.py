"""Which rooms go to another node when it has far fewer: after it has joined, or come back.

Rooms move gently: between two moves, a few per second, and only while the difference is large. So a node that is gone
for a moment does not set hundreds of rooms in motion.
"""

from collections import Counter
from collections.abc import Sequence

from dicegames_server.lobby.nodes.other_nodes import Other

MOVES_PER_LOOK = 2
"""Most rooms that are moved at one look. There is at most one look per second."""
SURPLUS = 1.25
"""This node has too many rooms where it has more than this times its share, and at least LEAST_SURPLUS more."""
LEAST_SURPLUS = 3


UNTOLD_SECONDS = 10.0
"""Seconds for which a room that has moved counts at its new node, besides what that node tells: clients have to follow
before the node has it, and the node has to tell it. It is better to count a room twice than to move too many.
"""


class Rebalance:
    def __init__(self) -> None:
        self._sent: list[tuple[float, str]] = []
        """Rooms that were moved lately: when, and where to."""

    def plan(self, rooms: int, others: Sequence[Other], now: float) -> list[str]:
        """Where rooms of this node should go now: one address for each room that should move.

        `rooms`: how many this node has. `others`: the nodes that take rooms. `now`: in seconds.
        """
        self._sent = [(at, url) for at, url in self._sent if now - at < UNTOLD_SECONDS]
        sent = Counter(url for _, url in self._sent)
        there = {other.url: int(other.status.get("rooms", 0)) + sent[other.url] for other in others if other.settled}
        if not there:
            return []
        wanted: list[str] = []
        share = (rooms + sum(there.values())) / (1 + len(there))
        while len(wanted) < MOVES_PER_LOOK:
            least = min(there, key=lambda url: there[url])
            if rooms <= SURPLUS * share or rooms - there[least] < LEAST_SURPLUS or there[least] >= share:
                break
            wanted.append(least)
            there[least] += 1
            rooms -= 1
        return wanted

    def moved(self, url: str, now: float) -> None:
        self._sent.append((now, url))

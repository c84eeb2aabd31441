"""The far end of a connection, as rooms and sessions see it. The real ones are made in transport/."""

from collections.abc import Callable, Iterable
from typing import Protocol

NOT_HERE = "the room is not here"
"""Why a connection is closed whose room is on another node, or can't be had just now: nobody's fault."""


class Link(Protocol):
    address: str
    player: str | None
    """Hash of the key of whoever is at the far end, if they told one."""
    buffer_limit: int
    """Unsent bytes at which a peer that does not read is cut off."""

    def send(self, data: bytes) -> None:
        """Hand over a text frame. Never waits and never fails: a dead peer is noticed elsewhere."""

    def close(self, code: int, reason: str) -> None: ...


Broadcast = Callable[[Iterable[Link], bytes], None]


def send_each(links: Iterable[Link], data: bytes) -> None:
    """The plain way to broadcast."""
    for link in links:
        link.send(data)

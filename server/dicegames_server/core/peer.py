"""The peer at the other end of a connection, as rooms and sessions see it. The real ones are in net/."""

from collections.abc import Callable, Iterable
from typing import Protocol

NOT_HERE = "the room is not here"
"""Close reason where the room is on another node, or can't be opened at the moment. It is not the client's fault."""


class Peer(Protocol):
    address: str
    player: str | None
    """Stands for the player in history, bans and the leaderboard. None: the client has not said who it is."""
    binding: str
    """What a proof of the server's identity is bound to on this connection (protocol identity.py). May be empty."""
    over_ssh: bool
    """Whether its user came over ssh. Then what it does for the dice is done by the server's own process."""
    buffer_limit: int
    """Unsent bytes at which a peer that does not read is cut off."""

    def send(self, data: bytes) -> None:
        """Queue a text frame. Never waits and never fails: a dead peer is noticed elsewhere."""

    def close(self, code: int, reason: str) -> None: ...


Broadcast = Callable[[Iterable[Peer], bytes], None]


def send_each(peers: Iterable[Peer], data: bytes) -> None:
    """The simple broadcast: one `send` for each peer."""
    for peer in peers:
        peer.send(data)

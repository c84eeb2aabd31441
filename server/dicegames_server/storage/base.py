"""What a store must do: keep each room's numbered updates, in order, once.

`append` is conditional. It fails where that number is already written or somebody holds a newer epoch, so that two
owners of a room can never both go on. When it returns, the update will still be there after a crash (as far as the
store is meant to survive one); only then does the room acknowledge.
"""

from typing import Protocol


class Conflict(Exception):
    """Somebody else has written this number, or holds a newer epoch: this room is no longer ours."""


class Unavailable(Exception):
    """The store can't take it right now. Nothing was written."""


class Storage(Protocol):
    async def open(self, room: str, epoch: int) -> None:
        """Begin a room's stream. Conflict where there is one with this or a newer epoch."""

    async def append(self, room: str, epoch: int, seq: int, update: bytes) -> None:
        """Write update number `seq`; it must be the one after the last."""

    async def updates(self, room: str, after: int) -> list[bytes] | None:
        """All updates after number `after`, in order; None where some of them are no longer at hand."""

    async def drop(self, room: str) -> None:
        """Forget a room that has ended."""

"""What a store keeps of the public list of commitments (fairness/register.py)."""

from typing import NamedTuple, Protocol

LIST_SECRET = "list"
"""Name of the id of the list, among the secrets in storage. After a restore there is a new list."""


class StoredCommitment(NamedTuple):
    number: int
    before: str
    room: str
    commit: str
    proof: str


class Commitments(Protocol):
    async def last(self) -> StoredCommitment | None:
        """The newest entry. None: the list is empty."""

    async def append(self, entry: StoredCommitment) -> bool:
        """Add an entry with the next number. False: that number is taken."""

    async def page(self, after: int, most: int) -> list[StoredCommitment]:
        """Entries with higher numbers than `after`, in order."""


class MemoryCommitments:
    def __init__(self) -> None:
        self._entries: list[StoredCommitment] = []

    async def last(self) -> StoredCommitment | None:
        return self._entries[-1] if self._entries else None

    async def append(self, entry: StoredCommitment) -> bool:
        if entry.number != len(self._entries) + 1:
            return False
        self._entries.append(entry)
        return True

    async def page(self, after: int, most: int) -> list[StoredCommitment]:
        return self._entries[after : after + most]

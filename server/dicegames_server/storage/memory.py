"""A store in memory: for tests, and for an evening whose rooms may end with the process."""

from collections import deque
from dataclasses import dataclass, field

from dicegames_server.storage.base import Conflict

KEPT = 1000


@dataclass(slots=True)
class _Stream:
    epoch: int
    last: int = 0
    recent: deque[bytes] = field(default_factory=lambda: deque(maxlen=KEPT))
    """The newest updates. Somebody who was away for longer gets a snapshot."""


class MemoryStorage:
    def __init__(self) -> None:
        self._streams: dict[str, _Stream] = {}

    async def open(self, room: str, epoch: int) -> None:
        known = self._streams.get(room)
        if known and known.epoch >= epoch:
            raise Conflict(f"room {room} exists already")
        if known:
            known.epoch = epoch
        else:
            self._streams[room] = _Stream(epoch)

    async def append(self, room: str, epoch: int, seq: int, update: bytes) -> None:
        stream = self._streams.get(room)
        if stream is None or stream.epoch != epoch or seq != stream.last + 1:
            raise Conflict(f"update {seq} of room {room} in epoch {epoch} does not fit")
        stream.recent.append(update)
        stream.last = seq

    async def updates(self, room: str, after: int) -> list[bytes] | None:
        stream = self._streams.get(room)
        if stream is None or after > stream.last:
            return None
        missed = stream.last - after
        if missed > len(stream.recent):
            return None
        return list(stream.recent)[len(stream.recent) - missed :]

    async def drop(self, room: str) -> None:
        self._streams.pop(room, None)

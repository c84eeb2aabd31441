"""Several nodes in one process, on one store in memory whose leases follow the test's clock."""

from dicegames_server.core.clock import Clock
from dicegames_server.storage.base import (
    Conflict,
    Done,
    Elsewhere,
    Entry,
    Node,
    StoredRoom,
    Unavailable,
    Unknown,
)
from dicegames_server.storage.memory import MemoryStorage

LEASE = 6.0


class SharedMemory(MemoryStorage):
    """What all nodes share: the logs, the owner and lease of each room, and which nodes are there."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock
        self.owners: dict[str, tuple[NodeStorage, float] | None] = {}
        self.nodes: dict[str, tuple[NodeStorage, bytes, float]] = {}


class NodeStorage:
    """The store as one node sees it."""

    durable = True
    shared = True
    commits = written = 0

    def __init__(self, store: SharedMemory, url: str) -> None:
        self._store = store
        self._url = url
        self._held: dict[str, int] = {}
        self.up = True
        """False: this node can't reach the store."""
        self.forgetful: bool | None = None
        """The next update is written (True) or not (False), and this node is not told which."""
        self.start, self.stop = store.start, store.stop
        self.snapshot, self.updates, self.read = store.snapshot, store.updates, store.read
        self.codes, self.mentions, self.players = store.codes, store.mentions, store.players
        self.commitments = store.commitments
        self.results, self.past_games, self.forget = store.results, store.past_games, store.forget

    def _reach(self) -> None:
        if not self.up:
            raise Unavailable("the store is away")

    def _renew(self, room: str) -> None:
        self._store.owners[room] = (self, self._store.clock.now() + LEASE)

    def _left(self, room: str) -> float:
        """The remaining time of a node's lease."""
        owner = self._store.owners.get(room)
        return owner[1] - self._store.clock.now() if owner else -LEASE

    async def open(self, room: str, private: bytes = b"{}") -> None:
        self._reach()
        await self._store.open(room, private)
        self._renew(room)
        self._held[room] = 1

    async def orphans(self, most: int) -> list[str]:
        self._reach()
        return [room for room in await self._store.orphans(10**6) if self._left(room) < -1][:most]

    async def acquire(self, room: str) -> StoredRoom:
        self._reach()
        owner = self._store.owners.get(room)
        if owner and owner[0] is not self and self._left(room) >= 0:
            self._held.pop(room, None)
            raise Elsewhere(room, owner[0]._url, self._left(room), fresh=self._left(room) > LEASE / 2)
        stored = await self._store.acquire(room)
        self._renew(room)
        self._held[room] = stored.epoch
        return stored

    async def release(self, room: str, epoch: int) -> None:
        self._reach()
        owner = self._store.owners.get(room)
        if owner and owner[0] is self and self._held.pop(room, 0) == epoch:
            self._store.owners[room] = None

    def write(self, entry: Entry, done: Done) -> None:
        if not self.up:
            done(Unavailable("the store is away"))
            return
        if self._held.get(entry.room) != entry.epoch:
            done(Conflict(f"{entry} has no room here"))
            return
        if self.forgetful is None:
            self._store.write(entry, done)
            return
        written, self.forgetful = self.forgetful, None
        del self._held[entry.room]
        if written:
            self._store.write(entry, lambda error: None)
        done(Unknown("the line broke"))

    async def drop(self, room: str, epoch: int) -> None:
        self._reach()
        await self._store.drop(room, epoch)

    def holds(self, room: str, epoch: int) -> bool:
        return self._held.get(room) == epoch

    async def beat(self, told: bytes) -> tuple[Node, ...]:
        self._reach()
        now, name = self._store.clock.now(), str(id(self))
        self._store.nodes[name] = (self, told, now)
        for room, epoch in list(self._held.items()):
            owner = self._store.owners.get(room)
            stream = self._store._streams.get(room)
            if owner and owner[0] is self and stream and stream.epoch == epoch:
                self._renew(room)
            else:
                del self._held[room]
        names = list(self._store.nodes)  # in the order in which they came
        return tuple(
            Node(key, node._url, said, names.index(key) < names.index(name), now - seen)
            for key, (node, said, seen) in self._store.nodes.items()
            if key != name and now - seen < LEASE
        )

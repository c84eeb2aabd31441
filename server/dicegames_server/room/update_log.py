"""A room's one stream: how a change becomes an update in storage, and what is handed to those who come later."""

import contextlib
from typing import Any

from dicegames_protocol import patch
from dicegames_protocol.codec import encode, encode_around, state_hash
from dicegames_server.room.environment import House
from dicegames_server.room.restore import private_of, private_update
from dicegames_server.room.results import results_of
from dicegames_server.storage.base import Done, Entry, Shelved, Unavailable, Unknown, append
from dicegames_server.table.state import Change, State

SHELVE_EVERY = 200
"""Updates between two snapshots in storage."""


class Stream:
    def __init__(self, house: House, state: State, shelved: int | None = None) -> None:
        """`shelved`: the last update that is in a snapshot, if the room comes out of storage."""
        self._storage = house.storage
        self._shelved = state.seq if shelved is None else shelved
        self._snapshot: tuple[int, bytes] = (-1, b"")
        self._hash: tuple[int, str] = (-1, "")

    def entry(self, before: State | None, change: Change, answers: tuple[int, str] | None = None) -> Entry:
        """An update for the log, with the results of a game and the seat and id of the move that it answers."""
        old: dict[str, Any] = before.public() if before else {}
        state = change.state
        update = encode(
            {
                "type": "update",
                "seq": state.seq,
                "cause": change.cause,
                "events": change.events,
                "patch": patch.changes(old, state.public()),
            }
        )
        private = b"{}"
        if self._storage.durable:
            private = private_update(before, state, answers) if before else encode(private_of(state))
        return Entry(state.info.code, state.epoch, state.seq, update, private, results_of(change))

    async def append(self, entry: Entry) -> None:
        await append(self._storage, entry)

    def write(self, entry: Entry, done: Done) -> None:
        self._storage.write(entry, done)

    def shelf_due(self, state: State) -> bool:
        """Whether it is time to put the whole state away; never while a roll may be corrected."""
        if state.seq - self._shelved < SHELVE_EVERY or not self._storage.durable:
            return False
        return state.match is None or state.match.entered is None

    async def shelve(self, state: State) -> None:
        """The whole state, so that it comes back quickly."""
        self._shelved = state.seq
        shelved = Shelved(state.seq, self.snapshot(state), encode(private_of(state)))
        with contextlib.suppress(Unavailable, Unknown):  # the updates are there; it only takes longer to come back
            await self._storage.snapshot(state.info.code, state.epoch, shelved)

    async def missed(self, state: State, epoch: int, last_seq: int) -> list[bytes] | None:
        """What somebody has missed; None where it takes a snapshot. The stream goes on through all epochs."""
        if not 1 <= epoch <= state.epoch:
            return None
        return await self._storage.updates(state.info.code, last_seq)

    def joined(self, state: State, id: str, seat: int | None, token: str | None, timer_ms: int | None) -> bytes:
        """The answer to whoever comes in, with all there is to see."""
        head = {
            "type": "joined",
            "id": id,
            "room": state.info.code,
            "seat": seat,
            "seat_token": token,
            "epoch": state.epoch,
            "seq": state.seq,
            "timer_ms": timer_ms,
        }
        there = {key: value for key, value in head.items() if value is not None}
        return encode_around(there, "snapshot", self.snapshot(state))

    def snapshot(self, state: State) -> bytes:
        """The table as JSON, written once however many join."""
        if self._snapshot[0] != state.seq:
            self._snapshot = (state.seq, encode(state.public()))
        return self._snapshot[1]

    def hash(self, state: State) -> str:
        if self._hash[0] != state.seq:
            self._hash = (state.seq, state_hash(patch.dump(state.public())))
        return self._hash[1]

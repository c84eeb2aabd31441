"""A room's stream of updates, and the state after the last committed update.

This module turns a change into an entry for storage. It also gives a client that joins or resumes what it missed.
"""

import contextlib
from typing import Any

from dicegames_protocol import patch
from dicegames_protocol.codec import encode, encode_around, encode_ascii, state_hash, update_hash
from dicegames_server.room.environment import Environment
from dicegames_server.room.restore import Answered, private_of, private_update
from dicegames_server.room.results import results_of
from dicegames_server.storage.base import Entry, StoredSnapshot, Unavailable, Unknown
from dicegames_server.table.state import Change, State

UPDATES_PER_SNAPSHOT = 200
"""Updates between two snapshots in storage."""


class UpdateLog:
    def __init__(self, environment: Environment, state: State, snapshot_seq: int | None = None) -> None:
        """`snapshot_seq`: number of the last update in the stored snapshot, if the room comes from storage."""
        self.state = state
        """The state after the last committed update. Only a commit or a recovery from storage changes it."""
        self._storage = environment.storage
        self._snapshot_seq = state.seq if snapshot_seq is None else snapshot_seq
        self._snapshot: tuple[int, bytes] = (-1, b"")
        self._hash: tuple[int, str] = (-1, "")

    def entry(
        self,
        before: State | None,
        change: Change,
        answers: Answered | None = None,
        unique: str | None = None,
    ) -> Entry:
        """Build the storage entry for a change. The state of the change knows the hash of the update from now on.

        `answers`: the move that this update answers. `unique`: a key that no other move in this room
        has; storage uses it to recognise a repeated move.
        """
        old: dict[str, Any] = before.public() if before else {}
        state = change.state
        update = encode_ascii(
            {
                "type": "update",
                "seq": state.seq,
                **({"prev": before.head} if before and before.head else {}),
                "cause": change.cause,
                "events": change.events,
                "patch": patch.changes(old, state.public()),
            }
        )
        state.__dict__["head"] = update_hash(update)  # nobody else has this state yet; a copy would cost 2 % of a move
        private = b"{}"
        if self._storage.durable:
            private = private_update(before, state, answers) if before else encode(private_of(state))
        return Entry(state.info.code, state.epoch, state.seq, update, private, results_of(change), unique)

    @property
    def snapshot_due(self) -> bool:
        """Whether a snapshot should be stored now. Never while a typed roll may still be corrected."""
        state = self.state
        if state.seq - self._snapshot_seq < UPDATES_PER_SNAPSHOT or not self._storage.durable:
            return False
        return state.match is None or not state.match.typed

    async def save_snapshot(self) -> None:
        """Store the whole state, so that the room can be restored quickly. Storage errors are ignored."""
        state = self.state
        self._snapshot_seq = state.seq
        stored = StoredSnapshot(state.seq, self.snapshot(), encode(private_of(state)))
        with contextlib.suppress(Unavailable, Unknown):  # the updates are stored; a restore only takes longer
            await self._storage.snapshot(state.info.code, state.epoch, stored)

    async def missed(self, epoch: int, last_seq: int) -> list[bytes] | None:
        """The updates after `last_seq`. None: the client needs a snapshot instead.

        Update numbers continue across epochs, so an older epoch is fine, as long as it is of the same history.
        """
        if not 1 <= epoch <= self.state.epoch:
            return None
        found = await self._storage.updates(self.state.info.code, last_seq, epoch)
        return found if found is not None and last_seq + len(found) == self.state.seq else None

    def joined(self, id: str, seat: int | None, token: str | None, timer_ms: int | None) -> bytes:
        """The `joined` message for a client that enters the room, with a snapshot of the table."""
        state = self.state
        head = {
            "type": "joined",
            "id": id,
            "room": state.info.code,
            "seat": seat,
            "seat_token": token,
            "epoch": state.epoch,
            "seq": state.seq,
            "head": state.head or None,
            "timer_ms": timer_ms,
        }
        there = {key: value for key, value in head.items() if value is not None}
        return encode_around(there, "snapshot", self.snapshot())

    def snapshot_message(self) -> bytes:
        state = self.state
        head = {
            "type": "snapshot",
            "epoch": state.epoch,
            "seq": state.seq,
            **({"head": state.head} if state.head else {}),
        }
        return encode_around(head, "snapshot", self.snapshot())

    def snapshot(self) -> bytes:
        """The table as JSON. It is encoded once per update, however many clients join."""
        if self._snapshot[0] != self.state.seq:
            self._snapshot = (self.state.seq, encode(self.state.public()))
        return self._snapshot[1]

    def hash(self) -> str:
        if self._hash[0] != self.state.seq:
            self._hash = (self.state.seq, state_hash(patch.dump(self.state.public())))
        return self._hash[1]

"""The witness: what we hear is checked at once and remembered, so that nobody can tell us something else later.

It looks at every update (fairness/inspector.py), compares what comes again with what came before, and watches that our
own part of the dice is used. What is wrong becomes an alarm. What only looks bad becomes a note.
"""

import time
from collections.abc import Callable
from typing import Protocol

from dicegames_client.guest.chains import Chains, DrawId
from dicegames_client.guest.store import Store
from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import parse_object, update_hash
from dicegames_protocol.fairness.inspector import Inspector
from dicegames_protocol.fairness.scheme import SCHEME
from dicegames_protocol.fairness.witness_memory import Memory
from dicegames_protocol.messages.client import Request, Show
from dicegames_protocol.messages.server import CaughtUp, Heartbeat, Joined, ServerMessage, Snapshot, Update

FORKED = "The server now tells another history of this room than before: update {seq} is not the one that we saw."
WENT_BACK = "The server goes back to update {seq} of this room, though it has told us update {last}."
NO_HEAD = "The server does not say which update led to this table."
EXCHANGED = "The server has exchanged its commitment in the middle of a game."
ANOTHER_ROOM = "The server says that this is another room than before, under the same code."
MOST_ROOMS = 20
"""Rooms that one connection is remembered in. With more, a server could crowd out what is remembered of others."""
LEFT_OUT = "The server has left our part of the dice out: these dice prove nothing to you."


class WitnessMemory(Protocol):
    """Where a witness keeps what it saw."""

    def begin(self, server: str, room: str, room_id: str) -> Memory:
        """From now on it is about this room. Gives what is remembered of it from earlier."""

    def heard(self, line: bytes) -> None:
        """An update, exactly as it was sent."""

    def noted(self, kind: str, fields: JsonObject) -> None:
        """Something else that is worth to be remembered: an alarm, a note, a tip that was given."""

    def keep_chain(self, seed: bytes) -> None:
        """The seed of one of our chains."""

    def chains(self) -> list[bytes]:
        """The seeds that were kept, newest first."""


class Forgetful:
    """A memory that keeps nothing."""

    def begin(self, server: str, room: str, room_id: str) -> Memory:
        return Memory()

    def heard(self, line: bytes) -> None: ...
    def noted(self, kind: str, fields: JsonObject) -> None: ...
    def keep_chain(self, seed: bytes) -> None: ...
    def chains(self) -> list[bytes]:
        return []


class Witness:
    def __init__(self, memory: WitnessMemory, now: Callable[[], float] = time.monotonic) -> None:
        self.memory = memory
        self.chains = Chains(memory.keep_chain, memory.chains, self._note_shown)
        self._now = now
        self._inspector: Inspector | None = None
        self._seq = 0
        self._heads: dict[int, str] = {}
        self._room: str | None = None
        self._code: str | None = None
        self._begun = 0
        self._asked: tuple[int, float, float | None] | None = None
        """The draw that asks for our links: its number, when we heard of it, and when we answered."""
        self._wrong: set[int] = set()
        """Numbers of updates in which something was wrong."""
        self._told: set[str] = set()
        self._notes: set[str] = set()
        self._noted_tips: set[str] = set()

    def _note_shown(self, link: str, draw: DrawId) -> None:
        self.memory.noted("shown", {"link": link, "draw": list(draw)})

    def hear(self, message: ServerMessage, raw: bytes, before: Store, after: Store, server: str) -> list[str]:
        """Look at a message. `before` and `after`: what is known before and after it. Gives alarms, each once."""
        found: list[str] = []
        match message:
            case Joined() | Snapshot():
                found += self._start(message, after, server)
            case Update() if message.seq <= self._seq:
                found += self._same(message.seq, update_hash(raw))
            case Update() if self._inspector and message.seq == self._seq + 1:
                found += self._update(message, raw, before, after)
            case CaughtUp() | Heartbeat() if message.head and message.seq <= self._seq:
                found += self._same(message.seq, message.head)
        for tip, seat in self.chains.tips.items():
            if tip not in self._noted_tips:
                self._noted_tips.add(tip)
                self.memory.noted("tip", {"tip": tip, "seat": seat})
        refused, self.chains.refused = self.chains.refused, []
        new = [sentence for sentence in (*found, *refused) if sentence not in self._told]
        self._told.update(new)
        for sentence in new:
            self.memory.noted("note" if sentence in self._notes else "alarm", {"said": sentence})
        return new

    def to_show(self, store: Store, new_id: Callable[[], str]) -> list[Show]:
        """The links that the pending draw asks us for. None, where the update that decided it was wrong."""
        if store.rolling is None or store.rolling["seq"] in self._wrong or store.rolling["seq"] > store.seq:
            return []  # the last one: nobody has decided it yet, whatever a snapshot says
        return self.chains.to_show(store, new_id)

    def cut(self) -> None:
        """The connection is lost: nobody can expect an answer of us."""
        self._asked = None

    def is_note(self, sentence: str) -> bool:
        """Whether a sentence only tells what looks bad. Everything else is wrong for sure."""
        return sentence in self._notes

    def answered(self) -> None:
        """We have shown our links for the pending draw."""
        if self._asked and self._asked[2] is None:
            self._asked = (self._asked[0], self._asked[1], self._now())

    def _start(self, message: Joined | Snapshot, after: Store, server: str) -> list[str]:
        """The whole table has come: look at the updates from here on."""
        room_id = after.info.id or ""
        found = []
        if room_id != self._room:
            if self._room is not None and self._code == after.room:
                found.append(ANOTHER_ROOM)
            self._room, self._code, self._begun = room_id, after.room, self._begun + 1
            keep = self._begun <= MOST_ROOMS
            known = self.memory.begin(server, after.room or "", room_id) if keep else Memory()
            self._heads = {seq: next(iter(seen)) for seq, seen in known.seen.items() if len(seen) == 1}
            self._seq = 0
            self.chains.remember(known.tips, known.shown)
            self._noted_tips.update(known.tips)
        elif self._inspector and _exchanged(self._inspector.table, after.table):
            found.append(EXCHANGED)
        if room_id and not message.head:
            found.append(NO_HEAD)
        if message.seq < self._seq:  # history never goes back: a table of the future could have asked for our links
            found.append(WENT_BACK.format(seq=message.seq, last=self._seq))
        elif message.head:
            found += self._same(message.seq, message.head)
        if found and after.rolling:
            self._wrong.add(after.rolling["seq"])
        self._inspector = Inspector(after.table, message.head or "")
        self._seq = max(self._seq, message.seq)
        if message.head:
            self._heads[message.seq] = message.head
            self.memory.noted("from", {"seq": message.seq, "head": message.head})
        return found

    def _same(self, seq: int, head: str) -> list[str]:
        known = self._heads.get(seq)
        return [FORKED.format(seq=seq)] if known is not None and known != head else []

    def _update(self, message: Update, raw: bytes, before: Store, after: Store) -> list[str]:
        assert self._inspector
        found = self._inspector.see(raw, parse_object(raw.decode()))
        if found:
            self._wrong.add(message.seq)
        forked = self._same(message.seq, self._inspector.head)  # an earlier run may have seen it
        self.memory.heard(raw)
        self._seq = message.seq
        self._heads[message.seq] = self._inspector.head
        return [*forked, *found, *self._own_part(message, before, after)]

    def _own_part(self, message: Update, before: Store, after: Store) -> list[str]:
        """Whether our own part of the dice is used."""
        told = message.patch.get("fair") or {}
        fair = after.table.get("fair") or {}
        found = []
        started = any(event.get("kind") == "game_started" for event in message.events)
        if "commit" in told or started:
            given = set(self.chains.tips.values())
            mine = [seat for seat in after.seats if seat in given and str(seat) not in (fair.get("out") or {})]
            if any(fair.get("scheme") != SCHEME or not self.chains.ours(after, seat) for seat in mine):
                found.append(LEFT_OUT)
        pending = fair.get("pending")
        if pending and set(pending["members"]) & set(after.seats):
            if self._asked is None or self._asked[0] != pending["draw"]:
                found += self._dropped(told, before)
                self._asked = (pending["draw"], self._now(), None)
            return found
        if self._asked:
            found += self._dropped(told, before)
            self._asked = None
        return found

    def _dropped(self, told: JsonObject, before: Store) -> list[str]:
        """The server says that we did not answer. That is noted with our own times."""
        out = {int(seat) for seat in told.get("out") or {}} & set(before.seats)
        if not out or self._asked is None:
            return []
        _, heard, answered = self._asked
        if answered is None:
            return []
        said = f"The server left our part of the dice out. We sent it {answered - heard:.1f} s after we were asked"
        said = f"{said}, {self._now() - heard:.1f} s ago. The network or one of the machines may be slow."
        self._notes.add(said)
        return [said]


class NoChains(Chains):
    """No part in the dice."""

    def add_commit(self, message: Request, store: Store) -> Request:
        return message

    def with_move(self, message: Request, store: Store) -> Request:
        return message


class NoWitness(Witness):
    """For a guest that runs on the server itself: what it saw would prove nothing, and its links would be no secret."""

    def __init__(self) -> None:
        super().__init__(Forgetful())
        self.chains = NoChains()

    def hear(self, message: ServerMessage, raw: bytes, before: Store, after: Store, server: str) -> list[str]:
        return []


def _exchanged(before: JsonObject, after: JsonObject) -> bool:
    """Whether the commitment of a running game is another one than before."""
    old, new = before.get("fair") or {}, after.get("fair") or {}
    rooms = before.get("room", {}), after.get("room", {})
    same_game = rooms[0].get("game_no") == rooms[1].get("game_no") and rooms[1].get("phase") == "playing"
    running = rooms[0].get("phase") == "playing" and old.get("secret") is None
    return same_game and running and old.get("commit") != new.get("commit")

"""The way of a move through a room: decided, committed, acknowledged, told.

Moves are by far the most frequent commands, so one that no other job is before goes its way without a task and without
a coroutine: it claims the room's inbox, is decided, is handed to storage, and goes on from there when it is committed.
The next one does not wait for that: it is decided upon what the one before will have led to, and storage, which keeps
the order, commits them together. If one can't be committed, those that were built upon it can't be either.
"""

from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from dicegames_protocol.codec import encode, encode_ack
from dicegames_protocol.messages.client import MakeMove
from dicegames_protocol.messages.server import Error
from dicegames_server.core.peer import Link
from dicegames_server.games.base import Refused
from dicegames_server.room.answers import Answers
from dicegames_server.room.environment import House
from dicegames_server.room.mailbox import Ask, Reply
from dicegames_server.storage.base import Conflict, Entry, Repeated, Unknown
from dicegames_server.table.commands import decide
from dicegames_server.table.state import Change, State

if TYPE_CHECKING:
    from dicegames_server.room.room import Room


class _Twice(Exception):
    """A move that is being committed has come again."""


class Moves:
    def __init__(self, room: "Room", house: House) -> None:
        self._room: Room | None = room
        self._inbox = room.inbox
        self._house = house
        self.answers = Answers()
        self._latest: State | None = None
        """What the moves that are being committed lead to; None where there are none, or one of them failed."""
        self._under_way: set[tuple[int, str]] = set()
        """Seat and id of the moves that are being committed."""
        self._holders: dict[int, str] = {}
        """The beginning of the hash of the token of whoever holds a seat."""

    @property
    def room(self) -> "Room":
        assert self._room, "an inbox that is closed hands out no jobs"
        return self._room

    def end(self) -> None:
        """The room has ended. It is let go, so that it goes without the garbage collector."""
        self._room = None

    def remember(self, answered: Iterable[tuple[int, int, str]]) -> None:
        """Moves that were acknowledged before: update, seat and id."""
        for seq, seat, id in answered:
            self.answers.keep(seat, id, encode_ack(id, seq))

    def make(self, link: Link, message: MakeMove, reply: Reply) -> Coroutine[Any, Any, object] | None:
        """None: the move has been answered, or will be when it is committed. Else it has to wait for its turn."""
        go = partial(self._go, link, message, reply, self._house.clock.now())
        ask = self._inbox.claim(message.id, reply)
        if ask is None:
            return self._inbox.claim_later(message.id, reply, go)
        go(ask)
        return None

    def _go(self, link: Link, message: MakeMove, reply: Reply, began: float, ask: Ask) -> None:
        room = self.room
        try:
            before = self._latest or room.state
            decided = self._decide(link, message, ask.reply, before)
            if decided is None:
                self._inbox.release(ask)
                return
            seat, change = decided
            entry = room.stream.entry(before, change, (seat, message.id))
            entry.move = self._unique(room, seat, message.id)
        except _Twice:  # it is answered when the first one is
            self._inbox.post(lambda reply: self.queued(link, message, reply, began), message.id, reply)
            self._inbox.release(ask)
            return
        except Exception as error:
            self._inbox.release(ask, error)
            return
        self._latest = change.state
        self._under_way.add((seat, message.id))
        acknowledge = partial(self._acknowledge, seat, message.id, change.state.seq, ask.reply)
        room.stream.write(entry, partial(self._written, room, ask, seat, change, entry, acknowledge, began))

    async def queued(self, link: Link, message: MakeMove, reply: Reply, began: float) -> None:
        """A move whose turn has come."""
        if decided := self._decide(link, message, reply, self.room.state):
            seat, change = decided
            acknowledge = partial(self._acknowledge, seat, message.id, change.state.seq, reply)
            unique = self._unique(self.room, seat, message.id)
            try:
                await self.room.commit(change, acknowledge, (seat, message.id), began, unique)
            except Repeated as repeated:
                self._acknowledge(seat, message.id, repeated.seq, reply)

    def _decide(self, link: Link, message: MakeMove, reply: Reply, state: State) -> tuple[int, Change] | None:
        """What a move leads to, and for whom; None: it has been answered.

        A move id that was answered before is answered the same again, and does nothing.
        """
        room = self.room
        seat = room.acting_seat(room.audience.member(link), message)
        if seat is None:
            raise Refused("unauthorized", "You are watching. Nothing you do can change the game.")
        if known := self.answers.get(seat, message.id):
            reply(known)
            return None
        if (seat, message.id) in self._under_way:
            raise _Twice
        try:
            return seat, decide(state, seat, message, self._house.dice)
        except Refused as refused:
            self._house.meter.refused(refused.code)
            error = encode(Error(id=message.id, code=refused.code, message=refused.message, hint=refused.hint))
            self.answers.keep(seat, message.id, error)
            reply(error)
            return None

    def _written(
        self,
        room: "Room",
        ask: Ask,
        seat: int,
        change: Change,
        entry: Entry,
        acknowledge: Callable[[], None],
        began: float,
        error: Exception | None,
    ) -> None:
        """Even if the room is being put away meanwhile: what is in the log is acknowledged."""
        if isinstance(error, Unknown | Conflict):
            self._latest = None
            room.recovery.doubt(entry, partial(self._settled, ask, seat, acknowledge))
            return
        try:
            if error is None:
                room.committed(change, entry.update, acknowledge, began)
            elif isinstance(error, Repeated):
                self._acknowledge(seat, ask.id or "", error.seq, ask.reply)
        except Exception as problem:
            error = problem
        self._done(ask, seat, error)

    def _settled(self, ask: Ask, seat: int, acknowledge: Callable[[], None], error: Exception | None) -> None:
        """What was in doubt is known."""
        if error is None:
            acknowledge()
        self._done(ask, seat, error)

    def _done(self, ask: Ask, seat: int, error: Exception | None) -> None:
        self._under_way.discard((seat, ask.id or ""))
        if error or not self._under_way:
            self._latest = None
        self._inbox.release(ask, error)

    def _unique(self, room: "Room", seat: int, id: str) -> str:
        """What no other move in this room has: who comes to this seat later has another token."""
        if seat not in self._holders:
            tokens = room.state.seats.tokens.items()
            self._holders[seat] = next((token[:8] for token, of in tokens if of == seat), "")
        return f"{seat}/{self._holders[seat]}/{blake2b(id.encode(errors='replace'), digest_size=12).hexdigest()}"

    def new_holder(self, seat: int) -> None:
        """Somebody else sits here, whose ids are their own."""
        self.answers.forget(seat)
        self._holders.pop(seat, None)

    def _acknowledge(self, seat: int, id: str, seq: int, reply: Reply) -> None:
        ack = encode_ack(id, seq)
        self.answers.keep(seat, id, ack)
        reply(ack)

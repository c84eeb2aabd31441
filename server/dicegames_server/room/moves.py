"""The path of a move through a room: decide, commit, acknowledge, broadcast.

Moves are by far the most frequent commands. If no job is waiting, a move therefore needs no task and no coroutine: it
claims the mailbox, is decided, and is handed to storage. Storage calls back when the move is committed.

The next move does not wait for this commit. It is decided on the state that the previous move will lead to. Storage
keeps the order and commits several moves together. If one move can't be committed, the moves that were built on it
can't be committed either.

A move id is an idempotency key: a repeated move gets the same answer again and acts only once. While the fate of a move
is not known, a copy of it waits for the same answer.
"""

from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple

from dicegames_protocol.codec import encode, encode_ack
from dicegames_protocol.messages.client import MakeMove
from dicegames_protocol.messages.server import Error
from dicegames_server.core.errors import Refused
from dicegames_server.core.peer import Peer
from dicegames_server.room.audience import Audience
from dicegames_server.room.commits import Commits
from dicegames_server.room.environment import Environment
from dicegames_server.room.mailbox import Envelope, Mailbox, Reply
from dicegames_server.room.recovery import Recovery
from dicegames_server.room.restore import Answered, answered_by, content_of
from dicegames_server.room.update_log import UpdateLog
from dicegames_server.storage.base import Conflict, Entry, Repeated, Unknown
from dicegames_server.table.commands import decide
from dicegames_server.table.state import Change, State

USED_ID = "This id was used for another move. Take a new id for every move."
STILL_A_BOT = "A bot still plays for you; the server could not save yet that you are back. Try again in a moment."
KEPT_PER_SEAT = 64
"""Most answers to moves kept for each seat."""


@dataclass(slots=True, eq=False)
class MoveInFlight:
    """A move that is being committed: who asked, the change that it makes, and its entry for the log."""

    envelopes: list[Envelope]
    """The claim of the move, and the claims of repeats that came meanwhile. All get the same answer."""
    seat: int
    id: str
    content: str
    began: float
    change: Change
    entry: Entry


class Moves:
    def __init__(
        self,
        environment: Environment,
        mailbox: Mailbox,
        update_log: UpdateLog,
        audience: Audience,
        commits: Commits,
        recovery: Recovery,
    ) -> None:
        self._environment = environment
        self._mailbox = mailbox
        self._update_log = update_log
        self._audience = audience
        self._commits = commits
        self._recovery = recovery
        self._answers = Answers()
        self._in_flight: dict[tuple[int, str], MoveInFlight] = {}
        """Moves that are being committed, by seat and id."""
        self._waiting: Counter[tuple[int, str]] = Counter()
        """Moves that wait for their turn in the mailbox, by seat and id: how many copies of each."""
        self._latest: State | None = None
        """The state that the moves in flight lead to. None: there are none, or one of them failed."""
        self._holders: dict[int, str] = {}
        """Seat -> first characters of the token hash of the player who holds it."""

    def remember(self, answered: Iterable[tuple[int, Answered]]) -> None:
        """Keep the acks of moves that were acknowledged earlier, given with their update numbers."""
        for seq, move in answered:
            self._answers.keep(move.seat, move.id, move.content, encode_ack(move.id, seq))

    def new_holder(self, seat: int) -> None:
        """Another player takes this seat. Forget the answers of the previous one: ids belong to one player."""
        self._answers.forget(seat)
        self._holders.pop(seat, None)

    def make(self, peer: Peer, message: MakeMove, reply: Reply) -> Coroutine[Any, Any, object] | None:
        """Make a move. None: it has been answered, or will be when it is committed. Else await the result: the move
        has to wait for its turn in the mailbox.
        """
        go = partial(self._go, peer, message, self._environment.clock.now())
        envelope = self._mailbox.claim(message.id, reply)
        if envelope is None:
            key = self._key(peer, message)
            if key not in self._in_flight:
                return self._wait(key, message.id, reply, go)
            envelope = self._mailbox.claim(message.id, reply, joins=True)
            if envelope is None:  # the room is closed
                return self._mailbox.claim_later(message.id, reply, go)
        go(envelope)
        return None

    async def _wait(self, key: tuple[int, str] | None, id: str, reply: Reply, go: Callable[[Envelope], None]) -> None:
        """Make a move when its turn has come. While the first copy of a move waits, further copies wait, too: an id
        must not be refused now and acknowledged later.
        """
        if key is None:
            await self._mailbox.claim_later(id, reply, go)
            return
        self._waiting[key] += 1
        try:
            await self._mailbox.claim_later(id, reply, go, patient=self._waiting[key] > 1)
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key]

    def _key(self, peer: Peer, message: MakeMove) -> tuple[int, str] | None:
        """Seat and id of a move. None where the peer has no such seat."""
        member = self._audience.find(peer)
        seats = member.seats if member else []
        seat = message.seat if message.seat is not None else seats[0] if len(seats) == 1 else None
        return (seat, message.id) if seat in seats and seat is not None else None

    def _go(self, peer: Peer, message: MakeMove, began: float, envelope: Envelope) -> None:
        """Decide the move and hand it to storage. The mailbox must be claimed for it."""
        try:
            move = self._decided(peer, message, began, envelope)
        except Exception as error:
            self._mailbox.release(envelope, error)
            return
        if move:
            self._environment.storage.write(move.entry, partial(self._written, move))

    def _decided(self, peer: Peer, message: MakeMove, began: float, envelope: Envelope) -> MoveInFlight | None:
        """Decide the move and put it in flight. None: it has been answered, or it repeats a move that is in flight and
        gets the answer of that one. Raises Refused for a spectator and for a seat that is not the player's.
        """
        seat = acting_seat(self._audience.member(peer).seats, message.seat)
        if seat is None:
            raise Refused("unauthorized", "You are watching. Nothing you do can change the game.")
        content = content_of(message.move)
        if known := self._answers.get(seat, message.id):
            if known.content not in (content, None):
                raise Refused("bad_message", USED_ID)
            envelope.reply(known.answer)
            self._mailbox.release(envelope)
            return None
        if first := self._in_flight.get((seat, message.id)):
            if first.content != content:
                raise Refused("bad_message", USED_ID)
            first.envelopes.append(envelope)
            return None
        before = self._latest or self._update_log.state
        if before.seats[seat].standin:  # it could not be saved yet that the player is back
            raise Refused("unavailable", STILL_A_BOT)
        try:
            change = decide(before, seat, message, self._environment.dice)
        except Refused as refused:
            self._environment.metrics.refused(refused.code)
            error = encode(Error(id=message.id, code=refused.code, message=refused.message, hint=refused.hint))
            self._answers.keep(seat, message.id, content, error)
            envelope.reply(error)
            self._mailbox.release(envelope)
            return None
        answers = Answered(seat, message.id, content)
        entry = self._update_log.entry(before, change, answers, self._unique(seat, message.id))
        move = MoveInFlight([envelope], seat, message.id, content, began, change, entry)
        self._latest = change.state
        self._in_flight[seat, message.id] = move
        return move

    def _written(self, move: MoveInFlight, error: Exception | None) -> None:
        """Storage has answered. A move that is in the log is acknowledged, even if the room is being put away."""
        if isinstance(error, Unknown | Conflict):
            self._latest = None
            self._recovery.doubt(move.entry, partial(self._settled, move))
            return
        if isinstance(error, Repeated):  # it is in the log already: acknowledge it, though nothing was written now
            self._latest = None
            first = answered_by(error.private)
            if first and first.content not in (move.content, None):
                self._done(move, Refused("bad_message", USED_ID))
                return
            self._acknowledge(move, error.seq)
            error = None
        elif error is None:
            try:
                acknowledge = partial(self._acknowledge, move, move.entry.seq)
                self._commits.committed(move.change, move.entry.update, acknowledge, move.began)
            except Exception as problem:
                error = problem
        self._done(move, error)

    def _settled(self, move: MoveInFlight, error: Exception | None) -> None:
        """Recovery has found out whether the move was written. `error` is None if it was."""
        if error is None:
            self._acknowledge(move, move.entry.seq)
        self._done(move, error)

    def _acknowledge(self, move: MoveInFlight, seq: int) -> None:
        ack = encode_ack(move.id, seq)
        self._answers.keep(move.seat, move.id, move.content, ack)
        for envelope in move.envelopes:
            envelope.reply(ack)

    def _done(self, move: MoveInFlight, error: Exception | None) -> None:
        self._in_flight.pop((move.seat, move.id), None)
        if error or not self._in_flight:
            self._latest = None
        for envelope in move.envelopes:
            self._mailbox.release(envelope, error)

    def _unique(self, seat: int, id: str) -> str:
        """A key that no other move in this room has. A later player on the same seat has another token."""
        if seat not in self._holders:
            tokens = self._update_log.state.seats.tokens.items()
            self._holders[seat] = next((token[:8] for token, of in tokens if of == seat), "")
        return f"{seat}/{self._holders[seat]}/{blake2b(id.encode(errors='replace'), digest_size=12).hexdigest()}"


class Kept(NamedTuple):
    content: str | None
    """Content of the move. None: it is not known."""
    answer: bytes


class Answers:
    """The latest answers of each seat. A repeat of an older move names an old update, so it is refused as stale."""

    def __init__(self) -> None:
        self._by_seat: dict[int, dict[str, Kept]] = {}

    def get(self, seat: int, id: str) -> Kept | None:
        answers = self._by_seat.get(seat)
        return answers.get(id) if answers else None

    def keep(self, seat: int, id: str, content: str | None, answer: bytes) -> None:
        answers = self._by_seat.setdefault(seat, {})
        answers[id] = Kept(content, answer)
        if len(answers) > KEPT_PER_SEAT:
            del answers[next(iter(answers))]  # the oldest

    def forget(self, seat: int) -> None:
        """Another player takes the seat: forget its answers, because ids belong to one player."""
        self._by_seat.pop(seat, None)


def acting_seat(mine: list[int], asked: int | None) -> int | None:
    """The seat that acts: the named one, or the only one of the player. None for a spectator.

    Raises Refused if the seat is not the player's, or if the player has several seats and names none.
    """
    if asked is None:
        if len(mine) > 1:
            raise Refused("bad_message", "You hold several seats: say which one you mean.")
        return mine[0] if mine else None
    if asked not in mine:
        raise Refused("unauthorized", "That is not your seat.")
    return asked

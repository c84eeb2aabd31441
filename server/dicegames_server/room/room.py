"""The room: one mailbox, one stream of updates, and its public interface.

Everything that changes a room goes through its mailbox, one after the other: commands of players, timers, lost
connections. A change is decided (table/, pure), committed to the log, acknowledged to the caller, and only then
broadcast, in this order. A change that can't be committed has not happened. The room has no rules, no sockets and no
clock of its own: all of these are passed in.

The parts depend on each other in one direction only:

    mailbox, update_log, audience  <-  recovery  <-  commits  <-  moves, automatic actions  <-  handlers  <-  room

Code outside this package does not use a part directly. A session calls `join`, `watch`, `resume`, `move`, `command`,
`gone`, `seats_of`, `rules_page`, `odds` and `preview`. The lobby and the cluster call the other public names below.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.client import (
    AskOdds,
    AskPreview,
    Join,
    MakeMove,
    Resume,
    RoomCommand,
    Show,
    Watch,
)
from dicegames_protocol.messages.server import (
    ErrorCode,
    Left,
    Odds,
    Preview,
    Redirect,
    RulesPage,
    ServerNotice,
)
from dicegames_protocol.table import RoomEntry
from dicegames_server.core.address_key import address_key
from dicegames_server.core.errors import Refused
from dicegames_server.core.peer import Peer
from dicegames_server.core.worker import TooMuch
from dicegames_server.room.audience import Audience
from dicegames_server.room.automatic.actions import AutomaticActions
from dicegames_server.room.commits import Commits
from dicegames_server.room.environment import Environment
from dicegames_server.room.handlers import Handlers
from dicegames_server.room.mailbox import Mailbox, Reply
from dicegames_server.room.moves import Moves
from dicegames_server.room.recovery import Recovery
from dicegames_server.room.restore import answered, restore
from dicegames_server.room.update_log import UpdateLog
from dicegames_server.storage.base import Conflict, StoredRoom, Unavailable, Unknown, append
from dicegames_server.table import questions
from dicegames_server.table.commands import abandon
from dicegames_server.table.draw import unshown
from dicegames_server.table.state import Change, State

log = logging.getLogger("dicegames.room")
RETURN_SECONDS = 60.0
"""Seconds that spectators have to come back before a room with nobody else in it is closed."""


class Room:
    def __init__(self, environment: Environment, state: State, snapshot_seq: int | None = None) -> None:
        """`snapshot_seq`: number of the last update in the stored snapshot, if the room comes from storage."""
        self._environment = environment
        self._expecting_until = self._host_until = float("-inf")
        self._update_log = UpdateLog(environment, state, snapshot_seq)
        self._audience = Audience(environment, state.info.phase)
        self._mailbox = Mailbox(f"room {state.info.code}", environment.metrics.refused)
        own = (environment, self._mailbox, self._update_log, self._audience)
        self._recovery = Recovery(*own)
        self._commits = Commits(environment, self._update_log, self._audience, self._recovery)
        self._moves = Moves(*own, self._commits, self._recovery)
        self._automatic = AutomaticActions(*own, self._commits)
        self._handlers = Handlers(
            environment, self._update_log, self._audience, self._commits, self._moves, self._automatic
        )
        self._commits.on_commit = self._automatic.committed
        self._recovery.on_acquired = self._take_over
        self._recovery.on_lost = self.put_away
        self.on_put_away: Callable[[Room], object] = lambda room: None

    @classmethod
    async def open(cls, environment: Environment, opened: Change) -> "Room":
        """A new room. Its first update is committed; raises Unavailable if that fails."""
        room = cls(environment, opened.state)
        try:
            await append(environment.storage, room._update_log.entry(None, opened))
        except (Unavailable, Unknown, Conflict) as error:
            room.suspend()
            raise Unavailable(str(error)) from None
        return room

    @classmethod
    def revive(cls, environment: Environment, stored: StoredRoom) -> "Room":
        """A room from storage. Nobody is connected yet. Seats are held, and timers start again with their full time.

        Raises ValueError if the stored room can't be read.
        """
        room = cls(environment, restore(stored), stored.snapshot.seq)
        room.expect()
        room._moves.remember(answered(stored))
        room._audience.expect(room.state.seats.people)
        room._automatic.reschedule()
        return room

    # For sessions. Each command is answered exactly once, through `reply`, and the call returns after the answer.
    # `join`, `watch` and `resume` also return the error code, if there is one.

    async def join(self, peer: Peer, message: Join, reply: Reply) -> ErrorCode | None:
        async def sit(reply: Reply) -> None:
            try:
                await self._handlers.sit(peer, message, reply)
                self._host_until = float("-inf")
            except Refused as refused:
                advice = " You can watch instead." if refused.code == "room_full" else ""
                raise Refused(refused.code, refused.message + advice, refused.hint) from None

        return await self._mailbox.ask(sit, message.id, reply, arriving=True)

    async def watch(self, peer: Peer, message: Watch, reply: Reply) -> ErrorCode | None:
        return await self._mailbox.ask(
            lambda reply: self._handlers.watch(peer, message, reply), message.id, reply, arriving=True
        )

    async def resume(self, peer: Peer, message: Resume, reply: Reply) -> ErrorCode | None:
        return await self._mailbox.ask(
            lambda reply: self._handlers.resume(peer, message, reply), message.id, reply, arriving=True
        )

    def move(self, peer: Peer, message: MakeMove, reply: Reply) -> Coroutine[Any, Any, object] | None:
        """Make a move. None: it has been answered, or will be when it is committed. Else await the result: the move
        has to wait for its turn in the mailbox.
        """
        return self._moves.make(peer, message, reply)

    def command(self, peer: Peer, message: RoomCommand, reply: Reply) -> Coroutine[Any, Any, ErrorCode | None]:
        """Carry out any command but a move."""
        return self._mailbox.ask(lambda reply: self._handlers.command(peer, message, reply), message.id, reply)

    async def gone(self, peer: Peer, *, left: bool) -> None:
        """A connection has ended. If the player `left` on purpose, the seats are given up; else they are held."""
        await self._mailbox.ask(lambda _: self._handlers.gone(peer, left=left))

    def seats_of(self, peer: Peer) -> list[int] | None:
        """The seats that a connection holds here. Empty for a spectator; None if it is not in the room."""
        member = self._audience.find(peer)
        return None if member is None else member.seats

    def awaits_link(self, peer: Peer, message: Show) -> bool:
        """Whether a draw waits for this link, and nothing but this link of this seat has been shown for it."""
        seats, state = self.seats_of(peer), self.state
        seat = message.seat if message.seat is not None or not seats else seats[0]
        here = state.pending is not None and state.pending.draw == message.draw and seat in (seats or ())
        return here and seat in unshown(state)

    def rules_page(self, id: str) -> RulesPage:
        return questions.rules_page(self.state, id)

    async def odds(self, peer: Peer, message: AskOdds) -> Odds:
        """The odds, calculated in the worker. Raises Refused where whoever asks is not in the room."""
        mine = self.seats_of(peer)
        if mine is None:
            raise Refused("unauthorized", "You are not in this room.")
        work = partial(questions.odds, self.state, message, list(mine))
        try:
            return await self._environment.worker.run(("odds", address_key(peer.address)), work)
        except TooMuch:
            return Odds(id=message.id, note=questions.TOO_LARGE)

    async def preview(self, peer: Peer, message: AskPreview) -> Preview:
        """What a correction would lead to, calculated in the worker. Raises Refused where it is not possible."""
        mine = self.seats_of(peer)
        if mine is None:
            raise Refused("unauthorized", "You are not in this room.")
        work = partial(questions.preview, self.state, message, list(mine), self._environment.dice)
        try:
            return await self._environment.worker.run(("preview", address_key(peer.address)), work)
        except TooMuch:
            raise Refused("rate_limited", questions.TOO_BUSY) from None

    # For the lobby and the cluster.

    @property
    def state(self) -> State:
        """The state after the last committed update. It is immutable."""
        return self._update_log.state

    @property
    def code(self) -> str:
        return self.state.info.code

    @property
    def wanted(self) -> bool:
        """Whether to keep the room: a client is connected, a player holds a seat, or somebody may come back."""
        now = self._environment.clock.now()
        if self._audience or self.state.seats.people or now < max(self._expecting_until, self._host_until):
            return True
        # a waiting room stays for those who have its code, although its seats are free by now
        kept_until = self._commits.expired_at + self._environment.settings.seat_seconds
        return self.state.info.phase == "waiting" and now < kept_until

    @property
    def empty(self) -> bool:
        """Whether nobody is connected."""
        return not self._audience

    @property
    def watching(self) -> int:
        return self._audience.watching

    @property
    def idle_seconds(self) -> float:
        """Seconds since the last command or commit."""
        return self._environment.clock.now() - self._commits.last_at

    @property
    def recovering(self) -> bool:
        """Whether a recovery is under way: an update is in doubt, or the owner of the room is."""
        return self._recovery.under_way

    def entry(self) -> RoomEntry:
        """The room as an entry in the list of rooms."""
        info, seats = self.state.info, self.state.seats
        return RoomEntry(
            code=info.code,
            game=info.game,
            title=info.title,
            summary=info.summary,
            seated=len(seats.present),
            capacity=info.capacity,
            phase=info.phase,
            locked=info.locked,
            host=None if seats.host is None else seats[seats.host].name,
            watching=self._audience.watching,
        )

    def notify(self, sentence: str) -> None:
        """Send a notice about the server to everybody in the room."""
        self._audience.publish(encode(ServerNotice(message=sentence)))

    def send_on(self, url: str) -> None:
        """Redirect everybody to another node, which can perhaps continue this room. They may come back."""
        self.expect()
        self._audience.publish(encode(Redirect(url=url)))

    def expect(self) -> None:
        """Keep the room for RETURN_SECONDS: spectators may come back, and they have no seat that would keep it."""
        self._expecting_until = self._environment.clock.now() + RETURN_SECONDS

    def expect_host(self) -> None:
        """Keep a new room until its host has sat down: a sweep must not close it while the host is on the way in."""
        self._host_until = self._environment.clock.now() + RETURN_SECONDS

    def recover(self) -> None:
        """Find out who owns this room, by acquiring it again."""
        self._recovery.begin()

    async def stand_still(self) -> bool:
        """Finish what is under way, then pause. False: the room could not be paused, or it is recovering.

        Call `go_on` or `put_away` next.
        """
        still = asyncio.Event()

        async def stop(reply: Reply) -> None:
            self._mailbox.pause()
            still.set()

        await self._mailbox.ask(stop)
        return still.is_set() and not self.recovering

    def go_on(self) -> None:
        """Continue after `stand_still`: the room stays on this node."""
        self._mailbox.go_on()

    def suspend(self, *, moves: bool = False) -> None:
        """Stop the room on this node. It continues when the next server process revives it.

        `moves`: another node revives it.
        """
        self._mailbox.close("The server is restarting.", moves=moves)
        self._end()

    def put_away(self, url: str) -> None:
        """Stop the room here, because another node continues it. Everybody is sent to `url`, if it is not empty."""
        self.suspend(moves=True)
        self._audience.send_away(url)
        self.on_put_away(self)

    def quieten(self) -> None:
        """Stop bots and timers: the room is about to end. Moves of players are still possible."""
        self._automatic.end()

    async def close(self, message: str) -> None:
        """End the room for good. Everyone is told why."""
        self.quieten()
        if self.state.playing and not self.state.abandoned:
            await self._mailbox.ask(lambda _: self._commits.commit(abandon(self.state)))
        self._mailbox.close(message)
        self._end()
        self._audience.publish(encode(Left(room=self.code, reason="closed", message=message)))
        try:
            await self._environment.storage.drop(self.code, self.state.epoch)
        except (Unavailable, Unknown):  # if it is opened again, nobody is in it, and it is closed then
            log.warning("room %s can't be ended in storage now", self.code)

    def _end(self) -> None:
        """Stop everything. Callbacks that refer to the room are dropped, so that no reference cycle is left."""
        self._automatic.end()
        self._recovery.end()
        self._audience.hush()
        self._commits.on_commit = lambda change: None
        self._recovery.on_acquired = lambda stored: None
        self._recovery.on_lost = lambda url: None

    def _take_over(self, stored: StoredRoom) -> None:
        """Replace the state by the one in storage, whatever the state was here. Everybody stays connected."""
        state, mine = restore(stored), self.state
        if state.pending and state.pending == mine.pending:
            state = state.but(shown=mine.shown)  # links are not in the log until all are there
        self._update_log.state = state
        self._audience.enter_phase(state.info.phase)
        self.expect()
        self._moves.remember(answered(stored))
        self._automatic.reschedule()

"""The room: one task, one inbox, one stream.

Everything that touches a room goes through its inbox and is carried out one after the other: commands of players,
timers, lost connections. A change is decided (decide.py, pure), committed to the log, acknowledged to whoever asked,
and only then told to everyone, in this order. A change that can't be committed has not happened. The room knows no
rules, no sockets and no clock of its own: all of these are handed in.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable

from dicegames_protocol.codec import encode, encode_around
from dicegames_protocol.messages.client import (
    Chat,
    Join,
    Kick,
    Leave,
    MakeMove,
    Ready,
    Rematch,
    Resume,
    Reveal,
    RoomCommand,
    Sit,
    Watch,
)
from dicegames_protocol.messages.server import Ack, CaughtUp, CloseCode, ErrorCode, Left, Said
from dicegames_server.core.checked_text import chat_from, name_from
from dicegames_server.core.peer import Link
from dicegames_server.games.base import Refused
from dicegames_server.room.audience import Audience, Member
from dicegames_server.room.automatic.actions import Clockwork
from dicegames_server.room.bans import Bans
from dicegames_server.room.environment import House
from dicegames_server.room.mailbox import Inbox, Reply
from dicegames_server.room.moves import Moves
from dicegames_server.room.recovery import Recovery
from dicegames_server.room.update_log import Stream
from dicegames_server.storage.base import Conflict, Unavailable, Unknown
from dicegames_server.table.commands import Why, abandon, decide, leave_seat, stand_in, take_seat
from dicegames_server.table.deal import all_revealed, deal, reveal
from dicegames_server.table.seats import token_hash
from dicegames_server.table.state import Change, State

log = logging.getLogger("dicegames.room")
RETURN_SECONDS = 60.0
"""So long spectators may take to come back, before a room with nobody else in it is closed."""
REMOVED = "The host has removed you from this room."


class Room:
    def __init__(self, house: House, state: State, shelved: int | None = None) -> None:
        """`shelved`: the last update that is in a snapshot, if the room comes out of storage."""
        settings = house.settings
        self._house = house
        self.state = state
        self.audience = Audience(
            house.clock,
            house.broadcast,
            hold=settings.seat_seconds,
            player_buffer=settings.player_buffer,
            spectator_buffer=settings.spectator_buffer,
        )
        self.last_act = house.clock.now()
        self._expecting_until = float("-inf")
        self._bans = Bans(house.clock, settings.kick_seconds)
        self.stream = Stream(house, state, shelved)
        self._shelving: asyncio.Future[None] | None = None
        self.inbox = Inbox(f"room {state.info.code}", house.meter.refused)
        self.moves = Moves(self, house)
        self._clockwork = Clockwork(self, house)
        self.recovery = Recovery(self, house)
        self.on_put_away: Callable[[Room], object] = lambda room: None

    @property
    def code(self) -> str:
        return self.state.info.code

    @property
    def wanted(self) -> bool:
        """Whether somebody is here, has a seat to come back to, or may still come to watch on."""
        return bool(self.audience or self.state.seats.people) or self._house.clock.now() < self._expecting_until

    # What a session may ask. Each call returns when it has been answered, through `reply`, exactly once; an error of
    # those who come in is given back as well.

    async def join(self, link: Link, message: Join, reply: Reply) -> ErrorCode | None:
        async def sit(reply: Reply) -> None:
            try:
                await self._sit(link, message, reply)
            except Refused as refused:
                advice = " You can watch instead." if refused.code == "room_full" else ""
                raise Refused(refused.code, refused.message + advice, refused.hint) from None

        return await self.inbox.ask(sit, message.id, reply, comes=True)

    async def watch(self, link: Link, message: Watch, reply: Reply) -> ErrorCode | None:
        return await self.inbox.ask(lambda reply: self._watch(link, message, reply), message.id, reply, comes=True)

    async def resume(self, link: Link, message: Resume, reply: Reply) -> ErrorCode | None:
        return await self.inbox.ask(lambda reply: self._resume(link, message, reply), message.id, reply, comes=True)

    def command(self, link: Link, message: RoomCommand, reply: Reply) -> Awaitable[ErrorCode | None]:
        return self.inbox.ask(lambda reply: self._command(link, message, reply), message.id, reply)

    async def gone(self, link: Link, *, left: bool) -> None:
        """A connection has ended: on purpose (the seats are given up) or not (they are held)."""
        await self.inbox.ask(lambda _: self._gone(link, left=left))

    @classmethod
    async def open(cls, house: House, opened: Change) -> "Room":
        """A new room, whose first update is committed; Unavailable where that can't be."""
        room = cls(house, opened.state)
        try:
            await room.stream.append(room.stream.entry(None, opened))
        except (Unavailable, Unknown, Conflict) as error:
            room.suspend()
            raise Unavailable(str(error)) from None
        return room

    def revive(self, answered: Iterable[tuple[int, int, str]]) -> None:
        """The room is back from storage. Nobody is here yet; seats are held and timers run anew, in full.

        `answered` are the newest moves that were acknowledged: update, seat and id.
        """
        self.expect()
        self.moves.remember(answered)
        self.audience.expect(self.state.seats.people)
        self._clockwork.wind()

    def expect(self) -> None:
        """Spectators may be on their way back: they leave no seat behind that would say so."""
        self._expecting_until = self._house.clock.now() + RETURN_SECONDS

    def recovered(self, state: State, answered: Iterable[tuple[int, int, str]]) -> None:
        """The room is as it is in storage, whatever it looked like from here. Everybody stays where they are."""
        if state.fair and self.state.fair and state.fair.commit == self.state.fair.commit:
            state = state.but(revealed=self.state.revealed)  # seeds are in no log until all are there
        self.state = state
        self.expect()
        self.moves.remember(answered)
        self._clockwork.wind()

    async def stand_still(self) -> bool:
        """Carry out what was begun, and nothing more. False: that can't be had, for the room has other troubles."""
        still = asyncio.Event()

        async def stop(reply: Reply) -> None:
            self.inbox.pause()
            still.set()

        await self.inbox.ask(stop)
        return still.is_set() and not self.recovery.under_way

    def suspend(self, *, moves: bool = False) -> None:
        """Stop here; the room goes on when it is revived, by the next server or, if it `moves`, by another one."""
        self.inbox.close("The server is restarting.", moves=moves)
        self._end()

    def put_away(self, url: str) -> None:
        """The room goes on elsewhere, at this address if there is one. Everybody is sent there."""
        self.suspend(moves=True)
        self.audience.send_away(url)
        self.on_put_away(self)

    def _end(self) -> None:
        self._clockwork.end()
        self.moves.end()
        self.recovery.end()
        self.audience.hush()

    async def close(self, message: str) -> None:
        """The room ends. Everyone is told why."""
        if self.state.playing:
            await self.inbox.ask(lambda _: self.commit(abandon(self.state)))
        self.inbox.close(message)
        self._end()
        self.audience.publish(encode(Left(room=self.code, reason="closed", message=message)))
        try:
            await self._house.storage.drop(self.code, self.state.epoch)
        except (Unavailable, Unknown):  # whoever opens it again finds nobody in it, and closes it
            log.warning("room %s can't be ended in storage now", self.code)

    # Commands.

    async def _sit(self, link: Link, message: Join | Sit, reply: Reply) -> None:
        self._keep_out(link)
        name = name_from(message.name, self._house.settings)
        token = secrets.token_urlsafe(32)
        program = isinstance(message, Join) and message.program
        change, seat = take_seat(self.state, name, token_hash(token), link.player, program)

        def joined() -> None:
            self.moves.new_holder(seat)
            reply(self._joined(message.id, seat, token))

        await self.commit(change, joined)
        member = self.audience.enter(link)
        self.audience.hold_seat(member, seat)
        self.audience.tell_all_presence(link)
        self._clockwork.wind()

    async def _watch(self, link: Link, message: Watch, reply: Reply) -> None:
        self._keep_out(link)
        name = name_from(message.name, self._house.settings) if message.name else None
        reply(self._joined(message.id, None, None))
        self.audience.enter(link, name)
        self.audience.tell_all_presence(link)
        self.audience.tell_watching()

    def _keep_out(self, link: Link) -> None:
        if self._bans.hold(link):
            raise Refused("unauthorized", REMOVED)

    async def _resume(self, link: Link, message: Resume, reply: Reply) -> None:
        seat = self.state.seats.tokens.get(token_hash(message.seat_token))
        if seat is None:
            raise Refused("unauthorized", "That seat is no longer yours. Join again.")
        missed = await self.stream.missed(self.state, message.epoch, message.last_seq)
        if missed is None or message.last_seq + len(missed) != self.state.seq:
            missed = []
            head = {"type": "snapshot", "epoch": self.state.epoch, "seq": self.state.seq}
            link.send(encode_around(head, "snapshot", self.stream.snapshot(self.state)))
        for update in missed:
            link.send(update)
        was_away = self.audience.is_away(seat)
        member = self.audience.enter(link)
        evicted = self.audience.hold_seat(member, seat)
        seq, hashed = self.state.seq, self.stream.hash(self.state)
        timer = self._clockwork.timer_ms
        caught_up = CaughtUp(
            id=message.id, room=self.code, seat=seat, epoch=self.state.epoch, seq=seq, hash=hashed, timer_ms=timer
        )
        reply(encode(caught_up))
        if evicted and not evicted.seats:
            self.audience.exit(evicted)
            evicted.link.close(CloseCode.REPLACED, "this seat was taken over by a newer connection")
        if was_away:
            self.audience.tell_presence([seat])
        self.audience.tell_all_presence(link)
        if self.state.seats[seat].standin:
            await self.commit(stand_in(self.state, seat, on=False))
        self._clockwork.wind()

    async def _command(self, link: Link, message: RoomCommand, reply: Reply) -> None:
        member = self.audience.member(link)
        self.last_act = self._house.clock.now()
        match message:
            case MakeMove():
                await self.moves.queued(link, message, reply, self.last_act)
            case Chat():
                self._chat(member, message, reply)
            case Leave():
                await self._leave(member, message, reply)
            case Sit():
                if member.seats:
                    raise Refused("illegal_move", "You already have a seat.")
                await self._sit(link, message, reply)
                self.audience.tell_presence()
            case Reveal():
                await self._reveal(member, message, reply)
            case _:
                seat = self.acting_seat(member, message)
                change = decide(self.state, seat, message, self._house.dice)
                await self.commit(change, lambda: reply(encode(Ack(id=message.id, seq=self.state.seq))))
                if isinstance(message, Kick):
                    left = Left(room=self.code, seat=message.target, reason="kicked", message=REMOVED)
                    self._bans.show_out(self.audience, message.target, encode(left))

    def acting_seat(self, member: Member, message: RoomCommand) -> int | None:
        """The seat that speaks; None for a spectator. A host with several seats speaks as host."""
        asked: int | None = getattr(message, "seat", None)
        if asked is None and len(member.seats) == 1:
            return member.seats[0]
        if asked is not None and asked not in member.seats:
            raise Refused("unauthorized", "That is not your seat.")
        if asked is not None or not member.seats:
            return asked
        if isinstance(message, MakeMove | Ready | Rematch | Reveal) and len(member.seats) > 1:
            raise Refused("bad_message", "You hold several seats: say which one you mean.")
        return self.state.seats.host if self.state.seats.host in member.seats else member.seats[0]

    async def _reveal(self, member: Member, message: Reveal, reply: Reply) -> None:
        """A seed is kept until all are there. One that is lost in a crash is shown again by its client."""
        seat = self.acting_seat(member, message)
        if seat is None:
            raise Refused("unauthorized", "You are watching. Nothing you do can change the game.")
        self.state = reveal(self.state, seat, message)
        reply(encode(Ack(id=message.id, seq=self.state.seq)))
        if all_revealed(self.state):
            await self.commit(deal(self.state, self._house.dice))

    def _chat(self, member: Member, message: Chat, reply: Reply) -> None:
        seat = self.acting_seat(member, message)
        text = chat_from(message.text, self._house.settings)
        name = member.name if seat is None else self.state.seats[seat].name
        reply(encode(Ack(id=message.id, seq=self.state.seq)))
        self.audience.publish(encode(Said(seat=seat, name=name, text=text)))

    async def _leave(self, member: Member, message: Leave, reply: Reply) -> None:
        if message.seat is not None and message.seat not in member.seats:
            raise Refused("unauthorized", "That is not your seat.")
        going = list(member.seats) if message.seat is None else [message.seat]
        for seat in going[:-1]:
            await self.give_up(seat, "left")

        def acked() -> None:
            reply(encode(Ack(id=message.id, seq=self.state.seq)))

        if going:
            await self.give_up(going[-1], "left", acked)
        else:
            acked()
        if not member.seats:
            self.audience.exit(member)
            self.audience.tell_presence()

    async def _gone(self, link: Link, *, left: bool) -> None:
        member = self.audience.find(link)
        if member is None:
            return
        self.audience.exit(member)
        seats = list(member.seats)
        for seat in seats:
            try:
                if left:
                    await self.give_up(seat, "left")
                    continue
            except Unavailable:  # the wish could not be saved: the seat is held until it is given up for good
                log.warning("room %s: seat %d can't be given up now", self.code, seat)
            self.audience.lose(seat)
        if seats and not left:
            self.audience.tell_presence(seats)
        else:
            self.audience.tell_watching()
        self._clockwork.wind()

    async def give_up(self, seat: int, why: Why, acknowledge: Callable[[], None] = lambda: None) -> None:
        await self.commit(leave_seat(self.state, seat, why), acknowledge)
        self.audience.drop_seat(seat)

    # Commit, then acknowledge, then tell.

    async def commit(
        self,
        change: Change,
        acknowledge: Callable[[], None] = lambda: None,
        answers: tuple[int, str] | None = None,
        began: float | None = None,
        unique: str | None = None,
    ) -> None:
        """`answers`: the seat and id of the move that this acknowledges, `unique` of its kind, begun some time ago."""
        began = self._house.clock.now() if began is None else began
        entry = self.stream.entry(self.state, change, answers)
        entry.move = unique
        try:
            await self.stream.append(entry)
        except (Unknown, Conflict):
            await self.recovery.settled(entry, acknowledge)
            return
        self.committed(change, entry.update, acknowledge, began)

    def committed(self, change: Change, update: bytes, acknowledge: Callable[[], None], began: float) -> None:
        self.state = change.state
        self.last_act = self._house.clock.now()
        self._house.meter.committed(change.cause.kind == "move", self.last_act - began)
        acknowledge()
        self.audience.publish(update)
        self._clockwork.see(change)
        if self.stream.shelf_due(self.state):
            self._shelving = asyncio.ensure_future(self.stream.shelve(self.state))  # nobody need wait for it

    def _joined(self, id: str, seat: int | None, token: str | None) -> bytes:
        return self.stream.joined(self.state, id, seat, token, self._clockwork.timer_ms)

"""What each command of a room does when its turn has come. If a handler raises Refused, the caller is told why."""

import logging
import secrets

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.client import (
    ChainLink,
    ChangeOptions,
    Chat,
    Join,
    Kick,
    Leave,
    MakeMove,
    Ready,
    Rematch,
    Resume,
    RoomCommand,
    Show,
    Sit,
    Watch,
)
from dicegames_protocol.messages.server import Ack, CaughtUp, CloseCode, Left, Said
from dicegames_protocol.text import same_name
from dicegames_server.core.address_key import address_key, hash_place
from dicegames_server.core.checked_text import chat_from, name_from
from dicegames_server.core.errors import Refused
from dicegames_server.core.peer import Peer
from dicegames_server.room.audience import Audience, Member
from dicegames_server.room.automatic.actions import AutomaticActions
from dicegames_server.room.bans import Bans
from dicegames_server.room.commits import Commits
from dicegames_server.room.environment import Environment
from dicegames_server.room.mailbox import Reply
from dicegames_server.room.moves import Moves, acting_seat
from dicegames_server.room.update_log import UpdateLog
from dicegames_server.storage.base import Unavailable, Unknown
from dicegames_server.table.commands import decide, play_over_ssh, stand_in, take_seat
from dicegames_server.table.draw import show, unshown
from dicegames_server.table.seats import token_hash
from dicegames_server.table.state import Change, State

log = logging.getLogger("dicegames.room")
NOT_YOUR_SEAT = "That seat is no longer yours, or the room is gone. Join again."
"""The answer to a wrong token, whether there is such a room or not."""
REMOVED = "The host has removed you from this room."


class Handlers:
    def __init__(
        self,
        environment: Environment,
        update_log: UpdateLog,
        audience: Audience,
        commits: Commits,
        moves: Moves,
        automatic: AutomaticActions,
    ) -> None:
        self._environment = environment
        self._update_log = update_log
        self._audience = audience
        self._commits = commits
        self._moves = moves
        self._automatic = automatic
        self._bans = Bans(environment.clock, environment.settings.kick_seconds)

    @property
    def _state(self) -> State:
        return self._update_log.state

    async def sit(self, peer: Peer, message: Join | Sit, reply: Reply) -> None:
        self._keep_out(peer)
        name = name_from(message.name, self._environment.settings)
        token = secrets.token_urlsafe(32)
        program = isinstance(message, Join) and message.program
        place = None if self._environment.settings.leaderboard_one_address else hash_place(peer.address)
        change, seat = take_seat(
            self._state,
            name,
            token_hash(token),
            peer.player,
            program,
            place,
            commit=message.commit,
            over_ssh=peer.over_ssh,
        )

        def joined() -> None:
            self._moves.new_holder(seat)
            reply(self._joined(message.id, seat, token))

        await self._commits.commit(change, joined)
        self._audience.unname(name)
        member = self._audience.enter(peer)
        self._audience.hold_seat(member, seat)
        self._audience.tell_all_presence(peer)
        self._automatic.reschedule()

    async def watch(self, peer: Peer, message: Watch, reply: Reply) -> None:
        self._keep_out(peer)
        name = name_from(message.name, self._environment.settings) if message.name else None
        if name and any(same_name(name, self._state.seats[seat].name) for seat in self._state.seats.present):
            name = None  # a spectator who looks like a player could speak for the player
        reply(self._joined(message.id, None, None))
        self._audience.enter(peer, name)
        self._audience.tell_all_presence(peer)
        self._audience.tell_watching()

    def _joined(self, id: str, seat: int | None, token: str | None) -> bytes:
        return self._update_log.joined(id, seat, token, self._automatic.timer_ms)

    def _keep_out(self, peer: Peer) -> None:
        if self._bans.hold(peer):
            raise Refused("unauthorized", REMOVED)

    async def resume(self, peer: Peer, message: Resume, reply: Reply) -> None:
        seat = self._state.seats.tokens.get(token_hash(message.seat_token))
        if seat is None:
            raise Refused("unauthorized", NOT_YOUR_SEAT)
        missed = await self._update_log.missed(message.epoch, message.last_seq)
        for update in [self._update_log.snapshot_message()] if missed is None else missed:
            peer.send(update)
        was_away = self._audience.is_away(seat)
        member = self._audience.enter(peer)
        evicted = self._audience.hold_seat(member, seat)
        state = self._state
        self._audience.tell_private_to(seat, state)
        caught_up = CaughtUp(
            id=message.id,
            room=self._state.info.code,
            seat=seat,
            epoch=state.epoch,
            seq=state.seq,
            hash=self._update_log.hash(),
            head=state.head or None,
            timer_ms=self._automatic.timer_ms,
        )
        reply(encode(caught_up))
        if evicted and not evicted.seats:
            self._audience.exit(evicted)
            evicted.peer.close(CloseCode.REPLACED, "this seat was taken over by a newer connection")
        if was_away:
            self._audience.tell_presence([seat])
        self._audience.tell_all_presence(peer)
        try:
            if state.seats[seat].standin:
                await self._commits.commit(stand_in(state, seat, on=False))
            if bool(self._state.seats[seat].over_ssh) != peer.over_ssh:
                await self._commits.commit(play_over_ssh(self._state, seat, on=peer.over_ssh))
        finally:  # if it can't be saved now, the stand-in goes later
            self._automatic.reschedule()

    async def command(self, peer: Peer, message: RoomCommand, reply: Reply) -> None:
        member = self._audience.member(peer)
        self._commits.last_at = self._environment.clock.now()
        match message:
            case MakeMove():
                raise AssertionError("moves have a way of their own")
            case Chat():
                self._chat(member, message, reply)
            case Leave():
                await self._leave(member, message, reply)
            case Sit():
                if member.seats:
                    raise Refused("illegal_move", "You already have a seat.")
                await self.sit(peer, message, reply)
                self._audience.tell_presence()
            case Show():
                await self._show(member, message, reply)
            case _:
                change = decide(self._state, self._speaking_seat(member, message), message, self._environment.dice)
                if isinstance(message, Kick) and message.away and not self._audience.is_away(message.target):
                    raise Refused("illegal_move", f"{self._state.seats[message.target].name} is here.")
                if isinstance(message, ChangeOptions):
                    await self._environment.check_ends(address_key(peer.address), change.state.rules)
                change = await self._listed(change)
                await self._commits.commit(change, lambda: self._ack(message.id, reply))
                if isinstance(message, Kick):
                    left = Left(room=self._state.info.code, seat=message.target, reason="kicked", message=REMOVED)
                    self._bans.show_out(self._audience, message.target, encode(left))

    async def _listed(self, change: Change) -> Change:
        """If a game begins, its commitment gets a place in the public list before anybody sees it."""
        fair, before = change.state.fair, self._state.fair
        if fair is None or (before and before.commit == fair.commit):
            return change
        try:
            entry = await self._environment.register.add(change.state.info.id, fair.commit)
        except Unknown as error:
            raise Unavailable(str(error)) from None
        return change._replace(state=change.state.but(fair=fair.but(entry=entry)))

    def _ack(self, id: str, reply: Reply) -> None:
        reply(encode(Ack(id=id, seq=self._state.seq)))

    def _speaking_seat(self, member: Member, message: RoomCommand) -> int | None:
        """The seat that a command is for. None for a spectator. A host with several seats acts as host.

        Raises Refused where the seat is not the player's, or has to be named and is not.
        """
        asked: int | None = getattr(message, "seat", None)
        if asked is not None or len(member.seats) < 2 or isinstance(message, Ready | Rematch | Show):
            return acting_seat(member.seats, asked)
        return self._state.seats.host if self._state.seats.host in member.seats else member.seats[0]

    async def _show(self, member: Member, message: Show, reply: Reply) -> None:
        """Keep a link until all are there, then roll. If a crash loses the link, its client shows it again."""
        seat = self._speaking_seat(member, message)
        if seat is None:
            raise Refused("unauthorized", "You are watching. Nothing you do can change the game.")
        link = ChainLink(link=message.link, tip=message.tip)
        self._update_log.state = show(self._state, seat, message.draw, link)
        self._ack(message.id, reply)
        if not unshown(self._state):
            await self._automatic.roll()
        elif self._audience.away:
            self._automatic.reschedule()  # perhaps nobody is left whom it is worth waiting for

    def _chat(self, member: Member, message: Chat, reply: Reply) -> None:
        seat = self._speaking_seat(member, message)
        text = chat_from(message.text, self._environment.settings)
        name = member.name if seat is None else self._state.seats[seat].name
        self._ack(message.id, reply)
        self._audience.publish(encode(Said(seat=seat, name=name, text=text)))

    async def _leave(self, member: Member, message: Leave, reply: Reply) -> None:
        if message.seat is not None and message.seat not in member.seats:
            raise Refused("unauthorized", "That is not your seat.")
        going = list(member.seats) if message.seat is None else [message.seat]
        for seat in going[:-1]:
            await self._commits.give_up(seat, "left")
        if going:
            await self._commits.give_up(going[-1], "left", lambda: self._ack(message.id, reply))
        else:
            self._ack(message.id, reply)
        if not member.seats:
            self._audience.exit(member)
            self._audience.tell_presence()

    async def gone(self, peer: Peer, *, left: bool) -> None:
        member = self._audience.find(peer)
        if member is None:
            return
        self._audience.exit(member)
        lost: list[int] = []
        for seat in list(member.seats):
            try:
                if left:
                    await self._commits.give_up(seat, "left")
                    continue
            except Unavailable:  # leaving could not be saved: the seat is held until it expires
                log.warning("room %s: seat %d can't be given up now", self._state.info.code, seat)
            self._audience.lose(seat)
            lost.append(seat)
        if lost:
            self._audience.tell_presence(lost)
        else:
            self._audience.tell_watching()
        self._automatic.reschedule()

"""A session, one per connection: the greeting, rate limits, and entering rooms. It depends on no game and no socket.

Frames are handled one by one, and each is answered before the next is read. So a connection has at most one command
under way. The exceptions are a move, because the room keeps the order of its commands, and a review, which takes long.
A connection is in one room at a time, with any number of seats there.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from dicegames_protocol.base import PROTOCOL_MAX, PROTOCOL_MIN
from dicegames_protocol.codec import BadMessage, decode_client, encode, encode_around, join_json, quote, versions_in
from dicegames_protocol.messages.client import (
    AddBot,
    AskCommitments,
    AskHistory,
    AskLeaderboard,
    AskOdds,
    AskPreview,
    AskReview,
    AskRules,
    AskStats,
    Chat,
    Create,
    FetchLog,
    Hello,
    Identify,
    Join,
    Leave,
    Link,
    ListRooms,
    MakeMove,
    Ping,
    Ready,
    Rematch,
    Request,
    Resume,
    Show,
    Start,
    Watch,
)
from dicegames_protocol.messages.server import (
    CloseCode,
    Error,
    ErrorCode,
    Limits,
    Odds,
    Pong,
    Preview,
    Redirect,
    RulesPage,
    Welcome,
)
from dicegames_server.core.checked_text import name_from
from dicegames_server.core.eager import run_eagerly
from dicegames_server.core.errors import Refused
from dicegames_server.core.peer import NOT_HERE, Peer
from dicegames_server.core.room_codes import tidy
from dicegames_server.core.token_bucket import Bucket
from dicegames_server.lobby.identification import Identification
from dicegames_server.lobby.lobby import DRAINING, Lobby
from dicegames_server.lobby.registry import Moved
from dicegames_server.room.environment import Environment
from dicegames_server.room.room import Room
from dicegames_server.storage.base import Unavailable, Unknown

log = logging.getLogger("dicegames.session")
WRONG: tuple[ErrorCode | None, ...] = ("no_such_room", "wrong_password", "unauthorized")
"""Error codes that answer a wrong guess of a room code, a password or a token."""
MOST_REFUSALS = 20
"""Messages in a row that may be refused, as bad or too many, before the connection is closed."""


class Session:
    def __init__(self, peer: Peer, lobby: Lobby, environment: Environment, version: str, room: str = "") -> None:
        """`room` is the room code in the path of the connection's URL, as a hint; may be empty."""
        self._hint = room
        self._peer = peer
        self._lobby = lobby
        self._settings = environment.settings
        self._clock = environment.clock
        self._metrics = environment.metrics
        self._version = version
        self._greeted = False
        self._identification = Identification(peer, lobby.identity, environment.storage.players)
        self._room: Room | None = None
        self._counted = ""
        """A wrong room code from the URL that was counted already. It is not counted a second time."""
        self._refusals_left = MOST_REFUSALS
        self._reviewing: asyncio.Future[None] | None = None
        """A review that the client waits for. Meanwhile it may send other messages."""
        settings = environment.settings
        self._messages = Bucket(environment.clock, settings.messages_per_second, settings.message_burst)
        self._chats = Bucket(environment.clock, settings.chat_per_second, settings.chat_burst)
        self._greeting = environment.clock.call_later(settings.greeting_seconds, self._not_greeted)

    async def receive(self, frame: str | bytes) -> None:
        """Handle one frame from the client, until it is answered. A move that is being committed is answered later."""
        if waits := self.begin(frame):
            await waits

    def begin(self, frame: str | bytes) -> Coroutine[Any, Any, object] | None:
        """The same as `receive`, but without a coroutine for the most frequent frames.

        None: there is nothing to wait for. Else await the result before the next frame.
        """
        message = self._admitted(frame)
        if message is None:
            return None
        self._refusals_left = MOST_REFUSALS
        if isinstance(message, Hello):
            return self._look_and_greet(message)
        if isinstance(message, MakeMove) and self._room:
            return self._room.move(self._peer, message, self._peer.send)
        if isinstance(message, Show) and self._room:  # every player sends one for each roll
            return self._room.command(self._peer, message, self._peer.send)
        return self._answer(message)

    async def _answer(self, message: Request) -> None:
        if isinstance(message, AskReview) and (self._reviewing is None or self._reviewing.done()):
            rest = run_eagerly(self._answer_with(self._review(message), message))
            self._reviewing = asyncio.ensure_future(rest) if rest else None
        else:
            await self._answer_with(self._at_the_door(message), message)

    async def _answer_with(self, answering: Awaitable[None], message: Request) -> None:
        try:
            await answering
        except Refused as refused:
            self._refuse(message.id, refused.code, refused.message, refused.hint)
        except Moved as moved:
            self._redirect(message.id, moved.url)
        except (Unavailable, Unknown):
            self._refuse(message.id, "unavailable", "The server can't read or write right now. Try again.")

    def _admitted(self, frame: str | bytes) -> Request | Hello | None:
        """The command in a frame that still has to be handled.

        None: the frame has been answered. It was a plain `hello`, no valid message, too early, or too often.
        """
        try:
            message = decode_client(frame, self._settings.frame_bytes)
        except BadMessage as bad:
            if not self._greeted and (versions := versions_in(frame)) and not _overlap(*versions):
                self._wrong_version(*versions)
                return None
            code: ErrorCode = "too_large" if bad.code == "too_large" else "bad_message"
            self._refuse(bad.id, code, bad.sentence)
            self._count_refusal(CloseCode.BAD_MESSAGE, "too many messages that make no sense")
            return None
        if isinstance(message, Hello):
            if self._welcomes(message):
                if self._hint and self._lobby.is_elsewhere(self._hint):
                    return message
                self._greet(message)
        elif not (isinstance(message, Show) and self._awaited(message)) and not self._messages.take():
            self._too_fast(message.id)
        elif not self._greeted:
            self._refuse(message.id, "bad_message", "Say hello first.")
            self._peer.close(CloseCode.BAD_MESSAGE, "no hello")
        elif isinstance(message, Chat) and not self._chats.take():
            self._refuse(message.id, "rate_limited", "Not so fast: one line of chat per second.")
        else:
            return message
        return None

    def _awaited(self, message: Show) -> bool:
        """Whether the room waits for this link. Such a message is not counted: there is one for each draw."""
        return self._room is not None and self._room.awaits_link(self._peer, message)

    async def closed(self, *, left: bool) -> None:
        """The connection has ended. `left`: the client left on purpose."""
        self._greeting.cancel()
        if self._reviewing:
            self._reviewing.cancel()
        if self._room:
            await self._go(self._room, left=left)

    def _not_greeted(self) -> None:
        if not self._greeted:
            self._peer.close(CloseCode.BAD_MESSAGE, "no hello in time")

    def _too_fast(self, id: str | None) -> None:
        self._refuse(id, "rate_limited", "That was too fast. Wait a moment.")
        self._count_refusal(CloseCode.RATE, "too many messages")

    def _welcomes(self, hello: Hello) -> bool:
        """Whether this is the first hello, in a version that we speak. If not, the client has been told."""
        if self._greeted:
            if not self._messages.take():
                self._too_fast(None)
                return False
            self._refuse(None, "bad_message", "You have said hello already.")
            self._count_refusal(CloseCode.BAD_MESSAGE, "too many hellos")
            return False
        if not _overlap(*hello.protocol):
            self._wrong_version(*hello.protocol)
            return False
        self._greeted = True
        self._peer.over_ssh |= hello.over_ssh  # who is known to come over ssh can't deny it
        self._greeting.cancel()
        return True

    def _wrong_version(self, low: int, high: int) -> None:
        self._refuse(None, "unsupported_version", _version_sentence(low, high))
        self._peer.close(CloseCode.VERSION, "no common protocol version")

    async def _look_and_greet(self, hello: Hello) -> None:
        """Greet a client whose URL names a room that is not on this node.

        If the room is on another node, the client is redirected there before it sends a token. A wrong code counts as a
        wrong guess.
        """
        address_limits, address = self._lobby.address_limits, self._peer.address
        if address_limits.may_try(address):
            try:
                if not await self._lobby.registry.bring(self._hint):
                    address_limits.was_wrong(address)
                    self._counted = self._hint
            except Moved as moved:
                self._redirect(None, moved.url)
                self._peer.close(CloseCode.RESTARTING, NOT_HERE)
                return
            except Refused as refused:
                self._refuse(None, refused.code, refused.message)
                self._peer.close(CloseCode.RESTARTING, NOT_HERE)
                return
        self._greet(hello)

    def _greet(self, hello: Hello) -> None:
        settings = self._settings
        limits = Limits(
            frame_bytes=settings.frame_bytes,
            messages_per_second=settings.messages_per_second,
            message_burst=settings.message_burst,
            chat_per_second=settings.chat_per_second,
            chat_burst=settings.chat_burst,
            chat_length=settings.chat_length,
            name_columns=settings.name_columns,
            seats=settings.max_seats,
            seat_seconds=settings.seat_seconds,
            waiting_seat_seconds=settings.waiting_seat_seconds,
        )
        welcome = Welcome(
            protocol=min(hello.protocol[1], PROTOCOL_MAX),
            server=f"dicegames {self._version}",
            limits=limits,
            heartbeat_ms=round(settings.heartbeat_seconds * 1000),
            ssh_port=settings.ssh,
            **self._identification.greet(hello),
        )
        self._peer.send(encode(welcome))

    async def _at_the_door(self, message: Request) -> None:
        """Handle a request. Wrong guesses of codes, passwords and tokens are rate limited by address."""
        guess = isinstance(message, Join | Watch | Resume | FetchLog | Link)
        address_limits, address = self._lobby.address_limits, self._peer.address
        if guess and not address_limits.may_try(address):
            raise Refused("rate_limited", "Too many wrong codes or passwords from your address. Wait a minute.")
        try:
            await self._handle(message)
        except Refused as refused:
            counted, self._counted = self._counted, ""
            before = bool(counted) and tidy(getattr(message, "room", "")) == counted
            if guess and refused.code in WRONG and not before:
                address_limits.was_wrong(address)
            raise

    async def _handle(self, message: Request) -> None:
        send = self._peer.send
        match message:
            case Ping():
                send(encode(Pong(id=message.id)))
            case Identify():
                send(encode(await self._identification.identify(message)))
            case Link():
                if message.code is None and not self._lobby.address_limits.may_link(self._peer.address):
                    raise Refused("rate_limited", "Too many codes from your address. Wait a moment.")
                send(encode(await self._identification.link(message)))
            case ListRooms():
                send(self._lobby.public_list.answer(message.id, message.skip))
            case FetchLog():
                code, updates = await self._lobby.read_log(message, inside=self._my_room)
                lines = join_json(quote(update) for update in updates)
                send(encode_around({"type": "log", "id": message.id, "room": code}, "lines", lines))
            case AskCommitments():
                send(encode(await self._lobby.commitment_list.page(message)))
            case AskRules() | AskOdds() | AskPreview():
                send(encode(await self._about_the_game(message)))
            case AskReview():
                raise Refused("rate_limited", "The review that you have asked for is still being worked out.")
            case AskHistory() | AskStats() | AskLeaderboard():
                send(encode(await self._lobby.game_history.answer(message, self._peer.player)))
            case Create():
                await self._create(message)
            case Join():
                room = await self._lobby.find(message.room, message.password)
                await self._enter(room, lambda: room.join(self._peer, message, send))
            case Watch():
                room = await self._lobby.find(message.room, message.password)
                await self._enter(room, lambda: room.watch(self._peer, message, send))
            case Resume():
                room = await self._lobby.find_for_seat(message.room)
                await self._enter(room, lambda: room.resume(self._peer, message, send))
            case _:
                if self._room is None:
                    raise Refused("unauthorized", "Join or watch a room first.")
                if self._lobby.draining and isinstance(message, Ready | Start | Rematch):
                    raise Refused("unavailable", DRAINING)
                if isinstance(message, AddBot):
                    self._lobby.check_bots(self._room, message.count, self._peer.address)
                await self._room.command(self._peer, message, send)
                if isinstance(message, Leave) and self._room.seats_of(self._peer) is None:
                    room, self._room = self._room, None
                    await self._lobby.tidy(room)

    @property
    def _my_room(self) -> Room | None:
        """The room that the client is in. None after it was removed: then nothing of that room answers any more."""
        return self._room if self._room and self._room.seats_of(self._peer) is not None else None

    async def _about_the_game(self, message: AskRules | AskOdds | AskPreview) -> RulesPage | Odds | Preview:
        room = self._my_room
        if room is None:
            raise Refused("unauthorized", "Join or watch a room first.")
        if isinstance(message, AskRules):
            return room.rules_page(message.id)
        if isinstance(message, AskPreview):
            return await room.preview(self._peer, message)
        return await room.odds(self._peer, message)

    async def _review(self, message: AskReview) -> None:
        room = self._my_room
        if room is None:
            raise Refused("unauthorized", "Join or watch a room first.")
        found = await self._lobby.reviews.of(room, message.game_no)
        self._peer.send(encode_around({"type": "review", "id": message.id}, "review", found))

    async def _create(self, message: Create) -> None:
        if self._in_other_room(None):
            raise Refused("illegal_move", "Leave your room before you open another.")
        name_from(message.name, self._settings)  # check it before there is anything to undo
        room = await self._lobby.create(message, self._peer.address)
        join = Join(id=message.id, room=room.code, name=message.name, commit=message.commit)
        await self._enter(room, lambda: room.join(self._peer, join, self._peer.send))
        if self._room is None:
            await self._lobby.close(room, "The room could not be opened.")

    async def _enter(self, room: Room, ask: Callable[[], Awaitable[ErrorCode | None]]) -> None:
        if self._in_other_room(room):
            raise Refused("illegal_move", "You have a seat in another room. Leave it first.")
        before = self._room
        if await ask() in WRONG:
            self._lobby.address_limits.was_wrong(self._peer.address)
        if room.seats_of(self._peer) is not None:
            self._room = room
            if before and before is not room:
                await self._go(before, left=True)

    async def _go(self, room: Room, *, left: bool) -> None:
        await room.gone(self._peer, left=left)
        await self._lobby.tidy(room)

    def _in_other_room(self, room: Room | None) -> bool:
        """Whether the client has a seat in a room other than `room`.

        It has to leave that seat first, so that no seat is lost by accident. A spectator may change rooms freely.
        """
        return self._room is not None and self._room is not room and bool(self._room.seats_of(self._peer))

    def _redirect(self, id: str | None, url: str) -> None:
        self._metrics.redirects += 1
        self._peer.send(encode(Redirect(id=id, url=url)))

    def _refuse(self, id: str | None, code: ErrorCode, message: str, hint: str | None = None) -> None:
        self._metrics.refused(code)
        self._peer.send(encode(Error(id=id, code=code, message=message, hint=hint)))

    def _count_refusal(self, code: int, reason: str) -> None:
        self._refusals_left -= 1
        if self._refusals_left <= 0:
            self._peer.close(code, reason)


def _overlap(low: int, high: int) -> bool:
    return low <= PROTOCOL_MAX and high >= PROTOCOL_MIN


def _version_sentence(low: int, high: int) -> str:
    if low > PROTOCOL_MAX:
        return f"This server is too old (protocol {PROTOCOL_MAX}, you need {low}). Ask the host to update dicegames."
    return f"Your dicegames is too old (protocol {high}, the server needs {PROTOCOL_MIN}). Update it and try again."

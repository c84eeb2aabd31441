"""A guest of a server: a connection that reconnects by itself, and what is known about the table.

This is also the library for programs that play. Open a Guest and `ask` to create, join or watch. Then read `news()`,
and answer with `move`.
"""

import asyncio
import contextlib
import itertools
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

from dicegames_client.base.address import Address
from dicegames_client.base.errors import NETWORK, REFUSED, ClientError
from dicegames_client.base.player_identity import PlayerIdentity
from dicegames_client.base.wire import LOST, Closed
from dicegames_client.guest import backoff
from dicegames_client.guest.events import Alarm, Back, Finished, GuestEvent, Lost, News, StillLost
from dicegames_client.guest.own_seats import OwnSeats, Return, freed
from dicegames_client.guest.server_link import FINAL, MOST_REDIRECTS, NONSENSE, NodeAway, Refusal, SentOn, ServerLink
from dicegames_client.guest.store import Store, Verdict
from dicegames_client.guest.witness import Forgetful, NoWitness, Witness, WitnessMemory
from dicegames_protocol.codec import BadMessage
from dicegames_protocol.messages.checking import Nonsense
from dicegames_protocol.messages.client import AddBot, Chat, ClientMessage, Create, Hello, Join, MakeMove, Request
from dicegames_protocol.messages.server import CaughtUp, Error, Joined, Left, Redirect, ServerMessage
from dicegames_protocol.table import Move

RESEND_SECONDS, MOST_RESENDS = 0.3, 10
"""Seconds before a message is sent again that the server refused as too fast (rate limit), and how often."""
MOST_NONSENSE = 3
"""How often in a row the server may say something that makes no sense. Each time we ask for the whole table again."""
_ADDS = (AddBot, Chat, Create, Join)
"""Requests that would add something twice if sent twice. All others do no harm then, and a move acts once."""
_MOVED = "The room has moved to another machine meanwhile. If that was not done, do it again."


class Guest:
    def __init__(
        self,
        address: Address,
        *,
        client: str = "dicegames",
        player: PlayerIdentity | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] = time.monotonic,
        memory: WitnessMemory | None = None,
        over_ssh: bool = False,
    ) -> None:
        """`player`: who plays, for history and the leaderboard. `memory` keeps what was seen, for `verify`.

        `over_ssh`: this guest runs on the server, for a user over ssh. It has no part in the dice, and says so.
        """
        self.address = address
        self.store = Store()
        self._client = client
        self._player = player
        self._sleep, self._now = sleep, now
        self._over_ssh = over_ssh
        self._witness = NoWitness() if over_ssh else Witness(memory or Forgetful())
        self._chains = self._witness.chains
        self._server_id = ""  # from the first connection on: nobody else gets our tokens
        self._connection: ServerLink | None = None
        self._ids = itertools.count(1)
        self._prefix = secrets.token_hex(4)
        self._seats = OwnSeats(self.new_id)
        self.freed_seats = self._seats.freed
        self._unanswered: dict[str, Request] = {}
        self._pending: dict[str, asyncio.Future[ServerMessage]] = {}
        self._nonsense = 0
        self._news: asyncio.Queue[GuestEvent] = asyncio.Queue()
        self._pump: asyncio.Task[None] | None = None
        self._leaving = self._moving = self._catching_up = self._over = False
        self.room_closed = False  # else there is something to come back to

    async def open(self) -> None:
        """Connect for the first time. Raises ClientError."""
        self._connection = await self._insist(backoff.NODE_TRIES, self._open)
        self._pump = asyncio.create_task(self._run())

    @property
    def link(self) -> ServerLink | None:
        return self._connection

    @property
    def hold_seconds(self) -> float:
        """Seconds that the server holds the seat of a player who is away, before a game or in it."""
        return self._seats.hold_seconds(self.store.phase)

    @property
    def ssh_port(self) -> int:
        """Where the server takes players over ssh. 0 is nowhere."""
        return self._connection.welcome.ssh_port if self._connection else 0

    def new_id(self) -> str:
        """An id that no other message of this guest has, not even after a reconnect."""
        return f"{self._prefix}-{next(self._ids)}"

    async def ask(self, message: Request) -> ServerMessage:
        """Send a message and return its answer; after a rate limit, send it again.

        Raises ClientError for an `error`.
        """
        answer = await self.try_ask(message)
        for _ in range(MOST_RESENDS):
            if not isinstance(answer, Error) or answer.code != "rate_limited":
                break
            await self._sleep(RESEND_SECONDS)
            answer = await self.try_ask(message)
        if isinstance(answer, Error):
            raise Refusal(self.address, answer)
        return answer

    async def try_ask(self, message: Request) -> ServerMessage:
        """Send a message and return its answer, whatever it is. A redirect to another node is followed."""
        self._seats.asked(message)
        for _ in range(1 + MOST_REDIRECTS):
            future: asyncio.Future[ServerMessage] = asyncio.get_running_loop().create_future()
            self._pending[message.id] = future
            try:
                await self.send(message)
                answer = await future
            finally:
                self._pending.pop(message.id, None)
                self._unanswered.pop(message.id, None)
            if not isinstance(answer, Redirect):
                return answer
            try:
                self._go_on_with(await self._open(answer.url))
            except ClientError as error:
                if error.code != NETWORK:
                    raise
                await self._sleep(backoff.NODE_SECONDS)  # that node is gone; our node takes its rooms soon
        raise ClientError("The server sends us from one machine to the next. Try again in a moment.", NETWORK)

    async def resume(self, room: str, tokens: dict[int, str]) -> None:
        """Take back seats that were held in an earlier run. Raises ClientError."""
        self.store = Store(room=room, tokens=tokens)
        try:
            for message in self._seats.returning(self.store):
                await self.ask(message)
        except ClientError:
            self.store = Store()
            raise

    async def send(self, message: ClientMessage) -> None:
        """Send a message; its answer comes as news. Nothing is queued: raises ClientError without a connection."""
        if self._connection is None:
            raise ClientError("There is no connection at the moment.", NETWORK)
        if not isinstance(message, Hello):
            message = self._chains.with_move(self._chains.add_commit(message, self.store), self.store)
            self._unanswered[message.id] = message
        with contextlib.suppress(Closed):
            await self._connection.send(message)

    async def move(self, seat: int, move: Move, seq: int | None = None) -> str:
        """Take an offer as of update `seq`, by default the latest one. Returns the id that the answer will have."""
        id = self.new_id()
        await self.send(MakeMove(id=id, seq=self.store.seq if seq is None else seq, seat=seat, move=move))
        return id

    async def news(self) -> AsyncIterator[GuestEvent]:
        """Yield everything that happens, in order. It ends after `Finished`."""
        while True:
            heard = await self._news.get()
            yield heard
            if isinstance(heard, Finished):
                return

    async def close(self) -> bool:
        """Leave for good. False: the server has not confirmed it, and our seats are still held."""
        self._leaving = True
        if self._pump:
            self._pump.cancel()
        return await self._connection.close() if self._connection else self._over

    def drop(self) -> None:
        """Drop the connection without leaving, as if the Wi-Fi failed."""
        if self._connection:
            self._connection.abort()

    def abandon(self) -> None:
        """Drop the connection without leaving, and do not come back. The seats are held."""
        if self._pump:
            self._pump.cancel()
        self.drop()

    async def _run(self) -> None:
        """Read, and reconnect after a loss. Whatever goes wrong ends in `Finished`."""
        try:
            while True:
                connection = self._connection
                assert connection
                closed = await self._read(connection)
                if self._connection is not connection:
                    continue  # we use a new connection now
                self._connection = None
                why = closed.reason if closed.code == NONSENSE else ""
                self._fail_pending(why)
                self._unanswered.clear()
                if self._leaving or closed.code in FINAL:
                    self._end(FINAL.get(closed.code, "You have left."), REFUSED)
                    return
                self._witness.cut()
                self._news.put_nowait(Lost(why))
                await self._come_back()
                self._news.put_nowait(Back(self._seats.told()))
        except ClientError as error:
            self._end(error.sentence, error.code)
        except Exception as error:  # whatever it is, the player is told
            said = error.sentence if isinstance(error, BadMessage) else f"it makes no sense ({type(error).__name__})."
            self._end(f"The server said something that this client does not know: {said}", REFUSED)

    async def _read(self, connection: ServerLink) -> Closed:
        """Read until the connection ends or we have another one. What is left in an old one is no longer for us."""
        try:
            while True:
                message, text = await connection.receive_with_text()
                if self._connection is not connection:
                    return Closed(LOST, "")
                await self._received(connection, message, text)
                self._nonsense = 0
        except Closed as closed:
            return closed
        except (BadMessage, Nonsense) as error:
            self._nonsense += 1
            if self._nonsense > MOST_NONSENSE:
                raise
            connection.abort()
            self.store = replace(self.store, epoch=0)  # what we have may be wrong, too: resume with a snapshot
            return Closed(NONSENSE, f"The server said something that makes no sense: {error}")

    async def _received(self, connection: ServerLink, message: ServerMessage, text: bytes = b"") -> None:
        before = self.store
        expected = (*self._pending, self._seats.expected)
        if isinstance(message, Joined) and message.seat_token and message.id not in expected:
            raise Nonsense("it gives us a seat that nobody asked for.")
        self.store, verdict = before.receive(message)
        ours = self._chains.answered(message)
        for sentence in self._witness.hear(message, text, before, self.store, self._server_id):
            self._news.put_nowait(Alarm(sentence, severe=not self._witness.is_note(sentence)))
        if isinstance(message, CaughtUp | Joined):
            self._catching_up = False
        if verdict is Verdict.GAP:
            await self._catch_up(connection)
            return
        if isinstance(message, Redirect) and message.id is None:
            await self._move_to(message.url)
            return
        id = getattr(message, "id", None)
        if id is not None:
            self._unanswered.pop(id, None)
        if ours:
            return
        waiting = self._pending.get(id) if id is not None else None
        if waiting is not None and not waiting.done():
            waiting.set_result(message)
        elif verdict is Verdict.NEWS and not (self._moving and self.store.table == before.table):
            self._news.put_nowait(News(message, before, self.store))
        if isinstance(message, CaughtUp | Joined) or self.store.rolling != before.rolling:
            await self._show_links(connection)
        if isinstance(message, Left) and message.reason == "closed":
            self.room_closed = True
            raise ClientError(message.message, NETWORK)

    async def _show_links(self, connection: ServerLink) -> None:
        """Show our part of the dice, if a draw is decided."""
        for show in self._witness.to_show(self.store, self.new_id):
            await connection.send(show)
            self._witness.answered()

    async def _catch_up(self, connection: ServerLink) -> None:
        """There is a gap: ask once for the missing updates. They come through the same stream."""
        if not self._catching_up:
            self._catching_up = True
            for message in self._seats.returning(self.store)[:1]:
                await connection.send(message)

    async def _come_back(self) -> None:
        """Reconnect with back-off and jitter, and take the seats back. Raises ClientError when it gives up."""
        delays = backoff.Backoff(self._now)
        while self._connection is None:
            await self._sleep(delays.next())
            try:
                self._connection = await self._open_with_seats()
            except ClientError as error:
                delays.failed(error, self.hold_seconds)
                if isinstance(error, NodeAway):
                    delays.delay = backoff.NODE_DELAY_SECONDS  # it is replaced within seconds
                if delays.tell():
                    self._news.put_nowait(StillLost(delays.lost_seconds, error.sentence))

    async def _open(self, url: str = "") -> ServerLink:
        """Open a connection: to the node `url` that we were sent to, else to our room, else to the server."""
        address = self.address.at(self.store.room) if self.store.room else self.address
        node = self.address.sent_to(url) if url else None
        link = await ServerLink.open(
            address, self._client, self._player, node, self._server_id, over_ssh=self._over_ssh
        )
        self._server_id = link.server_id
        self._seats.limits = link.welcome.limits
        return link

    async def _insist(self, tries: int, reach: Callable[[], Awaitable[ServerLink]]) -> ServerLink:
        """Call `reach`, up to `tries` more times while its node is away: not there yet, or not any more."""
        for _ in range(tries):
            with contextlib.suppress(NodeAway):
                return await reach()
            await self._sleep(backoff.NODE_SECONDS)
        return await reach()

    async def _open_with_seats(self, url: str = "") -> ServerLink:
        return await self._with_seats(await self._open(url))

    async def _with_seats(self, connection: ServerLink) -> ServerLink:
        """This connection with our seats taken back, or another one to the node that has them. Raises ClientError."""
        self._catching_up = False
        for _ in range(1 + MOST_REDIRECTS):
            try:
                async with asyncio.timeout(backoff.SEAT_SECONDS):
                    for message in self._seats.returning(self.store):
                        await self._take_back(connection, message)
                return connection
            except TimeoutError:
                connection.abort()
                raise ClientError("The server does not give our seat back.", NETWORK) from None
            except SentOn as sent:
                connection.abort()
                connection = await self._open(sent.url)
            except Closed:
                return connection  # lost again: the next pass of _run notices it
            except ClientError:
                connection.abort()
                raise
        connection.abort()
        raise ClientError("The server sends us from one machine to the next.", NETWORK)

    async def _take_back(self, connection: ServerLink, message: Return) -> None:
        """Take our place back; a seat that has become free meanwhile is taken anew. Raises ClientError."""
        kept = self.store
        try:
            await self._until_answered(connection, message)
        except Refusal as refusal:
            join, self.store = self._seats.anew(message, refusal, kept)
            try:
                await self._until_answered(connection, self._chains.add_commit(join, self.store))
                self._seats.taken()
            except BaseException as error:
                self.store = kept  # if only the connection failed, it is asked for again
                raise (freed(error) if isinstance(error, Refusal) else error) from None

    async def _until_answered(self, connection: ServerLink, asked: Request) -> None:
        await connection.send(asked)
        while True:
            message, text = await connection.receive_with_text()
            if isinstance(message, Error) and message.id == asked.id:
                raise Refusal(self.address, message)
            if isinstance(message, Redirect):
                raise SentOn(message.url)
            await self._received(connection, message, text)
            if getattr(message, "id", None) == asked.id:
                return

    async def _move_to(self, url: str) -> None:
        """The room moves to another node. Connect there, and keep the old connection until that is done."""
        self._moving = True  # no news while the table stays the same: the player need not notice
        try:
            connection = await self._insist(backoff.MOVE_TRIES, lambda: self._open_with_seats(url))
        except ClientError:
            return  # if the old connection ends, we reconnect as after any loss
        finally:
            self._moving = False
        self._go_on_with(connection)
        for request in list(self._unanswered.values()):
            if isinstance(request, _ADDS):
                await self._received(connection, Error(id=request.id, code="unavailable", message=_MOVED))
            else:
                with contextlib.suppress(Closed):
                    await connection.send(request)

    def _go_on_with(self, connection: ServerLink) -> None:
        old, self._connection = self._connection, connection
        if old:
            old.abort()  # then _run reads the new one

    def _fail_pending(self, why: str = "") -> None:
        for future in self._pending.values():
            if not future.done():
                lost = ClientError(why or "The connection was lost before the server answered.", NETWORK)
                future.set_exception(lost)

    def _end(self, sentence: str, code: int) -> None:
        self._over = True
        self._fail_pending()
        self._news.put_nowait(Finished(sentence, code))

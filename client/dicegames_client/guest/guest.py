"""A guest at a server: a connection that comes back by itself, and what is known of the table.

This is also the library for programs that play: open a Guest, `ask` to create, join or watch, then take what
`news()` gives and answer with `move`.
"""

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable

from dicegames_client.base.address import Address
from dicegames_client.base.errors import NETWORK, REFUSED, ClientError
from dicegames_client.guest.events import Back, Ended, Happening, Lost, News, StillLost
from dicegames_client.guest.seeds import Seeds
from dicegames_client.guest.server_link import LOST, MOST_REDIRECTS, Closed, Connection, NodeAway
from dicegames_client.guest.store import Store, Verdict
from dicegames_protocol.codec import BadMessage
from dicegames_protocol.messages.client import (
    AddBot,
    Chat,
    ClientMessage,
    Create,
    Hello,
    Join,
    MakeMove,
    Request,
    Resume,
    Reveal,
    Watch,
)
from dicegames_protocol.messages.server import CaughtUp, CloseCode, Error, Joined, Left, Redirect, ServerMessage
from dicegames_protocol.table import Move

FIRST_DELAY, LONGEST_DELAY = 0.5, 15.0
GIVE_UP_AFTER = 15 * 60.0
TELL_EVERY = 30.0
SEAT_PATIENCE = 15.0
"""A node that has to wait until another one's time is over answers within this."""
NODE_DELAY = 1.0
NODE_SECONDS, NODE_TRIES, MOVE_TRIES = 1.0, 8, 2
"""A node that we were sent to and that is gone is replaced within so long; a node that we leave waits less."""
PATIENCE = 0.3
"""Before a message is sent again that came too fast."""
_ADDS = (AddBot, Chat, Create, Join)
"""What would be there twice if it was done twice. All else does no harm then, and moves act once."""
_MOVED = "The room has moved to another machine meanwhile. If that was not done, do it again."
_FINAL = {
    CloseCode.VERSION: "The server does not speak our version any more.",
    CloseCode.BAD_MESSAGE: "The server did not understand us. Is one of the two out of date?",
    CloseCode.AUTH: "The server does not let us in any more.",
    CloseCode.NO_SUCH_ROOM: "The room is no longer there.",
    CloseCode.RATE: "The server closed the connection: too many messages.",
    CloseCode.REPLACED: "You joined this table from somewhere else; it goes on there.",
}


class _Sent(Exception):
    """What we asked for is at another node."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


def _refusal(error: Error) -> ClientError:
    """What is only unavailable may be had later."""
    return ClientError(error.message, NETWORK if error.code == "unavailable" else REFUSED)


class Guest:
    def __init__(
        self,
        address: Address,
        *,
        client: str = "dicegames",
        player_key: str | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        on_seed: Callable[[Store, int, bytes], None] = lambda store, seat, seed: None,
    ) -> None:
        """`on_seed` is told each seed that is shown for a seat, to be remembered."""
        self.address = address
        self.store = Store()
        self._client = client
        self._player_key = player_key
        self._sleep = sleep
        self._seeds = Seeds(on_seed)
        self._watch: Watch | None = None
        self._connection: Connection | None = None
        self._ids = itertools.count(1)
        self._prefix = secrets.token_hex(4)
        self._unanswered: dict[str, Request] = {}
        self._pending: dict[str, asyncio.Future[ServerMessage]] = {}
        """Who waits for which answer."""
        self._news: asyncio.Queue[Happening] = asyncio.Queue()
        self._pump: asyncio.Task[None] | None = None
        self._leaving = self._moving = False
        self._catching_up = False
        self._over = False
        self.room_closed = False
        """There is nothing to come back to."""

    async def open(self) -> None:
        """Connect for the first time, or ClientError."""
        self._connection = await self._insist(NODE_TRIES, self._open)
        self._pump = asyncio.create_task(self._run())

    @property
    def hold_seconds(self) -> float:
        """For how long the server holds the seat of somebody who is away."""
        return self._connection.welcome.limits.seat_seconds if self._connection else GIVE_UP_AFTER

    def new_id(self) -> str:
        """An id that no other message of this guest has, across reconnects too."""
        return f"{self._prefix}-{next(self._ids)}"

    async def ask(self, message: Request) -> ServerMessage:
        """Send a message and wait for its answer. An `error` is raised as ClientError."""
        answer = await self.try_ask(message)
        while isinstance(answer, Error) and answer.code == "rate_limited":
            await self._sleep(PATIENCE)
            answer = await self.try_ask(message)
        if isinstance(answer, Error):
            raise _refusal(answer)
        return answer

    async def try_ask(self, message: Request) -> ServerMessage:
        """Send a message and wait for its answer, whatever it is. Where that is at another node, it is asked there."""
        if isinstance(message, Watch):
            self._watch = message
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
                await self._sleep(NODE_SECONDS)  # that one is gone; the one that we have takes its rooms soon
        raise ClientError("The server sends us from one machine to the next. Try again in a moment.", NETWORK)

    async def resume(self, room: str, tokens: dict[int, str]) -> None:
        """Take back seats that were held in an earlier life, or ClientError."""
        self.store = Store(room=room, tokens=tokens)
        try:
            for message in self._returning():
                await self.ask(message)
        except ClientError:
            self.store = Store()
            raise

    async def send(self, message: ClientMessage) -> None:
        """Send a message; its answer comes as news. Nothing is queued while the connection is gone."""
        if self._connection is None:
            raise ClientError("There is no connection at the moment.", NETWORK)
        if not isinstance(message, Hello):
            message = self._unanswered[message.id] = self._seeds.add_commit(message, self.store)
        with contextlib.suppress(Closed):
            await self._connection.send(message)

    async def move(self, seat: int, move: Move, seq: int | None = None) -> str:
        """Take an offer, in sight of update `seq` (or of all that is known). Gives the id of the answer."""
        id = self.new_id()
        await self.send(MakeMove(id=id, seq=self.store.seq if seq is None else seq, seat=seat, move=move))
        return id

    async def news(self) -> AsyncIterator[Happening]:
        """Everything that happens, in order, until it has ended."""
        while True:
            happening = await self._news.get()
            yield happening
            if isinstance(happening, Ended):
                return

    async def close(self) -> bool:
        """Leave for good. False: nobody has heard it, and our seats are held."""
        self._leaving = True
        if self._pump:
            self._pump.cancel()
        return await self._connection.close() if self._connection else self._over

    def drop(self) -> None:
        """Lose the connection, as when the Wi-Fi goes."""
        if self._connection:
            self._connection.abort()

    async def _run(self) -> None:
        """Read, and come back when the connection is lost. Whatever goes wrong ends in `Ended`, never in silence."""
        try:
            while True:
                connection = self._connection
                assert connection
                closed = await self._read(connection)
                if self._connection is not connection:
                    continue  # we have moved
                self._connection = None
                self._fail_pending()
                self._unanswered.clear()
                if self._leaving or closed.code in _FINAL:
                    self._end(_FINAL.get(closed.code, "You have left."), REFUSED)
                    return
                self._news.put_nowait(Lost())
                await self._come_back()
                self._news.put_nowait(Back())
        except ClientError as error:
            self._end(error.sentence, error.code)
        except BadMessage as error:
            self._end(f"The server said something that this client does not know: {error.sentence}", REFUSED)

    async def _read(self, connection: Connection) -> Closed:
        """Until it ends, or we have another one: what is still in an old one is not for us any more."""
        try:
            while True:
                message = await connection.receive()
                if self._connection is not connection:
                    return Closed(LOST, "")
                await self._received(connection, message)
        except Closed as closed:
            return closed

    async def _received(self, connection: Connection, message: ServerMessage) -> None:
        before = self.store
        self.store, verdict = before.receive(message)
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
        if reveal := self._seeds.to_show_again(message):
            asyncio.get_running_loop().call_later(PATIENCE, self._show_again, connection, reveal)
            return
        waiting = self._pending.get(id) if id is not None else None
        if waiting is not None and not waiting.done():
            waiting.set_result(message)
        elif verdict is Verdict.NEWS and not (self._moving and self.store.table == before.table):
            self._news.put_nowait(News(message, before, self.store))
        if isinstance(message, CaughtUp) or self._dealing(before):
            await self._show_seeds(connection)
        if isinstance(message, Left) and message.reason == "closed":
            self.room_closed = True
            raise ClientError(message.message, NETWORK)

    def _dealing(self, before: Store) -> bool:
        """Whether the server has just bound itself and now asks for seeds."""
        return self.store.phase == "dealing" and before.phase != "dealing"

    async def _show_seeds(self, connection: Connection) -> None:
        for reveal in self._seeds.to_show(self.store, self.new_id):
            await connection.send(reveal)

    def _show_again(self, connection: Connection, reveal: Reveal) -> None:
        async def send() -> None:
            with contextlib.suppress(Closed):
                await connection.send(reveal)

        self._again = asyncio.ensure_future(send())

    async def _catch_up(self, connection: Connection) -> None:
        """There is a gap: ask once for what is missing. The answer comes through the same stream."""
        if not self._catching_up:
            self._catching_up = True
            for message in self._returning()[:1]:
                await connection.send(message)

    def _returning(self) -> list[Resume | Watch]:
        store = self.store
        if store.room is None:
            return []
        if not store.tokens:
            return [self._watch.but(id=self.new_id())] if self._watch else []
        return [
            Resume(id=self.new_id(), room=store.room, seat_token=token, epoch=store.epoch, last_seq=store.seq)
            for token in store.tokens.values()
        ]

    async def _come_back(self) -> None:
        """Connect again, ever more patiently, and take the seats back."""
        waited, told, longest = 0.0, 0.0, FIRST_DELAY
        while True:
            delay = longest * secrets.randbelow(1000) / 1000
            await self._sleep(delay)
            waited, longest = waited + longest, min(2 * longest, LONGEST_DELAY)
            try:
                self._connection = await self._open_with_seats()
                return
            except ClientError as error:
                if error.code != NETWORK or waited > GIVE_UP_AFTER:
                    raise
                if isinstance(error, NodeAway):
                    longest = NODE_DELAY  # it is replaced within seconds
                if waited - told > TELL_EVERY:
                    told = waited
                    self._news.put_nowait(StillLost(waited, error.sentence))

    async def _open(self, url: str = "") -> Connection:
        """A connection; to where our room is, if we are in one, or to a node that we were sent to."""
        address = self.address.at(self.store.room) if self.store.room else self.address
        node = self.address.sent_to(url) if url else None
        return await Connection.open(address, self._client, self._player_key, node)

    async def _insist(self, tries: int, reach: Callable[[], Awaitable[Connection]]) -> Connection:
        """A node that we were sent to may not be there yet, or not any more: try so many times more."""
        for _ in range(tries):
            with contextlib.suppress(NodeAway):
                return await reach()
            await self._sleep(NODE_SECONDS)
        return await reach()

    async def _open_with_seats(self, url: str = "") -> Connection:
        return await self._with_seats(await self._open(url))

    async def _with_seats(self, connection: Connection) -> Connection:
        """This connection with our seats taken back, or another one to where they are, or ClientError."""
        self._catching_up = False
        for _ in range(1 + MOST_REDIRECTS):
            try:
                async with asyncio.timeout(SEAT_PATIENCE):
                    for message in self._returning():
                        await connection.send(message)
                        await self._until_answered(connection, message.id)
                return connection
            except TimeoutError:
                connection.abort()
                raise ClientError("The server does not give our seat back.", NETWORK) from None
            except _Sent as sent:
                connection.abort()
                connection = await self._open(sent.url)
            except Closed:
                return connection  # lost again: the next round of _run notices
            except ClientError:
                connection.abort()
                raise
        connection.abort()
        raise ClientError("The server sends us from one machine to the next.", NETWORK)

    async def _until_answered(self, connection: Connection, id: str) -> None:
        while True:
            message = await connection.receive()
            if isinstance(message, Error) and message.id == id:
                raise _refusal(message)
            if isinstance(message, Redirect):
                raise _Sent(message.url)
            await self._received(connection, message)
            if getattr(message, "id", None) == id:
                return

    async def _move_to(self, url: str) -> None:
        """The room goes on at another node. We go there, and keep what we have until we are."""
        self._moving = True  # nobody need notice
        try:
            connection = await self._insist(MOVE_TRIES, lambda: self._open_with_seats(url))
        except ClientError:
            return  # if it ends here all the same, we come back as after any loss
        finally:
            self._moving = False
        self._go_on_with(connection)
        for request in list(self._unanswered.values()):
            if isinstance(request, _ADDS):
                await self._received(connection, Error(id=request.id, code="unavailable", message=_MOVED))
            else:
                with contextlib.suppress(Closed):
                    await connection.send(request)

    def _go_on_with(self, connection: Connection) -> None:
        old, self._connection = self._connection, connection
        if old:
            old.abort()  # the pump reads the new one then

    def _fail_pending(self) -> None:
        for future in self._pending.values():
            if not future.done():
                future.set_exception(ClientError("The connection was lost before the server answered.", NETWORK))

    def _end(self, sentence: str, code: int) -> None:
        self._over = True
        self._fail_pending()
        self._news.put_nowait(Ended(sentence, code))

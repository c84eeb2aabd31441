"""A player at a table in line mode, connected in memory to a server: lines in, messages via a Hall, sentences out."""

import asyncio
import io
from collections.abc import AsyncIterator
from typing import cast

from dicegames_client.base.terminal.keyboard import Keyboard
from dicegames_client.guest.events import Finished, GuestEvent, News
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.store import Store
from dicegames_client.lines.line_mode import LineMode
from dicegames_protocol.messages.client import Request
from support.hall import Hall, Peer


class _HallGuest:
    """What line mode needs of a guest, without a connection."""

    def __init__(self, hall: Hall, peer: Peer) -> None:
        peer.drain()
        self.store = peer.store
        self.new_id = hall.id
        self._peer = peer
        self._heard = len(peer.seen)
        self._news: asyncio.Queue[GuestEvent] = asyncio.Queue()

    async def send(self, message: Request) -> None:
        await self._peer.tell(message)
        self.catch_up()

    def catch_up(self) -> None:
        self._peer.drain()
        for message in self._peer.seen[self._heard :]:
            before = self.store
            self.store, _ = before.receive(message)
            self._news.put_nowait(News(message, before, self.store))
        self._heard = len(self._peer.seen)

    def finish(self) -> None:
        self._news.put_nowait(Finished("That was all.", 0))

    async def news(self) -> AsyncIterator[GuestEvent]:
        while True:
            yield await self._news.get()


class _Keys:
    """A keyboard whose lines the test types."""

    is_terminal = False

    def __init__(self) -> None:
        self.lines: asyncio.Queue[str | None] = asyncio.Queue()

    async def line(self) -> str | None:
        return await self.lines.get()


class Typist:
    def __init__(self, hall: Hall, peer: Peer) -> None:
        self._hall = hall
        self._guest = _HallGuest(hall, peer)
        self._keys = _Keys()
        self._out = io.StringIO()
        mode = LineMode(cast(Guest, self._guest), cast(Keyboard, self._keys), self._out)
        self._run = asyncio.ensure_future(mode.run())

    @property
    def store(self) -> Store:
        return self._guest.store

    @property
    def text(self) -> str:
        """Everything that was printed so far."""
        return self._out.getvalue()

    async def catch_up(self) -> None:
        self._guest.catch_up()
        await self._hall.settle()

    async def type(self, line: str) -> str:
        """Type a line; returns what was printed in response."""
        before = len(self.text)
        self._keys.lines.put_nowait(line)
        await self._hall.settle()
        await self.catch_up()
        return self.text[before:]

    async def leave(self) -> None:
        self._guest.finish()
        await self._run

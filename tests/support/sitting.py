"""A player at a table on the screen, connected in memory to a server: keys in, messages via a Hall, pictures out."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.guest.events import News
from dicegames_client.guest.store import Store
from dicegames_client.screens.screen import Size
from dicegames_client.screens.table.table_screen import TableScreen
from dicegames_client.widgets.lines import text_of
from dicegames_protocol.messages.client import Request
from support.hall import Hall, Peer

STILL = DisplayOptions(motion=False)


class Sitting:
    def __init__(self, hall: Hall, peer: Peer, display: DisplayOptions = STILL, **fields: object) -> None:
        """The table as it is for this peer now; everything from here on is received through `catch_up`."""
        self.hall = hall
        self.peer = peer
        self.sent: list[Request] = []
        peer.drain()
        self._heard = len(peer.seen)
        self._store = peer.store
        self.table = TableScreen(
            peer.store,
            send=self.sent.append,
            new_id=hall.id,
            now=hall.clock.now(),
            display=display,
            **fields,  # type: ignore[arg-type]
        )
        self._delivered = 0

    @property
    def now(self) -> float:
        return self.hall.clock.now()

    def catch_up(self) -> None:
        """Receive everything that the server has sent meanwhile."""
        self.peer.drain()
        for message in self.peer.seen[self._heard :]:
            before = self._store
            self._store, _ = before.receive(message)
            self.table.hear(News(message, before, self._store), self.now)
        self._heard = len(self.peer.seen)

    async def deliver(self) -> None:
        """What was sent reaches the server, and its answers come back."""
        while self._delivered < len(self.sent):
            request = self.sent[self._delivered]
            self._delivered += 1
            await self.peer.tell(request)
            await self.hall.settle()
            self.catch_up()  # which may send more
        await self.hall.settle()
        self.catch_up()

    async def press(self, *keys: str) -> None:
        """Press keys, as somebody who waits until a moment on the stage is over."""
        for key in keys:
            self.table.stage.end_moment()
            self.table.stage.interlude.end()
            await self.press_at_once(key)

    async def press_at_once(self, *keys: str) -> None:
        """Press keys, whatever is shown."""
        for key in keys:
            self.table.press(key, self.now)
            await self.deliver()

    async def type(self, text: str) -> bool:
        """Enter a line. True if it closes, at once or with the answer of the server."""
        accepted = self.table.submit(text, self.now)
        await self.deliver()
        return accepted or self.table.prompt is None

    def lines(self, columns: int = 80, rows: int = 24) -> list[str]:
        size = Size(columns, rows)
        painted = [text_of(line).rstrip() for line in self.table.paint(size, self.now)]
        return [*painted, text_of(self.table.footer(size, self.now)).rstrip()]

    def text(self, columns: int = 80, rows: int = 24) -> str:
        return "\n".join(self.lines(columns, rows))

    @property
    def store(self) -> Store:
        return self.table.shown


async def sit_down(
    hall: Hall, game: str, *names: str, display: DisplayOptions = STILL, **fields: object
) -> list[Sitting]:
    """A waiting room with a player on the screen for each name; the first one is the host."""
    peers = [await hall.peer() for _ in names]
    room = (await peers[0].create(game, names[0], **fields)).room
    for peer, name in zip(peers[1:], names[1:], strict=True):
        await peer.join(room, name)
    return [Sitting(hall, peer, replace(display)) for peer in peers]


async def begin(sittings: Sequence[Sitting]) -> None:
    """All players are ready and have received the start of the game."""
    for sitting in sittings:
        await sitting.press("y")
    catch_up(*sittings)


def catch_up(*sittings: Sitting) -> None:
    for sitting in sittings:
        sitting.catch_up()


async def pass_time(hall: Hall, seconds: float, *sittings: Sitting) -> None:
    hall.clock.advance(seconds)
    await hall.settle()
    catch_up(*sittings)
    await asyncio.sleep(0)

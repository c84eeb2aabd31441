"""Connections between clients and a node, without sockets: delays, cuts, links that are half dead, slow readers.

Within one direction of a link the order is kept, as TCP keeps it. Between links there is no order. What was under way
is lost at a cut, and each end notices the cut in its own time.
"""

import asyncio
import random
from collections import Counter, deque
from collections.abc import Callable
from contextvars import Context

from dicegames_client.base.wire import LOST, Closed

KEEPALIVE_SECONDS = 21.0
"""A half-dead link is noticed by then: interval, timeout and close timeout of both ends."""
CLOSE_SECONDS = 1.0


class End:
    """The end of a stream: a close code and its reason. LOST: nobody has said goodbye."""

    def __init__(self, code: int, reason: str = "") -> None:
        self.code, self.reason = code, reason


Item = str | bytes | End


class Pipe:
    """One direction. `deliver` is called with each item, in order."""

    def __init__(self, rng: random.Random, deliver: Callable[[Item], None]) -> None:
        self._rng = rng
        self._deliver = deliver
        self._items: deque[Item] = deque()
        self._last = 0.0
        self.dead = False
        self.slowness = 0.0
        """Most seconds that an item takes besides."""
        self.held_until = 0.0
        """Nothing arrives before."""
        self.bytes = 0
        """What is on its way."""

    def push(self, item: Item) -> None:
        if self.dead:
            return
        loop = asyncio.get_running_loop()
        delay = self._rng.uniform(0.0005, 0.05) + self._rng.random() * self.slowness
        self._last = max(self._last, loop.time() + delay, self.held_until)
        self._items.append(item)
        self.bytes += 0 if isinstance(item, End) else len(item)
        loop.call_at(self._last, self._arrive, context=Context())

    def _arrive(self) -> None:
        if not self._items:
            return
        item = self._items.popleft()
        self.bytes -= 0 if isinstance(item, End) else len(item)
        self._deliver(item)

    def drop(self) -> None:
        """What is on its way is lost, and what comes later, too."""
        self.dead = True
        self._items.clear()


class Link:
    """Both directions, and what has become of them."""

    def __init__(self, rng: random.Random, number: int, faults: Counter[str]) -> None:
        self.number = number
        self._rng = rng
        self._faults = faults
        self.up = Pipe(rng, self._to_server)
        self.down = Pipe(rng, self._to_client)
        self.inbox: asyncio.Queue[Item] = asyncio.Queue()
        self.outbox: asyncio.Queue[Item] = asyncio.Queue()
        self.ended = False
        """Somebody has cut it."""
        self.disturbed = False
        self.on_up: Callable[[Item], None] = lambda item: None
        self.on_down: Callable[[Item], None] = lambda item: None

    def _to_server(self, item: Item) -> None:
        self.on_up(item)
        self.inbox.put_nowait(item)

    def _to_client(self, item: Item) -> None:
        self.on_down(item)
        self.outbox.put_nowait(item)

    def cut(self, *, server_knows: bool = True) -> None:
        """Both ends notice it, soon; the server's end only if there is still a server."""
        if self.ended:
            return
        self.ended = True
        self.up.drop()
        self.down.drop()
        loop = asyncio.get_running_loop()
        late = 0.5 if self._rng.random() < 0.8 else 5.0
        loop.call_later(self._rng.random() * late, self._to_client, End(LOST), context=Context())
        if server_knows:
            loop.call_later(self._rng.random() * late, self._to_server, End(LOST), context=Context())

    def trouble(self) -> None:
        """Something happens to this link."""
        self.disturbed = True
        kind = self._rng.choice(("cut", "cut", "half-open", "stall", "slow reader", "slow link"))
        self._faults[kind] += 1
        loop = asyncio.get_running_loop()
        match kind:
            case "cut":
                self.cut()
            case "half-open":
                self._rng.choice((self.up, self.down)).dead = True
                loop.call_later(self._rng.random() * KEEPALIVE_SECONDS, self.cut, context=Context())
            case "stall":
                self.up.held_until = self.down.held_until = loop.time() + self._rng.uniform(0.5, 15.0)
            case "slow reader":
                self.down.slowness = self._rng.uniform(1.0, 8.0)
            case "slow link":
                self.up.slowness = self.down.slowness = self._rng.uniform(0.2, 1.5)

    def heal(self) -> None:
        """No more faults. A half-dead link can't be healed: it is cut."""
        self.up.slowness = self.down.slowness = self.up.held_until = self.down.held_until = 0.0
        if self.up.dead != self.down.dead:
            self.cut()


class SimWire:
    """The client's end: a Wire (base/wire.py)."""

    binding = ""
    certificate = b""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._closed: End | None = None

    async def send(self, text: str) -> None:
        if self._closed:
            raise Closed(self._closed.code, self._closed.reason)
        self._link.up.push(text)

    async def receive(self) -> str | bytes:
        if self._closed:
            raise Closed(self._closed.code, self._closed.reason)
        item = await self._link.outbox.get()
        if isinstance(item, End):
            self._closed = item
            self._link.up.push(item)  # the answer to a close frame
            raise Closed(item.code, item.reason)
        return item

    async def close(self, code: int) -> bool:
        if self._closed:
            return self._closed.code == code
        self._link.up.push(End(code))
        confirmed = False
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                while not isinstance(item := await self._link.outbox.get(), End):
                    pass
                confirmed = item.code == code
                self._closed = item
        except TimeoutError:
            self.abort()
        return confirmed

    def abort(self) -> None:
        self._closed = self._closed or End(LOST)
        self._link.cut()

"""Players over ssh: memory of each, and how long a key takes while a hundred of them play against bots."""

import asyncio
import random
import statistics
import time
from dataclasses import dataclass, field
from functools import partial

import asyncssh

from bench.servers import Measured

AT_ONCE = 8
PATIENCE_SECONDS = 120.0
CLEARED = b"\x1b[2J"
"""What Ctrl-L is answered with, and nothing else."""
ADDRESSES = 50
"""Players come from so many addresses, as on a public server: the keys of one address are limited."""
KEYS = "rab15ray"
"""Keys of Farkle: some do something, some are told that they do nothing."""


@dataclass
class Player(asyncssh.SSHClientSession[bytes]):
    """One user: a terminal of 80x24 that is not shown to anybody."""

    tail: bytes = b""
    waiting: tuple[bytes, "asyncio.Future[float]"] | None = None
    times: list[float] = field(default_factory=list)
    channel: "asyncssh.SSHClientChannel[bytes] | None" = None

    __hash__ = object.__hash__

    def data_received(self, data: bytes, datatype: object) -> None:
        self.tail = (self.tail + data)[-65536:]
        if self.waiting and self.waiting[0] in self.tail and not self.waiting[1].done():
            self.waiting[1].set_result(time.perf_counter())

    async def until(self, text: bytes) -> float:
        """When the text has come, in seconds of the counter."""
        if text in self.tail:
            return time.perf_counter()
        future: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self.waiting = (text, future)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await future
        finally:
            self.waiting = None

    def press(self, keys: str) -> None:
        self.tail = b""
        assert self.channel
        self.channel.write(keys.encode())

    async def sees(self, text: bytes) -> None:
        """Until the text is on the screen. Only changes are sent, so the whole is asked for again and again."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                await self.cleared()
                await asyncio.sleep(0.1)  # the rest of the screen
                if text in self.tail:
                    return

    async def cleared(self) -> float:
        """Seconds from Ctrl-L to the first byte of the new screen."""
        began = time.perf_counter()
        self.press("\x0c")
        return await self.until(CLEARED) - began


@dataclass(frozen=True, slots=True)
class Visits:
    mib_each: float
    logins_per_second: float
    p50_ms: float
    p99_ms: float
    probes: int
    server_cpu: float
    """Share of a core while they played."""


class Crowd:
    def __init__(self, port: int) -> None:
        self._port = port
        self._connections: list[asyncssh.SSHClientConnection] = []
        self.players: list[Player] = []

    async def come(self, count: int) -> None:
        numbers = iter(range(count))

        async def arrive() -> None:
            for number in numbers:
                key = asyncssh.generate_private_key("ssh-ed25519")
                user = f"player{number}x"
                connection = await asyncssh.connect(
                    "127.0.0.1",
                    self._port,
                    local_addr=(f"127.0.1.{1 + number % ADDRESSES}", 0),
                    username=user,
                    known_hosts=None,
                    config=None,
                    client_keys=[key],
                )
                self._connections.append(connection)
                player = Player()
                player.channel, _ = await connection.create_session(
                    partial(_same, player), term_type="xterm-256color", term_size=(80, 24), encoding=None
                )
                await player.until(b"New room")
                self.players.append(player)

        await asyncio.gather(*(arrive() for _ in range(AT_ONCE)))

    async def go(self) -> None:
        for connection in self._connections:
            connection.abort()
        self._connections, self.players = [], []


def _same(player: Player) -> Player:
    return player


async def begin_a_game(player: Player) -> None:
    """Farkle against a bot, with the keys of the screen."""
    for keys, then in (
        ("n", b"Which game"),
        ("3", b"Your name"),
        ("\r", b"Waiting room"),
        ("b", b"steady"),
        ("s", b"PLAYER"),
    ):
        player.press(keys)
        await player.sees(then)


async def play(player: Player, seconds: float, random: random.Random) -> None:
    """A key every second, as a person plays; every third one is measured."""
    until = time.perf_counter() + seconds
    await asyncio.sleep(random.random())
    turn = 0
    while time.perf_counter() < until:
        if turn % 3 == 0:
            player.times.append(await player.cleared())
        else:
            player.press(random.choice(KEYS))
        turn += 1
        await asyncio.sleep(0.5 + random.random())


async def measure(server: Measured, port: int, sessions: int, playing: int, seconds: float) -> Visits:
    crowd = Crowd(port)
    await crowd.come(5)  # what is loaded once is not a session's
    await crowd.go()
    before, began = server.rss, time.perf_counter()
    await crowd.come(sessions)
    took = time.perf_counter() - began
    mib = (server.rss - before) / sessions / 2**20
    await crowd.go()
    await crowd.come(playing)
    for player in crowd.players:
        await begin_a_game(player)
    used, began = server.nanoseconds, time.perf_counter()
    dice = random.Random(1)
    await asyncio.gather(*(play(player, seconds, dice) for player in crowd.players))
    share = (server.nanoseconds - used) / 1e9 / (time.perf_counter() - began)
    times = sorted(1000 * seen for player in crowd.players for seen in player.times)
    await crowd.go()
    p99 = times[min(len(times) - 1, int(len(times) * 0.99))]
    return Visits(mib, sessions / took, statistics.median(times), p99, len(times), share)

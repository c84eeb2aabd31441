"""Do spectators who never read slow the others down? Measured in windows with and without them, in turn, in one run.

    python tests/bench/stalled_readers.py

Two players move as fast as they can, and 40 spectators read. The time is measured from a move to the other player's
update. In every second window there are 5 more spectators. They never read, and reconnect at once when they are cut
off. The script prints the 99th percentiles, the ratio of each pair, and how much was unsent for a client that was cut
off. The exit code is 1 if the median ratio is above 1.25 or if more than 300 KiB were unsent.
"""

import asyncio
import os
import socket
import statistics
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import encode, parse_object
from dicegames_protocol.messages.client import Create, Hello, Join, Ready, Watch
from dicegames_protocol.messages.server import Joined
from dicegames_protocol.table import Move
from support.raw import UPGRADE, frame

PAIRS, MOVES, READERS, SLEEPERS = 10, 800, 40, 5
MOST_RATIO, MOST_UNSENT = 1.25, 300 * 1024
SETTINGS = {
    "DICEGAMES_MESSAGES_PER_SECOND": "1e9",
    "DICEGAMES_MESSAGE_BURST": "1000000000",
    "DICEGAMES_CONNECTIONS_PER_ADDRESS": "0",
    "DICEGAMES_KERNEL_BUFFER": "16384",
    "DICEGAMES_ADMIN": "127.0.0.1:0",
}


class Players:
    """Two players in a very long series of Double or Nothing, one at a time."""

    def __init__(self, port: int) -> None:
        self.guests = [Guest(Address("127.0.0.1", port)) for _ in range(2)]
        self.room = ""

    async def sit_down(self) -> None:
        for guest in self.guests:
            await guest.open()
        create = Create(id="1", game="double-or-nothing", name="ana", options={"target": 1000, "best_of": 99})
        joined = await self.guests[0].ask(create)
        assert isinstance(joined, Joined)
        self.room = joined.room
        await self.guests[1].ask(Join(id="1", room=self.room, name="bo"))
        for guest in self.guests:
            await guest.ask(Ready(id="ready"))
        for guest in self.guests:
            await self._until(guest, partial(_plays, guest))

    async def window(self, moves: int) -> list[float]:
        """Seconds from a move to the other player's update."""
        took = []
        for _ in range(moves):
            mover = next(guest for guest in self.guests if guest.store.wanted() is not None)
            other = next(guest for guest in self.guests if guest is not mover)
            seat, seq = mover.store.seats[0], other.store.seq
            began = time.perf_counter()
            await mover.move(seat, Move(take="add"))
            await self._until(other, partial(_knows_more, other, seq))
            took.append(time.perf_counter() - began)
            await self._until(mover, partial(_knows_more, mover, seq))
        return took

    async def _until(self, guest: Guest, done: Callable[[], bool]) -> None:
        news = guest.news()
        while not done():
            await anext(news)


def _plays(guest: Guest) -> bool:
    return guest.store.phase == "playing"


def _knows_more(guest: Guest, seq: int) -> bool:
    return guest.store.seq > seq


class Spectators:
    """Some who always read, and some who never read, for a while. One of these that is cut off comes back."""

    def __init__(self, port: int, room: str) -> None:
        self._port = port
        self._room = room
        self._readers: list[asyncio.Task[None]] = []
        self._sleepers: list[socket.socket] = []
        self._coming: asyncio.Task[None] | None = None

    async def sit_down(self) -> None:
        for _ in range(READERS):
            self._readers.append(asyncio.ensure_future(self._read(await self._one())))

    async def fall_asleep(self) -> None:
        for _ in range(SLEEPERS):
            self._sleepers.append(await self._one(4096))
        self._coming = asyncio.ensure_future(self._come_back())

    async def go(self) -> None:
        if self._coming:
            self._coming.cancel()
        for sleeper in self._sleepers:
            sleeper.close()
        self._sleepers.clear()

    async def _read(self, reader: socket.socket) -> None:
        while await asyncio.get_running_loop().sock_recv(reader, 65536):
            pass

    async def _come_back(self) -> None:
        while True:
            await asyncio.sleep(0.05)
            for number, sleeper in enumerate(self._sleepers):
                if _is_cut(sleeper):
                    sleeper.close()
                    self._sleepers[number] = await self._one(4096)

    async def _one(self, buffer: int = 0) -> socket.socket:
        loop = asyncio.get_running_loop()
        made = socket.socket()
        if buffer:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        made.setblocking(False)
        await loop.sock_connect(made, ("127.0.0.1", self._port))
        await loop.sock_sendall(made, UPGRADE)
        for message in (Hello(protocol=(3, 3), client="spectator"), Watch(id="w", room=self._room)):
            await loop.sock_sendall(made, frame(encode(message)))
        return made


def _is_cut(sleeper: socket.socket) -> bool:
    return sleeper.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0


def p99(values: list[float]) -> float:
    return sorted(values)[int(0.99 * len(values))]


async def measure(port: int) -> list[tuple[float, float]]:
    players = Players(port)
    await players.sit_down()
    spectators = Spectators(port, players.room)
    await spectators.sit_down()
    await players.window(MOVES)  # warm
    pairs = []
    for _ in range(PAIRS):
        without = p99(await players.window(MOVES))
        await spectators.fall_asleep()
        among = p99(await players.window(MOVES))
        await spectators.go()
        pairs.append((without, among))
    return pairs


async def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **SETTINGS, "XDG_STATE_HOME": folder}
        arguments = (
            "-m",
            "dicegames_server",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--data",
            "memory",
            "--log",
            "json",
        )
        server = await asyncio.create_subprocess_exec(
            sys.executable, *arguments, stderr=asyncio.subprocess.PIPE, env=environment
        )
        assert server.stderr
        told = [parse_object((await server.stderr.readline()).decode())["message"] for _ in range(2)]
        port, admin = (int(line.rsplit(" ", 1)[1].rsplit(":", 1)[-1]) for line in told)
        draining = asyncio.ensure_future(_read_all(server.stderr))
        try:
            pairs = await measure(port)
            status = await asyncio.to_thread(_status, admin)
        finally:
            server.terminate()
            await server.wait()
            draining.cancel()
    for without, among in pairs:
        times = f"p99 without {1000 * without:6.2f} ms   with {SLEEPERS} of them {1000 * among:6.2f} ms"
        print(f"{times}   ratio {among / without:.2f}")
    ratio, unsent = statistics.median(among / without for without, among in pairs), status["most_unsent"]
    print(f"median ratio {ratio:.2f} (at most {MOST_RATIO})")
    print(f"cut off {status['cuts'].get('too_slow', 0)} times, at most {unsent / 1024:.0f} KiB unsent (at most 300)")
    return int(ratio > MOST_RATIO or unsent > MOST_UNSENT)


def _status(port: int) -> JsonObject:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/status") as answer:
        return parse_object(answer.read().decode())


async def _read_all(stream: asyncio.StreamReader) -> None:
    while await stream.readline():
        pass


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

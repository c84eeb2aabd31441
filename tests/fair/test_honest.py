"""An honest server: whatever happens, its log is proven fair, or the right reason is told why not.

The long form, with 1,000 games:

    DICEGAMES_LONG=1 .venv/bin/pytest tests/fair/test_honest.py --timeout=7200
"""

import json
import os
import random
from dataclasses import replace

import pytest

from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import Hello, Leave, Start
from dicegames_protocol.messages.server import Ack, Welcome
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.room.environment import FairDice
from fair.tables import FairTable, take_turn
from support.clock import FakeClock
from support.hall import Hall, Peer
from support.shared import NodeStorage, SharedMemory

GAMES = 1000 if os.environ.get("DICEGAMES_LONG") else 60


@pytest.mark.parametrize("game", keys())
@pytest.mark.parametrize("bots", [0, 1])
async def test_a_game_is_proven_fair(game: str, bots: int) -> None:
    people = ("ana",) if game == "double-or-nothing" and bots else ("ana", "bo")
    table = await FairTable.open(game, *people, bots=bots)
    await (await table.start()).play(random.Random(7))
    assert not table.alarms
    for of in range(len(people)):
        assert await table.verdict(of) == ("proven", []), await table.checks(of)


class Evening:
    """A game on two nodes, in which connections are cut, people leave or fall silent, and nodes are restarted."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        clock = FakeClock()
        store = SharedMemory(clock)
        self.storages = [NodeStorage(store, f"ws://node{number}") for number in (1, 2)]
        self.halls = [
            Hall(storage=storage, clock=clock, bot_seconds=0.5, grace_seconds=1, seat_seconds=600)
            for storage in self.storages
        ]
        self.halls[1]._ids = self.halls[0]._ids  # an id is used once
        identity = self.halls[0].lobby.identity
        for hall in self.halls:
            hall.environment = replace(hall.environment, dice=FairDice())
            hall.lobby = Lobby(hall.environment)
            hall.lobby.know_itself(identity)
        self.store = store
        self.silent: set[int] = set()
        self.left: set[int] = set()

    async def run(self) -> FairTable:
        game = self.rng.choice(keys())
        names = ("ana", "bo") if game == "double-or-nothing" else ("ana", "bo", "cy")[: self.rng.randint(1, 3)]
        bots = 0 if game == "double-or-nothing" else max(2 - len(names), self.rng.randint(0, 1))
        self.table = await FairTable.open(game, *names, hall=self.halls[0], bots=bots)
        await self.table.peers[0].expect(Ack, Start(id=self.table.hall.id()))
        trouble = self.rng.random() < 0.7
        for _ in range(3000):
            if self.table.peers[0].phase not in ("playing", "dealing"):
                return self.table
            if trouble and self.rng.random() < 0.08:
                await self.rng.choice([self.cut, self.leave, self.fall_silent, self.change_the_node])()
            await self.show()
            active = [peer for number, peer in enumerate(self.table.peers) if number not in self.left]
            moved = [await take_turn(peer, self.rng) for peer in active if not peer.store.rolling]
            await self.show()
            if not any(moved):
                await self.table.hall.wait(self.rng.choice([0.3, 1.1]), *self.table.peers)
        raise AssertionError("the game does not end")

    async def show(self) -> None:
        talking = [peer for n, peer in enumerate(self.table.peers) if n not in self.left and n not in self.silent]
        await self.table.hall.links(*talking)
        self.table.hall.drain(*self.table.peers)

    def somebody(self) -> int:
        return self.rng.randrange(len(self.table.peers))

    async def come_back(self, number: int, hall: Hall) -> None:
        old = self.table.peers[number]
        if number in self.left:
            return
        peer = Peer(hall)
        await peer.expect(Welcome, Hello(protocol=(3, 3), client="test"))
        peer.witness, peer.alarms = old.witness, old.alarms
        await peer.resume(old, old.store.seats[0])
        self.table.peers[number] = peer

    async def cut(self) -> None:
        number = self.somebody()
        if number not in self.left:
            await self.table.peers[number].drop()
            await self.table.hall.wait(self.rng.choice([0, 0, 1, 5]))
            await self.come_back(number, self.table.hall)

    async def leave(self) -> None:
        number = self.somebody()
        if number and number not in self.left:
            await self.table.peers[number].expect(Ack, Leave(id=self.table.hall.id()))
            self.left.add(number)

    async def fall_silent(self) -> None:
        """A client that does not show its links."""
        self.silent.add(self.somebody())

    async def change_the_node(self) -> None:
        """The node stops, perhaps in the middle of a roll, and another one goes on, or the same one after a restart."""
        here = self.table.hall
        there = self.rng.choice(self.halls)
        here.drain(*self.table.peers)
        here.lobby.take_no_more()
        here.lobby.suspend()
        fresh, identity = Lobby(here.environment), here.lobby.identity
        fresh.know_itself(identity)
        here.lobby = fresh
        self.store.owners[self.table.room] = None
        await there.lobby.registry.bring(self.table.room)
        self.table.hall = there
        for number in range(len(self.table.peers)):
            await there.wait(self.rng.choice([0, 0.5]))
            await self.come_back(number, there)


@pytest.mark.parametrize("part", range(4))
async def test_whatever_happens_the_verdict_is_right(part: int) -> None:
    """1,000 games in the long form, in four parts."""
    proven = 0
    for seed in range(part, GAMES, 4):
        evening = Evening(seed)
        table = await evening.run()
        assert not [alarm for alarm in table.alarms if "may be slow" not in alarm], seed
        found, reasons = await table.verdict()
        events = {event["kind"] for line in await table.log() for event in json.loads(line)["events"]}
        redrawn = "drawn_anew" in events
        dealt = "game_over" in events
        if redrawn or not dealt:
            assert found == "not proven", (seed, reasons)
            assert any("did not answer" in reason for reason in reasons) == redrawn, (seed, reasons)
        else:
            assert (found, reasons) == ("proven", []), (seed, reasons)
            proven += 1
        for hall in evening.halls:
            hall.lobby.suspend()
    assert proven

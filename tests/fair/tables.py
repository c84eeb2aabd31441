"""Tables for the tests of fair dice: real rooms, real clients without a terminal, and the real `verify`."""

import random
from dataclasses import replace
from typing import Any

from dicegames_protocol.messages.client import AddBot, FetchLog, Rematch, Start
from dicegames_protocol.messages.server import Ack, Log
from dicegames_server.audit.audit import audit, verdict
from dicegames_server.audit.check import Check
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.room.environment import FairDice
from dicegames_server.table.commands import abandon
from support.hall import DurableMemory, Hall, Peer
from support.remembering import Remembering

OPTIONS: dict[str, dict[str, Any]] = {
    "doubles": {"rounds": "1-3", "window": 0},
    "sevens": {"rounds": 1},
    "farkle": {"target": 800},
    "double-or-nothing": {"best_of": 3},
}
"""Options with which a game is short."""


def fair_hall(dice: Any = None, **settings: Any) -> Hall:
    """A hall with the dice that a real server has."""
    hall = Hall(storage=DurableMemory(), **{"bot_seconds": 1, "grace_seconds": 1, **settings})
    hall.environment = replace(hall.environment, dice=dice or FairDice())
    hall.lobby = Lobby(hall.environment)
    return hall


class FairTable:
    """A room with people whose clients look at the dice, and perhaps with bots."""

    def __init__(self, hall: Hall, peers: list[Peer], memories: list[Remembering]) -> None:
        self.hall = hall
        self.peers = peers
        self.memories = memories

    @classmethod
    async def open(
        cls, game: str, *names: str, hall: Hall | None = None, bots: int = 0, level: str = "steady", **fields: Any
    ) -> "FairTable":
        hall = hall or fair_hall()
        memories = [Remembering() for _ in names]
        peers = [await hall.peer(memory=memory) for memory in memories]
        options = fields.pop("options", OPTIONS.get(game, {}))
        room = (await peers[0].create(game, names[0], options=options, **fields)).room
        for peer, name in zip(peers[1:], names[1:], strict=True):
            await peer.join(room, name)
        if bots:
            await peers[0].expect(Ack, AddBot(id=hall.id(), count=bots, level=level))
        hall.drain(*peers)
        return cls(hall, peers, memories)

    @property
    def room(self) -> str:
        return self.peers[0].store.room or ""

    @property
    def alarms(self) -> list[str]:
        return [alarm for peer in self.peers for alarm in peer.alarms]

    async def start(self) -> "FairTable":
        await self.peers[0].expect(Ack, Start(id=self.hall.id()))
        await self.hall.links(*self.peers)
        return self

    async def rematch(self) -> None:
        for peer in self.peers:
            await peer.expect(Ack, Rematch(id=self.hall.id()))
        await self.hall.links(*self.peers)

    async def play(self, rng: random.Random | None = None, most: int = 100_000) -> "FairTable":
        """Play until the game is over, or for so many moves."""
        rng = rng or random.Random(1)
        moves = 0
        while self.peers[0].phase in ("playing", "dealing") and moves < most:
            moved = False
            for peer in self.peers:
                await self.hall.links(*self.peers)
                if moves < most and peer.link.closed is None and await take_turn(peer, rng):
                    moved, moves = True, moves + 1
            await self.hall.links(*self.peers)
            if not moved:
                await self.hall.wait(1.5, *self.peers)
        return self

    async def abandon(self) -> None:
        """End the game in the middle, as a room does that is closed."""
        actor = self.hall.room(self.peers[0])
        await actor._mailbox.ask(lambda _: actor._commits.commit(abandon(actor.state)))
        self.hall.drain(*self.peers)

    async def log(self) -> list[bytes]:
        reader = await self.hall.peer()
        lines: list[bytes] = []
        while True:
            page = await reader.expect(Log, FetchLog(id=self.hall.id(), room=self.room, after=len(lines)))
            if not page.lines:
                return lines
            lines += [line.encode() for line in page.lines]

    async def checks(self, of: int = 0, lines: list[bytes] | None = None) -> list[Check]:
        """What `verify` says on the machine of a player."""
        return audit(await self.log() if lines is None else lines, self.memories[of].memory)

    async def verdict(self, of: int = 0, lines: list[bytes] | None = None) -> tuple[str, list[str]]:
        return verdict(await self.checks(of, lines))


async def take_turn(peer: Peer, rng: random.Random) -> bool:
    """Take any offer, if the game waits for this player."""
    peer.drain()
    seat = peer.store.wanted()
    if seat is None:
        return False
    offers = peer.store.offers(seat)
    take = rng.choice(sorted(offers))
    choices = offers[take].choices
    await peer.move(take, choice=rng.choice(sorted(choices)) if choices else None)
    return True

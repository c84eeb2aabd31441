"""A whole server without sockets: sessions and client stores linked in memory.

`Hall` owns lobby, clock and dice; `Peer` is one connection, with the store that a real client would have. Every
message that a peer gets goes through its store, so a test that plays also checks that patches fit.
"""

import asyncio
import itertools
from typing import Any, TypeVar

from dicegames_client.guest.store import Store, Verdict
from dicegames_client.guest.witness import Witness, WitnessMemory
from dicegames_protocol import patch
from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import decode_server, encode
from dicegames_protocol.messages.client import (
    ClientMessage,
    Create,
    Hello,
    Identify,
    Join,
    MakeMove,
    Ready,
    Resume,
    Watch,
)
from dicegames_protocol.messages.server import Ack, CaughtUp, Error, Identified, Joined, ServerMessage, Update, Welcome
from dicegames_protocol.network.identity import player_seed, player_statement
from dicegames_protocol.network.signatures import Signer
from dicegames_protocol.table import Move
from dicegames_server.core.peer import send_each
from dicegames_server.core.worker import AtOnce, Worker
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.lobby.session import Session
from dicegames_server.room.environment import Environment
from dicegames_server.room.mailbox import Reply
from dicegames_server.room.room import Room
from dicegames_server.settings import Settings
from dicegames_server.storage.base import Storage
from dicegames_server.storage.memory import MemoryStorage
from support.clock import FakeClock
from support.dice import ScriptedDice

M = TypeVar("M")


class FakePeer:
    address = "memory"
    buffer_limit = 0
    over_ssh = False
    player: str | None = None
    binding = ""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.closed: tuple[int, str] | None = None

    def send(self, data: bytes) -> None:
        if self.closed is None:
            self.frames.append(data)

    def close(self, code: int, reason: str) -> None:
        if self.closed is None:
            self.closed = (code, reason)


async def nothing(reply: Reply) -> None:
    """A job that is done when everything before it is done."""


class Peer:
    def __init__(self, hall: "Hall", hint: str = "", memory: WitnessMemory | None = None) -> None:
        """`memory`: this peer has a part in the dice, and looks at all of them, as a real client does."""
        self.hall = hall
        self.witness = Witness(memory, hall.clock.now) if memory else None
        self.alarms: list[str] = []
        self.link = FakePeer()
        self.store = Store()
        self.seen: list[ServerMessage] = []
        self.frames: list[bytes] = []
        """The same as they came over the wire."""
        self.gaps = 0
        self._showed: JsonObject | None = None
        self._session = Session(self.link, hall.lobby, hall.environment, "test", hint)

    async def tell(self, message: ClientMessage | str) -> None:
        if self.witness and not isinstance(message, str | Hello):
            chains = self.witness.chains
            message = chains.with_move(chains.add_commit(message, self.store), self.store)
        text = message if isinstance(message, str) else encode(message).decode()
        await self._session.receive(text)
        for room in self.hall.lobby.rooms:
            await room._mailbox.ask(nothing)  # a move that is being committed is done when this is
        self.drain()

    async def ask(self, message: ClientMessage) -> ServerMessage:
        """Send a message and return its one answer; two answers, or none, fail the test."""
        start = len(self.seen)
        await self.tell(message)
        id = getattr(message, "id", None)
        answers = [m for m in self.seen[start:] if getattr(m, "id", None) == id and id is not None]
        if isinstance(message, Hello):
            answers = [m for m in self.seen[start:] if isinstance(m, Welcome | Error)]
        assert len(answers) == 1, f"{len(answers)} answers to {message}"
        return answers[0]

    async def expect(self, kind: type[M], message: ClientMessage) -> M:
        answer = await self.ask(message)
        assert isinstance(answer, kind), answer
        return answer

    async def refused(self, message: ClientMessage) -> Error:
        return await self.expect(Error, message)

    def drain(self) -> None:
        frames, self.link.frames = self.link.frames, []
        self.frames += frames
        for frame in frames:
            message = decode_server(frame)
            self.seen.append(message)
            before = self.store
            self.store, verdict = self.store.receive(message)
            self.gaps += verdict is Verdict.GAP
            if self.witness:
                self.witness.chains.answered(message)
                self.alarms += self.witness.hear(message, frame, before, self.store, self.hall.lobby.identity.id)

    async def show(self) -> bool:
        """Show the links that the table asks us for. False: there are none."""
        self.drain()
        if self.witness is None or self.store.rolling is None or self._showed == self.store.rolling:
            return False
        self._showed = self.store.rolling
        links = self.witness.to_show(self.store, self.hall.id)
        for link in links:
            await self.expect(Ack, link)
            self.witness.answered()
        return bool(links)

    async def drop(self) -> None:
        """The connection is lost; the seat is held."""
        await self._session.closed(left=False)

    async def hang_up(self) -> None:
        await self._session.closed(left=True)

    # Shortcuts.

    async def create(self, game: str, name: str = "ana", **fields: Any) -> Joined:
        return await self.expect(Joined, Create(id=self.hall.id(), game=game, name=name, **fields))

    async def join(self, room: str, name: str, password: str | None = None) -> Joined:
        return await self.expect(Joined, Join(id=self.hall.id(), room=room, name=name, password=password))

    async def watch(self, room: str) -> Joined:
        return await self.expect(Joined, Watch(id=self.hall.id(), room=room))

    async def resume(self, old: "Peer", seat: int | None = None) -> CaughtUp:
        """Come back to a seat of an earlier connection, with the state that it had."""
        store = old.store
        self.store = store
        token = store.tokens[seat if seat is not None else store.seats[0]]
        assert store.room
        return await self.expect(
            CaughtUp,
            Resume(id=self.hall.id(), room=store.room, seat_token=token, epoch=store.epoch, last_seq=store.seq),
        )

    async def ready(self) -> None:
        await self.expect(Ack, Ready(id=self.hall.id()))

    def moving(self, take: str, *, seat: int | None = None, seq: int | None = None, **fields: Any) -> MakeMove:
        seen = self.store.seq if seq is None else seq
        return MakeMove(id=self.hall.id(), seq=seen, seat=seat, move=Move(take=take, **fields))

    async def move(self, take: str, **fields: Any) -> Ack:
        """Make a move, with everything seen that has happened."""
        self.drain()
        return await self.expect(Ack, self.moving(take, **fields))

    @property
    def seat(self) -> int:
        return self.store.seats[0]

    @property
    def phase(self) -> str:
        return self.store.info.phase

    @property
    def updates(self) -> list[Update]:
        return [message for message in self.seen if isinstance(message, Update)]

    def events(self) -> list[dict[str, Any]]:
        return [event for update in self.updates for event in update.events]


class DurableMemory(MemoryStorage):
    """A store that outlives a server in the same test."""

    durable = True


class Hall:
    def __init__(
        self,
        *rolls: tuple[int, ...],
        storage: Storage | None = None,
        clock: FakeClock | None = None,
        worker: Worker | None = None,
        **settings: Any,
    ) -> None:
        self.clock = clock or FakeClock()
        self.dice = ScriptedDice(*rolls)
        self.environment = Environment(
            settings=Settings(
                **{
                    "messages_per_second": 1e9,
                    "message_burst": 10**9,
                    "bot_talk": False,
                    "failed_joins_per_minute": 0,
                    "rooms_per_address": 0,
                    "new_rooms_per_minute": 0,
                    "leaderboard_one_address": True,
                    "review_seconds": 0,
                    **settings,
                }
            ),
            clock=self.clock,
            dice=self.dice,
            storage=storage or MemoryStorage(),
            broadcast=send_each,
            pace=lambda: 1.0,
            worker=worker or AtOnce(),
        )
        self.lobby = Lobby(self.environment)
        self._ids = itertools.count()

    def id(self) -> str:
        return f"id-{next(self._ids)}"

    async def peer(self, player: str | None = None, memory: WitnessMemory | None = None) -> Peer:
        """`player`: any text; the same text is the same player. `memory`: the peer has a part in the dice."""
        peer = Peer(self, memory=memory)
        challenge = "c" * 64 if player else None
        welcome = await peer.expect(Welcome, Hello(protocol=(3, 3), client="test", challenge=challenge))
        if player:
            signer = Signer(player_seed(player.encode(), welcome.id))
            proof = signer.sign(player_statement(welcome.id, welcome.challenge, ""))
            await peer.expect(Identified, Identify(id=self.id(), key=signer.key, proof=proof))
        return peer

    async def table(self, game: str, *names: str, **fields: Any) -> list[Peer]:
        """A started game: one peer for each name, the first one is host."""
        peers = [await self.peer() for _ in names]
        room = (await peers[0].create(game, names[0], **fields)).room
        for peer, name in zip(peers[1:], names[1:], strict=True):
            await peer.join(room, name)
        for peer in peers:
            peer.drain()
        for peer in peers:
            await peer.ready()
        self.drain(*peers)
        return peers

    async def links(self, *peers: Peer) -> None:
        """Let everybody show their links, until no dice are waited for."""
        while any([await peer.show() for peer in peers]):
            await self.settle()
        self.drain(*peers)

    def room(self, peer: Peer) -> Room:
        assert peer.store.room
        kept = self.lobby.registry.here(peer.store.room)
        assert kept
        return kept.room

    async def restart(self) -> None:
        """The server stops and starts again: all connections are gone, rooms come back from storage."""
        self.lobby.take_no_more()
        self.lobby.suspend()
        identity, self.lobby = self.lobby.identity, Lobby(self.environment)
        self.lobby.know_itself(identity)  # which the service loads from storage
        await self.lobby.registry.adopt()

    async def wait(self, seconds: float, *peers: Peer) -> None:
        """Let time pass, and finish everything that it started."""
        self.clock.advance(seconds)
        await self.settle()
        self.drain(*peers)

    async def settle(self) -> None:
        for _ in range(50):
            await asyncio.sleep(0)

    def drain(self, *peers: Peer) -> None:
        for peer in peers:
            peer.drain()

    def check(self, *peers: Peer) -> None:
        """Every peer knows exactly what the server knows."""
        for peer in peers:
            peer.drain()
            room = self.room(peer)
            assert peer.gaps == 0
            assert peer.store.seq == room.state.seq
            assert peer.store.table == patch.dump(room.state.public())

"""A room of Doubles under everything that people and networks do, compared with a simple model of the result.

After every step: each connected peer knows exactly what the server knows, every command got one answer, numbers have
no gap, and pot, sevens, scores, seats and host are what the model says.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dicegames_protocol.messages.client import Join, Leave, MakeMove, Rematch, Start
from dicegames_protocol.messages.server import Ack, Error, ServerMessage
from support.hall import DurableMemory, Hall, Peer

CAPACITY = 4
ROUNDS = 2
faces = st.tuples(st.integers(1, 6), st.integers(1, 6))


@dataclass
class Model:
    """Doubles without any server."""

    phase: str = "waiting"
    host: int | None = None
    seated: dict[int, str] = field(default_factory=dict)
    left: set[int] = field(default_factory=set)
    away: set[int] = field(default_factory=set)
    standin: set[int] = field(default_factory=set)
    players: list[int] = field(default_factory=list)
    scores: dict[int, int] = field(default_factory=dict)
    out: set[int] = field(default_factory=set)
    votes: set[int] = field(default_factory=set)
    round: int = 0
    pot: int = 0
    sevens: int = 0
    rolls: int = 0
    roller: int = 0
    last_roller: int = 0
    first: int | None = None

    def people(self) -> list[int]:
        return sorted(set(self.seated) - self.left)

    def start(self) -> None:
        for seat in self.left:
            del self.seated[seat]
        self.left.clear()
        self.votes.clear()
        self.players = self.people()
        later = [seat for seat in self.players if self.first is not None and seat > self.first]
        self.first = later[0] if later else self.players[0]
        self.phase, self.round = "playing", 0
        self.scores = dict.fromkeys(self.players, 0)
        self.new_round(self.first)

    def new_round(self, roller: int) -> None:
        self.round += 1
        self.pot = self.sevens = self.rolls = 0
        self.out = set()
        self.roller = roller

    def roll(self, one: int, two: int) -> None:
        self.last_roller = self.roller
        if one + two == 7:
            self.sevens += 1
            self.pot += 75
        elif one == two:
            self.pot = self.pot * 2 if self.rolls else 100 * one
        else:
            self.pot += one + two
        self.rolls += 1
        if self.sevens == 4:
            self.end_round()
        else:
            self.roller = self.after(self.roller)

    def cash(self, seat: int) -> None:
        self.scores[seat] += self.pot
        self.out.add(seat)
        if len(self.out) == len(self.players):
            self.end_round()
        elif self.roller == seat:
            self.roller = self.after(seat)

    def after(self, seat: int) -> int:
        order = [*[s for s in self.players if s > seat], *[s for s in self.players if s <= seat]]
        return next(s for s in order if s not in self.out)

    def end_round(self) -> None:
        if self.round == ROUNDS:
            self.phase = "over"
            return
        order = [*[s for s in self.players if s > self.last_roller], *self.players]
        self.new_round(order[0])

    def leave(self, seat: int) -> None:
        if self.phase == "waiting" or seat not in self.players:
            del self.seated[seat]
        else:
            self.left.add(seat)
        self.away.discard(seat)
        self.standin.discard(seat)
        self.votes.discard(seat)
        if self.host == seat:
            people = self.people()
            later = [s for s in people if s > seat]
            self.host = later[0] if later else people[0] if people else None


class RoomMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.model = Model()
        self.peers: dict[int, Peer] = {}
        self.lost: dict[int, Peer] = {}
        self.last: tuple[int, MakeMove, ServerMessage] | None = None
        self.names = iter(f"p{number}" for number in range(10**6))

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(work)

    def teardown(self) -> None:
        self.run(self.hall.lobby.close_all("done"))
        self.loop.close()

    @initialize()
    def open(self) -> None:
        async def open() -> None:
            forever: Any = 10**6
            patient = dict.fromkeys(("seat_seconds", "waiting_seat_seconds", "lobby_idle_seconds"), forever)
            self.hall = Hall(grace_seconds=1, bot_seconds=1, storage=DurableMemory(), **patient)
            host = await self.hall.peer()
            options = {"rounds": ROUNDS, "window": 0}
            self.room = (await host.create("doubles", next(self.names), options=options, seats=CAPACITY)).room
            self.watcher = await self.hall.peer()
            await self.watcher.watch(self.room)
            self.peers[0] = host

        self.run(open())
        self.model.seated[0] = "p0"
        self.model.host = 0

    def connected(self, pick: int) -> int:
        return sorted(self.peers)[pick % len(self.peers)]

    # Coming and going.

    @rule()
    def join(self) -> None:
        name = next(self.names)
        peer = self.run(self.hall.peer())
        full = len(self.model.people()) >= CAPACITY
        if full:
            error = self.run(peer.refused(Join(id=self.hall.id(), room=self.room, name=name)))
            assert error.code == "room_full"
            return
        seat = self.run(peer.join(self.room, name)).seat
        assert seat is not None and seat not in self.model.seated
        self.model.seated[seat] = name
        if self.model.host is None:
            self.model.host = seat
        self.peers[seat] = peer
        self.last = None

    @precondition(lambda self: self.peers)
    @rule(pick=st.integers(0, 9))
    def leave(self, pick: int) -> None:
        seat = self.connected(pick)
        self.run(self.peers.pop(seat).expect(Ack, Leave(id=self.hall.id())))
        self.model.leave(seat)
        self.last = None

    @precondition(lambda self: self.peers)
    @rule(pick=st.integers(0, 9))
    def drop(self, pick: int) -> None:
        seat = self.connected(pick)
        self.lost[seat] = self.peers.pop(seat)
        self.run(self.lost[seat].drop())
        self.model.away.add(seat)

    @precondition(lambda self: self.lost)
    @rule(pick=st.integers(0, 9))
    def come_back(self, pick: int) -> None:
        seat = sorted(self.lost)[pick % len(self.lost)]
        peer = self.run(self.hall.peer())
        self.run(peer.resume(self.lost.pop(seat), seat))
        self.peers[seat] = peer
        self.model.away.discard(seat)
        self.model.standin.discard(seat)

    @precondition(lambda self: self.peers)
    @rule(pick=st.integers(0, 9))
    def replace_connection(self, pick: int) -> None:
        seat = self.connected(pick)
        peer = self.run(self.hall.peer())
        old = self.peers[seat]
        old.drain()
        self.run(peer.resume(old, seat))
        assert old.link.closed
        self.peers[seat] = peer

    @precondition(lambda self: self.model.people())
    @rule()
    def restart_the_server(self) -> None:
        """All players are away at once; the table is as it was."""

        async def restart() -> None:
            await self.hall.restart()
            self.watcher = await self.hall.peer()
            await self.watcher.watch(self.room)

        self.run(restart())
        self.lost.update(self.peers)
        self.peers.clear()
        if self.last and isinstance(self.last[2], Error):
            self.last = None  # a refusal is not kept: asked again, it is decided again
        self.model.away = set(self.model.people())

    # Playing.

    @precondition(lambda self: self.model.phase != "playing" and self.model.host in self.peers)
    @rule()
    def start(self) -> None:
        assert self.model.host is not None
        self.run(self.peers[self.model.host].expect(Ack, Start(id=self.hall.id())))
        self.model.start()
        self.last = None

    @precondition(lambda self: self.model.phase == "over" and self.peers)
    @rule(pick=st.integers(0, 9))
    def rematch(self, pick: int) -> None:
        seat = self.connected(pick)
        self.run(self.peers[seat].expect(Ack, Rematch(id=self.hall.id())))
        self.model.votes.add(seat)
        if self.model.votes == set(self.model.people()):
            self.model.start()
            self.last = None

    def act(self, seat: int, take: str, seq: int | None = None) -> ServerMessage:
        peer = self.peers[seat]
        peer.drain()
        move = peer.moving(take, seq=seq)
        answer: ServerMessage = self.run(peer.ask(move))
        self.last = (seat, move, answer)
        return answer

    @precondition(lambda self: self.model.phase == "playing" and self.model.roller in self.peers)
    @rule(dice=faces)
    def roll(self, dice: tuple[int, int]) -> None:
        self.let_roll(dice)

    def let_roll(self, dice: tuple[int, int]) -> None:
        self.hall.dice.then(dice)
        assert isinstance(self.act(self.model.roller, "roll"), Ack)
        self.model.roll(*dice)

    def can_cash(self) -> list[int]:
        model = self.model
        if model.phase != "playing" or not model.rolls:
            return []
        return [seat for seat in sorted(self.peers) if seat in model.players and seat not in model.out]

    @precondition(lambda self: self.can_cash())
    @rule(pick=st.integers(0, 9))
    def cash_out(self, pick: int) -> None:
        able = self.can_cash()
        seat = able[pick % len(able)]
        assert isinstance(self.act(seat, "cash"), Ack)
        self.model.cash(seat)

    @precondition(lambda self: len(self.can_cash()) > 1)
    @rule(pick=st.integers(0, 9))
    def two_cash_out_at_once(self, pick: int) -> None:
        able = self.can_cash()
        one = able[pick % len(able)]
        two = next(seat for seat in able if seat != one)
        self.peers[two].drain()
        mine = self.peers[two].moving("cash")
        ends = len(self.model.out) + 2 == len(self.model.players)
        assert isinstance(self.act(one, "cash"), Ack)
        self.model.cash(one)
        assert isinstance(self.run(self.peers[two].ask(mine)), Ack)
        self.model.cash(two)
        assert ends == (not self.model.out or self.model.phase == "over")

    @precondition(lambda self: self.can_cash() and self.model.roller in self.peers)
    @rule(pick=st.integers(0, 9), dice=faces)
    def cash_out_against_a_roll(self, pick: int, dice: tuple[int, int]) -> None:
        """The roll comes first: the cash-out is too late and has no effect."""
        able = self.can_cash()
        seat = able[pick % len(able)]
        peer = self.peers[seat]
        peer.drain()
        cash, pot = peer.moving("cash"), self.model.pot
        self.let_roll(dice)
        error = self.run(peer.refused(cash))
        assert error.code == "stale"
        assert error.message == f"Too late: the dice were already rolling. The pot was {pot:,}."

    @precondition(lambda self: self.last is not None and self.last[0] in self.peers)
    @rule(times=st.integers(1, 3))
    def repeat(self, times: int) -> None:
        assert self.last
        seat, move, answer = self.last
        for _ in range(times):
            assert self.run(self.peers[seat].ask(move)) == answer

    @precondition(lambda self: self.model.phase == "playing" and len(self.peers) > 1)
    @rule(pick=st.integers(0, 9))
    def roll_out_of_turn(self, pick: int) -> None:
        seat = self.connected(pick)
        if seat != self.model.roller:
            assert isinstance(self.act(seat, "roll"), Error)

    @rule(dice=faces)
    def a_second_passes(self, dice: tuple[int, int]) -> None:
        """A player who is away on their turn gets a stand-in. A stand-in, or the bot of a player who left, rolls."""
        model, roller = self.model, self.model.roller
        if model.phase == "playing" and (roller in model.left or roller in model.standin):
            self.hall.dice.then(dice)
            model.roll(*dice)
        elif model.phase == "playing" and roller in model.away:
            model.standin.add(roller)
        self.run(self.hall.wait(1))

    # What must hold.

    @invariant()
    def everyone_knows_the_same(self) -> None:
        if self.peers or hasattr(self, "watcher"):
            self.hall.check(self.watcher, *self.peers.values())

    @invariant()
    def the_model_agrees(self) -> None:
        if not hasattr(self, "watcher"):
            return
        store, model = self.watcher.store, self.model
        assert store.info.phase == model.phase
        assert store.info.host == model.host
        assert {int(seat) for seat in store.table["seats"]} == set(model.seated)
        assert {int(s) for s, p in store.table["seats"].items() if p["standin"]} == model.standin
        if model.phase == "playing":
            game = store.game
            found = (game["round"], game["pot"], game["sevens"], game["roller"])
            assert found == (model.round, model.pot, model.sevens, model.roller)
        if model.phase != "waiting":
            assert {int(seat): entry["score"] for seat, entry in store.game["seats"].items()} == model.scores


RoomMachine.TestCase.settings = settings(stateful_step_count=50, deadline=None)
TestRoom = RoomMachine.TestCase

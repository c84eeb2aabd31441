"""People: they host, join, play what is offered, double-click, drop, come back, leave, watch, or are just gone."""

import asyncio
import contextlib
import random
from typing import TYPE_CHECKING, Any

from dicegames_client.base.address import Address
from dicegames_client.base.errors import NETWORK, ClientError
from dicegames_client.base.visit import VISIT
from dicegames_client.base.wire import Closed
from dicegames_client.guest.events import Alarm, Finished
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.server_link import Refusal
from dicegames_protocol.base import JsonObject
from dicegames_protocol.fairness.witness_memory import Memory
from dicegames_protocol.messages.client import (
    AddBot,
    ChangeOptions,
    Chat,
    Create,
    GiveHost,
    Join,
    Kick,
    Leave,
    MakeMove,
    Ready,
    Rematch,
    Request,
    Sit,
    Start,
    Watch,
)
from dicegames_protocol.table import Move, Offer
from support.remembering import Remembering

if TYPE_CHECKING:
    from simulation.evening import Evening

SERVER = Address("server", 1, glance=True)
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "doubles": [
        {"rounds": 1, "window": 0},
        {"rounds": "1-3", "window": 2},
        {"rounds": 2, "next_round": "rotate", "window": 1},
        {"rounds": 2, "sealed": True, "window": 2},
    ],
    "sevens": [{"rounds": 1}, {"rounds": 2}],
    "farkle": [{"target": 500}, {"preset": "boxed", "target": 600}, {"target": 800, "three_farkles": 200}],
    "double-or-nothing": [{}, {"target": 30, "start": 3, "best_of": 3}, {"first": "2"}],
}


class Memories:
    """What a person's machine remembers of each room."""

    def __init__(self) -> None:
        self._rooms: dict[str, Remembering] = {}
        self._here = Remembering()
        self.keep_chain, self.chains = self._here.keep_chain, self._here.chains

    def begin(self, server: str, room: str, room_id: str) -> Memory:
        self._here = self._rooms.setdefault(room_id, Remembering())
        return self._here.begin(server, room, room_id)

    def heard(self, line: bytes) -> None:
        self._here.heard(line)

    def noted(self, kind: str, fields: JsonObject) -> None:
        self._here.noted(kind, fields)


class Person:
    def __init__(self, evening: "Evening", name: str, seed: int) -> None:
        self.name = name
        self.guest: Guest | None = None
        self._evening = evening
        self._rng = random.Random(seed)
        self._memory = Memories()
        self._saved: tuple[str, dict[int, str]] | None = None
        self._ended: Finished | None = None
        self._last: tuple[int, int] | None = None
        self.mischief = self._rng.choice((0.0, 0.02, 0.1))
        """How often this person does something that helps nobody."""

    @property
    def calm(self) -> bool:
        return self._evening.calm

    async def run(self) -> None:
        VISIT.set(self._evening.visit(self.name))
        while not self._evening.over:
            await self._wait(0.1, 3.0)
            try:
                await self._visit()
            except Refusal as refused:
                self._refused(refused)
            except ClientError as error:
                if error.code != NETWORK:
                    self._saved = None
            await self._go()

    async def _wait(self, least: float, most: float) -> None:
        await asyncio.sleep(self._rng.uniform(least, most))

    def _refused(self, refused: Refusal) -> None:
        """A token that is refused must be of a seat that was lost for a reason."""
        if refused.reason == "unauthorized" and self._saved:
            room, tokens = self._saved
            for seat in tokens:
                if self._evening.holds(room, seat, self.name):
                    self._evening.checks.fail(f"{self.name} is refused at seat {seat} of {room}: {refused.said}")
        if refused.reason not in ("unavailable", "rate_limited"):
            self._saved = None

    async def _visit(self) -> None:
        """One sitting: from the first connection to the last word of it."""
        self._ended = self._last = None
        self.guest = guest = Guest(SERVER, now=asyncio.get_running_loop().time, memory=self._memory, client="simulated")
        await guest.open()
        listening = asyncio.ensure_future(self._listen(guest))
        try:
            if self._saved:
                await guest.resume(*self._saved)
            else:
                await self._enter(guest)
            while not self._ended and not self._evening.over:
                if guest.store.tokens and guest.store.room:
                    self._saved = (guest.store.room, dict(guest.store.tokens))
                await self._wait(0.02, self._rng.choice((0.2, 0.2, 1.5)))
                with contextlib.suppress(ClientError):
                    if await self._act(guest):
                        return
        finally:
            listening.cancel()
        if self._ended:
            if guest.room_closed:
                self._saved = None
            elif self._ended.code != NETWORK:
                self._saved = self._saved if self._rng.random() < 0.5 else None

    async def _listen(self, guest: Guest) -> None:
        async for heard in guest.news():
            if isinstance(heard, Alarm) and heard.severe:
                self._evening.checks.fail(f"{self.name} is alarmed: {heard.sentence}")
            self._evening.checks.client(self.name, guest.store)
            if isinstance(heard, Finished):
                self._ended = heard
                self._evening.checks.trace(f"{self.name} has finished: {heard.sentence}")

    async def _go(self) -> None:
        """Leave, or only be gone; sometimes come back later with the token."""
        guest, self.guest = self.guest, None
        if guest is None:
            return
        if self._rng.random() < 0.5:
            guest.abandon()
            if self._rng.random() < 0.2 and not self.calm:
                self._saved = None
        elif await guest.close():
            self._saved = None

    async def _enter(self, guest: Guest) -> None:
        rooms = self._evening.rooms
        if rooms and self._rng.random() < 0.85:
            code, id = self._rng.choice(rooms[-2:]), guest.new_id()
            message: Request = Join(id=id, room=code, name=self.name)
            if self._rng.random() < 0.15:
                message = Watch(id=id, room=code, name=self.name)
            answer = await guest.ask(message)
        else:
            game = self._rng.choice(sorted(OPTIONS))
            options = self._rng.choice(OPTIONS[game])
            limit = self._rng.choice((0, 0, 3))
            answer = await guest.ask(
                Create(id=guest.new_id(), game=game, options=options, name=self.name, turn_limit=limit)
            )
            rooms.append(getattr(answer, "room", ""))

    async def _act(self, guest: Guest) -> bool:
        """Do one thing. True: this person gets up."""
        rng, store = self._rng, guest.store
        if store.room is None or not store.table or guest.link is None:
            return False
        if not self.calm and rng.random() < self.mischief:
            return await self._misbehave(guest)
        if not store.seats:
            if rng.random() < 0.05:
                await guest.try_ask(Sit(id=guest.new_id(), name=self.name))
            return rng.random() < 0.01
        if (seat := store.wanted()) is not None:
            await self._move(guest, seat)
        elif store.phase == "waiting":
            await self._prepare(guest, store.seats[0])
        elif store.phase == "over":
            if rng.random() < 0.1:
                await guest.try_ask(Leave(id=guest.new_id()))
                return True
            await guest.try_ask(Rematch(id=guest.new_id(), seat=store.seats[0]))
        return False

    async def _move(self, guest: Guest, seat: int) -> None:
        rng, store = self._rng, guest.store
        if self._last == (seat, store.seq) and rng.random() < 0.8:
            return
        self._last = (seat, store.seq)
        offers = store.offers(seat)
        take = rng.choice(sorted(offers))
        move = MakeMove(id=guest.new_id(), seq=store.seq, seat=seat, move=_filled(take, offers[take], rng))
        await guest.send(move)
        sent, link = guest._unanswered.get(move.id, move), guest.link
        while link and guest.link is link and rng.random() < 0.15:
            self._evening.checks.counts["double clicks"] += 1
            await self._wait(0.0, rng.choice((0.01, 2.0)))
            with contextlib.suppress(Closed):
                await link.send(sent)

    async def _prepare(self, guest: Guest, seat: int) -> None:
        rng, store, id = self._rng, guest.store, guest.new_id()
        host, alone = store.info.host == seat, len(store.table["seats"]) < 2
        if host and alone and rng.random() < 0.2:
            await guest.try_ask(AddBot(id=id, level=rng.choice((None, "easy"))))
        elif host and not alone and rng.random() < 0.1:
            await guest.try_ask(Start(id=id))
        elif host and rng.random() < 0.05:
            options = rng.choice(OPTIONS[store.info.game])
            await guest.try_ask(ChangeOptions(id=id, options=options))
        elif not store.player(seat).get("ready"):
            await guest.try_ask(Ready(id=id, seat=seat))

    async def _misbehave(self, guest: Guest) -> bool:
        rng, store, id = self._rng, guest.store, guest.new_id()
        others = [int(seat) for seat in store.table["seats"] if int(seat) not in store.seats] or [99]
        match rng.choice(("chat", "drop", "go", "leave", "kick", "give host", "unready", "bot", "early")):
            case "chat":
                await guest.try_ask(Chat(id=id, text="hm", seat=store.seats[0] if store.seats else None))
            case "drop":
                guest.drop()
            case "go":
                return True
            case "leave":
                await guest.try_ask(Leave(id=id))
                return True
            case "kick" if rng.random() < 0.3:
                await guest.try_ask(Kick(id=id, target=rng.choice(others), away=rng.choice((None, True))))
            case "give host":
                await guest.try_ask(GiveHost(id=id, target=rng.choice(others)))
            case "unready" if store.seats:
                await guest.try_ask(Ready(id=id, seat=store.seats[0], ready=False))
            case "bot":
                await guest.try_ask(AddBot(id=id))
            case "early" if store.seats:
                await guest.send(
                    MakeMove(id=id, seq=max(0, store.seq - 1), seat=store.seats[0], move=Move(take="keep"))
                )
        return False


def _filled(take: str, offer: Offer, rng: random.Random) -> Move:
    if offer.asks == "number":
        return Move(take=take, choice=str(rng.randint(offer.least or 0, offer.most or 0)))
    return Move(take=take, choice=rng.choice(sorted(offer.choices)) if offer.choices else None)

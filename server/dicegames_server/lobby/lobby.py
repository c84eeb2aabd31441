"""The lobby: rooms are opened, found, listed and, when nobody wants them any more, closed here."""

import asyncio
import contextlib
import logging
from typing import Any

from dicegames_protocol.codec import encode, parse_object
from dicegames_protocol.messages.client import Create
from dicegames_protocol.messages.server import ServerNotice
from dicegames_protocol.table import RoomEntry
from dicegames_server.core.clock import Handle
from dicegames_server.core.room_codes import new_code, tidy
from dicegames_server.games.base import Refused, Rules
from dicegames_server.lobby import passwords
from dicegames_server.lobby.address_limits import Doorman, place_of
from dicegames_server.lobby.registry import Custody, Kept, Moved
from dicegames_server.room.environment import House
from dicegames_server.room.room import Room
from dicegames_server.storage.base import Conflict, Unavailable, Unknown
from dicegames_server.storage.records import Records
from dicegames_server.table.create_room import open_room, rules_for

log = logging.getLogger("dicegames.lobby")
SWEEP_SECONDS = 30.0
FORGET_SECONDS = 3600.0
LOG_PAGE = 200
NOBODY = "Nobody was left in this room."
DRAINING = "The server is about to restart: no new games for the moment."


class Lobby:
    def __init__(self, house: House) -> None:
        self.doorman = Doorman(house.clock, house.settings)
        self.records = Records(house)
        self._house = house
        self.custody = Custody(house)
        self._closing = False
        self.elsewhere = 0
        """Rooms on other nodes that use the same storage, and those of them that are public."""
        self.others: tuple[RoomEntry, ...] = ()
        self.draining = False
        """No new games: the server wants to stop when those that run are over."""
        self._forgot = float("-inf")
        self._sweep: Handle = house.clock.call_later(SWEEP_SECONDS, self._sweep_due)

    def __len__(self) -> int:
        return len(self.custody)

    @property
    def rooms(self) -> list[Room]:
        return [kept.room for kept in self.custody.all]

    async def create(self, wish: Create, address: str = "") -> Room:
        """A new room as somebody wishes it, or Refused. Nobody sits in it yet."""
        rules = rules_for(wish.game, wish.options)
        capacity = self._capacity(wish, rules)
        if self.draining:
            if url := self.custody.elsewhere(address):
                raise Moved(url)
            raise Refused("unavailable", DRAINING)
        if self._closing or len(self) >= self._house.settings.max_rooms:
            raise Refused("unavailable", "This server takes no more rooms at the moment.")
        if not self.doorman.may_open(address):
            raise Refused("rate_limited", "Too many rooms in too short a time from your address. Wait a moment.")
        place, most = place_of(address), self._house.settings.rooms_per_address
        if most and sum(kept.place == place for kept in self.custody.all) >= most:
            raise Refused("rate_limited", "Too many rooms were opened from your address. Close one first.")
        password = await passwords.hashed(wish.password) if wish.password else None
        try:
            code = await self._new_code(encode({"password": password.hex() if password else None}))
            locked = password is not None
            opened = open_room(
                code, wish.game, wish.options, capacity, wish.public, locked, wish.turn_limit, bots=wish.bots
            )
            room = await Room.open(self._house, opened)
        except (Unavailable, Unknown):
            raise Refused("unavailable", "The server can't save right now, so no room was opened.") from None
        self.custody.take(Kept(room, password, place))
        info = opened.state.info
        log.info("room %s opened: %s, %s, %d seats", code, info.title, info.summary, info.capacity)
        return room

    async def _new_code(self, private: bytes) -> str:
        """Of a room that is ours, and begins in storage."""
        while True:
            code = new_code(len(self) + self.elsewhere)
            with contextlib.suppress(Conflict):  # somebody has a room of that code: here, or on another node
                await self._house.storage.open(code, private)
                return code

    def _capacity(self, wish: Create, rules: Rules[Any, Any]) -> int:
        settings = self._house.settings
        most = rules.most if rules.most is not None else settings.max_seats
        if wish.seats is None:
            return min(most, settings.default_seats)
        if not rules.least <= wish.seats <= most:
            span = f"{most}" if rules.least == most else f"{rules.least} to {most}"
            raise Refused("bad_message", f"{rules.title} has {span} seats, not {wish.seats}.")
        return wish.seats

    def is_elsewhere(self, code: str) -> bool:
        """Whether it may be worth asking storage who has this room."""
        return self._house.storage.shared and code not in self.custody

    async def find(self, code: str, password: str | None) -> Room:
        """The room, or Refused. A private room answers a wrong password as if it did not exist."""
        code = tidy(code)
        kept = await self.custody.bring(code)
        unknown = Refused("no_such_room", f"No room {code} here. Check the code with the host.")
        if kept is None:
            raise unknown
        if kept.password is not None and not (password and await passwords.matches(password, kept.password)):
            if not kept.room.state.info.public:
                raise unknown
            sentence = "That is not the password of this room." if password else "This room has a password."
            raise Refused("wrong_password", sentence)
        return kept.room

    async def find_for_seat(self, code: str) -> Room:
        """The room for somebody who has a seat token instead of a password."""
        kept = await self.custody.bring(tidy(code))
        if kept is None:
            raise Refused("no_such_room", f"Room {tidy(code)} is no longer there.")
        return kept.room

    async def read_log(
        self, code: str, password: str | None, after: int, inside: Room | None = None
    ) -> tuple[str, list[bytes]]:
        """A page of a room's stream, open or ended, for whoever is inside or knows what it takes to watch it."""
        code = tidy(code)
        found = await self._house.storage.read(code, after, LOG_PAGE)
        unknown = Refused("no_such_room", f"No room {code} here. Check the code with the host.")
        if found is None:
            raise unknown
        private, updates = found
        stored = parse_object(private.decode()).get("password")
        if inside and inside.code == code:
            return code, updates
        if stored and not (password and await passwords.matches(password, bytes.fromhex(stored))):
            raise unknown
        return code, updates

    def public_rooms(self) -> tuple[RoomEntry, ...]:
        """Of all nodes."""
        return (*self.own_public_rooms(), *(entry for entry in self.others if entry.code not in self.custody))

    def own_public_rooms(self) -> tuple[RoomEntry, ...]:
        return tuple(_entry(room) for room in self.rooms if room.state.info.public)

    async def close(self, room: Room, why: str) -> None:
        if self.custody.let_go(room):
            log.info("room %s closed: %s", room.code, why)
            await room.close(why)

    async def tidy(self, room: Room) -> None:
        """Somebody has left: a room that nobody is in or comes back to is closed."""
        if not room.wanted:
            await self.close(room, NOBODY)

    def drain(self, *, tell: bool = True) -> None:
        """No new rooms and no new games from now on, and everybody knows why, unless they will not notice."""
        self._closing = self.draining = True
        for room in self.rooms if tell else ():
            room.audience.publish(encode(ServerNotice(message=DRAINING)))

    def take_no_more(self) -> None:
        """No new rooms from now on."""
        self._closing = True
        self._sweep.cancel()

    def suspend(self) -> None:
        """Stop all rooms where they are; they come back with the next server."""
        for room in self.rooms:
            room.suspend()

    async def close_all(self, why: str) -> None:
        self.take_no_more()
        for room in self.rooms:
            await self.close(room, why)

    def _sweep_due(self) -> None:
        self._sweeping = asyncio.ensure_future(self._sweep_now())
        self._sweep = self._house.clock.call_later(SWEEP_SECONDS, self._sweep_due)

    async def _sweep_now(self) -> None:
        """Close what nobody wants any more: rooms that wait for too long, and rooms without anybody; and old logs."""
        settings, now = self._house.settings, self._house.clock.now()
        if now - self._forgot >= FORGET_SECONDS:
            self._forgot = now
            with contextlib.suppress(Unavailable, Unknown):
                await self._house.storage.forget(settings.log_days * 24 * 3600)
        for room in self.rooms:
            idle = now - room.last_act
            if not room.wanted or (not room.audience and idle > settings.empty_seconds):
                await self.close(room, NOBODY)
            elif room.state.info.phase == "waiting" and idle > settings.lobby_idle_seconds:
                await self.close(room, "Nothing happened in this room for a while, so it was closed.")


def _entry(room: Room) -> RoomEntry:
    """The room as a line in the list."""
    info, seats = room.state.info, room.state.seats
    return RoomEntry(
        code=info.code,
        game=info.game,
        title=info.title,
        summary=info.summary,
        seated=len(seats.present),
        capacity=info.capacity,
        phase=info.phase,
        locked=info.locked,
        host=None if seats.host is None else seats[seats.host].name,
        watching=room.audience.watching,
    )

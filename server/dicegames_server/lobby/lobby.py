"""The lobby: it opens, finds and lists rooms, and closes those that nobody needs any more."""

import asyncio
import contextlib
import logging
import secrets
from typing import Any

from dicegames_protocol.codec import encode, parse_object
from dicegames_protocol.messages.client import Create, FetchLog
from dicegames_protocol.table import RoomEntry
from dicegames_server.core.address_key import address_key
from dicegames_server.core.clock import Handle
from dicegames_server.core.errors import Refused
from dicegames_server.core.room_codes import new_code, tidy
from dicegames_server.games.base import Rules
from dicegames_server.lobby import passwords
from dicegames_server.lobby.address_limits import AddressLimits
from dicegames_server.lobby.commitment_list import CommitmentList
from dicegames_server.lobby.played.history import GameHistory
from dicegames_server.lobby.played.reviewer import Reviewer
from dicegames_server.lobby.played.reviews import Reviews
from dicegames_server.lobby.public_list import PublicList
from dicegames_server.lobby.registry import Moved, RegisteredRoom, Registry
from dicegames_server.lobby.server_identity import ServerIdentity
from dicegames_server.room.environment import Environment
from dicegames_server.room.handlers import NOT_YOUR_SEAT
from dicegames_server.room.room import Room
from dicegames_server.settings import Settings
from dicegames_server.storage.base import Conflict, Unavailable, Unknown
from dicegames_server.table.create_room import open_room, rules_for
from dicegames_server.table.seats import token_hash

ROOM_ID_BYTES = 16
log = logging.getLogger("dicegames.lobby")
SWEEP_SECONDS = 30.0
"""Seconds between two searches for rooms to close."""
FORGET_SECONDS = 3600.0
"""Seconds between two deletions of old logs."""
LOG_PAGE = 200
"""Most updates in one page of a log."""
NOBODY_LEFT = "Nobody was left in this room."
NOT_READY = "This server takes no rooms just now. Try again in a moment."
DRAINING = "The server is about to restart: no new games for the moment."


class Lobby:
    def __init__(self, environment: Environment) -> None:
        self.address_limits = AddressLimits(environment.clock, environment.settings)
        self.game_history = GameHistory(environment)
        self.reviewer = Reviewer(environment)
        environment.games_over.tell = self.reviewer.finished
        self._environment = environment
        self.registry = Registry(environment)
        self.reviews = Reviews(environment, lambda room: self.registry.has(room))
        self.know_itself(ServerIdentity.new())
        """Who this server is. The service replaces it by the lasting one before it listens."""
        self._closing = False
        self.elsewhere = 0
        """Number of rooms on other nodes that use the same storage."""
        self.others: tuple[RoomEntry, ...] = ()
        """The public rooms on those nodes."""
        self.public_list = PublicList(environment.clock, self.public_rooms)
        self.draining = False
        """Whether no new games start, because the server stops when the running ones are over."""
        self._codes: int | None = None
        """Number of codes that can still be read, because their rooms are open or their logs are kept. None: ask."""
        self._forgot = float("-inf")
        self._sweeping: asyncio.Future[None] | None = None
        self._sweep: Handle = environment.clock.call_later(SWEEP_SECONDS, self._sweep_due)

    def know_itself(self, identity: ServerIdentity) -> None:
        """Set the lasting identity of this server. Call this before anybody is let in."""
        self.identity = identity
        self.commitment_list = CommitmentList(self._environment.storage, identity)
        self._environment.register.add = self.commitment_list.add

    def __len__(self) -> int:
        return len(self.registry)

    @property
    def rooms(self) -> list[Room]:
        return [kept.room for kept in self.registry.all]

    async def create(self, wish: Create, address: str = "") -> Room:
        """Open a new room as the client wishes. Nobody sits in it yet.

        Raises Refused if that is not possible. While draining, raises Moved if another node takes rooms.
        """
        rules, capacity = rules_and_seats(wish, self._environment.settings)
        if self.draining or self.registry.refusing:
            if url := self.registry.elsewhere(address):
                raise Moved(url)
            raise Refused("unavailable", DRAINING if self.draining else NOT_READY)
        if self._closing or len(self) >= self._environment.settings.max_rooms:
            raise Refused("unavailable", "This server takes no more rooms at the moment.")
        if not self.address_limits.may_open(address):
            raise Refused("rate_limited", "Too many rooms in too short a time from your address. Wait a moment.")
        place, most = address_key(address), self._environment.settings.rooms_per_address
        if most and sum(kept.place == place for kept in self.registry.all) >= most:
            raise Refused("rate_limited", "Too many rooms were opened from your address. Close one first.")
        await self._environment.check_ends(place, rules)
        password = await passwords.hashed(wish.password) if wish.password else None
        try:
            stored = {"password": password.hex() if password else None, "public": wish.public}
            code = await self._new_code(encode(stored))
            locked = password is not None
            opened = open_room(
                code,
                wish.game,
                wish.options,
                capacity,
                wish.public,
                locked,
                wish.turn_limit,
                bots=wish.bots,
                id=secrets.token_hex(ROOM_ID_BYTES),
            )
            room = await Room.open(self._environment, opened)
        except (Unavailable, Unknown):
            raise Refused("unavailable", "The server can't save right now, so no room was opened.") from None
        room.expect_host()
        self.registry.take(RegisteredRoom(room, password, place))
        info = opened.state.info
        log.info("room %s opened: %s, %s, %d seats", code, info.title, info.summary, info.capacity)
        return room

    def check_bots(self, room: Room, count: int, address: str) -> None:
        """Raise Refused where so many more bots in this room are too many for whoever opened it, or too fast."""
        most = self._environment.settings.bots_per_address
        if not most or len(room.state.seats.present) + count > room.state.info.capacity:
            return  # without a limit, or without seats for them, which the room says better
        rooms = self.registry.opened_with(room)
        if sum(len(other.state.seats.bots) for other in rooms) + count > most:
            raise Refused("rate_limited", f"This server allows {most} bots at the tables of one address.")
        if not self.address_limits.may_add_bots(address, count):
            raise Refused("rate_limited", "Too many bots in too short a time from your address. Wait a moment.")

    async def _new_code(self, private: bytes) -> str:
        """Choose a free code and create the room in storage, with this node as owner."""
        if self._codes is None:
            self._codes = await self._environment.storage.codes()
        self._codes += 1
        while True:
            code = new_code(max(self._codes, len(self) + self.elsewhere))
            with contextlib.suppress(Conflict):  # a room with this code exists, here or on another node
                await self._environment.storage.open(code, private)
                return code

    def is_elsewhere(self, code: str) -> bool:
        """Whether the room may be on another node: it is not here, and storage is shared."""
        return self._environment.storage.shared and code not in self.registry

    async def find(self, code: str, password: str | None) -> Room:
        """The room with this code. Raises Refused if there is none or the password is wrong, and Moved if it is on
        another node. With a wrong password, a private room is refused as if it did not exist.
        """
        code = tidy(code)
        kept = await self.registry.bring(code)
        unknown = Refused("no_such_room", f"No room {code} here. Check the code with the host.")
        if kept is None:
            await passwords.waste_time(password)
            raise unknown
        if kept.password is not None and not (password and await passwords.matches(password, kept.password)):
            if not kept.room.state.info.public:
                raise unknown
            sentence = "That is not the password of this room." if password else "This room has a password."
            raise Refused("wrong_password", sentence)
        return kept.room

    async def find_for_seat(self, code: str) -> Room:
        """The room for a client that has a seat token instead of a password. Raises Refused or Moved like `find`."""
        kept = await self.registry.bring(tidy(code))
        if kept is None:
            # the same as for a wrong token: nobody learns of private rooms
            raise Refused("unauthorized", NOT_YOUR_SEAT)
        return kept.room

    async def read_log(self, wish: FetchLog, inside: Room | None = None) -> tuple[str, list[bytes]]:
        """The room code, and a page of the stream of an open or ended room.

        A client that is `inside` the room needs nothing else. Others need the password, or the token of a seat that
        they held there; for a public room without a password, nothing. Raises Refused otherwise, as if there were no
        such room.
        """
        code, storage = tidy(wish.room), self._environment.storage
        found = await storage.read(code, wish.after, LOG_PAGE)
        unknown = Refused("no_such_room", f"No room {code} here. Check the code with the host.")
        if found is None:
            await passwords.waste_time(wish.password)
            raise unknown
        private, updates = found
        if inside and inside.code == code:
            return code, updates
        fields = parse_object(private.decode())
        stored = fields.get("password")
        if wish.seat_token and await self._held(code, token_hash(wish.seat_token)):
            return code, updates
        if stored and wish.password and await passwords.matches(wish.password, bytes.fromhex(stored)):
            return code, updates
        if stored or not fields.get("public", True):
            await passwords.waste_time(None if stored else wish.password)
            raise unknown
        return code, updates

    async def _held(self, code: str, token: str) -> bool:
        """Whether the token with this hash is or was good for a seat of this room."""
        kept = self.registry.here(code)
        here = kept is not None and token in kept.room.state.seats.tokens
        return here or await self._environment.storage.mentions(code, token)

    def public_rooms(self) -> tuple[RoomEntry, ...]:
        """The public rooms of all nodes."""
        return (*self.own_public_rooms(), *(entry for entry in self.others if entry.code not in self.registry))

    def own_public_rooms(self) -> tuple[RoomEntry, ...]:
        return tuple(room.entry() for room in self.rooms if room.state.info.public)

    async def close(self, room: Room, why: str) -> None:
        if self.registry.let_go(room):
            log.info("room %s closed: %s", room.code, why)
            await room.close(why)

    async def tidy(self, room: Room) -> None:
        """Close a room that a client has left, if nobody is in it or may come back to it."""
        if not room.wanted:
            await self.close(room, NOBODY_LEFT)

    def drain(self, *, tell: bool = True) -> None:
        """Allow no new rooms and no new games from now on.

        `tell`: say so in all rooms. Not needed where the rooms move to other nodes, because players will not notice.
        """
        self._closing = self.draining = True
        for room in self.rooms if tell else ():
            room.notify(DRAINING)

    def take_no_more(self) -> None:
        """Allow no new rooms from now on. Stop the regular sweep, and reviews of games that are over."""
        self._closing = True
        self._sweep.cancel()
        self.reviewer.stop()

    def quieten(self) -> None:
        """Stop the bots and timers of all rooms."""
        for room in self.rooms:
            room.quieten()

    def suspend(self) -> None:
        """Stop all rooms as they are. The next server process restores them."""
        for room in self.rooms:
            room.suspend()

    async def close_all(self, why: str) -> None:
        self.take_no_more()
        for room in self.rooms:
            await self.close(room, why)

    def _sweep_due(self) -> None:
        if self._sweeping is None or self._sweeping.done():
            self._sweeping = asyncio.ensure_future(self._sweep_safely())
        self._sweep = self._environment.clock.call_later(SWEEP_SECONDS, self._sweep_due)

    async def _sweep_safely(self) -> None:
        try:
            await self._sweep_now()
        except Exception:
            log.exception("a sweep of idle rooms failed")

    async def _sweep_now(self) -> None:
        """Close rooms that wait for their game too long, and rooms without anybody. Delete old logs."""
        settings, now = self._environment.settings, self._environment.clock.now()
        if now - self._forgot >= FORGET_SECONDS:
            self._forgot = now
            with contextlib.suppress(Unavailable, Unknown):
                await self._environment.storage.forget(settings.log_days * 24 * 3600)
            self._codes = None
        with contextlib.suppress(Unavailable, Unknown):
            await self.reviewer.catch_up()
        for room in self.rooms:
            idle = room.idle_seconds
            if room.state.abandoned or not room.wanted or (room.empty and idle > settings.empty_seconds):
                await self.close(room, NOBODY_LEFT)
            elif room.state.info.phase == "waiting" and idle > settings.lobby_idle_seconds:
                await self.close(room, "Nothing happened in this room for a while, so it was closed.")


def rules_and_seats(wish: Create, settings: Settings) -> tuple[Rules[Any, Any], int]:
    """The rules of a room that is wished for, and its number of seats. Raises Refused where it can't be had."""
    rules = rules_for(wish.game, wish.options)
    most = rules.most if rules.most is not None else settings.max_seats
    if wish.seats is None:
        return rules, min(most, settings.default_seats)
    if not rules.least <= wish.seats <= most:
        span = f"{most}" if rules.least == most else f"{rules.least} to {most}"
        raise Refused("bad_message", f"{rules.title} has {span} seats, not {wish.seats}.")
    return rules, wish.seats

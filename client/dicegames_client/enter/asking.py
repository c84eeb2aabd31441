"""Asks for what was not on the command line: names, games, rooms and passwords."""

import asyncio
import os
from dataclasses import dataclass, replace
from pathlib import Path

from dicegames_client.base import visit
from dicegames_client.base.address import Address, looks_like_code
from dicegames_client.base.command_line import CommandLine, program
from dicegames_client.base.errors import REFUSED, USAGE, ClientError, network_error, no_game
from dicegames_client.base.state.saved_state import remembered_name
from dicegames_client.enter.new_table import NewTable
from dicegames_client.enter.prompter import Prompter
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.trust import CONNECT_SECONDS
from dicegames_protocol.games import keys, types_of
from dicegames_protocol.messages.client import ListRooms, Request
from dicegames_protocol.messages.server import Rooms, ServerMessage
from dicegames_protocol.table import RoomEntry
from dicegames_protocol.text import TextError, check_name, strip

MOST_PAGES = 20
"""Most pages of a list of rooms that are asked for."""


class Asking:
    def __init__(self, asked: CommandLine, prompter: Prompter) -> None:
        self._asked = asked
        self._prompter = prompter

        self._given = [asked.name] if asked.name is not None else []
        if asked.players is not None:
            self._given = asked.players.split(",")

    def check(self) -> None:
        """Raise ClientError where what was given can't be used, before anything is asked."""
        for name in self._given:
            _clean_name(name)
        if self._asked.password_file:
            _from_file(Path(self._asked.password_file))

    @property
    def people(self) -> int:
        """How many people are at this keyboard."""
        return len(self._given) or 1

    async def names(self) -> list[str]:
        """Their names, in a form that a table accepts. Raises ClientError."""
        given = self._given or [name for name in [remembered_name()] if name is not None]
        if not given:
            here = visit.current()
            given = [await self._prompter.question("Your name: ", check=wrong_name, start=here.user if here else "")]
        return [_clean_name(name) for name in given]

    async def which_game(self, game: str | None) -> str:
        if game is not None:
            if game not in keys():
                raise ClientError(no_game(game), USAGE)
            return game
        games = [types for key in keys() if (types := types_of(key))]
        rows = [(types.title, types.blurb) for types in games]
        names = [types.key for types in games]
        return games[await self._prompter.choose("Which game?", rows, names)].key

    async def table(self, table: NewTable) -> NewTable:
        """What is special about a new table, typed in one line."""
        found = [table]

        def check(typed: str) -> str | None:
            try:
                found[0] = table.read(typed)
            except ValueError as error:
                return strip(str(error))
            return None

        if table.refusal:
            self._prompter.tell(table.refusal)
        asked = f"Options (Enter for the usual ones, or such as: {table.example}): "
        await self._prompter.question(asked, check=check)
        return found[0]

    async def choose_room(self, address: Address) -> Address:
        rooms = (await list_rooms(address)).rooms
        if not rooms:
            raise ClientError(
                f"There are no open rooms on {address.shown}. With a code from the host you can join a private one: "
                f"{program()} join {address.shown}/CODE",
                REFUSED,
            )
        codes = [room.code for room in rooms]
        chosen = await self._prompter.choose("Which room?", [(text, "") for text in room_lines(rooms)], codes)
        return replace(address, room=codes[chosen])

    async def room_or_code(self, server: Address) -> Address:
        """A room of this server: from its list, or by a code. Raises ClientError."""
        rooms = (await list_rooms(server)).rooms
        rows = [(text, "") for text in room_lines(rooms)]
        codes = [room.code for room in rooms]
        chosen = await self._prompter.choose(
            "Which room?", [*rows, ("Another room", "type its code")], [*codes, "code"]
        )
        if chosen < len(codes):
            return server.at(codes[chosen])
        typed = await self._prompter.question("The code of the room: ", check=wrong_code)
        return server.at(typed.strip().upper())

    async def password(self) -> str | None:
        """The password of the room, or None.

        It is never an argument, because everybody on the machine could read that.
        """
        asked = self._asked
        if asked.password_file:
            return _from_file(Path(asked.password_file))
        if asked.ask_password:
            return (await self._prompter.secret("Password of the room: "))[:128] or None
        if visit.current():  # the environment is the server's
            return None
        return os.environ.get("DICEGAMES_PASSWORD", "")[:128] or None


MOST_PASSWORD_LINE = 1024
"""Most characters of a password file that are read."""


def _from_file(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8") as file:
            return file.readline(MOST_PASSWORD_LINE).rstrip("\r\n")[:128] or None
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise ClientError(f"Can't read the password file {path}: {why}.", USAGE) from None


@dataclass(frozen=True, slots=True)
class Listing:
    """What a server lists, and who it is."""

    rooms: tuple[RoomEntry, ...]
    server_id: str = ""
    """Its id, if it is proven that nobody passes it on."""
    shown: str = ""
    """Fingerprint of the certificate that it shows, if that is self-signed."""


async def list_rooms(address: Address) -> Listing:
    """The public rooms of a server, at most MOST_PAGES pages of them. A server that was only announced is looked at,
    but not remembered.
    """
    guest = Guest(replace(address, glance=address.announced is not None), client="dicegames-client")
    await guest.open()
    found: dict[str, RoomEntry] = {}
    try:
        for page in range(MOST_PAGES):
            answer = await answered(guest, ListRooms(id=f"rooms{page}", skip=len(found)))
            if not isinstance(answer, Rooms):
                break
            before = len(found)
            found |= {room.code: room for room in answer.rooms}
            if not answer.more or len(found) == before:
                break
        link = guest.link
    finally:
        await guest.close()
    rooms = tuple(found.values())
    return Listing(rooms, link.server_id if link.certain else "", link.shown) if link else Listing(rooms)


async def answered(guest: Guest, message: Request) -> ServerMessage:
    """Ask, and wait for the answer, but not for ever. Raises ClientError."""
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            return await guest.ask(message)
    except TimeoutError as error:
        raise network_error(error, guest.address.host, guest.address.port, CONNECT_SECONDS) from None


def numbered(lines: list[str]) -> list[str]:
    return [f"{number}  {text}" for number, text in enumerate(lines, start=1)]


def room_lines(rooms: tuple[RoomEntry, ...]) -> list[str]:
    """A line for each room: code, game, seats and state."""
    lines = []
    for room in rooms:
        full = room.seated >= room.capacity
        state = "PLAYING" if room.phase == "playing" else "OVER" if room.phase == "over" else "WAITING"
        marks = f"{'FULL, ' if full else ''}{state}{', PASSWORD' if room.locked else ''}"
        host = f", host {strip(room.host)}" if room.host else ""
        title = f"{strip(room.title)}, {strip(room.summary)}"
        lines.append(f"{strip(room.code)}  {title}  {room.seated}/{room.capacity}  {marks}{host}")
    return lines


def wrong_code(typed: str) -> str | None:
    return None if looks_like_code(typed) else "A room's code has 4 to 8 letters and digits."


def wrong_name(typed: str) -> str | None:
    """Why a name is not allowed; None if it is allowed."""
    try:
        check_name(typed)
    except TextError as error:
        return str(error)
    return None


def _clean_name(raw: str) -> str:
    try:
        return check_name(raw)
    except TextError as error:
        raise ClientError(str(error), USAGE) from None

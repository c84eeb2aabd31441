"""Asking the person at the keyboard: names, games, rooms and passwords that were not on the command line."""

import argparse
import getpass
import os
import sys
from pathlib import Path

from dicegames_client.address import Address
from dicegames_client.errors import REFUSED, USAGE, ClientError
from dicegames_client.guest import Guest
from dicegames_client.keyboard import Keyboard
from dicegames_client.memory import remember_name, remembered_name
from dicegames_client.paper import fit
from dicegames_protocol.client_messages import ListRooms
from dicegames_protocol.games import keys, types_of
from dicegames_protocol.server_messages import Rooms
from dicegames_protocol.table import RoomEntry
from dicegames_protocol.text import TextError, check_name, strip


class Asking:
    def __init__(self, arguments: argparse.Namespace, keyboard: Keyboard) -> None:
        self._arguments = arguments
        self._keyboard = keyboard

    async def names(self) -> list[str]:
        """Everybody at this keyboard, with names that a table will take."""
        arguments = self._arguments
        if arguments.players:
            return [_clean_name(name) for name in arguments.players.split(",")]
        name = arguments.name if arguments.name is not None else remembered_name()
        while name is None:
            typed = await self.question("Your name: ")
            try:
                name = check_name(typed)
                remember_name(name)
            except TextError as error:
                print(error)
        return [_clean_name(name)]

    async def which_game(self) -> str:
        game: str | None = self._arguments.game
        games = [types for key in keys() if (types := types_of(key))]
        if game is not None:
            if game not in keys():
                raise ClientError(f"There is no game called '{game[:32]}'. The games are: {', '.join(keys())}.", USAGE)
            return game
        for number, types in enumerate(games, start=1):
            print(fit(f"{number}  {types.title}: {types.blurb}", sys.stdout))
        while True:
            typed = (await self.question(f"Which game? 1 to {len(games)}: ")).strip().lower()
            if typed.isdigit() and 1 <= int(typed) <= len(games):
                return games[int(typed) - 1].key
            named = [types.key for types in games if typed and typed in (types.key, types.title.lower())]
            if named:
                return named[0]
            print(f"Type a number from 1 to {len(games)}.")

    async def choose_room(self, address: Address) -> Address:
        rooms = await list_rooms(address)
        if not rooms:
            raise ClientError(
                f"There are no open rooms on {address.shown}. With a code from the host you can join a private one: "
                f"dicegames-client join {address.shown}/CODE",
                REFUSED,
            )
        print("\n".join(room_lines(rooms)))
        while True:
            typed = (await self.question(f"Which room? 1 to {len(rooms)}: ")).strip()
            if typed.isdigit() and 1 <= int(typed) <= len(rooms):
                return Address(address.host, address.port, address.secure, rooms[int(typed) - 1].code)
            found = [room.code for room in rooms if room.code == typed.upper()]
            if found:
                return Address(address.host, address.port, address.secure, found[0])
            print(f"Type a number from 1 to {len(rooms)}.")

    def password(self) -> str | None:
        """Never from the command line, where everybody on the machine could read it."""
        arguments = self._arguments
        if arguments.password_file:
            try:
                text = Path(arguments.password_file).read_text(encoding="utf-8").rstrip("\r\n")
            except (OSError, UnicodeDecodeError) as error:
                why = getattr(error, "strerror", None) or "it is not text"
                raise ClientError(f"Can't read the password file {arguments.password_file}: {why}.", USAGE) from None
            return text[:128] or None
        if arguments.ask_password:
            if not somebody():
                raise ClientError("There is nobody to ask for the password: use --password-file.", USAGE)
            return getpass.getpass("Password of the room: ")[:128] or None
        return os.environ.get("DICEGAMES_PASSWORD", "")[:128] or None

    async def question(self, text: str) -> str:
        if self._arguments.json:
            raise ClientError("With --json everything has to be on the command line (see --help).", USAGE)
        print(text, end="", flush=True)
        line = await self._keyboard.line()
        if line is None:
            print()
            raise ClientError("There is nobody to ask: give the answer on the command line (see --help).", USAGE)
        return line


async def list_rooms(address: Address) -> tuple[RoomEntry, ...]:
    guest = Guest(address, client="dicegames-client")
    await guest.open()
    try:
        answer = await guest.ask(ListRooms(id="rooms"))
    finally:
        await guest.close()
    return answer.rooms if isinstance(answer, Rooms) else ()


def room_lines(rooms: tuple[RoomEntry, ...]) -> list[str]:
    lines = []
    for number, room in enumerate(rooms, start=1):
        full = room.seated >= room.capacity
        state = "PLAYING" if room.phase == "playing" else "OVER" if room.phase == "over" else "WAITING"
        marks = f"{'FULL, ' if full else ''}{state}{', PASSWORD' if room.locked else ''}"
        host = f", host {strip(room.host)}" if room.host else ""
        title = f"{strip(room.title)}, {strip(room.summary)}"
        lines.append(f"{number}  {strip(room.code)}  {title}  {room.seated}/{room.capacity}  {marks}{host}")
    return lines


def _clean_name(raw: str) -> str:
    try:
        return check_name(raw)
    except TextError as error:
        raise ClientError(str(error), USAGE) from None


def somebody() -> bool:
    """Whether there is a person to ask."""
    return sys.stdin is not None and sys.stdin.isatty()

"""Finds a server when none was named: the one on this machine, and those on the local network."""

import asyncio
from dataclasses import dataclass, replace

from dicegames_client.base.address import LOOPBACK, Address
from dicegames_client.base.command_line import DEFAULT_PORT, program
from dicegames_client.base.errors import NETWORK, REFUSED, USAGE, ClientError
from dicegames_client.base.state.saved_state import HeldSeat, held_seats
from dicegames_client.enter.asking import Listing, list_rooms, room_lines
from dicegames_client.enter.prompter import Prompter
from dicegames_client.enter.vouching import key_of
from dicegames_client.guest import known_servers
from dicegames_protocol.table import RoomEntry

HERE = Address(LOOPBACK, DEFAULT_PORT)
LIST_SECONDS = 1.5
"""Seconds that a server has to list its rooms. If it takes longer, it is left out."""
NONE_FOUND = "No dicegames server was found on this network."


@dataclass(frozen=True, slots=True)
class Found:
    """A room, and the server that it is on."""

    server: Address
    room: RoomEntry
    server_id: str = ""
    """The server's lasting id, proven. Empty: it has none."""
    shown: str = ""
    """Fingerprint of the certificate that it has made itself."""

    @property
    def visited(self) -> bool:
        """Whether the user was at a table of this server before."""
        places = [known_servers.known(self.server.place), *known_servers.places_of(self.server_id)]
        return any(place is not None and place.visited for place in places)

    @property
    def who(self) -> str:
        """The server in words: who says that it is theirs, where it is, and its key."""
        name = f'"{self.server.announced}" ' if self.server.announced else ""
        before = ", you were there before" if self.visited else ""
        return f"{name}{self.server.server}, {key_of(self.server, self.server_id, self.shown)}{before}"


@dataclass(frozen=True, slots=True)
class Discovery:
    """The servers that answered, and their public rooms."""

    servers: tuple[Address, ...]
    rooms: tuple[Found, ...]
    warnings: tuple[ClientError, ...] = ()
    """Servers that we refuse to use, and why. A server with a changed key is not the same as no server."""


async def look_near(*, patient: bool = False) -> Discovery:
    """The servers and rooms on this machine and on the local network. It takes only a moment.

    `patient`: it takes two seconds, so that no server is missed that lists the same room as another.
    """
    from dicegames_client.guest.nearby import NearbyBrowser

    async with NearbyBrowser() as lookout:
        here, near = await asyncio.gather(rooms_of([known_servers.as_known(HERE)]), lookout.first_look(patient=patient))
    there = await rooms_of([server.address for server in near])
    return joined(here, there)


async def rooms_of(servers: list[Address]) -> Discovery:
    """The rooms of all servers that answer in time."""
    answers = await asyncio.gather(*(_rooms(server) for server in servers))
    alive, found, warnings = [], [], []
    for server, answer in zip(servers, answers, strict=True):
        if isinstance(answer, ClientError):
            warnings += [answer] if answer.code == REFUSED else []
            continue
        alive.append(server)
        found += [Found(server, room, answer.server_id, answer.shown) for room in answer.rooms]
    return Discovery(tuple(alive), tuple(found), tuple(warnings))


def joined(*views: Discovery) -> Discovery:
    """Merge several results. A room that is found both on this machine and from outside counts once."""
    servers: list[Address] = []
    rooms: list[Found] = []
    for view in views:
        servers += [server for server in view.servers if server not in servers]
        seen = {(found.room.code, found.server.port): found for found in rooms}
        for found in view.rooms:
            twin = seen.get((found.room.code, found.server.port))
            if twin is None or not _same(twin, found):
                rooms.append(found)
    return Discovery(tuple(servers), tuple(rooms), tuple(warning for view in views for warning in view.warnings))


def _same(one: Found, other: Found) -> bool:
    """Whether a room was found twice: here and from outside, or at two addresses of one server."""
    if one.server == other.server:
        return True
    here = one.server.on_this_machine or other.server.on_this_machine
    return here and one.server_id == other.server_id


async def server_with(code: str, prompter: Prompter, command: str = "join") -> Address:
    """The server that has the room with this code. Asks the user if that is not clear. Raises ClientError.

    `command` is what the user has typed with the code.
    """
    whole = f"Ask the host for the address, and type: {program()} {command} ADDRESS/{code}"
    if command == "join":
        whole = f"Ask the host for the whole line: {program()} join ADDRESS/{code}"
    held = held_seats(lambda seat: seat.room == code)
    if held:
        return from_memory(held[-1]).at(code)
    around = await look_near(patient=True)
    having = sorted((found for found in around.rooms if found.room.code == code), key=lambda found: not found.visited)
    if len(having) == 1:
        return having[0].server.at(code)
    if having:
        return (await _choose(code, having, prompter, whole)).at(code)
    servers = around.servers
    if around.warnings:
        raise around.warnings[0]
    if not servers:
        raise ClientError(f"{NONE_FOUND} {whole}", NETWORK)
    if len(servers) == 1:  # a private room is in no list
        asked = f"{code} is in no list. Is it a private room on {servers[0].shown}?"
        if prompter.present and not await prompter.confirm(asked):
            raise ClientError(whole, USAGE)
        return servers[0].at(code)
    if not prompter.present:
        named = ", ".join(server.at(code).shown for server in servers)
        raise ClientError(f"{code} is in no list here, and there are several servers. Name one: {named}", USAGE)
    rows = [(server.shown, "") for server in servers]
    return servers[await prompter.choose(f"{code} is in no list. On which server is it?", rows)].at(code)


async def choose_near(prompter: Prompter) -> Address:
    """In line mode: let the user choose a room on this network. Raises ClientError."""
    around = await look_near()
    for warning in around.warnings:
        prompter.tell(warning.sentence)
    if not around.servers:
        raise nobody_found()
    if not around.rooms:
        raise ClientError(no_rooms(around.servers), REFUSED)
    codes = [found.room.code for found in around.rooms]
    rows = [(text, "") for text in found_lines(around)]
    chosen = around.rooms[await prompter.choose("Which room?", rows, codes)]
    return chosen.server.at(chosen.room.code)


def from_memory(seat: HeldSeat) -> Address:
    """The server where we sat. Nobody has named it today, so it has to prove that it is the same."""
    return replace(known_servers.typed_address(seat.server), announced="")


async def _choose(code: str, having: list[Found], prompter: Prompter, whole: str) -> Address:
    """Several servers list a room with this code. Only one of them can be meant, and anybody may list any code."""
    if not prompter.present:
        named = "; ".join(found.who for found in having)
        raise ClientError(f"{len(having)} servers here list {code}: {named}. {whole}", USAGE)
    rows = [(found.who, "") for found in having]
    return having[await prompter.choose(f"{len(having)} servers list {code}. Which one is the host's?", rows)].server


def found_lines(around: Discovery) -> list[str]:
    """A line for each room. It names the server if there are several, and always if it was only announced."""
    lines = room_lines(tuple(found.room for found in around.rooms))
    if len({found.server for found in around.rooms}) < 2 and all(f.server.announced is None for f in around.rooms):
        return lines
    return [f"{text}  on {found.server.shown}" for text, found in zip(lines, around.rooms, strict=True)]


def nobody_found() -> ClientError:
    advice = f"With an address: {program()} join ADDRESS/CODE. To open a table yourself: {program()} host"
    return ClientError(f"{NONE_FOUND} {advice}", NETWORK)


def no_rooms(servers: tuple[Address, ...]) -> str:
    named = ", ".join(server.shown for server in servers)
    return f"There are no open rooms on this network ({named}). A private one needs its code: {program()} join CODE"


async def _rooms(server: Address) -> Listing | ClientError:
    try:
        async with asyncio.timeout(LIST_SECONDS):
            return await list_rooms(server)
    except TimeoutError:
        return ClientError(f"No answer from {server.place}.", NETWORK)
    except ClientError as error:
        return error

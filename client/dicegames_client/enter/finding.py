"""Finds a server when none was named: the one on this machine, and those on the local network."""

import asyncio
from dataclasses import dataclass

from dicegames_client.base.address import LOOPBACK, Address, parse_address
from dicegames_client.base.command_line import DEFAULT_PORT
from dicegames_client.base.errors import NETWORK, REFUSED, USAGE, ClientError
from dicegames_client.base.saved_state import held_seats
from dicegames_client.enter.asking import list_rooms, room_lines
from dicegames_client.enter.prompter import Prompter, confirm
from dicegames_protocol.table import RoomEntry

HERE = Address(LOOPBACK, DEFAULT_PORT)
LIST_SECONDS = 1.5
"""Seconds that a server has to list its rooms. If it takes longer, it is left out."""
NONE_FOUND = "No dicegames server was found on this network."
_ADVICE = "With an address: dicegames-client join ADDRESS/CODE. To open a table yourself: dicegames-client host"


@dataclass(frozen=True, slots=True)
class Found:
    """A room, and the server that it is on."""

    server: Address
    room: RoomEntry


@dataclass(frozen=True, slots=True)
class Discovery:
    """The servers that answered, and their public rooms."""

    servers: tuple[Address, ...]
    rooms: tuple[Found, ...]
    warnings: tuple[ClientError, ...] = ()
    """Servers that we refuse to use, and why. A server with a changed key is not the same as no server."""


async def look_near() -> Discovery:
    """The servers and rooms on this machine and on the local network. It takes only a moment."""
    from dicegames_client.guest.nearby import NearbyBrowser

    async with NearbyBrowser() as lookout:
        here, near = await asyncio.gather(rooms_of([HERE]), lookout.first_look())
    there = await rooms_of([server.address for server in near])
    return joined(here, there)


async def look_for(code: str) -> Discovery:
    """The same, but the search ends as soon as a server lists this room."""
    from dicegames_client.guest.nearby import NearbyBrowser

    seen = await rooms_of([HERE])
    if has(seen, code):
        return seen
    async with NearbyBrowser() as lookout:
        async for server in lookout.each():
            seen = joined(seen, await rooms_of([server.address]))
            if has(seen, code):
                break
    return seen


def has(around: Discovery, code: str) -> bool:
    return any(found.room.code == code for found in around.rooms)


async def rooms_of(servers: list[Address]) -> Discovery:
    """The rooms of all servers that answer in time."""
    answers = await asyncio.gather(*(_rooms(server) for server in servers))
    alive, found, warnings = [], [], []
    for server, answer in zip(servers, answers, strict=True):
        if isinstance(answer, ClientError):
            warnings += [answer] if answer.code == REFUSED else []
            continue
        alive.append(server)
        found += [Found(server, room) for room in answer]
    return Discovery(tuple(alive), tuple(found), tuple(warnings))


def joined(*views: Discovery) -> Discovery:
    """Merge several results. A room that is found both on this machine and from outside counts once."""
    servers: list[Address] = []
    rooms: list[Found] = []
    for view in views:
        servers += [server for server in view.servers if server not in servers]
        seen = {(found.room.code, found.server.port): found.server for found in rooms}
        for found in view.rooms:
            twin = seen.get((found.room.code, found.server.port))
            if twin is None or not (twin.on_this_machine or found.server.on_this_machine):
                rooms.append(found)
    return Discovery(tuple(servers), tuple(rooms), tuple(warning for view in views for warning in view.warnings))


async def server_with(code: str, prompter: Prompter) -> Address:
    """The server that has the room with this code. Asks the user if that is not clear. Raises ClientError."""
    held = held_seats(room=code)
    if held:
        return parse_address(held[-1].server).at(code)
    around = await look_for(code)
    for found in around.rooms:
        if found.room.code == code:
            return found.server.at(code)
    servers = around.servers
    if around.warnings:
        raise around.warnings[0]
    if not servers:
        raise ClientError(
            f"{NONE_FOUND} Ask the host for the whole line: dicegames-client join ADDRESS/{code}", NETWORK
        )
    if len(servers) == 1:  # a private room is in no list
        asked = f"{code} is in no list. Is it a private room on {servers[0].shown}?"
        if prompter.present and not await confirm(prompter, asked):
            raise ClientError(f"Ask the host for the whole line: dicegames-client join ADDRESS/{code}", USAGE)
        return servers[0].at(code)
    if not prompter.present:
        named = ", ".join(server.at(code).shown for server in servers)
        raise ClientError(f"{code} is in no list here, and there are several servers. Name one: {named}", USAGE)
    rows = [(server.shown, "") for server in servers]
    return servers[await prompter.choose(f"{code} is in no list. On which server is it?", rows)].at(code)


def found_lines(around: Discovery) -> list[str]:
    """A line for each room. It names the server if there are several."""
    lines = room_lines(tuple(found.room for found in around.rooms))
    if len({found.server for found in around.rooms}) < 2:
        return lines
    return [f"{text}  on {found.server.shown}" for text, found in zip(lines, around.rooms, strict=True)]


def nobody_found() -> ClientError:
    return ClientError(f"{NONE_FOUND} {_ADVICE}", NETWORK)


def no_rooms(servers: tuple[Address, ...]) -> str:
    named = ", ".join(server.shown for server in servers)
    return (
        f"There are no open rooms on this network ({named}). A private one needs its code: dicegames-client join CODE"
    )


async def _rooms(server: Address) -> tuple[RoomEntry, ...] | ClientError:
    try:
        async with asyncio.timeout(LIST_SECONDS):
            return await list_rooms(server)
    except TimeoutError:
        return ClientError(f"No answer from {server.place}.", NETWORK)
    except ClientError as error:
        return error

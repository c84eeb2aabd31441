"""Which server, when nobody has said: this machine's own, and those that are found on the local network."""

import asyncio
from dataclasses import dataclass

from dicegames_client.base.address import DEFAULT_PORT, LOCAL, Address, parse_address
from dicegames_client.base.errors import NETWORK, REFUSED, USAGE, ClientError
from dicegames_client.base.saved_state import held_seats
from dicegames_client.enter.asking import list_rooms, room_lines
from dicegames_client.lines.line_prompter import Voice, confirm
from dicegames_protocol.table import RoomEntry

HERE = Address(LOCAL, DEFAULT_PORT)
PATIENCE = 1.5
"""A server that was found answers within this many seconds, or is left out."""
NONE_FOUND = "No dicegames server was found on this network."
_ADVICE = "With an address: dicegames-client join ADDRESS/CODE. To open a table yourself: dicegames-client host"


@dataclass(frozen=True, slots=True)
class Found:
    """A room, and the server that has it."""

    server: Address
    room: RoomEntry


@dataclass(frozen=True, slots=True)
class Around:
    """Who answered, and the public rooms they have."""

    servers: tuple[Address, ...]
    rooms: tuple[Found, ...]
    warnings: tuple[ClientError, ...] = ()
    """Servers that we do not speak to, and why: one with another key than before is not the same as none."""


async def look_near() -> Around:
    """This machine and the local network, within a moment."""
    from dicegames_client.guest.nearby import Lookout

    async with Lookout() as lookout:
        here, near = await asyncio.gather(rooms_of([HERE]), lookout.first_look())
    there = await rooms_of([server.address for server in near])
    return joined(here, there)


async def look_for(code: str) -> Around:
    """The same, but no longer than until somebody lists this room."""
    from dicegames_client.guest.nearby import Lookout

    seen = await rooms_of([HERE])
    if has(seen, code):
        return seen
    async with Lookout() as lookout:
        async for server in lookout.each():
            seen = joined(seen, await rooms_of([server.address]))
            if has(seen, code):
                break
    return seen


def has(around: Around, code: str) -> bool:
    return any(found.room.code == code for found in around.rooms)


async def rooms_of(servers: list[Address]) -> Around:
    """The rooms of all that answer in time."""
    answers = await asyncio.gather(*(_rooms(server) for server in servers))
    alive, found, warnings = [], [], []
    for server, answer in zip(servers, answers, strict=True):
        if isinstance(answer, ClientError):
            warnings += [answer] if answer.code == REFUSED else []
            continue
        alive.append(server)
        found += [Found(server, room) for room in answer]
    return Around(tuple(alive), tuple(found), tuple(warnings))


def joined(*views: Around) -> Around:
    """Several views as one; a server on this machine that is also seen from outside counts once."""
    servers: list[Address] = []
    rooms: list[Found] = []
    for view in views:
        servers += [server for server in view.servers if server not in servers]
        seen = {(found.room.code, found.server.port): found.server for found in rooms}
        for found in view.rooms:
            twin = seen.get((found.room.code, found.server.port))
            if twin is None or not (twin.on_this_machine or found.server.on_this_machine):
                rooms.append(found)
    return Around(tuple(servers), tuple(rooms), tuple(warning for view in views for warning in view.warnings))


async def server_with(code: str, voice: Voice) -> Address:
    """The server that has a room, by its code alone; ClientError where it can't be told."""
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
        if voice.present and not await confirm(voice, asked):
            raise ClientError(f"Ask the host for the whole line: dicegames-client join ADDRESS/{code}", USAGE)
        return servers[0].at(code)
    if not voice.present:
        named = ", ".join(server.at(code).shown for server in servers)
        raise ClientError(f"{code} is in no list here, and there are several servers. Name one: {named}", USAGE)
    rows = [(server.shown, "") for server in servers]
    return servers[await voice.choose(f"{code} is in no list. On which server is it?", rows)].at(code)


def found_lines(around: Around) -> list[str]:
    """A line for each room, with its server where there are several."""
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
        async with asyncio.timeout(PATIENCE):
            return await list_rooms(server)
    except TimeoutError:
        return ClientError(f"No answer from {server.place}.", NETWORK)
    except ClientError as error:
        return error

"""Commands that enter no room: list the rooms, show past games, forget the key of a server."""

import sys

from dicegames_client.base.address import parse_address
from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.errors import USAGE, ClientError
from dicegames_client.enter import history
from dicegames_client.enter.asking import list_rooms, numbered
from dicegames_client.enter.entering import new_guest
from dicegames_client.enter.finding import HERE, Discovery, Found, found_lines, look_near, no_rooms, nobody_found
from dicegames_client.guest import trust
from dicegames_protocol.codec import encode, to_ascii_json
from dicegames_protocol.text import strip


async def rooms(asked: CommandLine) -> int:
    typed = asked.address
    if typed:
        address = parse_address(typed)
        if address.anywhere:
            raise ClientError(
                f"'rooms' wants the address of a server. To join: dicegames-client join {address.room}", USAGE
            )
        around = Discovery((address,), tuple(Found(address, room) for room in await list_rooms(address)))
    else:
        around = await look_near()
    if not around.servers:
        raise around.warnings[0] if around.warnings else nobody_found()
    for warning in around.warnings:
        print(warning.sentence, file=sys.stderr)
    if asked.json:
        for found in around.rooms:
            print(to_ascii_json(encode({"server": found.server.shown, **found.room.model_dump(exclude_none=True)})))
    elif around.rooms:
        print("\n".join(numbered(found_lines(around))))
    else:
        print(f"There are no open rooms on {around.servers[0].shown}." if typed else no_rooms(around.servers))
    return 0


async def past_games(asked: CommandLine) -> int:
    guest = new_guest(parse_address(asked.address) if asked.address else HERE)
    await guest.open()
    try:
        answer = await guest.ask(history.question(asked))
    finally:
        await guest.close()
    if asked.json:
        print(to_ascii_json(encode(answer)))
    else:
        print("\n".join(strip(line) for line in history.tell(answer)))
    return 0


def forget(asked: CommandLine) -> int:
    place = parse_address(asked.address or "").place
    was = trust.forget(place)
    print(f"The key of {place} is forgotten." if was else f"There was nothing to forget about {place}.")
    return 0

"""Commands that enter no room: list the rooms, show past games, forget a server, and who you are."""

import sys

from dicegames_client.base.address import parse_address
from dicegames_client.base.command_line import CommandLine, for_others, program
from dicegames_client.base.errors import REFUSED, USAGE, ClientError
from dicegames_client.base.player_identity import own_identity, recover
from dicegames_client.base.recovery_words import WordsError
from dicegames_client.enter import history
from dicegames_client.enter.asking import answered, list_rooms, numbered
from dicegames_client.enter.entering import new_guest
from dicegames_client.enter.finding import HERE, Discovery, Found, found_lines, look_near, no_rooms, nobody_found
from dicegames_client.enter.prompter import Prompter
from dicegames_client.guest import known_servers, trust
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.known_servers import as_known, typed_address
from dicegames_protocol.codec import encode, to_ascii_json
from dicegames_protocol.messages.client import Link
from dicegames_protocol.messages.server import LinkCode
from dicegames_protocol.text import strip


async def rooms(asked: CommandLine) -> int:
    typed = asked.address
    if typed:
        address = typed_address(typed)
        if address.anywhere:
            raise ClientError(f"'rooms' wants the address of a server. To join: {program()} join {address.room}", USAGE)
        listing = await list_rooms(address)
        around = Discovery((address,), tuple(Found(address, room, listing.server_id) for room in listing.rooms))
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
    questions = history.questions(asked)
    guest = new_guest(typed_address(asked.address) if asked.address else as_known(HERE))
    await guest.open()
    try:
        _tell_first_word(guest)
        answers = [await answered(guest, question) for question in questions]
    finally:
        await guest.close()
    for answer in answers:
        if asked.json:
            print(to_ascii_json(encode(answer)))
        else:
            print("\n".join(strip(line) for line in history.tell(answer)))
    return 0


def forget(asked: CommandLine) -> int:
    address = parse_address(asked.address or "")
    if address.anywhere:
        raise ClientError("'forget' wants the address of a server, such as 192.168.1.23:8765.", USAGE)
    what = address.host if address.any_port else address.place
    was = known_servers.forget(address)
    print(f"What was known about {what} is forgotten." if was else f"There was nothing to forget about {what}.")
    return 0


async def link(asked: CommandLine, prompter: Prompter) -> int:
    """Make another device the same player: show a code, or take the one that the other device shows."""
    if asked.code and prompter.present:
        told = "What was played on this device becomes the other player's as well, for good."
        if not await prompter.confirm(f"{told} Link it?"):
            return 0
    guest = new_guest(typed_address(asked.address) if asked.address else as_known(HERE))
    await guest.open()
    try:
        _tell_first_word(guest)
        answer = await answered(guest, Link(id="link", code=asked.code[:16] if asked.code else None))
    finally:
        await guest.close()
    if isinstance(answer, LinkCode):
        print(f"Type this on your other device within {answer.seconds // 60} minutes:")
        print(f"  {for_others()} link {known_servers.with_pin(guest.address).shown} --code {strip(answer.code)}")
        if not (guest.address.secure or guest.address.on_this_machine):
            print("The connection is not encrypted: whoever can read it can take the code.")
    else:
        print(f"This device is now the same player on {guest.address.place} as the one that showed the code.")
    return 0


def _tell_first_word(guest: Guest) -> None:
    if guest.link and (word := trust.first_word(guest.address, guest.link.before)):
        print(word, file=sys.stderr)


def words() -> int:
    """Show the recovery words. Raises ClientError where they would not be good for anything."""
    if not own_identity().saved:
        raise ClientError("Who you are can't be read or saved on this machine, so there are no words for it.", REFUSED)
    print("Your recovery words. Whoever has them is you, on every server. Write them down, and show them to nobody:")
    print(f"  {' '.join(own_identity().words)}")
    print(f"On another machine: {for_others()} recover")
    return 0


async def recover_player(prompter: Prompter) -> int:
    """Become the player whose recovery words are typed."""
    try:
        recovered = recover(await prompter.question("Your recovery words, on one line: "))
    except WordsError as error:
        raise ClientError(str(error), USAGE) from None
    except ClientError:
        raise ClientError("Nobody has typed the recovery words. Type them, or pipe them in.", USAGE) from None
    if not recovered.saved:
        raise ClientError("The words are right, but they can't be saved on this machine.", REFUSED)
    print("You are the player of these words from now on, on every server.")
    return 0

"""`save`, `replay` and `verify`: what to do with the stream of a room afterwards.

A log is the stream itself, one update per line; it comes from a file or from a server.
"""

import asyncio
from pathlib import Path
from typing import TextIO

from dicegames_client.base.address import Address, parse_address
from dicegames_client.base.errors import REFUSED, USAGE, ClientError
from dicegames_client.base.keyboard import Keyboard
from dicegames_client.base.saved_state import own_seeds
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.store import Store, Verdict
from dicegames_client.lines.line_output import Paper
from dicegames_client.play.room_wording import of_room, tell_room
from dicegames_client.play.wording import Story
from dicegames_client.views import view_of
from dicegames_protocol.codec import BadMessage, decode_update, encode
from dicegames_protocol.messages.client import FetchLog
from dicegames_protocol.messages.server import Log, Update
from dicegames_protocol.text import strip


async def fetch(source: str, password: str | None) -> list[bytes]:
    """The lines of a log: from a file of that name if there is one, else from the room at that address."""
    if (lines := _from_file(Path(source))) is not None:
        return lines
    if source.endswith(".jsonl") or source.startswith((".", "/", "~")):
        raise ClientError(f"There is no file {source}.", USAGE)
    address = parse_address(source)
    if address.room is None:
        raise ClientError(f"There is no file {source}, and no room is named in it.", USAGE)
    return await _from_server(address, address.room, password)


def _from_file(path: Path) -> list[bytes] | None:
    try:
        if path.is_dir():
            raise ClientError(f"{path} is a folder, not a log.", USAGE)
        return path.read_bytes().splitlines() if path.is_file() else None
    except OSError as error:
        raise ClientError(f"Can't read {path}: {error.strerror}.", USAGE) from None


async def _from_server(address: Address, room: str, password: str | None) -> list[bytes]:
    guest = Guest(address)
    await guest.open()
    try:
        return await pages(guest, room, password)
    finally:
        await guest.close()


async def pages(guest: Guest, room: str, password: str | None) -> list[bytes]:
    """The whole stream of a room, from a server where we are a guest."""
    lines: list[bytes] = []
    while True:
        asked = FetchLog(id=guest.new_id(), room=room, password=password, after=len(lines))
        page = await guest.ask(asked)
        if not isinstance(page, Log) or not page.updates:
            return lines
        lines += [encode(update) for update in page.updates]


def save(lines: list[bytes], target: str, out: TextIO) -> int:
    text = b"".join(line + b"\n" for line in lines)
    if target == "-":
        out.write(text.decode())
        return 0
    try:
        Path(target).write_bytes(text)
    except OSError as error:
        raise ClientError(f"Can't write {target}: {error.strerror}.", USAGE) from None
    print(f"{len(lines)} updates saved in {target}.", file=out)
    return 0


def verify(lines: list[bytes], out: TextIO) -> int:
    """One line per check; 1 where one of them fails."""
    from dicegames_server.table.audit import audit  # the rules: only here, and never while playing

    checks = audit(lines, own_seeds())
    for check in checks:
        print(f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {strip(check.detail)}", file=out)
    good = all(check.ok for check in checks)
    later = sum(check.unchecked for check in checks)
    if good and later:
        print(f"So far nothing is wrong; {later} updates can be checked when the game is over.", file=out)
    else:
        print("Everything is as it should be." if good else "Something is wrong with this log.", file=out)
    return 0 if good else 1


async def replay(lines: list[bytes], keyboard: Keyboard, out: TextIO, *, speed: float, step: bool, start: int) -> int:
    """Tell the story: at once, at so many updates per second, or one by one. `start` is the round to begin with."""
    if not lines:
        raise ClientError("There is nothing in this log.", REFUSED)
    paper = Paper(out)
    store = Store()
    telling = start <= 1
    for line in lines:
        update = _update(line)
        store, verdict = store.receive(update)
        if verdict is not Verdict.NEWS:
            raise ClientError(f"This log is not whole: update {store.seq + 1} is missing.", REFUSED)
        story = Story(store)
        told: list[str] = []
        for event in update.events:
            if not telling and event["kind"] == "round_began" and event.get("round", 0) >= start:
                telling, told = True, []
            view = view_of(store.info.game)
            told += (tell_room if of_room(event) else view.tell)(event, story)
            if event["kind"] == "game_over":
                told += view.standings(story)
        if not telling or not told:
            continue
        paper.say(*(strip(sentence) for sentence in told))
        if step:
            paper.ask("Enter for more, q to stop:")
            typed = await keyboard.line()
            paper.answered()
            if typed is None or typed.strip().lower().startswith("q"):
                return 0
        elif speed:
            await asyncio.sleep(1 / speed)
    if not telling:
        raise ClientError(f"There is no round {start} in this log.", USAGE)
    return 0


def read(lines: list[bytes]) -> list[Update]:
    """The updates of a log, or ClientError."""
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(decode_update(line))
        except BadMessage:
            if number == 1:
                raise ClientError("This is not a log of dicegames.", REFUSED) from None
            raise ClientError(f"Line {number} of this log can't be read; it may be cut off.", REFUSED) from None
    return found


def _update(line: bytes) -> Update:
    try:
        return decode_update(line)
    except BadMessage:
        raise ClientError("This is not a log of dicegames.", REFUSED) from None

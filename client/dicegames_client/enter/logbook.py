"""The log of a room: its updates, one per line. It comes from a file, from a server, or was kept on this machine."""

from pathlib import Path
from typing import NamedTuple

from dicegames_client.base.address import Address
from dicegames_client.base.errors import REFUSED, USAGE, ClientError
from dicegames_client.base.state.kept_logs import kept_log
from dicegames_client.base.state.saved_state import held_seats, past_token
from dicegames_client.enter.entering import seats_at
from dicegames_client.enter.finding import server_with
from dicegames_client.enter.prompter import Prompter
from dicegames_client.enter.vouching import confirm_password, open_or_ask
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.known_servers import typed_address
from dicegames_client.guest.store import Store, Verdict
from dicegames_protocol.codec import BadMessage, decode_update, parse_object
from dicegames_protocol.fairness.register import RegisterPart
from dicegames_protocol.messages.checking import Nonsense
from dicegames_protocol.messages.client import AskCommitments, FetchLog
from dicegames_protocol.messages.history import CommitmentEntry
from dicegames_protocol.messages.server import CommitmentPage, Log, Update

LOOK_BACK = 1000
"""Entries of the server's list before the first game of a log that are looked at as well."""
MOST_LIST_PAGES = 100


class Fetched(NamedTuple):
    lines: list[bytes]
    name: str = "log"
    """What a file with this log is called, if nobody says otherwise."""
    register: RegisterPart | None = None
    """The part of the server's list of commitments that matters. None: the log is from a file."""
    place: tuple[str, str] | None = None
    """The id of the server and the code of the room. None: the log is from a file."""


async def fetch(source: str, password: str | None, prompter: Prompter, command: str) -> Fetched:
    """The log that is meant: a file of that name if there is one, else the room at that address or with that code.

    `command` is what the user has typed to get it, for sentences about what to type instead. Raises ClientError.
    """
    if (lines := _from_file(Path(source))) is not None:
        return Fetched(lines, Path(source).stem)
    address = _room_at(source)
    if not address.anywhere:
        return await _from_server(address, password, prompter)
    return await _by_code(source, address.room or "", password, prompter, command)


async def _by_code(source: str, code: str, password: str | None, prompter: Prompter, command: str) -> Fetched:
    """The log of the room with this code: from the table itself if it may be open, else the one that is kept here."""
    kept = kept_log(code)
    if kept and not held_seats(lambda seat: seat.room == code):
        return Fetched(lines_of(str(kept)), code)
    prompter.wait(f"Looking for {code} on this network")
    try:
        return await _from_server(await server_with(code, prompter, command), password, prompter)
    except ClientError as error:
        if kept:
            return Fetched(lines_of(str(kept)), code)
        if not error.code:  # the user does not want to answer
            raise
        nothing = f"There is no file {source}, and this machine has kept no log of {code}."
        raise ClientError(f"{nothing} {error.sentence}", error.code) from None


def lines_of(name: str) -> list[bytes]:
    """The lines of a file. Raises ClientError."""
    lines = _from_file(Path(name))
    if lines is None:
        raise ClientError(f"There is no file {name}.", USAGE)
    return lines


def _from_file(path: Path) -> list[bytes] | None:
    try:
        if path.is_dir():
            raise ClientError(f"{path} is a folder, not a log.", USAGE)
        if path.exists() and not path.is_file():
            raise ClientError(f"{path} is no ordinary file.", USAGE)
        return path.read_bytes().splitlines() if path.is_file() else None
    except OSError as error:
        raise ClientError(f"Can't read {path}: {error.strerror}.", USAGE) from None


async def _from_server(address: Address, password: str | None, prompter: Prompter) -> Fetched:
    room = address.room or ""
    guest = Guest(address)
    await open_or_ask(guest, prompter)
    try:
        link = guest.link
        if password and link and address.announced is not None:
            await confirm_password(link, prompter)
        server = link.server_id if link else ""
        ours = seats_at(address, room)
        token = past_token(lambda seat: ours(seat) and seat.id in ("", server))
        lines = await pages(guest, room, password, token)
        return Fetched(lines, room, await _list_pages(guest, lines), (server, room))
    finally:
        await guest.close()


def _room_at(source: str) -> Address:
    if source.endswith(".jsonl") or source.startswith((".", "/", "~")):
        raise ClientError(f"There is no file {source}.", USAGE)
    address = typed_address(source)
    if address.room is None:
        raise ClientError(f"There is no file {source}, and no room is named in it.", USAGE)
    return address


async def _list_pages(guest: Guest, lines: list[bytes]) -> RegisterPart | None:
    """The server's list, from LOOK_BACK entries before the first game of this log on."""
    numbers = [number for line in lines if (number := _listed_number(line)) is not None]
    after = max(0, min(numbers, default=0) - 1 - LOOK_BACK)
    entries: list[CommitmentEntry] = []
    page = None
    for _ in range(MOST_LIST_PAGES if numbers else 0):
        asked = AskCommitments(id=guest.new_id(), after=entries[-1].number if entries else after)
        page = await guest.ask(asked)
        if not isinstance(page, CommitmentPage) or not page.entries:
            break
        entries += page.entries
    if not isinstance(page, CommitmentPage):
        return None
    return RegisterPart(page.server, page.list, tuple(entries))


def _listed_number(line: bytes) -> int | None:
    """The number of the entry in the server's list that an update of a log names."""
    try:
        entry = (parse_object(line.decode())["patch"].get("fair") or {}).get("entry") or {}
        return int(entry["number"])
    except (BadMessage, UnicodeDecodeError, KeyError, TypeError, ValueError, AttributeError):
        return None


async def pages(guest: Guest, room: str, password: str | None, token: str | None = None) -> list[bytes]:
    """The whole log of a room, page by page, from the server of this guest. `token`: of a seat that we had there."""
    lines: list[bytes] = []
    while page := await log_page(guest, room, len(lines), password, token):
        lines += page
    return lines


async def log_page(
    guest: Guest, room: str, after: int, password: str | None = None, token: str | None = None
) -> list[bytes]:
    """The next lines of a log, after so many. Empty: there are no more."""
    page = await guest.ask(FetchLog(id=guest.new_id(), room=room, password=password, seat_token=token, after=after))
    return [line.encode() for line in page.lines] if isinstance(page, Log) else []


def read(lines: list[bytes]) -> list[Update]:
    """The updates of a log, checked one by one. Raises ClientError with the number of the line that is wrong."""
    if not lines:
        raise ClientError("There is nothing in this log.", REFUSED)
    found = []
    store = Store()
    for number, line in enumerate(lines, start=1):
        try:
            update = decode_update(line)
            store, verdict = store.receive(update)
        except BadMessage:
            if number == 1:
                raise ClientError("This is not a log of dicegames.", REFUSED) from None
            raise ClientError(f"Line {number} of this log can't be read; it may be cut off.", REFUSED) from None
        except (Nonsense, RecursionError) as error:
            raise ClientError(f"Line {number} of this log makes no sense. {error}", REFUSED) from None
        if verdict is not Verdict.NEWS:
            raise ClientError(f"This log is not whole: update {store.seq + 1} is missing.", REFUSED)
        found.append(update)
    return found

"""A log in line mode: told again as a story (`replay`), or checked (`verify`)."""

import asyncio
import contextlib
from pathlib import Path
from typing import TextIO

from dicegames_client.base.errors import NOT_PROVEN, REFUSED, USAGE, ClientError
from dicegames_client.base.state.witness_files import other_room, recall
from dicegames_client.base.terminal.keyboard import Keyboard
from dicegames_client.enter.log_reviewer import LogReviewer
from dicegames_client.enter.logbook import read
from dicegames_client.guest.store import Store
from dicegames_client.lines.line_output import LineOutput
from dicegames_client.lines.telling import tell_event
from dicegames_client.play.wording import Wording
from dicegames_client.review.move_marks import MoveMarks
from dicegames_client.views import view_of
from dicegames_protocol.fairness.register import RegisterPart
from dicegames_protocol.fairness.witness_memory import Memory, is_witness_file, remembered
from dicegames_protocol.messages.server import Update
from dicegames_protocol.text import strip

MARK_SECONDS = 20.0
"""Seconds that a replay waits for the marks of the moves of one game."""
OTHER_ROOM = "this machine remembers another room under this code, and nothing of this one:"


def verify(
    lines: list[bytes],
    others: list[tuple[str, list[bytes]]],
    register: RegisterPart | None,
    out: TextIO,
    place: tuple[str, str] | None = None,
) -> int:
    """Print one line per check, then what they prove. Returns 0 (proven), 1 (wrong) or NOT_PROVEN.

    `others`: names and lines of the witness files of other people. `register`: the server's list of commitments.
    `place`: the id of the server and the code of the room that the log comes from. Raises ClientError where one of the
    files is not what it should be.
    """
    from dicegames_server.audit.audit import audit, verdict  # loads the rules: only here, and never while playing
    from dicegames_server.audit.check import Check

    if is_witness_file(lines):
        raise ClientError("This is what a client saw, not a log. Give it with --with.", USAGE)

    room_id, memory = _room_id(lines), recall(_room_id(lines))
    friends = {Path(name).name: _about(room_id, name, other) for name, other in others}
    checks = audit(lines, memory, friends, register)
    if place and other_room(*place, room_id):
        checks.append(Check("room", True, "another one than before", (f"{OTHER_ROOM} {place[1]}",)))
    for check in checks:
        mark = "FAIL" if not check.ok else "?   " if check.doubts else "ok  "
        print(f"{mark}  {strip(check.name)}: {strip(check.detail)}", file=out)
    found, reasons = verdict(checks)
    if found == "proven":
        print("Everything is as it should be: these dice were fair.", file=out)
        return 0
    if found == "wrong":
        print("Something is wrong with this log.", file=out)
        return 1
    print(f"Nothing is wrong, but it is not proven: {strip('; '.join(reasons)).rstrip('.')}.", file=out)
    return NOT_PROVEN


def _about(room_id: str, name: str, lines: list[bytes]) -> Memory:
    """What somebody else remembers of this room."""
    memory = remembered(lines)
    if not memory.seen:
        raise ClientError(f"{name} is neither a witness file nor a log.", USAGE)
    if memory.room and room_id and memory.room != room_id:
        raise ClientError(f"{name} is about another room. Nothing was compared.", USAGE)
    return memory


def _room_id(lines: list[bytes]) -> str:
    """The id of the room, from the first update of its log. Empty: there is none."""
    return remembered(lines[:1]).room


async def replay(lines: list[bytes], keyboard: Keyboard, out: TextIO, *, speed: float, step: bool, start: int) -> int:
    """Tell the story of a log: all at once, at `speed` updates per second, or step by step.

    `start` is the round to begin with. Raises ClientError if there is no such round, or if the log is not whole.
    """
    output = LineOutput(out, echoed=keyboard.is_terminal)
    store = Store()
    telling = start <= 1
    updates = read(lines)
    reviewer, marks = LogReviewer(updates), MoveMarks()
    played = await reviewer.played()
    for number, update in enumerate(updates, start=1):
        store, _ = store.receive(update)
        if _starts(update) and store.info.game_no in played:
            await _mark(marks, reviewer, store.info.game_no)
        try:
            told, begins = _tell(update, store, start)
        except Exception as error:
            raise ClientError(f"Line {number} of this log can't be told ({type(error).__name__}).", REFUSED) from None
        telling = telling or begins
        if not telling or not told:
            continue
        if mark := marks.short(update.seq):
            told[0] = f"{told[0]} ({mark})"
        output.say(*(strip(sentence) for sentence in told))
        if step:
            output.ask("Enter for more, q to stop:")
            typed = await keyboard.line()
            output.answered()
            if typed is None or typed.strip().lower().startswith("q"):
                return 0
        elif speed:
            await asyncio.sleep(1 / speed)
    if not telling:
        raise ClientError(f"There is no round {start} in this log.", USAGE)
    return 0


async def _mark(marks: MoveMarks, reviewer: LogReviewer, number: int) -> None:
    """Give the moves of a game their marks. Where that is not possible, the story is told without."""
    with contextlib.suppress(ClientError, TimeoutError):
        marks.add(await asyncio.wait_for(reviewer.review(number), MARK_SECONDS))


def _starts(update: Update) -> bool:
    return any(event["kind"] == "game_started" for event in update.events)


def _tell(update: Update, store: Store, start: int) -> tuple[list[str], bool]:
    """The sentences for an update, and whether round `start` begins in it. Then they begin with that round, too."""
    view = view_of(store.info.game)
    told: list[str] = []
    begins = False
    for event in update.events:
        if not begins and view.round_begun(event) >= start:
            begins, told = True, [] if start > 1 else told
        told += tell_event(event, Wording(store))
    return told, begins

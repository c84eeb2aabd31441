"""Saves a log in a file of the user's own. Nothing is overwritten, unless the user says so."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from dicegames_client.base import visit
from dicegames_client.base.errors import REFUSED, USAGE, ClientError
from dicegames_client.base.state.state_files import data_folder
from dicegames_client.enter.logbook import pages
from dicegames_client.guest.guest import Guest
from dicegames_protocol.codec import as_ascii
from dicegames_protocol.system.failures import reason

MOST_COPIES = 1000
"""Most files with the log of one room in a folder."""
NOT_OVER_SSH = "You play over ssh, and a file would be saved on the server. Save it from a machine of your own."


def save(lines: Sequence[bytes], name: str, target: str | None, out: TextIO, *, force: bool) -> int:
    """Save a log in the file `target`, or under its `name`; - is standard output. Raises ClientError."""
    if target == "-":
        out.write(_content(lines).decode())
        return 0
    if target is None and not force:
        path = save_new(lines, name)
    else:
        path = Path(target or f"{name}.jsonl")
        _save_as(path, _content(lines), force=force)
    print(f"{len(lines)} updates saved in {path}.", file=out)
    return 0


async def save_table(guest: Guest) -> str:
    """Save the log of the table where this guest is. Returns a sentence with the path. Raises ClientError."""
    if visit.current():
        raise ClientError(NOT_OVER_SSH, REFUSED)
    room = guest.store.room or ""
    lines = await pages(guest, room, None)
    code = "".join(letter for letter in room if letter.isascii() and letter.isalnum())[:8]  # the server has chosen it
    path = await asyncio.to_thread(save_new, lines, code or "log")
    return f"The log is in {shown_path(path)}"


def save_new(lines: Sequence[bytes], name: str) -> Path:
    """Save a log in a new file: in the current folder if that can be written, else in the data folder.

    Raises ClientError.
    """
    content = _content(lines)
    why = ""
    for folder in (Path(), data_folder()):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if path := _free(folder, name, content):
                return path
            why = why or f"there are {MOST_COPIES} files of it already"
        except OSError as error:
            why = why or reason(error)
    raise ClientError(f"The log can't be saved here: {why}.", USAGE)


def shown_path(path: Path) -> str:
    """The whole path, for somebody who looks for the file. The home folder is ~."""
    whole = path.absolute()
    try:
        return str("~" / whole.relative_to(Path.home()))
    except (ValueError, RuntimeError):  # it is not in there, or there is none
        return str(whole)


def _free(folder: Path, name: str, content: bytes) -> Path | None:
    """The file that was made, or the one that has the same in it already. Raises OSError."""
    for number in range(1, MOST_COPIES + 1):
        path = folder / (f"{name}.jsonl" if number == 1 else f"{name}-{number}.jsonl")
        try:
            _write(path, content, "xb")
            return path
        except FileExistsError:
            if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
                return path
    return None


def _save_as(path: Path, content: bytes, *, force: bool) -> None:
    try:
        there = path.exists()
        if path.is_file() and not force:
            raise ClientError(f"{path} is there already. Name another file, or overwrite it with --force.", USAGE)
        _write(path, content, "wb" if there else "xb")
    except OSError as error:
        raise ClientError(f"Can't write {path}: {error.strerror}.", USAGE) from None


def _write(path: Path, content: bytes, mode: str) -> None:
    """Write a file. One that could not be finished is not left behind, if it is new. Raises OSError."""
    with path.open(mode) as file:
        try:
            file.write(content)
            file.flush()
        except OSError:
            if mode == "xb":
                path.unlink(missing_ok=True)
            raise


def _content(lines: Sequence[bytes]) -> bytes:
    return "".join(f"{as_ascii(line)}\n" for line in lines).encode("ascii")

"""The files in which the client remembers something. What holds for all of them:

- They are in the platform's folder for state, and only the user can read them.
- A write is whole or not at all. Read, change and write happen under one lock, so that several clients lose nothing.
- The first line of a file says its version. A file of a newer version is left alone.
- A file with a line that can't be read is set aside under another name. The lines that can be read go on.

Whatever is wrong becomes a sentence in `troubles`, once. Nothing here stops anybody from playing.
"""

import contextlib
import itertools
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from platformdirs import user_data_path, user_state_path
from pydantic import ValidationError

from dicegames_client.base import visit
from dicegames_client.base.state.file_lock import locked
from dicegames_protocol.base import JsonObject, Model
from dicegames_protocol.codec import BadMessage, encode, parse_object
from dicegames_protocol.system.private_files import open_private, private_folder, read_bytes, replace

STATE_VERSION = 2
"""Version of these files. Files of version 1 have no first line with a version."""
UNREADABLE = -1
"""Instead of a version: there is a file, but it can't be read. It is left alone."""
MOST_SET_ASIDE = 20
"""Most damaged files of one name that are kept."""
LOCK_NAME = ".lock"
R = TypeVar("R", bound=Model)
_troubles: dict[tuple[Path, str], bool] = {}
"""Folder and sentence -> whether the user was told."""


def troubles() -> list[str]:
    """The sentences that the user was not told yet. Each is given once."""
    folder = state_folder()
    found = [sentence for (where, sentence), told in _troubles.items() if where == folder and not told]
    _troubles.update({(folder, sentence): True for sentence in found})
    return found


def forget_troubles() -> None:
    """The user has gone, and will be told anew next time."""
    folder = state_folder()
    for key in [key for key in _troubles if key[0] == folder]:
        del _troubles[key]


def state_folder() -> Path:
    here = visit.current()
    return here.folder if here else user_state_path("dicegames")


def data_folder() -> Path:
    """For what belongs to the user and not only to the program, such as logs of games."""
    here = visit.current()
    return here.folder if here else user_data_path("dicegames")


def note_trouble(sentence: str) -> None:
    """Something is wrong with a file of this machine. The user is told when there is a moment for it."""
    _troubles.setdefault((state_folder(), sentence), False)


class Records(Generic[R]):
    """A file with one record per line, oldest first."""

    def __init__(
        self,
        name: str,
        record: type[R],
        salvage: Callable[[JsonObject], R | None] = lambda found: None,
        aftermath: str = "What could be read of it goes on.",
    ) -> None:
        """`salvage` makes a record of a line that can't be read; it gets the fields, none if there is no JSON.

        `aftermath` is what the user is told when the file was damaged.
        """
        self._aftermath = aftermath
        self._name = name
        self._record = record
        self._salvage = salvage
        self._cached: tuple[tuple[Path, int, int, int], tuple[int, list[R], bool]] | None = None
        """What was read last, and of which file: a list of servers is looked at several times for each connection."""

    @property
    def path(self) -> Path:
        return state_folder() / self._name

    def read(self) -> list[R]:
        """The records. A damaged file is set aside first."""
        _, records, damaged = self._load()
        if damaged:
            self.change(lambda found: found)
        return records

    @property
    def newer(self) -> bool:
        """Whether the file is from a newer version of dicegames: its records are not known here."""
        return self._load()[0] > STATE_VERSION

    def change(self, change: Callable[[list[R]], list[R]]) -> None:
        """Replace the records by what `change` makes of them. No other client can write in between.

        An error is ignored: a full or read-only disk must not stop anybody from playing.
        """
        with contextlib.suppress(OSError), locked(_made_folder() / LOCK_NAME):
            version, records, damaged = self._load()
            if version > STATE_VERSION or version == UNREADABLE:
                return
            if damaged:
                self._set_aside()
            changed = change(records)
            if damaged or changed != records or not self.path.exists():
                write_text(self._name, self._text(changed))

    def _text(self, records: list[R]) -> str:
        head = encode({"dicegames": self._name, "version": STATE_VERSION}).decode()
        return "".join(f"{text}\n" for text in (head, *(encode(record).decode() for record in records)))

    def _load(self) -> tuple[int, list[R], bool]:
        """The version of the file, its records, and whether some line can't be read."""
        try:
            path, status = self.path, self.path.stat()
            which = (path, status.st_ino, status.st_mtime_ns, status.st_size)
            if self._cached is None or self._cached[0] != which:
                self._cached = (which, self._parse(read_bytes(path).splitlines()))
        except FileNotFoundError:
            return STATE_VERSION, [], False
        except OSError as error:
            note_trouble(f"{self.path} can't be read ({error.strerror}), so nothing is known from it.")
            lost = self._salvage({})
            return UNREADABLE, [lost] if lost else [], False
        version, records, damaged = self._cached[1]
        return version, list(records), damaged

    def _parse(self, lines: list[bytes]) -> tuple[int, list[R], bool]:
        if not lines:  # it was cut to nothing, or had nothing in it
            lost = self._salvage({})
            return 1, [lost] if lost else [], lost is not None
        version = _version(lines[0])
        if version is not None and version > STATE_VERSION:
            note_trouble(
                f"{self.path} is from a newer dicegames (version {version}, this one knows {STATE_VERSION}). "
                "It stays as it is, and nothing is added to it."
            )
            return version, [], False
        records: list[R] = []
        damaged = False
        for line in lines[0 if version is None else 1 :]:
            record = self._read(line)
            if record is None:
                damaged = True
                record = self._salvage(_fields(line))
            records += [record] if record else []
        return version or 1, records, damaged

    def _read(self, line: bytes) -> R | None:
        try:
            return self._record.model_validate(parse_object(line.decode()))
        except (BadMessage, ValidationError, ValueError):
            return None

    def _set_aside(self) -> None:
        """Keep a damaged file under another name, byte for byte."""
        for number in itertools.count(1):
            aside = self.path.with_name(f"{self._name}.damaged-{number}")
            if not aside.exists() or number == MOST_SET_ASIDE:
                break
        replace(self.path, aside)
        note_trouble(f"{self.path} was damaged. It is kept as {aside.name}. {self._aftermath}")


def _version(line: bytes) -> int | None:
    """The version in the first line of a file. None: the line is a record, as in version 1."""
    version = _fields(line).get("version")
    return version if isinstance(version, int) and not isinstance(version, bool) and version > 0 else None


def _fields(line: bytes) -> JsonObject:
    try:
        return parse_object(line.decode())
    except (BadMessage, ValueError):
        return {}


def _made_folder() -> Path:
    folder = state_folder()
    private_folder(folder)
    return folder


def read_text(name: str) -> str:
    """A small file. Empty where there is none, or where it is no text."""
    try:
        return read_bytes(state_folder() / name).decode()
    except (OSError, UnicodeDecodeError):
        return ""


def write_text(name: str, text: str) -> None:
    """Write the whole file or nothing. Raises OSError."""
    write_private(_made_folder() / name, text.encode())


def write_private(path: Path, content: bytes) -> None:
    """The same for any file in a folder that is there. Only this user can read it."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(open_private(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
            file.write(content)
            file.flush()
            if visit.current() is None:  # a server does not wait for its disk for the sake of a visitor's name
                os.fsync(file.fileno())
        replace(fresh, path)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise

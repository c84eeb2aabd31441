"""The public list of a server's commitments: every game that it has begun, in order.

Each entry is numbered, names the one before it, and is signed with the server's key. So a server can't take an entry
back: two entries with the same number, both signed, prove that it tried. Nobody can tell from an entry which room it is
about, except those who know the id of the room.
"""

import hashlib
import hmac
from collections.abc import Iterable
from typing import NamedTuple

from dicegames_protocol.codec import canonical
from dicegames_protocol.messages.history import CommitmentEntry
from dicegames_protocol.network.signatures import is_signed


class RegisterPart(NamedTuple):
    """A part of the list of a server."""

    server: str
    list_id: str
    """Empty: the server keeps no list."""
    entries: tuple[CommitmentEntry, ...]


def room_tag(room_id: str, commit: str) -> str:
    """What stands for the room in an entry."""
    return hmac.new(room_id.encode(), f"list|{commit}".encode(), "sha256").hexdigest()


def entry_text(server: str, list_id: str, number: int, before: str, tag: str, commit: str) -> bytes:
    """What the server signs. `before`: the hash of the entry before it; empty in the first one."""
    told = {"before": before, "commit": commit, "for": "dicegames commitment 1", "list": list_id, "number": number}
    return canonical({**told, "room": tag, "server": server})


def entry_hash(server: str, list_id: str, entry: CommitmentEntry) -> str:
    text = entry_text(server, list_id, entry.number, entry.before, entry.room, entry.commit)
    return hashlib.sha256(text).hexdigest()


def is_entry(server: str, list_id: str, entry: CommitmentEntry) -> bool:
    """Whether the server has signed this entry."""
    text = entry_text(server, list_id, entry.number, entry.before, entry.room, entry.commit)
    return is_signed(server, text, entry.proof)


def broken_at(server: str, list_id: str, entries: Iterable[CommitmentEntry]) -> int | None:
    """The number of the first entry that does not follow the one before, or is not signed. None: all are right."""
    before: CommitmentEntry | None = None
    for entry in entries:
        follows = before is None or (
            entry.number == before.number + 1 and entry.before == entry_hash(server, list_id, before)
        )
        if not follows or not is_entry(server, list_id, entry):
            return entry.number
        before = entry
    return None

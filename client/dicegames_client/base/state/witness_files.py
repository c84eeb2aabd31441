"""The files of the witness: for each room, the updates as they came, and what was noticed. `verify` reads them.

They contain no secrets. The seeds of our hash chains are in a file of their own, which nobody else needs.
"""

import contextlib
import hashlib
import os
from pathlib import Path

from dicegames_client.base.state.saved_state import old_seeds
from dicegames_client.base.state.state_files import Records, state_folder
from dicegames_protocol.base import JsonObject, Model
from dicegames_protocol.codec import encode
from dicegames_protocol.fairness.witness_memory import Memory, remembered
from dicegames_protocol.system.private_files import open_private, private_folder, read_bytes

_FOLDER = "witness"
_MOST_FILES = 300
_MOST_BYTES = 32 * 1024 * 1024
"""Most bytes in the file of one room."""
_MOST_CHAINS = 64


class SavedChain(Model):
    """The seed of a hash chain that we gave for the dice of a room."""

    seed: str


_chains: Records[SavedChain] = Records("chains.jsonl", SavedChain)


class WitnessFile:
    """Keeps what one guest sees. Several guests on this machine may write about the same room."""

    def __init__(self) -> None:
        self._path: Path | None = None

    def begin(self, server: str, room: str, room_id: str) -> Memory:
        before = recall(room_id)
        self._path = None
        with contextlib.suppress(OSError):
            folder = state_folder() / _FOLDER
            private_folder(folder)
            _forget_oldest(folder)
            self._path = folder / _name(server, room, room_id)
            self.noted("room", {"room": room, "id": room_id, "server": server})
        return before

    def heard(self, line: bytes) -> None:
        if self._path is None or b"\n" in line:
            return
        with contextlib.suppress(OSError):
            handle = open_private(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                if os.fstat(handle).st_size < _MOST_BYTES:
                    os.write(handle, line + b"\n")
            finally:
                os.close(handle)

    def noted(self, kind: str, fields: JsonObject) -> None:
        self.heard(encode({"witness": kind, **fields}))

    def keep_chain(self, seed: bytes) -> None:
        saved = SavedChain(seed=seed.hex())
        _chains.change(lambda chains: [*chains[1 - _MOST_CHAINS :], saved])

    def chains(self) -> list[bytes]:
        found = []
        for saved in reversed(_chains.read()):
            with contextlib.suppress(ValueError):
                found.append(bytes.fromhex(saved.seed))
        return found


def other_room(server: str, room: str, room_id: str) -> bool:
    """Whether this machine remembers another room under this code on the same server, and not this one."""
    files = list((state_folder() / _FOLDER).glob(f"{_code(room)}-{_short(server)}-*.jsonl"))
    return bool(files) and not any(path.name.endswith(f"-{_short(room_id)}.jsonl") for path in files)


def recall(room_id: str) -> Memory:
    """What this machine remembers of a room, and the seeds that it gave under the first scheme."""
    memory = Memory(room=room_id)
    if room_id:
        for path in sorted((state_folder() / _FOLDER).glob(f"*-{_short(room_id)}.jsonl")):
            with contextlib.suppress(OSError):
                found = remembered(read_bytes(path).splitlines())
                if found.room == room_id:
                    memory = _both(memory, found)
    memory.seeds = old_seeds()
    return memory


def _both(one: Memory, other: Memory) -> Memory:
    seen = {seq: set(hashes) for seq, hashes in one.seen.items()}
    for seq, hashes in other.seen.items():
        seen.setdefault(seq, set()).update(hashes)
    tips = {**one.tips, **other.tips}
    return Memory(
        one.room,
        one.server or other.server,
        seen,
        tips,
        [*one.alarms, *other.alarms],
        [*one.notes, *other.notes],
        {**one.shown, **other.shown},
    )


def _name(server: str, room: str, room_id: str) -> str:
    """The name of a file. The server has chosen the parts of it, so only what is harmless is taken from them."""
    return f"{_code(room)}-{_short(server)}-{_short(room_id)}.jsonl"


def _code(room: str) -> str:
    return "".join(letter for letter in room if letter.isascii() and letter.isalnum())[:8]


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _forget_oldest(folder: Path) -> None:
    files = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    for path in files[: max(0, len(files) - _MOST_FILES + 1)]:
        path.unlink(missing_ok=True)

"""What must hold all the time, whatever happens. A failure is a sentence; the evening adds its seed."""

import asyncio
import hashlib
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from dicegames_client.guest.store import Store
from dicegames_protocol import patch
from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import parse_object
from dicegames_server.audit.audit import audit, verdict
from dicegames_server.room.restore import answered_by
from dicegames_server.storage.base import Entry
from simulation.disk import Disk
from simulation.network import Link

ANSWER_SECONDS = 60.0
"""Virtual seconds in which every command is answered, on the worst of disks."""
GIVES_UP = ("leave", "kick", "remove_bot", "start", "ready", "rematch", "options")
"""Causes that may free a seat. The last four only free seats whose players have left before."""
FINAL_REFUSALS = ("stale", "illegal_move", "not_your_turn", "bad_message")
"""An acknowledged move must never be answered with these."""


class Failure(AssertionError):
    """Something that must hold does not."""


@dataclass
class Log:
    """The log of one room, as far as it was looked at."""

    entries: list[Entry]
    tables: list[JsonObject] = field(default_factory=lambda: [{}])
    moves: dict[str, int] = field(default_factory=dict)
    """Id of a move -> its update."""


@dataclass
class Wired:
    """What was heard and said on one link."""

    log: Log | None = None
    seq: int = 0
    asked: dict[str, list[float]] = field(default_factory=dict)
    moves: dict[str, tuple[Log | None, int | None]] = field(default_factory=dict)


class Checks:
    def __init__(self, disk: Disk, faults: Counter[str], kept: int = 200) -> None:
        self.disk = disk
        self.faults = faults
        self.counts: Counter[str] = Counter()
        self._links: dict[Link, Wired] = {}
        self._logs: dict[int, Log] = {}
        self._acks: dict[str, int] = {}
        self._sent: Counter[str] = Counter()
        self._last_ack: dict[tuple[int, int | None], int] = {}
        self._hash = hashlib.sha256()
        self.lines: deque[str] = deque(maxlen=kept or None)
        self.failed: Failure | None = None

    # The trace.

    def trace(self, line: str) -> None:
        line = f"{asyncio.get_running_loop().time() - 1000:9.3f} {line}"
        self._hash.update(line.encode())
        self.lines.append(line)

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    def fail(self, sentence: str) -> None:
        """It is kept, too: code under test may catch what is raised here."""
        self.failed = self.failed or Failure(sentence)
        raise self.failed

    # The wire, at the server's end.

    def opened(self, link: Link) -> None:
        self._links[link] = Wired()

    def closed(self, link: Link) -> None:
        self._links.pop(link, None)

    def hears(self, link: Link, frame: str | bytes) -> None:
        fields: dict[str, Any] = parse_object(frame if isinstance(frame, str) else frame.decode())
        wired = self._links[link]
        id: Any = fields.get("id")
        self.trace(f"link {link.number} > {str(frame)[:300]}")
        self.counts["commands"] += 1
        if id is not None:
            wired.asked.setdefault(id, []).append(asyncio.get_running_loop().time())
        if fields["type"] == "resume" and (
            wired.log is None or wired.log.entries is not self.disk.logs.get(fields["room"])
        ):
            wired.seq = fields["last_seq"]
        if fields["type"] == "move":
            self._sent[id] += 1
            wired.moves[id] = (wired.log, fields.get("seat"))

    def sends(self, link: Link, data: bytes) -> None:
        wired = self._links.get(link)
        if wired is None:
            return
        text = data.decode()
        self.trace(f"link {link.number} < {text[:300]}")
        if data.startswith(b'{"type":"update"'):
            seq = int(text[text.index('"seq":') + 6 :].split(",", 1)[0])
            if seq > wired.seq + 1:
                self.fail(f"link {link.number} was told update {seq} after {wired.seq}: one was lost")
            wired.seq = max(seq, wired.seq)
            if wired.log and seq > len(wired.log.entries):
                self.fail(f"link {link.number} was told update {seq}, which is not in the log")
            return
        fields: dict[str, Any] = parse_object(text)
        kind, id = fields["type"], fields.get("id")
        if kind in ("joined", "caught_up"):
            wired.log = self._log(fields["room"])
        if kind in ("joined", "snapshot"):
            wired.seq = fields["seq"]
        if id is None or kind == "welcome":  # there it is the server's own id
            return
        times = wired.asked.get(id)
        if not times:
            self.fail(f"link {link.number} got an answer too many: {text[:200]}")
        elif len(times) == 1:
            del wired.asked[id]
        else:
            times.pop(0)
        if id in wired.moves:
            self._answered_move(id, fields, *wired.moves[id])

    def _answered_move(self, id: str, answer: dict[str, Any], log: Log | None, seat: int | None) -> None:
        before = self._acks.get(id)
        if answer["type"] == "error":
            if before is not None and answer["code"] in FINAL_REFUSALS:
                self.fail(f"move {id} was acknowledged as update {before}, and then refused: {answer['message']}")
            return
        seq: int = answer["seq"]
        self.counts["acks"] += 1
        if before not in (None, seq):
            self.fail(f"move {id} was acknowledged as update {before}, and then as {seq}")
        if log is None:
            self.fail(f"move {id} was acknowledged outside of any room")
            return
        made = answered_by(log.entries[seq - 1].private) if seq <= len(log.entries) else None
        if made is None or made.id != id:
            self.fail(f"move {id} was acknowledged as update {seq}, where the log has {made}")
        if before is None and self._sent[id] == 1:
            key = (id_of(log), seat)
            if seq <= self._last_ack.get(key, 0):
                self.fail(f"seat {seat}: update {seq} was acknowledged after {self._last_ack[key]}")
            self._last_ack[key] = seq
        self._acks[id] = seq

    # Logs.

    def _log(self, room: str) -> Log:
        entries = self.disk.logs[room]
        return self._read(self._logs.setdefault(id(entries), Log(entries)))

    def _read(self, log: Log) -> Log:
        """Look at the updates that have come since."""
        while len(log.tables) <= len(log.entries):
            entry = log.entries[len(log.tables) - 1]
            update = parse_object(entry.update.decode())
            before = log.tables[-1]
            after = patch.apply(before, update["patch"])
            log.tables.append(after)
            if made := answered_by(entry.private):
                if made.id in log.moves:
                    self.fail(f"move {made.id} acts twice: updates {log.moves[made.id]} and {entry.seq}")
                log.moves[made.id] = entry.seq
            self._check_seats(before, after, update)
        return log

    def _check_seats(self, before: JsonObject, after: JsonObject, update: JsonObject) -> None:
        now, kind = after.get("seats", {}), update["cause"]["kind"]
        for seat, player in before.get("seats", {}).items():
            if player.get("left"):
                continue
            there = now.get(seat)
            gone = there is None or there.get("left") or there["name"] != player["name"]
            if gone and kind not in GIVES_UP[:3]:
                self.fail(f"{player['name']} loses seat {seat} in update {update['seq']} by {kind}")

    def look(self) -> None:
        """Look at everything. Called again and again."""
        if self.failed:
            raise self.failed
        for room in self.disk.logs:
            self._log(room)
        now = asyncio.get_running_loop().time()
        for link, wired in self._links.items():
            for id, times in wired.asked.items():
                if not link.ended and now - times[0] > ANSWER_SECONDS:
                    self.fail(f"command {id} on link {link.number} has no answer after {ANSWER_SECONDS} s")

    def client(self, name: str, store: Store) -> None:
        """What a client knows is what the log says, up to its number."""
        if store.room is None or not store.seq or store.epoch == 0:
            return
        for entries in (self.disk.logs.get(store.room), *self.disk.ended):
            log = self._read(self._logs.setdefault(id(entries), Log(entries))) if entries else None
            if log and log.tables[1]["room"].get("id") == store.table["room"].get("id"):
                break
        else:
            self.fail(f"{name} is in a room {store.room} that never was")
            return
        if store.seq > len(log.entries):
            self.fail(f"{name} knows update {store.seq} of {store.room}, and the log has {len(log.entries)}")
        if store.table != log.tables[store.seq]:
            self.fail(f"{name} sees another table of {store.room} at update {store.seq} than the log")

    def finish(self) -> None:
        """At the end: what every log says about itself."""
        self.look()
        for entries in (*self.disk.logs.values(), *self.disk.ended):
            self.counts["updates"] += len(entries)
            if entries:
                self.counts["rooms"] += 1
                said, why = verdict(audit([entry.update for entry in entries]))
                if said == "wrong":
                    self.fail(f"the log of {entries[0].room} is wrong: {why}")
        known = {id for log in self._logs.values() for id in log.moves}
        if lost := [id for id in self._acks if id not in known]:
            self.fail(f"moves were acknowledged and are not in any log: {lost}")


def id_of(log: Log) -> int:
    return id(log.entries)

"""What a machine remembers of a room, and how a log is compared with it. Pure.

A witness file has one JSON object in each line: the updates exactly as they were sent, and lines of its own that have a
field `witness`. It contains no secrets, so friends can send theirs to each other. A log is a witness file, too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dicegames_protocol import patch
from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import BadMessage, parse_object, update_hash
from dicegames_protocol.text import strip


@dataclass(slots=True)
class Memory:
    room: str = ""
    """The id of the room. Empty: it is not known."""
    server: str = ""
    """The id of the server. Empty: it is not known."""
    seen: dict[int, set[str]] = field(default_factory=dict)
    """Number of an update -> its hash, as it was seen. Several: different ones were seen."""
    tips: dict[str, int] = field(default_factory=dict)
    """The tips that were given -> the seat."""
    alarms: list[str] = field(default_factory=list)
    """What was wrong while people played."""
    notes: list[str] = field(default_factory=list)
    """What looked bad while people played."""
    shown: dict[str, tuple[object, ...]] = field(default_factory=dict)
    """Link -> the draw that it was shown for."""
    seeds: dict[str, str] = field(default_factory=dict)
    """Scheme 1: hash -> seed, for the seeds that were given."""

    def take(self, line: bytes) -> None:
        """Add a line of a witness file or of a log. What can't be read is left out."""
        try:
            fields = parse_object(line.decode())
            kind = fields.get("witness")
            if kind is None and fields.get("type") == "update":
                self.seen.setdefault(int(fields["seq"]), set()).add(update_hash(line))
                if fields["seq"] == 1 and not self.room:
                    self.room = str((fields["cause"].get("args") or {}).get("id", ""))
            elif kind == "room":
                self.room, self.server = str(fields["id"]), str(fields.get("server", ""))
            elif kind == "from":
                self.seen.setdefault(int(fields["seq"]), set()).add(str(fields["head"]))
            elif kind == "tip":
                self.tips[str(fields["tip"])] = int(fields["seat"])
            elif kind == "alarm":
                self.alarms.append(strip(str(fields["said"])))
            elif kind == "note":
                self.notes.append(strip(str(fields["said"])).rstrip("."))
            elif kind == "shown":
                self.shown[str(fields["link"])] = tuple(fields["draw"])
        except (BadMessage, ValueError, KeyError, TypeError, AttributeError):
            return


def is_witness_file(lines: Sequence[bytes]) -> bool:
    """Whether these lines are what a client saw, and not a log."""
    try:
        return bool(lines) and "witness" in parse_object(lines[0].decode())
    except (BadMessage, UnicodeDecodeError):
        return False


def remembered(lines: Iterable[bytes]) -> Memory:
    memory = Memory()
    for line in lines:
        if line.strip():
            memory.take(line.rstrip(b"\r\n"))
    return memory


@dataclass(frozen=True, slots=True)
class Comparison:
    wrong: str | None
    """The first thing that is wrong. None: nothing is."""
    told: str = ""
    """What was compared."""
    doubts: tuple[str, ...] = ()


def compare(log: list[tuple[bytes, JsonObject]], memory: Memory, whose: str = "this machine") -> Comparison:
    """Compare a log with what somebody remembers. `log`: the updates, as they were sent and as plain JSON."""
    if memory.alarms:
        return Comparison(f"{whose} noticed while people played: {memory.alarms[0]}")
    hashes = {fields["seq"]: update_hash(raw) for raw, fields in log}
    for seq, seen in sorted(memory.seen.items()):
        if len(seen) > 1:
            return Comparison(f"{whose} was told two different updates {seq}")
        if seq in hashes and hashes[seq] not in seen:
            return Comparison(f"update {seq} is not the one that {whose} saw")
    last = max(memory.seen, default=0)
    given = {(fields["cause"].get("args") or {}).get("commit"): fields["cause"].get("seat") for _, fields in log}
    for tip, seat in memory.tips.items():
        if last <= len(log) and given.get(tip, -1) != seat:
            return Comparison(f"the tip that {whose} gave for seat {seat + 1} is not in the log")
    if wrong := _unused_seed(log, memory, whose):
        return Comparison(wrong)
    if not memory.seen:
        return Comparison(None, "nothing is remembered here", (f"{whose} remembers nothing of this room",))
    told = f"{sum(seq in hashes for seq in memory.seen)} of {len(log)} updates are as {whose} saw them"
    doubts = tuple(memory.notes)
    if last > len(log):
        doubts += (f"the log ends with update {len(log)}, and {whose} has seen update {last}",)
    return Comparison(None, told, doubts)


def _unused_seed(log: list[tuple[bytes, JsonObject]], memory: Memory, whose: str) -> str | None:
    """Scheme 1: a seed that was given and not used for the dice."""
    table: JsonObject = {}
    for _, fields in log if memory.seeds else ():
        seeds: JsonObject | None = (fields["patch"].get("fair") or {}).get("seeds")
        for seat, player in table.get("seats", {}).items() if seeds is not None else ():
            assert seeds is not None
            commit = player.get("commit")
            if commit in memory.seeds and seeds.get(seat) != memory.seeds[commit]:
                return f"the seed that {whose} gave for seat {int(seat) + 1} was left out"
        table = patch.apply(table, fields["patch"])
    return None

"""A witness memory that the test can look into."""

from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import encode
from dicegames_protocol.fairness.witness_memory import Memory, remembered


class Remembering:
    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.seeds: list[bytes] = []

    def begin(self, server: str, room: str, room_id: str) -> Memory:
        before = self.memory
        self.noted("room", {"room": room, "id": room_id, "server": server})
        return before

    def heard(self, line: bytes) -> None:
        self.lines.append(line)

    def noted(self, kind: str, fields: JsonObject) -> None:
        self.heard(encode({"witness": kind, **fields}))

    def keep_chain(self, seed: bytes) -> None:
        self.seeds.insert(0, seed)

    def chains(self) -> list[bytes]:
        return self.seeds

    @property
    def memory(self) -> Memory:
        return remembered(self.lines)

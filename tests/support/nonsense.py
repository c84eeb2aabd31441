"""Frames that no client of ours would send: bytes, broken text, and messages that are wrong in every way we know."""

import json
import random
from collections.abc import Callable
from typing import Any

from dicegames_protocol.messages.client import ClientMessage
from dicegames_server.app.schema import schema
from support.raw import TEXT, frame

BINARY, CONTINUATION, PING, PONG = 2, 0, 9, 10
_ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    2**63,
    10**400,
    1e308,
    "",
    "KQ7M",
    "x" * 5000,
    "\ud800",
    "\x00\x1b[2J\u202e",
    [],
    {},
    [[]],
    {"take": "roll"},
]


class Nonsense:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._shapes = _shapes()

    def frames(self, number: int) -> list[bytes]:
        """This many different frames, after each of which more can follow."""
        kinds: list[Callable[[], bytes]] = [self.binary, self.deep, self.numbers, self.surrogates, self.text]
        kinds += 3 * [self.wrong_types, self.wrong_time]
        return [self._random.choice(kinds)() for _ in range(number)]

    def last_frames(self, number: int) -> list[bytes]:
        """Frames after which a server mostly closes the connection."""
        return [self._random.choice([self.broken_text, self.control])() for _ in range(number)]

    def binary(self) -> bytes:
        return frame(self._random.randbytes(self._random.choice([0, 1, 7, 200, 4000])), BINARY)

    def broken_text(self) -> bytes:
        """Ends the connection with 1007."""
        return frame(b'{"type":"' + self._random.randbytes(8) + b"\xff\xfe", TEXT)

    def control(self) -> bytes:
        """Fragments and control frames, some against the protocol."""
        return self._random.choice(
            [
                frame(b"", PING),
                frame(b"x" * 125, PONG),
                frame(b"{", TEXT, final=False) + frame(b"}", CONTINUATION),
                frame(b"{", CONTINUATION),
                frame(b"{}", TEXT, reserved=4),
                frame(b"{}", 7),
                frame(b"x" * 200, PING),
            ]
        )

    def deep(self) -> bytes:
        depth = self._random.choice([10, 200, 1500])
        opening, closing = self._random.choice([(b"[", b"]"), (b'{"a":', b"}")])
        whole = opening * depth + b"1" + closing * depth
        return frame(
            self._random.choice([whole, opening * depth, b'{"type":"chat","id":"x","text":' + whole + b"}"])[:8000]
        )

    def numbers(self) -> bytes:
        number = self._random.choice(
            [b"1e999", b"-1e999", b"9" * 400, b"-0", b"0." + b"9" * 400, b"NaN", b"1" * 5000, b"1e-999"]
        )
        key = self._random.choice([b"seq", b"seat", b"target", b"last_seq", b"most"])
        kind = self._random.choice([b"move", b"kick", b"resume", b"history", b"create"])
        return frame(b'{"type":"%b","id":"x","%b":%b}' % (kind, key, number))

    def surrogates(self) -> bytes:
        text = self._random.choice([rb"\ud800", rb"\udfff\ud800", rb"\u0000", rb"\ud83d\ude00", rb"\u202e"])
        kind = self._random.choice(
            [b'"chat","text"', b'"join","room":"AAAA","name"', b'"create","game":"doubles","name"']
        )
        return frame(b'{"type":' + kind.replace(b",", b',"id":"x",', 1) + b':"' + text + b'"}')

    def text(self) -> bytes:
        letters = '{}[]",:typeid0123456789\\u \u00e9\u4e2d\U0001f3b2'
        return frame("".join(self._random.choices(letters, k=self._random.randint(0, 300))).encode())

    def wrong_types(self) -> bytes:
        """A message with a field that is odd, missing, or one too many."""
        message = self._message()
        key = self._random.choice(list(message))
        match self._random.randint(0, 3):
            case 0:
                del message[key]
            case 1:
                message["surplus"] = self._random.choice(_ODD)
            case _:
                message[key] = self._random.choice(_ODD)
        return frame(json.dumps(message).encode()[:8100])

    def wrong_time(self) -> bytes:
        """A valid message at a time when it is not expected."""
        return frame(json.dumps(self._message()).encode())

    def _message(self) -> dict[str, Any]:
        shape = self._random.choice(self._shapes)
        return {key: self._random.choice(values) for key, values in shape.items()}


def _shapes() -> list[dict[str, list[Any]]]:
    """For each message of a client: its fields, and valid values for them."""
    defined = schema()["client"]["$defs"]
    known: dict[str, list[Any]] = {
        "id": ["x", "y"],
        "protocol": [[3, 3], [7, 9]],
        "room": ["AAAA", "KQ7M"],
        "name": ["mallory", "bo"],
        "game": ["doubles", "farkle", "sevens", "double-or-nothing", "chess"],
        "options": [{}, {"rounds": 3}, {"rounds": "x"}],
        "move": [{"take": "roll"}, {"take": "keep", "choice": "1 1"}, {"take": "roll", "faces": [1, 2]}],
        "seat_token": ["a" * 43],
        "password": [*[None] * 15, "sesame"],  # a password costs a slow hash, as it should
        "commit": ["ab" * 32],
        "seed": ["ab" * 16],
        "text": ["hello", "x" * 301],
        "level": ["easy", "godlike"],
    }
    by_type: dict[str, list[Any]] = {"integer": [0, 1, 5], "boolean": [True, False], "string": ["x"], "number": [1]}
    shapes = []
    for model in defined.values():
        fields = model.get("properties", {})
        if "type" not in fields or "const" not in fields["type"]:
            continue
        shape: dict[str, list[Any]] = {"type": [fields["type"]["const"]]}
        for name, field in fields.items():
            if name != "type":
                shape[name] = known.get(name) or by_type.get(field.get("type", ""), [1, "x"])
        shapes.append(shape)
    assert len(shapes) > 15, ClientMessage
    return shapes

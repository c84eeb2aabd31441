"""Every field of every message, at its extremes: exactly one answer, and the connection stays open.

`log` with a number of 2**63 closed the connection without an answer.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicegames_protocol.base import LARGEST
from dicegames_server.app.schema import schema
from support.hall import Hall, Peer
from support.schema_values import values

CLIENT, SERVER = schema()["client"], schema()["server"]
NAMES = [name for name, model in CLIENT["$defs"].items() if "type" in model.get("properties", {})]
EXTREMES: list[Any] = [
    *(sign * number for number in (0, 1, LARGEST, LARGEST + 1, 2**63 - 1, 2**63, 2**64, 10**30) for sign in (1, -1)),
    10**4299,
    1.5,
    1e308,
    True,
    None,
    "",
    "x" * 64,
    "x" * 5000,
    "\0",
    "\x1b[31m\x9b\u202e",
    "\ud83c\udfb2" * 40,
    [],
    [2**63] * 16,
    {},
    {"x": {"y": 2**63}},
    [[[[[[]]]]]],
]


def walk(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(schema, dict):
        yield path, schema
        for key, part in schema.items():
            yield from walk(part, f"{path}.{key}")
    elif isinstance(schema, list):
        for number, part in enumerate(schema):
            yield from walk(part, f"{path}[{number}]")


@pytest.mark.parametrize("side", [CLIENT, SERVER], ids=["client", "server"])
def test_every_integer_has_bounds(side: dict[str, Any]) -> None:
    for path, part in walk(side):
        if part.get("type") == "integer":
            assert {"minimum", "exclusiveMinimum"} & part.keys(), path
            assert {"maximum", "exclusiveMaximum"} & part.keys(), path


async def inside(hall: Hall) -> Peer:
    """Somebody at a table where a game runs."""
    return (await hall.table("farkle", "ana", "bo"))[0]


def samples() -> dict[str, dict[str, Any]]:
    """A plain message of each type."""
    found: dict[str, dict[str, Any]] = {}
    for name in NAMES:
        fields = CLIENT["$defs"][name]["properties"]
        found[name] = {"type": fields["type"]["const"]}
        for field in CLIENT["$defs"][name].get("required", ()):
            found[name][field] = "1"
    found["Hello"] |= {"protocol": [3, 3]}
    found["MakeMove"] |= {"seq": 0, "move": {"take": "roll", "choice": None, "faces": None}}
    found["Resume"] |= {"epoch": 1, "last_seq": 1}
    found["Kick"]["target"] = found["GiveHost"]["target"] = 1
    found["ChangeOptions"]["options"] = {}
    return found


def placed(message: dict[str, Any], field: str, value: Any) -> dict[str, Any]:
    head, _, rest = field.partition(".")
    return {**message, head: placed(message[head], rest, value) if rest else value}


@pytest.mark.parametrize("name", NAMES)
async def test_the_extremes_of_every_field_get_one_answer(name: str) -> None:
    hall = Hall(connections_per_address=0, bots_per_address=0)
    sample = samples()[name]
    fields = [field for field in CLIENT["$defs"][name]["properties"] if field not in ("type", "id")]
    fields += [f"move.{field}" for field in ("take", "choice", "faces")] if name == "MakeMove" else []
    for field in fields:
        for value in EXTREMES:
            peer = Peer(hall) if name == "Hello" else await inside(hall)
            start = len(peer.seen)
            await peer.tell(json.dumps(placed(sample, field, value)))
            answers = [m for m in peer.seen[start:] if getattr(m, "id", None) == "1" or name == "Hello"]
            assert len(answers) == 1, (field, value, answers)
            assert peer.link.closed is None or name in ("Hello", "Leave"), (field, value)
            for room in hall.lobby.rooms:
                room.suspend()
                hall.lobby.registry.let_go(room)


@pytest.mark.parametrize("game", ["doubles", "sevens", "farkle", "double-or-nothing"])
async def test_the_extremes_of_every_option_get_one_answer(game: str) -> None:
    hall = Hall()
    for option in schema()["games"][game]["options"]["properties"]:
        for value in EXTREMES:
            peer = await hall.peer()
            start = len(peer.seen)
            create = {"type": "create", "id": "1", "game": game, "name": "ana", "options": {option: value}}
            await peer.tell(json.dumps(create))
            assert len([m for m in peer.seen[start:] if getattr(m, "id", None) == "1"]) == 1, (option, value)
            assert peer.link.closed is None, (option, value)


@settings(max_examples=150)
@given(message=values(CLIENT), again=st.booleans())
async def test_whatever_the_schema_allows_gets_one_answer(message: dict[str, Any], again: bool) -> None:
    hall = Hall(bots_per_address=0)
    peer = await inside(hall)
    for _ in range(1 + again):
        start = len(peer.seen)
        await peer.tell(json.dumps(message))
        wanted = message.get("id")
        answers = [m for m in peer.seen[start:] if getattr(m, "id", None) == wanted]
        assert len(answers) == 1, (message, answers)

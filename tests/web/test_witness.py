"""The page finds the same lies as the terminal client, and says at the end whether the dice are proven."""

import json
import random
from typing import Any

import pytest

from dicegames_protocol.fairness.inspector import Inspector
from dicegames_protocol.games import keys
from fair.tables import FairTable
from fair.test_attacks import places
from support.node import needs_node, run
from support.pure_table import chained

pytestmark = [needs_node, pytest.mark.usefixtures("luck")]

NONSENSE = "What it says about the dice makes no sense."
INSPECT = """
import { inspector } from "./guest/inspector.js";
console.log(JSON.stringify(given.map((lines) => {
  const looks = inspector();
  return lines.map((line) => looks.see(line, JSON.parse(line)));
})));
"""


def inspected(logs: list[list[bytes]]) -> list[list[list[str]]]:
    """What the page says to each update of each log."""
    found: list[list[list[str]]] = run(INSPECT, [[line.decode() for line in lines] for lines in logs])
    return found


def in_the_terminal(lines: list[bytes]) -> list[list[str]]:
    inspector = Inspector()
    return [inspector.see(line, json.loads(line)) for line in lines]


def first(told: list[list[str]]) -> tuple[int, list[str]] | None:
    """The first update with which something is wrong, and what. None: there is none."""
    return next(((number, sorted(found)) for number, found in enumerate(told) if found), None)


async def honest_log(game: str, seed: int, players: tuple[str, ...] = ("ana", "bo")) -> list[bytes]:
    bots = 0 if game == "double-or-nothing" else 1
    table = await FairTable.open(game, *players, bots=bots, seats=None if game == "double-or-nothing" else 12)
    await (await table.start()).play(random.Random(seed))
    await table.rematch()
    await table.play(random.Random(seed + 1))
    return await table.log()


@pytest.mark.parametrize("game", keys())
async def test_an_honest_evening_is_right(game: str) -> None:
    lines = await honest_log(game, 3)
    assert inspected([lines]) == [[[]] * len(lines)]


async def test_a_committee_of_a_large_table() -> None:
    lines = await honest_log("sevens", 4, tuple(f"p{number}" for number in range(10)))
    assert inspected([lines]) == [[[]] * len(lines)]


def broken(log: list[dict[str, Any]], rng: random.Random) -> list[bytes] | None:
    """The log with one value changed, and its chain of hashes made anew."""
    log = json.loads(json.dumps(log))
    update = rng.choice(log)
    found = [path for path in places(update) if path[:2] in (("patch", "fair"), ("cause", "drawn"), ("cause", "kind"))]
    found += [path for path in places(update) if path[0] == "events" and "faces" in path]
    if not found:
        return None
    *way, last = rng.choice(found)
    target: Any = update
    for step in way:
        target = target[step]
    before = target[last]
    if rng.random() < 0.2 and isinstance(target, dict):
        del target[last]
    else:
        target[last] = before + 1 if isinstance(before, int) else f"{'1' if str(before)[:1] == '0' else '0'}{before}"
    return chained(log)


async def test_a_changed_log_is_wrong_to_both() -> None:
    """What the terminal finds wrong is wrong to the page, in the same words, and nothing else is."""
    rng = random.Random(11)
    logs = []
    for game in ("farkle", "doubles", "sevens"):
        honest = [json.loads(line) for line in await honest_log(game, 5)]
        logs += [lines for _ in range(60) if (lines := broken(honest, rng))]
    noticed = 0
    for lines, found in zip(logs, inspected(logs), strict=True):
        expected = first(in_the_terminal(lines))
        noticed += expected is not None
        got = first(found)  # after the first lie the two may differ about what follows from it
        if expected and got and NONSENSE in expected[1]:  # a wrong type: Python can't go on, JavaScript often can
            assert got[0] == expected[0]
        else:
            assert got == expected
    assert noticed > 50


async def test_a_log_without_its_chain_of_hashes_is_wrong() -> None:
    lines = await honest_log("farkle", 6)
    swapped = [*lines[:5], lines[5].replace(b'"seq"', b' "seq"', 1), *lines[6:]]
    assert first(inspected([swapped])[0]) == first(in_the_terminal(swapped))
    assert first(inspected([swapped])[0]) == (6, ["It does not follow the update before it: the log was changed."])

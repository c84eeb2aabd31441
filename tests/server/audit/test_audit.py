"""A log can be checked without any other data, and every single edit of it is noticed."""

import copy
import json
import os
import random
from typing import Any

import pytest

from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import AddBot, FetchLog, Kick, Leave, Start
from dicegames_protocol.messages.server import Ack, Log
from dicegames_server.audit.audit import audit, verdict
from fair.tables import FairTable, fair_hall
from support.pure_table import chained

pytestmark = pytest.mark.usefixtures("luck")

EDITS = 100_000 if os.environ.get("DICEGAMES_LONG") else 200


async def evening(game: str, seed: int = 1) -> FairTable:
    """A long session: two people and a bot where there is room, a rematch, a restart, a kick in between."""
    table = await FairTable.open(game, "ana", "bo", turn_limit=20)
    hall, peers = table.hall, table.peers
    if game != "double-or-nothing":
        await peers[0].expect(Ack, AddBot(id="bot"))
        guest = await hall.peer()
        await guest.join(table.room, "cy")
        await peers[0].expect(Ack, Kick(id="kick", target=3))
    for peer in peers:
        await peer.ready()
    await hall.links(*peers)
    rng = random.Random(seed)
    await hall.wait(21, *peers)  # somebody's time is up
    await table.play(rng)
    await hall.restart()
    table.peers = [await hall.peer() for _ in range(2)]
    for peer, before in zip(table.peers, peers, strict=True):
        peer.witness = before.witness
        await peer.resume(before)
    await table.rematch()
    await table.play(rng)
    await table.peers[1].expect(Ack, Leave(id="leave"))
    return table


@pytest.mark.parametrize("game", keys())
async def test_an_honest_log_passes_every_check(game: str) -> None:
    table = await evening(game)
    checks = await table.checks()
    assert all(check.ok for check in checks), checks
    assert [check.name for check in checks] == [
        "numbers",
        "chain",
        "dice",
        "secrets",
        "list",
        "rules",
        "faces",
        "memory",
    ]
    assert "2 of 2 secrets" in checks[3].detail
    assert verdict(checks) == ("proven", [])


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in leaves(inner, (*path, key))]
    if isinstance(value, list) and value:
        return [leaf for index, inner in enumerate(value) for leaf in leaves(inner, (*path, index))]
    return [path]


def edited(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice([-1, 1, 7])
    if isinstance(value, str):
        if not value:
            return "x"
        at = rng.randrange(len(value))
        return value[:at] + ("0" if value[at] != "0" else "1") + value[at + 1 :]
    return [7] if isinstance(value, list) else 1


@pytest.mark.parametrize("game", keys())
async def test_every_single_edit_is_noticed(game: str) -> None:
    """Also where the chain of hashes is made anew, so that only the dice and the rules can tell."""
    honest = [json.loads(line) for line in await (await evening(game)).log()]
    known = {doubt for check in audit(chained(honest)) for doubt in check.doubts}
    rng = random.Random(game)
    for _ in range(EDITS // len(keys())):
        log = copy.deepcopy(honest)
        line = rng.randrange(len(log))
        path = rng.choice([path for path in leaves(log[line]) if path != ("prev",)])
        target = log[line]
        for step in path[:-1]:
            target = target[step]
        before = target[path[-1]]
        if rng.random() < 0.15 and isinstance(target, dict):
            del target[path[-1]]
        else:
            target[path[-1]] = edited(before, rng)
        checks = audit(chained(log))
        doubts = {doubt for check in checks for doubt in check.doubts} - known  # such as: it is of other rules
        assert doubts or not all(check.ok for check in checks), (line + 1, path, before)


async def test_lines_left_out_swapped_or_added_are_noticed() -> None:
    table = await evening("doubles")
    honest = await table.log()
    for log in (honest[:5] + honest[6:], [*honest[:5], honest[6], honest[5], *honest[7:]], [*honest, honest[-1]]):
        assert not all(check.ok for check in audit(log))
    assert [check.ok for check in audit([])] == [False]
    assert [check.ok for check in audit([b"nonsense"])] == [False]
    changed = [*honest[:7], honest[7].replace(b'"update"', b'"update" '), *honest[8:]]
    (wrong,) = [check for check in audit(changed) if not check.ok]
    assert wrong.detail == "update 9: It does not follow the update before it: the log was changed."


async def test_a_game_that_still_runs_is_checked_as_far_as_possible() -> None:
    for game, rest in (("sevens", 0), ("doubles", 3)):
        table = await (await FairTable.open(game, "ana", "bo")).start()
        await table.play(most=1)
        checks = await table.checks()
        found, reasons = verdict(checks)
        assert found == "not proven" and "game 1: it is not over" in reasons, reasons
        late = f"{rest} updates can be checked when the game is over"  # of a hidden end nothing is known yet
        assert (late in reasons) == bool(rest), reasons


async def test_the_log_of_a_room_with_a_password_needs_it() -> None:
    hall = fair_hall()
    ana, bo = [await hall.peer() for _ in range(2)]
    room = (await ana.create("doubles", password="dice")).room
    assert (await bo.refused(FetchLog(id="1", room=room))).code == "no_such_room"
    page = await bo.expect(Log, FetchLog(id="2", room=room, password="dice"))
    assert [json.loads(line)["cause"]["kind"] for line in page.lines] == ["open", "join"]
    await ana.expect(Ack, Start(id="3"))

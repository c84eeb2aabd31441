"""A log can be checked without any other data, and every single edit of it is noticed."""

import copy
import json
import os
import random
from dataclasses import replace
from typing import Any

import pytest

from dicegames_protocol.fairness import commitment
from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import AddBot, FetchLog, Kick, Leave, Ready, Rematch, Reveal, Start
from dicegames_protocol.messages.server import Ack, Log
from dicegames_server.lobby.lobby import LOG_PAGE, Lobby
from dicegames_server.room.environment import FairDice
from dicegames_server.table.audit import audit
from support.hall import DurableMemory, Hall, Peer

EDITS = 100_000 if os.environ.get("DICEGAMES_LONG") else 400
OPTIONS: dict[str, dict[str, Any]] = {
    "doubles": {"rounds": "1-3"},
    "sevens": {"rounds": 2},
    "farkle": {"target": 800},
    "double-or-nothing": {"best_of": 3},
}
SEEDS = [b"\xaa" * 16, b"\xbb" * 16]


def fair_hall(**settings: Any) -> Hall:
    """A hall with the dice that a real server has."""
    hall = Hall(storage=DurableMemory(), **settings)
    hall.environment = replace(hall.environment, dice=FairDice())
    hall.lobby = Lobby(hall.environment)
    return hall


async def show_seeds(hall: Hall, peers: list[Peer]) -> None:
    for peer, seed in zip(peers, SEEDS, strict=True):
        peer.drain()
        if peer.phase == "dealing":
            await peer.expect(Ack, Reveal(id=hall.id(), seed=seed.hex()))
    hall.drain(*peers)


async def play(hall: Hall, peers: list[Peer], rng: random.Random) -> None:
    while peers[0].phase == "playing":
        for peer in peers:
            peer.drain()
            offers = peer.store.offers(peer.seat)
            if any(offer.needed for offer in offers.values()):
                take = rng.choice(sorted(offers))
                choices = offers[take].choices
                await peer.move(take, choice=rng.choice(sorted(choices)) if choices else None)
        await hall.wait(2, *peers)


async def log_of(game: str, seed: int = 1) -> list[bytes]:
    """A long session: two people and a bot where there is room, seeds, a rematch, a restart, a kick in between."""
    hall = fair_hall(bot_seconds=1, grace_seconds=1)
    peers = [await hall.peer() for _ in range(2)]
    room = (await peers[0].create(game, options=OPTIONS.get(game, {}), turn_limit=20)).room
    await peers[1].join(room, "bo")
    if game != "double-or-nothing":
        await peers[0].expect(Ack, AddBot(id="bot"))
        guest = await hall.peer()
        await guest.join(room, "cy")
        await peers[0].expect(Ack, Kick(id="kick", target=3))
    for peer, seed_ in zip(peers, SEEDS, strict=True):
        await peer.expect(Ack, Ready(id=hall.id(), commit=commitment(seed_)))
    await show_seeds(hall, peers)
    rng = random.Random(seed)
    await hall.wait(21, *peers)  # somebody's time is up
    await play(hall, peers, rng)
    await hall.restart()
    back = [await hall.peer() for _ in range(2)]
    for peer, before in zip(back, peers, strict=True):
        await peer.resume(before)
    for peer, seed_ in zip(back, SEEDS, strict=True):
        await peer.expect(Ack, Rematch(id=hall.id(), commit=commitment(seed_) if peer is back[0] else None))
    await show_seeds(hall, back)
    await play(hall, back, rng)
    await back[1].expect(Ack, Leave(id="leave"))
    reader = await hall.peer()
    lines: list[bytes] = []
    while True:
        page = await reader.expect(Log, FetchLog(id=hall.id(), room=room, after=len(lines)))
        if not page.updates:
            break
        lines += [update.model_dump_json(exclude_none=True).encode() for update in page.updates]
    return lines


@pytest.mark.parametrize("game", keys())
async def test_an_honest_log_passes_every_check(game: str) -> None:
    lines = await log_of(game)
    own = {commitment(SEEDS[0]): SEEDS[0].hex()}
    checks = audit(lines, own)
    assert all(check.ok for check in checks), checks
    assert [check.name for check in checks] == [
        "numbers",
        "commits",
        "seeds",
        "rules",
        "faces",
        "your seed",
        "your seed",
    ]
    assert "2 of 2 secrets" in checks[1].detail


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
    honest = [json.loads(line) for line in await log_of(game)]
    rng = random.Random(game)
    for _ in range(EDITS // len(keys())):
        log = copy.deepcopy(honest)
        line = rng.randrange(len(log))
        path = rng.choice(leaves(log[line]))
        target = log[line]
        for step in path[:-1]:
            target = target[step]
        before = target[path[-1]]
        if rng.random() < 0.15 and isinstance(target, dict):
            del target[path[-1]]
        else:
            target[path[-1]] = edited(before, rng)
        checks = audit([json.dumps(update).encode() for update in log])
        assert not all(check.ok for check in checks), (line + 1, path, before)


async def test_lines_left_out_swapped_or_added_are_noticed() -> None:
    honest = await log_of("doubles")
    for log in (honest[:5] + honest[6:], [*honest[:5], honest[6], honest[5], *honest[7:]], [*honest, honest[-1]]):
        assert not all(check.ok for check in audit(log))
    assert [check.ok for check in audit([])] == [False]
    assert [check.ok for check in audit([b"nonsense"])] == [False]


async def test_a_seed_of_mine_that_was_not_used_is_noticed() -> None:
    hall = fair_hall()
    ana, bo = [await hall.peer() for _ in range(2)]
    room = (await ana.create("double-or-nothing", options={"start": 19})).room
    await bo.join(room, "bo")
    for peer, seed in ((ana, SEEDS[0]), (bo, SEEDS[1])):
        await peer.expect(Ack, Ready(id=hall.id(), commit=commitment(seed)))
    await bo.expect(Ack, Reveal(id="1", seed=SEEDS[1].hex()))
    await hall.wait(5, ana, bo)
    mover = ana if ana.store.wanted() is not None else bo
    await mover.move("add")
    found = await hall.environment.storage.read(room, 0, LOG_PAGE)
    assert found
    checks = audit(found[1], {commitment(seed): seed.hex() for seed in SEEDS})
    assert [(check.ok, check.detail.split(": ")[1]) for check in checks if check.name == "your seed"] == [
        (False, "the seed of ana was left out"),
        (True, "the seed of bo is included"),
    ]
    assert all(check.ok for check in checks if check.name != "your seed")


async def test_a_game_that_still_runs_is_checked_up_to_its_beginning() -> None:
    hall = fair_hall()
    ana, _ = await hall.table("doubles", "ana", "bo")
    await ana.move("roll")
    found = await hall.environment.storage.read(ana.store.room or "", 0, LOG_PAGE)
    assert found
    checks = audit(found[1])
    assert all(check.ok for check in checks)
    assert "still running" in checks[1].detail


async def test_the_log_of_a_room_with_a_password_needs_it() -> None:
    hall = fair_hall()
    ana, bo = [await hall.peer() for _ in range(2)]
    room = (await ana.create("doubles", password="dice")).room
    assert (await bo.refused(FetchLog(id="1", room=room))).code == "no_such_room"
    page = await bo.expect(Log, FetchLog(id="2", room=room, password="dice"))
    assert [update.cause.kind for update in page.updates] == ["open", "join"]
    await ana.expect(Ack, Start(id="3"))

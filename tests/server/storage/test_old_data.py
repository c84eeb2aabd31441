"""A data folder and logs that an earlier version wrote are read without a difference.

`tests/golden/data` was written before the modules were put into packages. It has six rooms: in the middle of games,
with typed dice that may still be corrected, after a game, and waiting. When a format changes, old data must still be
read, or be refused with a clear sentence. In that case add a second folder beside this one; do not replace it.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from dicegames_protocol import patch
from dicegames_protocol.codec import state_hash
from dicegames_protocol.messages.client import Resume
from dicegames_protocol.messages.server import CaughtUp
from dicegames_server.audit.audit import audit, verdict
from dicegames_server.storage.sqlite.sqlite_store import SqliteStorage
from support.hall import Hall

DATA = Path(__file__).parents[2] / "golden" / "data"
EXPECTED: dict[str, Any] = json.loads((DATA / "expected.json").read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dicegames.sqlite3").write_bytes(gzip.decompress((DATA / "dicegames.sqlite3.gz").read_bytes()))
    return tmp_path


async def test_all_rooms_come_back_and_everybody_finds_their_seat(folder: Path) -> None:
    storage = SqliteStorage(folder)
    await storage.start()
    hall = Hall(storage=storage)
    await hall.lobby.registry.adopt()
    assert len(hall.lobby) == len(EXPECTED)
    for name, told in EXPECTED.items():
        kept = hall.lobby.registry.here(told["room"])
        assert kept, name
        state = kept.room.state
        assert (state.seq, state_hash(patch.dump(state.public()))) == (told["seq"], told["hash"]), name
        for token in told["tokens"]:
            peer = await hall.peer()
            resume = Resume(id=hall.id(), room=told["room"], seat_token=token, epoch=1, last_seq=0)
            caught_up = await peer.expect(CaughtUp, resume)
            assert caught_up.hash == told["hash"] and not peer.gaps, name
    await storage.stop()


async def test_games_go_on_in_the_middle(folder: Path) -> None:
    storage = SqliteStorage(folder)
    await storage.start()
    hall = Hall(storage=storage)
    await hall.lobby.registry.adopt()
    for name in ("farkle-running", "farkle-entered", "sevens-running", "double-or-nothing-running"):
        told = EXPECTED[name]
        peers = []
        for token in told["tokens"]:
            peers.append(await hall.peer())
            await peers[-1].expect(
                CaughtUp, Resume(id=hall.id(), room=told["room"], seat_token=token, epoch=1, last_seq=0)
            )
            peers[-1].store = peers[-1].store.__class__(
                room=told["room"],
                epoch=2,
                seq=told["seq"],
                table=peers[-1].store.table,
                tokens={len(peers) - 1: token},
            )
        for peer in peers:
            seat = peer.store.wanted()
            if seat is None:
                continue
            if name == "farkle-entered":
                entered = peer.store.offers(seat)["correct"].enter or 0
                await peer.move("correct", faces=(1,) * entered)
            else:
                take, offer = next(iter(peer.store.offers(seat).items()))
                await peer.move(take, choice=next(iter(offer.choices)) if offer.choices else None)
            break
        else:
            raise AssertionError(f"{name} waits for nobody")
        hall.check(*peers)
    await storage.stop()


@pytest.mark.parametrize("name", ["doubles-over", "farkle-entered", "double-or-nothing-running"])
def test_old_logs_are_verified_to_the_last_field(name: str) -> None:
    checks = audit((DATA / f"{name}.jsonl").read_bytes().splitlines())
    assert all(check.ok for check in checks), checks
    found, reasons = verdict(checks)
    assert found == "not proven" and any("scheme 1" in reason for reason in reasons)

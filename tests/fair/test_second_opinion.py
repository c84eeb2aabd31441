"""docs/examples/verify.mjs, a verifier in another language, agrees about logs of all kinds."""

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import Leave
from dicegames_protocol.messages.server import Ack
from dicegames_server.audit.audit import audit
from fair.tables import FairTable
from support.pure_table import chained

VERIFIER = Path(__file__).parents[2] / "docs" / "examples" / "verify.mjs"
GOLDEN = Path(__file__).parents[1] / "golden" / "data"

pytestmark = [
    pytest.mark.skipif(
        shutil.which("node") is None, reason="no node command here; install nodejs (18 or newer) to run this"
    ),
    pytest.mark.usefixtures("luck"),
]


def second_opinion(folder: Path, lines: list[bytes]) -> tuple[int, str]:
    file = folder / "log.jsonl"
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    found = subprocess.run(["node", str(VERIFIER), str(file)], capture_output=True, text=True)
    assert not found.stderr, found.stderr
    return found.returncode, found.stdout


async def played(game: str, names: tuple[str, ...], seed: int = 5) -> FairTable:
    table = await FairTable.open(game, *names, bots=0 if game == "double-or-nothing" else 1)
    return await (await table.start()).play(random.Random(seed))


@pytest.mark.parametrize("game", keys())
async def test_it_agrees_about_a_whole_evening(game: str, tmp_path: Path) -> None:
    table = await played(game, ("ana", "bo"))
    await table.rematch()
    await table.play(random.Random(6))
    lines = await table.log()
    code, text = second_opinion(tmp_path, lines)
    assert code == 0, text
    for at in (line for line in range(len(lines)) if b'"drawn"' in lines[line] and b'"faces"' in lines[line]):
        forged = [json.loads(line) for line in lines]
        faces = forged[at]["cause"]["drawn"]["faces"]
        faces[0] = faces[0] % 2 + 1
        assert not all(check.ok for check in audit(chained(forged)))
        assert second_opinion(tmp_path, chained(forged))[0] == 1
        break
    code, text = second_opinion(tmp_path, [*lines[:4], lines[4].replace(b"}", b"} ", 1), *lines[5:]])
    assert (code, "does not follow the update before" in text) == (1, True)


async def test_it_agrees_about_abandoned_and_redrawn_games(tmp_path: Path) -> None:
    table = await (await FairTable.open("farkle", "ana", "bo", "cy", options={"target": 10_000})).start()
    await table.play(most=2)
    await table.peers[2].drop()
    table.peers.pop()
    await table.play(most=4)
    await table.peers[1].expect(Ack, Leave(id="bye"))
    table.peers.pop()
    await table.play(most=3)
    await table.abandon()
    lines = await table.log()
    assert all(check.ok for check in await table.checks())
    code, text = second_opinion(tmp_path, lines)
    assert code == 6
    assert "cy did not answer" in text and "game 1 was abandoned" in text


async def test_a_large_table(tmp_path: Path) -> None:
    table = await (await FairTable.open("doubles", *(f"p{n}" for n in range(12)), seats=20)).start()
    await table.play(random.Random(2))
    assert len(table.peers[0].store.table["fair"]["committee"]) == 7
    assert not table.alarms
    assert await table.verdict(of=11) == ("proven", [])
    code, text = second_opinion(tmp_path, await table.log())
    assert code == 0, text


def test_logs_of_the_first_scheme_are_not_its_business(tmp_path: Path) -> None:
    code, text = second_opinion(tmp_path, (GOLDEN / "doubles-over.jsonl").read_bytes().splitlines())
    assert (code, "scheme 1" in text) == (6, True)


def test_what_is_no_log(tmp_path: Path) -> None:
    assert second_opinion(tmp_path, [b"nonsense"])[0] == 1
    assert VERIFIER.read_text().count("\n") < 200


async def test_odd_dice_keep_nobody_busy(tmp_path: Path) -> None:
    table = await played("sevens", ("ana", "bo"))
    for field, value in (("sides", 0), ("sides", 257), ("count", 10**9)):
        log = [json.loads(line) for line in await table.log()]
        drawn = next(line["cause"]["drawn"] for line in log if line["cause"].get("drawn"))
        drawn[field] = value
        assert second_opinion(tmp_path, chained(log))[0] == 1
    assert second_opinion(tmp_path, [])[0] == 1

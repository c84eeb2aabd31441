"""Our part of the dice and what we remember: across reconnects and runs, and at the end of a chain."""

import io
import random
from dataclasses import replace
from pathlib import Path

import pytest

from dicegames_client.base.errors import ClientError
from dicegames_client.base.state import witness_files
from dicegames_client.base.state.witness_files import WitnessFile, other_room, recall
from dicegames_client.guest import chains as module
from dicegames_client.guest.witness import ANOTHER_ROOM, MOST_ROOMS, NO_HEAD, WENT_BACK, Witness
from dicegames_client.lines import log_lines
from dicegames_protocol.codec import encode_ascii, update_hash
from dicegames_protocol.fairness import chain
from dicegames_protocol.messages.client import AddBot, Ready
from dicegames_protocol.messages.server import Ack, Snapshot
from dicegames_server.audit.audit import audit, verdict
from fair.tables import FairTable, fair_hall, take_turn
from support.home import is_private
from support.remembering import Remembering

pytestmark = pytest.mark.usefixtures("luck")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(witness_files, "state_folder", lambda: tmp_path)
    monkeypatch.setattr("dicegames_client.base.state.state_files.state_folder", lambda: tmp_path)
    return tmp_path


async def test_another_process_goes_on_with_the_same_chain() -> None:
    """A client that was killed in the middle of a game takes its seat back, and its part in the dice with it."""
    table = await (await FairTable.open("farkle", "ana", "bo")).start()
    await table.play(random.Random(1), most=3)
    ana, bo = table.peers
    await ana.drop()
    again = await table.hall.peer(memory=table.memories[0])  # only what was kept is left
    ana.store = replace(ana.store, epoch=0)  # a new process knows nothing of the table
    await again.resume(ana)
    table.peers[0] = again
    await table.play(random.Random(2))
    assert not again.alarms and not bo.alarms
    assert await table.verdict() == ("proven", [])


async def test_a_client_without_its_chain_is_out_and_gives_a_new_tip_for_the_next_game() -> None:
    table = await (await FairTable.open("double-or-nothing", "ana", "bo", options={"start": 19})).start()
    ana, bo = table.peers
    assert ana.witness
    ana.witness.chains._chains.clear()
    table.memories[0].seeds.clear()
    await table.play(random.Random(1))
    await table.rematch()
    assert "without" not in bo.store.table["fair"]
    fair = table.hall.room(ana).state.fair
    assert fair and fair.committee == (0, 1)


async def test_a_chain_that_ends_is_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LENGTH", "USABLE"):
        monkeypatch.setattr(chain, name, 8 - (name == "USABLE"))
    monkeypatch.setattr(chain, "_STEP", 4)
    monkeypatch.setattr(module, "USABLE", 7)
    chain.chain_of.cache_clear()
    table = await (await FairTable.open("farkle", "ana", "bo", options={"target": 3000})).start()
    await table.play(random.Random(1))
    assert not table.alarms
    fair = table.peers[0].store.table["fair"]
    assert table.hall.room(table.peers[0]).state.draws > 16 and "secret" in fair
    assert len(table.memories[0].seeds) > 2
    assert await table.verdict() == ("proven", []), await table.checks()
    chain.chain_of.cache_clear()


@pytest.mark.parametrize(("people", "at_once"), [(("ana",), True), (("ana", "bo"), False)])
async def test_a_link_travels_with_the_move_among_bots_only(people: tuple[str, ...], at_once: bool) -> None:
    table = await (await FairTable.open("sevens", *people, bots=1)).start()
    await take_turn(table.peers[0], random.Random(1))
    rolled = table.peers[0].updates[-1].cause
    assert (rolled.drawn is not None) == at_once and (rolled.draw is None) == at_once


async def test_a_person_who_is_out_still_keeps_others_from_showing_early() -> None:
    """The server says that bo does not answer. Then ana alone decides the dice, but bo could still use them."""
    table = await (await FairTable.open("farkle", "ana", "bo")).start()
    ana, _ = table.peers
    move = ana.moving("roll")
    fair = {**ana.store.table["fair"], "committee": [0], "out": {"1": "bo"}}
    alone = replace(ana.store, table={**ana.store.table, "fair": fair})
    assert ana.witness and ana.witness.chains.with_move(move, alone) == move
    seats = {"0": ana.store.player(0), "1": {**ana.store.player(1), "bot": "steady"}}
    among_bots = replace(alone, table={**alone.table, "seats": seats})
    assert ana.witness.chains.with_move(move, among_bots) != move
    assert ana.witness.chains.with_move(ana.moving("bank"), among_bots).links is None  # type: ignore[union-attr]


# Files.


async def test_what_was_seen_is_in_a_file_and_verify_reads_it(folder: Path) -> None:
    hall = fair_hall()
    ana = await hall.peer(memory=WitnessFile())
    room = (await ana.create("sevens", options={"rounds": 1})).room
    await ana.expect(Ack, AddBot(id="b"))
    await ana.expect(Ack, Ready(id="r"))
    table = FairTable(hall, [ana], [Remembering()])
    await table.play(random.Random(1))
    lines = await table.log()
    (file,) = (folder / "witness").iterdir()
    assert file.name.startswith(f"{room}-") and is_private(file)
    assert set(lines[2:]) <= set(file.read_bytes().splitlines())
    memory = recall(ana.store.info.id or "")
    assert verdict(audit(lines, memory)) == ("proven", [])
    assert not recall("another").seen and not recall("").seen
    file.write_bytes(file.read_bytes() + b"\xff\xfe not json\n[]\n" + b'{"witness":"alarm","said":"\\u001b[31mred"}\n')
    found, reasons = verdict(audit(lines, recall(ana.store.info.id or "")))
    assert found == "wrong" and "\x1b" not in reasons[0]


def test_the_name_of_a_file_is_harmless_whatever_the_server_says(folder: Path) -> None:
    memory = WitnessFile()
    memory.begin("../../x", "../../../etc/passwd\x1b", "/")
    memory.heard(b'{"a":1}')
    memory.heard(b"two\nlines")
    (file,) = (folder / "witness").iterdir()
    assert file.parent == folder / "witness" and file.name.startswith("etcpassw-")
    assert len(file.read_bytes().splitlines()) == 2


def test_old_files_are_forgotten_and_large_ones_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness_files, "_MOST_FILES", 3)
    monkeypatch.setattr(witness_files, "_MOST_BYTES", 400)
    for number in range(6):
        memory = WitnessFile()
        memory.begin("s", f"R{number}", f"id {number}")
    for _ in range(50):
        memory.heard(b"x" * 50)
    files = list((folder / "witness").iterdir())
    assert len(files) == 3
    assert all(file.stat().st_size < 500 for file in files)


def test_a_folder_that_can_not_be_written_stops_nobody(folder: Path) -> None:
    (folder / "witness").write_text("a file in the place of the folder")
    memory = WitnessFile()
    memory.begin("s", "KQ7M", "id")
    memory.heard(b"{}")
    memory.noted("alarm", {"said": "x"})
    assert memory.chains() == [] and not recall("id").seen


async def test_a_spectator_is_a_witness_too() -> None:
    table = await (await FairTable.open("sevens", "ana", "bo")).start()
    remembering = Remembering()
    watcher = await table.hall.peer(memory=remembering)
    await watcher.watch(table.room)
    await table.play(random.Random(1))
    watcher.drain()
    assert not watcher.alarms
    assert verdict(audit(await table.log(), remembering.memory)) == ("proven", [])


async def test_who_came_afterwards_has_not_seen_the_dice() -> None:
    """Whoever looks only at the end can't tell an invented log from a true one."""
    table = await (await FairTable.open("sevens", "ana", "bo")).start()
    await table.play(random.Random(1))
    remembering = Remembering()
    late = await table.hall.peer(memory=remembering)
    await late.watch(table.room)
    found = verdict(audit(await table.log(), remembering.memory))
    assert found == ("not proven", ["game 1: this machine did not see it begin"])


@pytest.mark.parametrize("ahead", [0, 1], ids=["where it comes back", "in the next update"])
async def test_what_an_earlier_run_saw_is_known_at_the_table(ahead: int) -> None:
    """The client is started anew, and meanwhile the server tells another history."""
    table = await (await FairTable.open("sevens", "ana", "bo")).start()
    await table.play(random.Random(1), most=4)
    ana = table.peers[0]
    memory = Remembering()
    memory.begin("server", table.room, ana.store.info.id or "")
    memory.noted("from", {"seq": ana.store.seq + ahead, "head": "f" * 64})
    ana.store = replace(ana.store, epoch=0)
    again = await table.hall.peer(memory=memory)
    await again.resume(ana)
    table.peers[0] = again
    await table.play(random.Random(1), most=1)
    assert [alarm for alarm in again.alarms if "tells another history" in alarm]


async def test_links_that_an_earlier_run_has_shown_are_not_shown_for_another_draw() -> None:
    table = await (await FairTable.open("sevens", "ana", "bo")).start()
    await table.play(random.Random(1), most=1)
    ana = table.peers[0]
    await next(peer for peer in table.peers if peer.store.wanted() is not None).move("roll")
    assert await ana.show()
    assert ana.store.rolling
    fresh = Witness(table.memories[0])
    fresh.chains.remember({}, table.memories[0].memory.shown)
    other = {**ana.store.rolling, "seq": 999}
    asked = replace(
        ana.store, seq=999, table={**ana.store.table, "fair": {**ana.store.table["fair"], "pending": other}}
    )
    assert fresh.to_show(asked, table.hall.id) == [] and fresh.chains.refused
    assert fresh.to_show(ana.store, table.hall.id)  # the same draw gets it again


async def test_nothing_is_shown_before_a_roll_is_decided_whatever_a_snapshot_says() -> None:
    """A server could ask for the link of the next draw in advance, and decide the roll when it likes the dice."""
    table = await (await FairTable.open("sevens", "ana", "bo")).start()
    await table.play(random.Random(1), most=1)
    ana = table.peers[0]
    await next(peer for peer in table.peers if peer.store.wanted() is not None).move("roll")
    ana.drain()
    assert ana.store.rolling
    early = replace(ana.store, seq=ana.store.rolling["seq"] - 1)
    fresh = Witness(table.memories[0])
    assert fresh.to_show(early, table.hall.id) == []
    assert fresh.to_show(ana.store, table.hall.id)


async def test_who_comes_in_the_middle_looks_on_through_a_redraw() -> None:
    table = await (await FairTable.open("farkle", "ana", "bo", "cy", options={"target": 5000})).start()
    await table.play(random.Random(1), most=2)
    watcher = await table.hall.peer(memory=Remembering())
    await watcher.watch(table.room)
    *others, _ = table.peers  # cy is silent from now on
    while not table.peers[0].store.rolling:
        await take_turn(next(peer for peer in table.peers if peer.store.wanted() is not None), random.Random(1))
        table.hall.drain(*table.peers)
    await table.hall.links(*others)
    await table.hall.wait(2.1, *table.peers)
    await table.hall.links(*others)
    watcher.drain()
    assert "drawn_anew" in [event["kind"] for event in watcher.events()] and not watcher.alarms


def test_files_that_are_not_what_they_should_be(tmp_path: Path) -> None:
    out = io.StringIO()
    log = [b'{"type":"update","seq":1,"cause":{"kind":"open","args":{"id":"one"}},"events":[],"patch":{}}']
    other = [b'{"witness":"room","id":"two","room":"X","server":"s"}', b'{"witness":"from","seq":1,"head":"x"}']
    with pytest.raises(ClientError, match="is about another room"):
        log_lines.verify(log, [("friend.jsonl", other)], None, out)
    with pytest.raises(ClientError, match="neither a witness file nor a log"):
        log_lines.verify(log, [("friend.jsonl", [b"nonsense"])], None, out)
    with pytest.raises(ClientError, match="Give it with --with"):
        log_lines.verify(other, [], None, out)


def test_another_room_under_the_same_code_is_remembered() -> None:
    WitnessFile().begin("server", "KQ7M", "first")
    assert other_room("server", "KQ7M", "second") and not other_room("server", "KQ7M", "first")
    assert not other_room("another", "KQ7M", "second") and not other_room("server", "ABCD", "second")


async def test_a_server_can_not_crowd_out_what_is_remembered_of_others() -> None:
    """It says again and again that this is another room. That is told, and the files of other rooms stay."""
    table = await FairTable.open("sevens", "ana", "bo")
    ana, remembering = table.peers[0], table.memories[0]
    for number in range(100):
        room = {**ana.store.table["room"], "id": f"{number:032x}"}
        told = {**ana.store.table, "room": room}
        message = {"type": "snapshot", "epoch": 1, "seq": 5, "head": "0" * 64, "snapshot": told}
        ana.link.frames.append(encode_ascii(message))
        ana.drain()
    assert ana.alarms == [ANOTHER_ROOM]
    assert sum(b'"witness":"room"' in line for line in remembering.lines) == MOST_ROOMS


async def test_a_table_of_the_future_and_back() -> None:
    """A server could ask for links of draws that nobody has decided, and then go back to where the table really is."""
    table = await (await FairTable.open("sevens", "ana", "bo")).start()
    await table.play(random.Random(1), most=1)
    ana = table.peers[0]
    now = ana.store.seq
    head = update_hash((await table.log())[-1])
    for seq, told in ((now + 5, "1" * 64), (now, head)):
        message = {"type": "snapshot", "epoch": 1, "seq": seq, "head": told, "snapshot": ana.store.table}
        ana.link.frames.append(encode_ascii(message))
        ana.drain()
    assert ana.alarms == [WENT_BACK.format(seq=now, last=now + 5)]


async def test_a_table_that_does_not_name_its_update_gets_no_link() -> None:
    table = await (await FairTable.open("sevens", "ana", "bo")).start()
    await next(peer for peer in table.peers if peer.store.wanted() is not None).move("roll")
    ana = table.peers[0]
    ana.drain()
    assert ana.store.rolling
    fresh = Witness(table.memories[0])
    message = Snapshot.model_validate({"epoch": 1, "seq": ana.store.seq, "snapshot": ana.store.table})
    assert fresh.hear(message, b"", ana.store, ana.store, "") == [NO_HEAD]
    assert fresh.to_show(ana.store, table.hall.id) == []

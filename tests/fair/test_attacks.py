"""Every attack of a cheating operator is prevented, or told at the table and in the verdict."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from dicegames_client.guest import witness as witness_module
from dicegames_protocol.codec import encode_ascii
from dicegames_protocol.fairness.inspector import Inspector
from dicegames_protocol.fairness.register import RegisterPart
from dicegames_protocol.messages.client import AskCommitments, Ready, Start
from dicegames_protocol.messages.server import Ack, CommitmentPage
from dicegames_server.audit.audit import audit, verdict
from dicegames_server.lobby import lobby as lobby_module
from dicegames_server.room import handlers
from dicegames_server.table.commands import decide, take_seat
from fair.operator import Faces, Forger, Operator
from fair.tables import FairTable, fair_hall
from support.pure_table import chained

pytestmark = pytest.mark.usefixtures("luck")

LOST_HISTORY = "tells another history"


async def rolling(*names: str, game: str = "farkle", **fields: Any) -> tuple[FairTable, Operator]:
    """A table at which ana has just decided to roll."""
    table = await (await FairTable.open(game, *names, **fields)).start()
    roller = next(peer for peer in table.peers if peer.store.wanted() is not None)
    await roller.move("roll")
    table.hall.drain(*table.peers)
    return table, Operator(table)


def farkled(faces: Faces) -> bool:
    return not set(faces) & {1, 5} and max(faces.count(face) for face in faces) < 3


async def test_withholding_links_is_told_and_counted() -> None:
    """With k seats the operator has k more tries. Each of them is told at the table, and named in the verdict."""
    for _ in range(20):
        table, operator = await rolling("ana", "mo1", "mo2", "mo3")
        done = await operator.withhold(table.peers[0], table.peers[1:], lambda faces: not farkled(faces))
        if done:
            break
    ana = table.peers[0]
    told = [event for event in ana.events() if event["kind"] == "drawn_anew"]
    assert len(told) == done and told[0]["names"] == ["mo3"]
    found, reasons = await table.verdict()
    assert found == "not proven"
    assert any(f"{done} redraw" in reason and "mo3" in reason for reason in reasons), reasons


async def test_another_secret_is_noticed_at_once() -> None:
    table, operator = await rolling("ana", "bo")
    await operator.exchange_the_secret(farkled)
    assert farkled(tuple(table.peers[0].updates[-1].cause.drawn.faces or ()))  # type: ignore[union-attr]
    for peer in table.peers:
        assert peer.alarms == ["The link of the server is not the one that it was bound to."]
    assert (await table.verdict())[0] == "wrong"


async def test_another_commitment_is_noticed_at_once() -> None:
    table = await (await FairTable.open("farkle", "ana", "bo")).start()
    operator = Operator(table)
    await operator.exchange_the_commitment()
    await next(peer for peer in table.peers if peer.store.wanted() is not None).move("roll")
    table.hall.drain(*table.peers)
    lines = await table.log()
    log = [json.loads(line) for line in lines]
    begun = next(line for line in log if "commit" in (line["patch"].get("fair") or {}))
    begun["patch"]["fair"]["commit"] = "c" * 64  # and in the log it was always that one
    found, reasons = await table.verdict(lines=chained(log))
    assert found == "wrong", reasons
    await table.hall.links(*table.peers)
    assert all(peer.alarms == ["The dice do not follow from what all have shown."] for peer in table.peers)


async def test_a_tip_that_is_ignored_is_noticed_by_its_owner(monkeypatch: pytest.MonkeyPatch) -> None:

    def deaf(state: Any, name: str, *args: Any, **fields: Any) -> Any:
        return take_seat(state, name, *args, **{**fields, **({"commit": None} if name == "ana" else {})})

    monkeypatch.setattr(handlers, "take_seat", deaf)

    def forgets(state: Any, seat: Any, message: Any, dice: Any) -> Any:
        return decide(state, seat, message.but(commit=None) if isinstance(message, Start) else message, dice)

    monkeypatch.setattr(handlers, "decide", forgets)
    table = await FairTable.open("farkle", "ana", "bo")
    await (await table.start()).play(random.Random(1))
    ana, bo = table.peers
    assert ana.alarms == [witness_module.LEFT_OUT] and not bo.alarms
    found, reasons = await table.verdict()
    assert found == "wrong" and "noticed while people played" in reasons[0]
    found, reasons = await table.verdict(of=1)
    assert found == "not proven" and reasons == ["game 1: seats without a part in the dice: ana"]


async def test_a_deal_that_is_thrown_away_is_noticed() -> None:
    table = await FairTable.open("doubles", "ana", "bo", options={"rounds": "1-3"})
    for peer in table.peers:
        await peer.expect(Ack, Ready(id=table.hall.id()))
    await table.peers[0].show()
    await Operator(table).free_redraw()
    alarm = "The server has exchanged its commitment, and never showed the secret of the one before."
    assert table.peers[0].alarms[0] == alarm
    await table.hall.links(*table.peers)
    await table.play(random.Random(1))
    assert (await table.verdict())[0] == "wrong"


async def test_games_that_were_thrown_away_are_in_the_list() -> None:
    """The commitment got its place in the list before anybody saw it, and its game is in no log."""
    table = await FairTable.open("double-or-nothing", "ana", "bo", options={"start": 19})
    await table.hall.lobby.commitment_list.add(table.peers[0].store.info.id, "d" * 64)
    await (await table.start()).play(random.Random(1))
    page = await table.peers[0].expect(CommitmentPage, AskCommitments(id="list"))
    register = RegisterPart(page.server, page.list, page.entries)
    checks = audit(await table.log(), table.memories[0].memory, register=register)
    assert verdict(checks) == ("not proven", ["1 game was begun in this room and thrown away (list: 1)"])
    forged = register._replace(entries=page.entries[1:])
    assert verdict(audit(await table.log(), table.memories[0].memory, register=forged))[0] == "proven"
    changed = page.entries[0].but(commit="e" * 64)
    forged = register._replace(entries=(changed, *page.entries[1:]))
    assert verdict(audit(await table.log(), table.memories[0].memory, register=forged))[0] == "wrong"


async def test_updates_that_are_taken_back_are_noticed_at_once() -> None:
    """The dice do not suit: the roll was never decided, and somebody cashes out first."""
    table = await FairTable.open("doubles", "ana", "bo", options={"rounds": 2, "window": 0})
    await table.start()
    await table.peers[0].move("roll")
    await table.hall.links(*table.peers)
    operator = Operator(table)
    operator.remember_states()
    ana, bo = table.peers
    await bo.move("roll")
    assert await ana.show()

    async def cash() -> None:
        bo.store = ana.store.__class__(**{name: getattr(bo.store, name) for name in bo.store.__dataclass_fields__})
        await bo.tell(bo.moving("cash", seq=operator.state.seq))

    await operator.take_back(1, cash)
    ana.drain()
    assert any(LOST_HISTORY in alarm for alarm in ana.alarms)
    await table.abandon()
    assert (await table.verdict())[0] == "wrong"


async def test_a_link_is_shown_for_one_draw_only() -> None:
    """The server has the link, and asks for it again, for another roll."""
    table, operator = await rolling("ana", "bo")
    operator.remember_states()
    ana = table.peers[0]
    assert await ana.show()
    assert ana.witness and ana.store.rolling
    other = {**ana.store.table["fair"]["pending"], "draw": 2, "seq": 99}
    asked = {**ana.store.table, "fair": {**ana.store.table["fair"], "pending": other}}
    assert ana.witness.chains.to_show(replace(ana.store, table=asked), table.hall.id) == []
    assert ana.witness.chains.refused == [
        "The server asks a second time for a part of the dice that it has already got."
    ]


async def test_two_histories_are_found_when_friends_compare() -> None:
    hall = fair_hall()
    table = await FairTable.open("sevens", "ana", "bo", hall=hall)

    def another_story(update: dict[str, Any]) -> None:
        for event in update["events"]:
            if event["kind"] == "scored":
                event["points"] = event.get("points", 0) + 1

    Forger(table.peers[1], another_story)
    await (await table.start()).play(random.Random(3))
    lines = await table.log()
    assert await table.verdict(lines=lines) == ("proven", [])
    found, reasons = await table.verdict(of=1, lines=lines)
    assert found == "wrong" and "is not the one that this machine saw" in reasons[0]
    ana, bo = (remembering.memory for remembering in table.memories)
    checks = audit(lines, ana, {"bo.jsonl": bo})
    assert verdict(checks)[0] == "wrong" and not checks[-1].ok and checks[-1].name == "with bo.jsonl"


async def test_a_rewritten_log_is_found_though_it_is_flawless(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator plays the whole game again, alone, with the same names and the same id of the room."""
    table = await (await FairTable.open("farkle", "ana", "bo")).start()
    await table.play(random.Random(1))
    room_id, code = table.peers[0].store.info.id, table.room
    monkeypatch.setattr("secrets.token_hex", lambda size: room_id)
    monkeypatch.setattr(lobby_module, "new_code", lambda many: code)
    forged = await (await FairTable.open("farkle", "ana", "bo")).start()
    await forged.play(random.Random(2))
    lines = await forged.log()
    assert verdict(audit(lines)) == ("not proven", ["this machine remembers nothing of this room"])
    found, reasons = await table.verdict(lines=lines)
    assert found == "wrong" and "is not the one that this machine saw" in reasons[-1]


async def test_a_game_that_is_played_on_after_its_secret_is_noticed() -> None:
    table, operator = await rolling("ana", "bo", game="sevens")
    await table.hall.links(*table.peers)
    await operator.play_on_after_the_secret()
    await next(peer for peer in table.peers if peer.store.wanted() is not None).move("roll")
    await table.hall.links(*table.peers)
    alarm = "The game is played on, although the secret of its dice is known."
    assert all(alarm in peer.alarms for peer in table.peers)
    assert (await table.verdict())[0] == "wrong"


async def test_a_bot_that_plays_otherwise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = 12  # a bot may have nothing to choose in a turn: in one of ten games of one round
    table = await FairTable.open("sevens", "ana", bots=1, options={"rounds": rounds})
    Operator(table).a_bot_that_plays_otherwise(monkeypatch)
    await (await table.start()).play(random.Random(1))
    found, reasons = await table.verdict()
    assert found == "wrong" and "bot-1 does not play as its level does" in reasons[0]


async def test_a_member_that_is_left_out_says_that_it_had_answered() -> None:
    table, operator = await rolling("ana", "bo")
    ana = table.peers[0]
    assert await ana.show()
    table.hall.clock.advance(1.9)
    await operator.drop_a_member(ana)
    (said,) = ana.alarms
    assert said.startswith("The server left our part of the dice out. We sent it 0.0 s after we were asked, 1.9 s ago.")
    assert ana.witness and ana.witness.is_note(said)
    assert ana.events()[-1]["names"] == ["ana"]
    found, reasons = await table.verdict()
    assert found == "not proven" and reasons[0] == "game 1: 1 redraw, because ana did not answer"
    assert any("We sent it" in reason for reason in reasons)


async def test_links_in_another_order_are_not_accepted_by_anybody() -> None:
    table = await (await FairTable.open("farkle", "ana", "bo")).start()
    await table.play(random.Random(1), most=6)
    await table.abandon()
    log = [json.loads(line) for line in await table.log()]
    rolls = [line for line in log if (line["cause"].get("drawn") or {}).get("faces")]
    links = [roll["patch"]["fair"]["links"] for roll in rolls[:2]]
    links[0]["0"], links[1]["0"] = links[1]["0"], links[0]["0"]
    inspector = Inspector()
    lines = chained(log)
    alarms = [said for line in lines for said in inspector.see(line, json.loads(line))]
    assert "The link of ana is not the one that was promised." in alarms
    assert (await table.verdict(lines=lines))[0] == "wrong"


async def test_a_server_that_does_not_wait_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our link is on its way, and the server does not want to wait for it."""
    table = await (await FairTable.open("farkle", "ana", "bo")).start()
    Operator(table).early_timers(monkeypatch)
    ana, bo = table.peers
    await next(peer for peer in table.peers if peer.store.wanted() is not None).move("roll")
    ana.drain()
    assert ana.witness
    ana.witness.to_show(ana.store, table.hall.id)
    ana.witness.answered()
    await bo.show()
    await table.hall.wait(0.1, ana, bo)
    (said,) = ana.alarms
    assert "We sent it 0.0 s after we were asked, 0.1 s ago" in said
    found, reasons = await table.verdict()
    assert found == "not proven" and any("0.1 s ago" in reason for reason in reasons)


async def test_who_was_cut_off_accuses_nobody() -> None:
    table, _ = await rolling("ana", "bo")
    ana, bo = table.peers
    assert ana.witness
    ana.witness.cut()
    await bo.show()
    await table.hall.wait(2.1, ana, bo)
    assert ana.events()[-1]["kind"] == "drawn_anew" and not ana.alarms


@pytest.mark.parametrize("lie", ["event", "no dice", "typed", "case", "no prev", "no scheme", "snapshot"])
async def test_what_the_wire_may_say_is_noticed_at_once(lie: str) -> None:
    """Lies that only the rules could tell otherwise: the client has no rules, and notices them all the same."""
    table = await FairTable.open("farkle", "ana", "bo")

    def tell(update: dict[str, Any]) -> None:
        cause, fair = update["cause"], update["patch"].get("fair") or {}
        match lie:
            case "event" if cause["kind"] == "roll":
                update["events"][0]["faces"] = [1] * len(update["events"][0]["faces"])
            case "no dice" if cause["kind"] == "roll":
                del cause["drawn"]
            case "typed" if cause["kind"] == "roll":
                del cause["drawn"]["r"]
            case "case" if cause["kind"] == "roll":
                fair["links"]["1"] = fair["links"]["1"].upper()
            case "no prev":
                update.pop("prev", None)
            case "no scheme" if "commit" in fair:
                update["patch"]["fair"] = {"commit": fair["commit"], "epoch": 1}

    ana = table.peers[0]
    Forger(ana, tell)
    await table.start()
    if lie == "snapshot":
        table_now = ana.store.table
        other = {**table_now, "fair": {**table_now["fair"], "commit": "e" * 64}}
        snapshot = {"type": "snapshot", "epoch": 1, "seq": ana.store.seq + 1, "head": "f" * 64, "snapshot": other}
        ana.link.frames.append(encode_ascii(snapshot))
        ana.drain()
    else:
        await next(peer for peer in table.peers if peer.store.wanted() is not None).move("roll")
        await table.hall.links(*table.peers)
    assert ana.alarms, lie


async def test_links_are_not_shown_before_a_roll_is_decided() -> None:
    table = await (await FairTable.open("farkle", "ana", "bo")).start()
    operator = Operator(table)
    await operator.ask_without_a_decision()
    for peer in table.peers:
        assert peer.alarms == ["Links are asked for, though nobody has decided to roll."]
        assert not await peer.show()
    assert operator.state.shown == {}
    await table.abandon()
    assert (await table.verdict())[0] == "wrong"


async def test_links_that_are_used_up_without_dice_are_noticed() -> None:
    table, operator = await rolling("ana", "bo")
    await table.peers[0].show()
    await operator.use_links_up()
    assert table.peers[1].alarms == ["Links were shown without a roll.", "Dice that were decided were never rolled."]
    await table.abandon()
    assert (await table.verdict())[0] == "wrong"


# Controls: without a check, its attack succeeds.


@pytest.mark.parametrize(
    ("check", "attack"),
    [("_shown", "exchange_the_secret"), ("_dice", "play_on_after_the_secret")],
)
async def test_without_its_check_an_attack_succeeds(check: str, attack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Inspector, check, lambda self, *args: [])
    table, operator = await rolling("ana", "bo")
    if attack == "exchange_the_secret":
        await operator.exchange_the_secret(farkled)
    else:
        await table.hall.links(*table.peers)
        await operator.play_on_after_the_secret()
    assert not table.alarms


async def test_without_memory_a_rewritten_log_succeeds() -> None:
    """The control of the witness: only what was seen tells the two logs apart."""
    table = await (await FairTable.open("farkle", "ana", "bo")).start()
    await table.play(random.Random(1))
    log = [json.loads(line) for line in await table.log()]
    log[1]["cause"]["args"]["name"] = log[1]["events"][0]["name"] = log[1]["patch"]["seats"]["0"]["name"] = "eve"
    lines = chained(log)
    assert all(check.ok for check in audit(lines))
    assert (await table.verdict(lines=lines))[0] == "wrong"


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every plain value."""
    if isinstance(value, dict | list) and value:
        inside = value.items() if isinstance(value, dict) else enumerate(value)
        return [found for key, inner in inside for found in places(inner, (*path, key))]
    return [path]


async def test_every_change_of_links_and_dice_is_noticed_without_rules() -> None:
    """Also with a chain of hashes made anew. What is not for the client to judge is named here."""
    table = await (await FairTable.open("farkle", "ana", "bo", bots=1)).start()
    await table.play(random.Random(3))
    honest = [json.loads(line) for line in await table.log()]
    rng = random.Random(1)
    left_to_verify = {("fair", "entry"), ("fair", "rolls"), ("fair", "bots"), ("pending", "seat")}
    tried = 0
    while tried < 200:
        log = json.loads(json.dumps(honest))
        update = rng.choice(log)
        found = [path for path in places(update) if path[:2] in (("patch", "fair"), ("cause", "drawn"))]
        found = [path for path in found if not {path[1:3], path[2:4]} & left_to_verify]
        if not found:
            continue
        tried += 1
        *way, last = rng.choice(found)
        target = update
        for step in way:
            target = target[step]
        before = target[last]
        target[last] = before + 1 if isinstance(before, int) else f"{'1' if str(before)[:1] == '0' else '0'}{before}"
        inspector = Inspector()
        alarms = [said for line in chained(log) for said in inspector.see(line, json.loads(line))]
        assert alarms, (update["seq"], way, last, before)

"""Sealed windows of Doubles at a whole table: nothing leaks, nothing is lost, and afterwards all can be checked."""

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicegames_protocol.codec import decode_update
from dicegames_protocol.messages.client import (
    AddBot,
    AskOdds,
    AskPreview,
    AskRules,
    Chat,
    FetchLog,
    Kick,
    Leave,
    ListRooms,
    Resume,
    Start,
)
from dicegames_protocol.messages.server import Ack, Log, Preview, Private
from dicegames_protocol.table import Move
from dicegames_server.audit.audit import audit
from dicegames_server.audit.review.reviewing import review, whole
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.room.environment import FairDice
from dicegames_server.storage.base import Storage
from dicegames_server.storage.sqlite.sqlite_store import SqliteStorage
from support.eventually import eventually
from support.hall import DurableMemory, Hall, Peer
from support.luck import same_luck
from support.pure_table import chained
from support.remembering import Remembering

SEVENS = [(6, 1), (5, 2), (4, 3)]
OPTIONS = {"sealed": True, "rounds": 2, "window": 30}
Choice = st.sampled_from(["cash", "hold"])


async def window(hall: Hall, *names: str, **options: Any) -> list[Peer]:
    """A table right after the third seven."""
    hall.dice.then(*SEVENS)
    peers = await hall.table("doubles", *names, options={**OPTIONS, **options})
    for place in range(3):
        await peers[place % len(peers)].move("roll")
    hall.drain(*peers)
    return peers


async def decide(peer: Peer, choice: str) -> None:
    await peer.move("decide", choice=choice)


async def log_lines(hall: Hall, peer: Peer) -> list[bytes]:
    lines: list[bytes] = []
    while True:
        page = await peer.expect(Log, FetchLog(id=hall.id(), room=peer.store.room or "", after=len(lines)))
        if not page.lines:
            return lines
        lines += [line.encode() for line in page.lines]


# What the others see.

STEPS = [
    "wait",
    "odds",
    "rules",
    "rooms",
    "log",
    "chat",
    "come back",
    "newcomer",
    "change",
    "again",
    "leave",
    "restart",
]


async def seen_by_others(choices: dict[int, str], steps: list[str]) -> list[str]:
    """What a player who has not decided, a spectator and a reader of the log get, until the window closes.

    Seals and hashes of updates depend on a secret of the server; they are left out.
    """
    hall = Hall(storage=DurableMemory(), bot_seconds=1)
    names = ("ana", "bo", "cy", "di")
    host = await hall.peer()
    room = (await host.create("doubles", names[0], options={**OPTIONS, "window": 600})).room
    peers = [host]
    for name in names[1:]:
        peers.append(await hall.peer())
        await peers[-1].join(room, name)
    await host.expect(Ack, AddBot(id="bot", level="expert"))
    hall.dice.then(*SEVENS)
    hall.drain(*peers)
    for peer in peers:
        await peer.ready()
    hall.drain(*peers)
    for peer in peers[:3]:
        await peer.move("roll")
    spectator = await hall.peer()
    await spectator.watch(room)
    others = [peers[3], spectator]
    asked: dict[int, Any] = {}
    hall.drain(*peers)
    for seat in choices:
        asked[seat] = peers[seat].moving("decide", choice=choices[seat])
        await peers[seat].expect(Ack, asked[seat])
    for step in steps:
        reader, watching = others
        match step:
            case "wait":
                await hall.wait(1.5, *others, *peers)
            case "odds":
                for peer in others:
                    await peer.tell(AskOdds(id=hall.id()))
            case "rules":
                await reader.tell(AskRules(id=hall.id()))
            case "rooms":
                await watching.tell(ListRooms(id=hall.id()))
            case "log":
                for peer in others:
                    await log_lines(hall, peer)
            case "chat":
                await peers[0].tell(Chat(id=hall.id(), text="well"))
            case "come back":
                again = await hall.peer()
                again.frames = reader.frames
                again.store = store = reader.store
                token, seen = store.tokens[3], store.seq - 2
                await again.tell(Resume(id=hall.id(), room=room, seat_token=token, epoch=store.epoch, last_seq=seen))
                others[0] = again
            case "newcomer":
                fresh = await hall.peer()
                fresh.frames = watching.frames
                await fresh.watch(room)
                others[1] = fresh
            case "change":
                for seat in choices:
                    for choice in ("cash", "hold"):
                        await peers[seat].tell(peers[seat].moving("decide", choice=choice))
            case "again":
                for seat, move in asked.items():
                    await peers[seat].tell(move)
            case "leave":
                await peers[1].tell(Leave(id=hall.id(), seat=1))
            case "restart":
                await hall.restart()
                old, others[0] = others[0], await hall.peer()
                others[0].frames = old.frames
                others[0].store = old.store
                await others[0].resume(old, 3)
                new = await hall.peer()
                new.frames = others[1].frames
                await new.watch(room)
                others[1] = new
                for seat in (0, 1, 2):
                    back = await hall.peer()
                    if seat in peers[seat].store.tokens:
                        await back.tell(
                            Resume(
                                id=hall.id(), room=room, seat_token=peers[seat].store.tokens[seat], epoch=1, last_seq=3
                            )
                        )
                    back.store = replace(back.store, tokens=peers[seat].store.tokens)
                    peers[seat] = back
        for peer in (*others, *peers):
            peer.drain()
    assert "deciding" in others[0].store.game, "the window has closed"
    told = []
    for peer in others:
        for frame in peer.frames:
            text = frame.decode().replace(room, "ROOM").replace(peer.store.info.id or "-", "ID")
            told.append(json.dumps(without_secrets(json.loads(text))))
    return told


HASHES = ("hash", "head", "prev", "seal", "server", "commit", "seat_token")


def without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        if "lines" in value:
            value = {**value, "lines": [json.loads(line) for line in value["lines"]]}
        return {key: f"<{len(str(of))}>" if key in HASHES else without_secrets(of) for key, of in value.items()}
    return [without_secrets(each) for each in value] if isinstance(value, list) else value


def both(first: dict[int, str], second: dict[int, str], steps: list[str]) -> tuple[list[str], list[str]]:
    def once(choices: dict[int, str]) -> list[str]:
        with pytest.MonkeyPatch.context() as patch:
            same_luck(patch, 7)
            return asyncio.run(seen_by_others(choices, steps))

    return once(first), once(second)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), steps=st.lists(st.sampled_from(STEPS), max_size=5))
def test_nothing_that_others_get_depends_on_what_was_decided(data: st.DataObject, steps: list[str]) -> None:
    seats = data.draw(st.lists(st.sampled_from([0, 1, 2]), unique=True, min_size=1))
    first = {seat: data.draw(Choice) for seat in seats}
    second = {seat: data.draw(Choice) for seat in seats}
    one, other = both(first, second, steps)
    assert one == other


@pytest.mark.parametrize("step", STEPS)
def test_nothing_leaks_through_any_single_way(step: str) -> None:
    one, other = both({0: "cash", 1: "hold", 2: "cash"}, {0: "hold", 1: "cash", 2: "hold"}, [step, "wait", "log"])
    assert one == other and len(one) > 10


async def test_everybody_sees_their_own_decision_until_all_are_shown() -> None:
    hall = Hall()
    ana, bo, cy = await window(hall, "ana", "bo", "cy")
    await decide(ana, "cash")
    await decide(bo, "hold")
    hall.drain(ana, bo, cy)
    shown = [peer.store.private.get(peer.seat, {}).get("game", {}).get("sealed") for peer in (ana, bo, cy)]
    assert shown == [{"0": "cash"}, {"1": "hold"}, None]
    assert [entry.get("decided") == 4 for entry in cy.store.game["seats"].values()] == [True, True, False]
    assert len([message for message in cy.seen if isinstance(message, Private) and message.patch]) == 0
    hall.dice.then((1, 2))
    await decide(cy, "hold")
    hall.drain(ana, bo, cy)
    assert [event["kind"] for event in cy.updates[-1].events][:3] == ["decided", "decisions_shown", "cashed_out"]
    opened = cy.updates[-1].cause.opened
    assert opened and {move.choice for move in opened.values()} == {"cash", "hold"} and len(opened) == 3
    assert ana.store.private == bo.store.private == {}
    hall.check(ana, bo, cy)


async def test_a_decision_acts_once_and_can_not_be_changed() -> None:
    hall = Hall()
    ana, bo = await window(hall, "ana", "bo")
    move = ana.moving("decide", choice="cash")
    answer = await ana.ask(move)
    seq = hall.room(ana).state.seq
    assert await ana.ask(move) == answer
    assert (await ana.refused(move.but(move=Move(take="decide", choice="hold")))).code == "bad_message"
    late = await ana.refused(ana.moving("decide", choice="hold"))
    assert (late.code, late.message) == ("not_your_turn", "You have decided, and a sealed decision can't be changed.")
    assert hall.room(ana).state.seq == seq
    await decide(bo, "cash")
    ana.drain()
    assert [entry["score"] for entry in ana.store.game["seats"].values()] == [225, 225]


async def test_the_time_runs_out() -> None:
    hall = Hall()
    ana, bo, cy = await window(hall, "ana", "bo", "cy")
    await decide(bo, "cash")
    hall.dice.then((1, 2))
    await hall.wait(30, ana, bo, cy)
    shown = next(event for event in cy.updates[-1].events if event["kind"] == "decisions_shown")
    assert (shown["cashed"], shown["held"]) == ([1], [0, 2])
    hall.check(ana, bo, cy)


# People who come and go.


@pytest.mark.parametrize("decided", [None, "cash", "hold"])
@pytest.mark.parametrize("how", ["leave", "kick", "away"])
async def test_somebody_goes_inside_a_window(how: str, decided: str | None) -> None:
    """What they decided holds. If they had not decided, whoever sits in for them holds."""
    hall = Hall(bot_seconds=1, kick_seconds=0, grace_seconds=5)
    ana, bo, cy = await window(hall, "ana", "bo", "cy")
    if decided:
        await decide(bo, decided)
    if how == "leave":
        await bo.expect(Ack, Leave(id="leave", seat=1))
    elif how == "kick":
        await ana.expect(Ack, Kick(id="kick", target=1))
    else:
        await bo.drop()
    await decide(ana, "cash")
    await decide(cy, "hold")
    hall.dice.then((1, 2))
    await hall.wait(5, ana, cy)
    await hall.wait(2, ana, cy)
    shown = next(event for event in cy.events() if event["kind"] == "decisions_shown")
    assert shown["cashed"] == ([0, 1] if decided == "cash" else [0])
    hall.check(ana, cy)


# The server dies.

Store = Callable[[Path], Awaitable[tuple[Storage, Callable[[], Awaitable[Storage]]]]]
"""A store, and what makes the one that is there after a crash."""


async def memory(folder: Path) -> tuple[Storage, Callable[[], Awaitable[Storage]]]:
    storage = DurableMemory()

    async def again() -> Storage:
        return storage

    return storage, again


async def on_disk(folder: Path) -> tuple[Storage, Callable[[], Awaitable[Storage]]]:
    storage = SqliteStorage(folder / "one")
    await storage.start()

    async def again() -> Storage:
        """What is on the disk at the moment of a crash."""
        shutil.copytree(folder / "one", folder / "two")
        (folder / "two" / "lock").unlink(missing_ok=True)
        other = SqliteStorage(folder / "two")
        await other.start()
        return other

    return storage, again


@pytest.mark.parametrize("store", [memory, on_disk])
@pytest.mark.parametrize("last", ["cash", "hold", None])
async def test_a_crash_between_decision_and_close_loses_nothing(tmp_path: Path, store: Store, last: str | None) -> None:
    storage, again = await store(tmp_path)
    hall = Hall(storage=storage)
    peers = await window(hall, "ana", "bo", "cy")
    move = peers[0].moving("decide", choice="cash")
    answer = await peers[0].ask(move)
    await decide(peers[1], "hold")
    hall.drain(*peers)
    after = Hall(storage=await again(), clock=hall.clock)
    after.lobby.know_itself(hall.lobby.identity)
    await after.lobby.registry.adopt()
    back = [await after.peer() for _ in peers]
    for new, old in zip(back, peers, strict=True):
        await new.resume(old)
    assert back[0].store.game["sealed"] == {"0": "cash"} and back[1].store.game["sealed"] == {"1": "hold"}
    assert "sealed" not in back[2].store.game
    assert await back[0].ask(move) == answer
    assert (await back[1].refused(back[1].moving("decide", choice="cash"))).code == "not_your_turn"
    after.dice.then((1, 2))
    if last:
        await decide(back[2], last)
    else:
        await after.wait(30, *back)
        await eventually(lambda: after.room(back[2]).state.draws == 4)
    after.drain(*back)
    scores = [entry["score"] for entry in back[2].store.game["seats"].values()]
    assert scores == [225, 0, 225 if last == "cash" else 0]
    after.check(*back)
    for each in (storage, after.environment.storage):
        if isinstance(each, SqliteStorage):
            await each.stop()


async def test_typed_rolls_can_be_corrected_after_a_crash_in_a_sealed_window() -> None:
    hall = Hall(storage=DurableMemory())
    family = await hall.peer()
    room = (await family.create("doubles", "ana", options={**OPTIONS, "dice": "entered"})).room
    await family.join(room, "bo")
    other = await hall.peer()
    await other.join(room, "cy")
    hall.drain(family, other)
    await family.expect(Ack, Start(id="1"))
    await family.move("roll", seat=0, faces=(6, 1))
    await family.move("roll", seat=1, faces=(5, 2))
    await other.move("roll", faces=(4, 3))
    await family.move("decide", seat=0, choice="cash")
    await hall.restart()
    again, third = await hall.peer(), await hall.peer()
    for seat in (0, 1):
        await again.resume(family, seat)
    await third.resume(other)
    assert third.store.offers(2)["correct"] and third.store.offers(2)["undo"]
    asked = AskPreview(id="try", seq=third.store.seq, seat=2, move=Move(take="correct", choice="#3", faces=(3, 3)))
    tried = await third.expect(Preview, asked)
    assert "cash" not in json.dumps(tried.model_dump(mode="json")["events"])
    await again.move("correct", seat=0, choice="#1", faces=(1, 6))
    assert third.store.offers(2)["decide"].sealed and again.store.game["sealed"] == {"0": "cash"}
    assert all(update.cause.opened is None for update in third.updates)
    await third.move("decide", choice="hold")
    await again.move("decide", seat=1, choice="hold")
    hall.drain(again, third)
    assert third.store.game["seats"]["0"]["score"] == 225
    assert third.store.game["inside"] == 2 and "roll" in third.store.table["offers"]
    hall.check(again, third)


async def test_whoever_types_dice_can_not_look_into_decisions_by_a_correction() -> None:
    """A third seven that was none closes the window. What was decided in it stays sealed until the next one closes."""
    hall = Hall()
    family = await hall.table("doubles", "ana", "bo", options={**OPTIONS, "dice": "entered"})
    ana, bo = family
    for peer, faces in ((ana, (6, 1)), (bo, (5, 2)), (ana, (4, 3))):
        await peer.move("roll", faces=faces)
    await decide(bo, "cash")
    await ana.move("correct", choice="#3", faces=(2, 1))
    await bo.move("roll", faces=(4, 3))
    hall.drain(ana, bo)
    assert all(update.cause.opened is None for update in ana.updates)
    await decide(bo, "hold")
    await decide(ana, "hold")
    hall.drain(ana, bo)
    opened = ana.updates[-1].cause.opened
    assert opened and sorted(move.choice or "" for move in opened.values()) == ["cash", "hold", "hold"]


# Afterwards.


async def whole_game(*levels: str) -> list[bytes]:
    """A game with fair dice, in which people and bots decide."""
    hall = Hall(storage=DurableMemory(), bot_seconds=0.1)
    hall.environment = replace(hall.environment, dice=FairDice())
    hall.lobby = Lobby(hall.environment)
    peers = [await hall.peer(memory=Remembering()) for _ in range(2)]
    room = (await peers[0].create("doubles", "ana", options={**OPTIONS, "rounds": 3})).room
    await peers[1].join(room, "bo")
    for level in levels:
        await peers[0].expect(Ack, AddBot(id=hall.id(), level=level))
    for peer in peers:
        await peer.ready()
    await hall.links(*peers)
    for turn in range(400):
        for place, peer in enumerate(peers):
            peer.drain()
            if (seat := peer.store.wanted()) is None:
                continue
            offers = peer.store.offers(seat)
            if "decide" in offers:
                await decide(peer, "cash" if (turn + place) % 3 else "hold")
            else:
                await peer.move("hold" if "hold" in offers else "roll")
            await hall.links(*peers)
        await hall.wait(1, *peers)
        await hall.links(*peers)
        if peers[0].phase == "over":
            assert not any(peer.alarms for peer in peers)
            return await log_lines(hall, peers[0])
    raise AssertionError("no end")


@pytest.mark.parametrize("levels", [(), ("expert",), ("expert", "steady", "easy")])
async def test_a_whole_game_is_verified_replayed_and_reviewed(levels: tuple[str, ...]) -> None:
    lines = await whole_game(*levels)
    checks = audit(lines)
    assert all(check.ok for check in checks), checks
    assert not any("when the game is over" in doubt for check in checks for doubt in check.doubts)
    log = [json.loads(line) for line in lines]
    seals = {line["seq"] for line in log if "seal" in line["cause"]}
    opened = {int(seq): line["seq"] for line in log for seq in line["cause"].get("opened", {})}
    assert seals == set(opened)
    shown = {line["seq"] for line in log if any(event["kind"] == "decisions_shown" for event in line["events"])}
    assert set(opened.values()) <= shown, "each window opens its own seals when it closes"


@pytest.mark.parametrize("edit", ["choice", "seal", "gone", "early"])
async def test_a_log_that_was_tampered_with_is_noticed(edit: str) -> None:
    log = [json.loads(line) for line in await whole_game("expert")]
    opening = next(line for line in log if line["cause"].get("opened"))
    opened = opening["cause"]["opened"]
    seq = min(opened, key=int)
    if edit == "choice":
        opened[seq]["choice"] = "hold" if opened[seq]["choice"] == "cash" else "cash"
    elif edit == "gone":
        del opened[seq]
    elif edit == "early":
        log[int(seq) - 1]["cause"]["opened"] = {seq: opened.pop(seq)}
    else:
        log[int(seq) - 1]["cause"]["seal"] = "0" * 64
    assert not all(check.ok for check in audit(chained(log)))


async def test_the_review_charges_nothing_for_the_first_word() -> None:
    hall = Hall(storage=DurableMemory())
    ana, bo = await window(hall, "ana", "bo", rounds=1)
    await decide(ana, "cash")
    await decide(bo, "cash")
    hall.drain(ana, bo)
    assert ana.phase == "over"
    found = whole(review([decode_update(line) for line in await log_lines(hall, ana)]))
    assert len(found.moves) == 2
    assert not any("before the others" in str(move.model_dump()) for move in found.moves)

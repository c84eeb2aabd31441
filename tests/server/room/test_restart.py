"""The server stops and starts again: rooms continue where they were."""

import asyncio
from pathlib import Path

import pytest

from dicegames_protocol import patch
from dicegames_protocol.messages.client import AddBot, Create, Join, ListRooms, Rematch, Start
from dicegames_protocol.messages.server import Ack, Rooms
from dicegames_server.lobby.lobby import SWEEP_SECONDS
from dicegames_server.room import update_log
from dicegames_server.room.room import RETURN_SECONDS
from dicegames_server.room.update_log import UPDATES_PER_SNAPSHOT
from dicegames_server.storage.base import StoredSnapshot
from dicegames_server.storage.sqlite.sqlite_store import SqliteStorage
from dicegames_server.table.commands import abandon
from support.hall import DurableMemory, Hall


async def test_a_game_goes_on_in_the_middle_of_a_turn(tmp_path: Path) -> None:
    storage = SqliteStorage(tmp_path)
    await storage.start()
    hall = Hall((1, 1, 2, 3, 4, 5), (5, 4, 3, 2), storage=storage)
    ana, bo = await hall.table("farkle", "ana", "bo")
    await ana.move("roll")
    move = ana.moving("roll", choice="11")
    answer = await ana.ask(move)
    bo.drain()
    await hall.restart()
    again, bo_again = await hall.peer(), await hall.peer()
    await again.resume(ana)
    await bo_again.resume(bo)
    hall.check(again, bo_again)
    assert again.store.epoch > 1
    assert not again.updates  # nothing was missed
    assert await again.ask(move) == answer  # sent twice across the restart: acts once, same answer
    assert again.store.game["points"] == 200
    await again.move("bank", choice="5")
    hall.check(again, bo_again)
    assert bo_again.store.game["seats"]["0"]["score"] == 250
    await storage.stop()


async def test_the_order_of_play_stays_after_somebody_has_come_between_the_others() -> None:
    hall = Hall(storage=DurableMemory())
    ana, bo, cy = await hall.table("doubles", "ana", "bo", "cy", options={"rounds": 1, "window": 0})
    people = [ana, bo, cy]

    async def play() -> None:
        hall.drain(*people)
        await people[0 if people[0].store.wanted() is not None else 1].move("roll")
        for peer in people:
            await peer.move("cash")

    async def play_again() -> None:
        for peer in people:
            await peer.expect(Ack, Rematch(id=hall.id()))
        hall.drain(*people)

    def order() -> list[str]:
        match = hall.room(ana).state.match
        assert match
        return list(match.state.seats)

    await play()
    await bo.hang_up()
    people.remove(bo)
    await play_again()
    assert ana.store.game["seats"].keys() == {"0", "2"}
    await play()
    people.insert(1, await hall.peer())
    await people[1].join(ana.store.room or "", "dee")
    await play_again()
    assert people[1].seat == 1
    before = order()
    await hall.restart()
    assert order() == before == ["0", "1", "2"]


async def test_missed_updates_come_from_before_the_restart() -> None:
    hall = Hall((1,), storage=DurableMemory())
    ana, bo = await hall.table("double-or-nothing", "ana", "bo")
    await bo.drop()
    await ana.move("add")
    await hall.restart()
    again = await hall.peer()
    await again.resume(bo)
    assert [update.events[0]["kind"] for update in again.updates] == ["chose"]
    hall.check(again)


async def test_rooms_keep_their_passwords_and_settings() -> None:
    hall = Hall(storage=DurableMemory())
    ana = await hall.peer()
    room = (await ana.create("doubles", options={"rounds": 3}, password="dice", turn_limit=30)).room
    hidden = await hall.peer()
    await hidden.create("farkle", "bo", public=False)
    await hall.restart()
    cy = await hall.peer()
    assert [entry.code for entry in (await cy.expect(Rooms, ListRooms(id="1"))).rooms] == [room]
    assert (await cy.refused(Join(id="2", room=room, name="cy"))).code == "wrong_password"
    joined = await cy.join(room, "cy", password="dice")
    assert (joined.snapshot.room.turn_limit, joined.snapshot.room.options["rounds"]) == (30, 3)


async def test_timers_are_credited_and_bots_play_on() -> None:
    hall = Hall((6, 1), (6, 1), (6, 1), (1, 2), storage=DurableMemory())
    ana, bo = await hall.table("doubles", "ana", "bo")
    for peer in (ana, bo, ana):
        await peer.move("roll")
    await hall.wait(9, ana, bo)
    await hall.restart()
    again = await hall.peer()
    caught_up = await again.resume(ana)
    assert caught_up.timer_ms == 10_000  # never shortened
    await hall.wait(9.9, again)
    assert again.store.game["pot"] == 225
    await hall.wait(0.1, again)
    assert again.store.game["pot"] == 228
    hall.check(again)

    other = await hall.peer()
    await other.create("sevens")
    await other.expect(Ack, AddBot(id="1"))
    await other.expect(Ack, Start(id="2"))
    await hall.restart()
    back = await hall.peer()
    await back.resume(other)
    await hall.wait(1, back)
    assert back.updates[-1].cause.by == "bot"


async def test_the_hidden_last_round_stays_what_it_was() -> None:
    hall = Hall((2,), storage=DurableMemory())
    ana = await hall.peer()
    await ana.create("doubles", options={"rounds": "1-3", "window": 0})
    await ana.expect(Ack, Start(id="1"))
    for _ in range(2):
        await hall.restart()
        again = await hall.peer()
        await again.resume(ana)
        ana = again
        await ana.move("roll")
        await ana.move("cash")
    assert ana.phase == "over"
    assert ana.store.game["rounds"] == 2


async def test_a_typed_roll_can_still_be_corrected() -> None:
    hall = Hall(storage=DurableMemory())
    family = await hall.peer()
    room = (await family.create("doubles", "ana", options={"dice": "entered", "window": 0})).room
    await family.join(room, "bo")
    await family.join(room, "cy")
    await family.expect(Ack, Start(id="1"))
    await family.move("roll", seat=0, faces=(5, 3))
    await family.move("cash", seat=2)
    for faces, pot in [((4, 4), 400), ((6, 6), 600), ((1, 2), 3)]:
        await hall.restart()
        again = await hall.peer()
        for seat in range(3):
            await again.resume(family, seat)
        family = again
        await family.move("correct", choice="#1", seat=0, faces=faces)
        assert family.store.game["pot"] == pot
        assert family.store.game["seats"]["2"]["score"] == pot
    hall.check(family)


async def test_a_long_match_comes_back_from_a_snapshot() -> None:
    storage = DurableMemory()
    hall = Hall(storage=storage, bot_seconds=0)
    ana = await hall.peer()
    await ana.create("double-or-nothing", options={"best_of": 99})
    await ana.expect(Ack, AddBot(id="1"))
    await ana.expect(Ack, Start(id="2"))
    while ana.store.seq < 2 * UPDATES_PER_SNAPSHOT + 50 and ana.phase == "playing":
        await hall.wait(1, ana)
        if ana.store.wanted() is not None:
            await ana.move("add")
    before = patch.dump(hall.room(ana).state.public())
    (code,) = await storage.orphans(10)
    stored = await storage.acquire(code)
    assert stored.snapshot.seq >= UPDATES_PER_SNAPSHOT
    await hall.restart()
    assert patch.dump(hall.room(ana).state.public()) == before


async def test_a_room_that_changes_its_owner_often_gets_a_snapshot_all_the_same() -> None:
    storage = DurableMemory()
    hall = Hall(storage=storage)
    ana, bo = await hall.table("double-or-nothing", "ana", "bo", options={"target": 1000, "best_of": 99})
    players = [ana, bo]
    while ana.store.seq < UPDATES_PER_SNAPSHOT + 50:
        for _ in range(40):
            hall.drain(*players)
            await next(player for player in players if player.store.wanted() is not None).move("add")
        await hall.restart()
        again = [await hall.peer() for _ in players]
        for peer, before in zip(again, players, strict=True):
            before.drain()
            await peer.resume(before)
        players = [ana, bo] = again
    await hall.settle()
    stored = await storage.acquire(ana.store.room or "")
    assert stored.snapshot.seq >= UPDATES_PER_SNAPSHOT


async def test_no_snapshot_is_taken_while_a_roll_may_be_corrected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A correction needs the roll that it corrects. That roll is found in the updates since the last snapshot, so no
    snapshot may be newer than the roll.
    """
    monkeypatch.setattr(update_log, "UPDATES_PER_SNAPSHOT", 1)
    storage = DurableMemory()
    hall = Hall(storage=storage)
    ana, bo = await hall.table("doubles", "ana", "bo", options={"dice": "entered", "window": 0})
    await hall.settle()
    begun = ana.store.seq
    await ana.move("roll", faces=(3, 3))
    await bo.move("cash")
    hall.drain(ana, bo)
    await hall.settle()
    stored = await storage.acquire(ana.store.room or "")
    assert stored.snapshot.seq == begun
    await hall.restart()
    again, bo_again = await hall.peer(), await hall.peer()
    await again.resume(ana)
    await bo_again.resume(bo)
    await again.move("correct", choice="#1", faces=(2, 2))
    assert (again.store.game["pot"], again.store.game["seats"]["1"]["score"]) == (200, 200)
    hall.check(again, bo_again)


async def test_spectators_have_a_minute_to_come_back_to_a_room_of_bots() -> None:
    """Spectators have no seat that is held, so nothing else shows that this room is still wanted."""
    hall = Hall(storage=DurableMemory(), empty_seconds=10**6, seat_seconds=5)
    ana, cy = await hall.peer(), await hall.peer()
    room = (await ana.create("double-or-nothing", options={"best_of": 99})).room
    await ana.expect(Ack, AddBot(id="1"))
    await ana.expect(Ack, Start(id="2"))
    await cy.watch(room)
    await ana.hang_up()  # bots play on, and cy watches them
    await hall.wait(1, cy)
    await hall.restart()
    await hall.wait(RETURN_SECONDS - 1)
    assert hall.lobby.registry.here(room)
    again = await hall.peer()
    await again.watch(room)
    await hall.wait(10 * RETURN_SECONDS)
    assert hall.lobby.registry.here(room)
    await again.drop()
    await hall.restart()
    for _ in range(4):
        await hall.wait(RETURN_SECONDS / 2)
    assert hall.lobby.registry.here(room) is None


async def test_an_unreadable_room_keeps_nobody_from_playing() -> None:
    storage = DurableMemory()
    hall = Hall(storage=storage)
    ana, bo = [await hall.peer() for _ in range(2)]
    await ana.create("doubles")
    await bo.create("farkle", "bo")
    first, _ = await storage.orphans(10)
    storage._streams[first].snapshot = StoredSnapshot(0, b"{broken", b"{}")
    await hall.restart()
    assert len(hall.lobby) == 1
    assert (await (await hall.peer()).ask(Create(id="1", game="doubles", name="cy"))).type == "joined"


async def test_a_read_only_disk_refuses_moves_and_play_goes_on_when_it_can_be_written(tmp_path: Path) -> None:
    storage = SqliteStorage(tmp_path)
    await storage.start()
    hall = Hall((1,), storage=storage)
    ana, bo = await hall.table("double-or-nothing", "ana", "bo")
    await storage._do(lambda db: db.execute("PRAGMA query_only = ON"), reads=True)
    move = ana.moving("add")
    error = await ana.refused(move)
    assert error.code == "unavailable"
    assert error.message == "The server can't save right now; nothing was changed. Try again soon."
    assert (await ana.refused(move)).code == "unavailable"
    hall.check(ana, bo)
    assert ana.store.game["number"] == 1
    again = await hall.peer()
    await again.resume(bo)  # reading works all the while
    await storage._do(lambda db: db.execute("PRAGMA query_only = OFF"), reads=True)
    await ana.expect(Ack, move)
    hall.check(ana, again)
    assert again.store.game["number"] == 2
    await storage.stop()


async def test_nothing_is_played_after_an_abandoned_game_has_shown_its_secret() -> None:
    """A bot without thinking time moved in the same moment, when everybody could know its dice."""
    hall = Hall(storage=DurableMemory(), bot_seconds=0)
    ana = await hall.peer()
    await ana.create("farkle", "ana")
    await ana.expect(Ack, AddBot(id="bot"))
    await ana.expect(Ack, Start(id="start"))
    await ana.move("roll")
    actor = hall.room(ana)
    closing = asyncio.ensure_future(actor.close("over"))
    for _ in range(20):
        hall.clock.advance(1)
        await asyncio.sleep(0)
    await closing
    hall.drain(ana)
    assert [update.cause.kind for update in ana.updates][-1] == "abandon"


async def test_a_crash_right_after_it_was_abandoned_does_not_start_it_again() -> None:
    """The server dies between the last update and the end of the room: the room comes back, and nothing moves."""
    storage = DurableMemory()
    hall = Hall(storage=storage, bot_seconds=0)
    ana = await hall.peer()
    room = (await ana.create("double-or-nothing", "ana", options={"first": "2"})).room
    await ana.expect(Ack, AddBot(id="bot"))
    actor = hall.room(ana)
    await ana.expect(Ack, Start(id="start"))
    actor.quieten()
    await actor._mailbox.ask(lambda _: actor._commits.commit(abandon(actor.state)))
    hall.drain(ana)
    last = ana.store.seq
    await hall.restart()
    again = await hall.peer()
    await again.resume(ana)
    await hall.wait(SWEEP_SECONDS / 2, again)
    assert again.store.seq == last
    refused = await again.refused(again.moving("add"))
    assert "abandoned" in refused.message
    await hall.wait(SWEEP_SECONDS, again)
    assert room not in hall.lobby.registry
    assert again.store.seq == last

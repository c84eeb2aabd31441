"""A room from the outside: what people do, and what every client then knows. No sockets, no waiting."""

import asyncio
import gc
import weakref
from typing import Any

import pytest

from dicegames_protocol.codec import state_hash
from dicegames_protocol.messages.client import (
    AddBot,
    ChangeOptions,
    Chat,
    ClientMessage,
    Create,
    GiveHost,
    Join,
    Kick,
    Leave,
    Ready,
    Rematch,
    RemoveBot,
    Resume,
    Sit,
    Start,
    Watch,
)
from dicegames_protocol.messages.server import Ack, Heartbeat, Joined, Left, Presence, Said, Snapshot
from dicegames_server.storage.base import Done, Entry, Unavailable
from dicegames_server.storage.memory import MemoryStorage
from support.hall import DurableMemory, Hall


class Broken(MemoryStorage):
    """A store whose disk is full now and then."""

    broken = False

    def write(self, entry: Entry, done: Done) -> None:
        if self.broken:
            done(Unavailable("disk full"))
        else:
            super().write(entry, done)


async def test_two_play_double_or_nothing_and_a_third_watches() -> None:
    hall = Hall((1,))
    ana, bo = await hall.table("double-or-nothing", "ana", "bo")
    cy = await hall.peer()
    await cy.watch(ana.store.room or "")
    for peer, take in [(ana, "double"), (bo, "add"), (ana, "double"), (bo, "double"), (ana, "add"), (bo, "double")]:
        await peer.move(take)
        hall.check(ana, bo, cy)
    assert cy.store.info.winners == (0,)
    assert cy.phase == "over"
    assert [event["kind"] for event in cy.events()][-3:] == ["chose", "won", "game_over"]


async def test_the_mover_is_acknowledged_before_anybody_hears_of_it() -> None:
    hall = Hall((1,))
    ana, _ = await hall.table("double-or-nothing", "ana", "bo")
    start = len(ana.seen)
    ack = await ana.move("add")
    kinds = [message.type for message in ana.seen[start:]]
    assert kinds == ["ack", "update"]
    assert ana.updates[-1].seq == ack.seq


async def test_a_move_that_is_not_committed_has_not_happened() -> None:
    storage = Broken()
    hall = Hall((1,), storage=storage)
    ana, bo = await hall.table("double-or-nothing", "ana", "bo")
    storage.broken = True
    move = ana.moving("double")
    before = len(bo.updates)
    error = await ana.refused(move)
    bo.drain()
    assert error.code == "unavailable"
    assert len(bo.updates) == before
    storage.broken = False
    ack = await ana.expect(Ack, move)  # the same id: it was never answered for good
    assert ack.seq == ana.store.seq
    hall.check(ana, bo)


async def test_a_repeated_move_acts_once_and_gets_the_same_answer() -> None:
    hall = Hall((1,))
    ana, bo = await hall.table("double-or-nothing", "ana", "bo")
    move = ana.moving("double")
    first = await ana.ask(move)
    assert await ana.ask(move) == first
    await bo.move("add")
    assert await ana.ask(move) == first
    assert ana.store.game["number"] == 3
    wrong = bo.moving("add")
    refused = await bo.refused(wrong)
    await ana.move("add")
    assert await bo.ask(wrong) == refused


async def test_a_stale_move_is_refused_with_what_happened() -> None:
    hall = Hall((6, 6), (5, 4))
    ana, bo, cy = await hall.table("doubles", "ana", "bo", "cy")
    await ana.move("roll")
    hall.drain(bo, cy)
    cash = cy.moving("cash")
    await bo.move("roll")
    error = await cy.refused(cash)
    assert (error.code, error.message) == ("stale", "Too late: the dice were already rolling. The pot was 600.")


async def test_another_cash_out_does_not_make_mine_stale() -> None:
    hall = Hall((6, 6))
    ana, bo, cy = await hall.table("doubles", "ana", "bo", "cy")
    await ana.move("roll")
    hall.drain(bo, cy)
    cash = cy.moving("cash")
    await bo.move("cash")
    await cy.expect(Ack, cash)
    hall.check(ana, bo, cy)


async def test_a_move_from_the_future_is_nonsense() -> None:
    hall = Hall((1,))
    ana, _ = await hall.table("double-or-nothing", "ana", "bo")
    assert (await ana.refused(ana.moving("add", seq=999))).code == "bad_message"


async def test_whose_turn_it_is_is_said() -> None:
    hall = Hall((1,))
    _, bo = await hall.table("double-or-nothing", "ana", "bo")
    error = await bo.refused(bo.moving("add"))
    assert (error.code, error.message) == ("not_your_turn", "Not your turn: ana is choosing.")


async def test_spectators_can_move_nothing() -> None:
    hall = Hall((1,))
    ana, _ = await hall.table("double-or-nothing", "ana", "bo")
    cy = await hall.peer()
    await cy.watch(ana.store.room or "")
    commands: list[ClientMessage] = [
        cy.moving("add"),
        Ready(id="1"),
        Start(id="2"),
        AddBot(id="3"),
        Kick(id="4", target=0),
        Rematch(id="5"),
    ]
    for command in commands:
        assert (await cy.refused(command)).code == "unauthorized"
    assert (await cy.refused(cy.moving("add", seat=0))).code == "unauthorized"
    hall.check(ana, cy)


async def test_nobody_moves_for_somebody_else() -> None:
    hall = Hall((1,))
    ana, bo = await hall.table("double-or-nothing", "ana", "bo")
    error = await bo.refused(bo.moving("add", seat=ana.seat))
    assert error.code == "unauthorized"


async def test_names_are_unique_and_a_free_one_is_proposed() -> None:
    hall = Hall()
    ana = await hall.peer()
    room = (await ana.create("doubles")).room
    for name in ("ana", "ANA", "ana "):
        other = await hall.peer()
        error = await other.refused(_join(hall, room, name))
        assert (error.code, error.hint) == ("name_taken", name.strip() + "2")
    bad = await hall.peer()
    assert (await bad.refused(_join(hall, room, "\x1b[2J"))).code == "bad_message"


async def test_a_full_room_says_so() -> None:
    hall = Hall()
    ana, bo, cy = [await hall.peer() for _ in range(3)]
    room = (await ana.create("double-or-nothing")).room
    await bo.join(room, "bo")
    error = await cy.refused(_join(hall, room, "cy"))
    assert (error.code, error.message) == ("room_full", f"Room {room} is full (2 of 2). You can watch instead.")


async def test_host_rights_are_the_hosts_alone() -> None:
    hall = Hall()
    ana, bo = [await hall.peer() for _ in range(2)]
    room = (await ana.create("doubles")).room
    await bo.join(room, "bo")
    commands: list[ClientMessage] = [
        Start(id="1"),
        AddBot(id="2"),
        RemoveBot(id="3"),
        Kick(id="4", target=0),
        GiveHost(id="5", target=1),
        ChangeOptions(id="6", options={"rounds": 3}),
    ]
    for command in commands:
        error = await bo.refused(command)
        assert (error.code, error.message) == ("unauthorized", "Only the host can do that (ana).")
    await ana.expect(Ack, GiveHost(id="7", target=1))
    await bo.expect(Ack, AddBot(id="8"))
    await bo.expect(Ack, RemoveBot(id="9"))
    hall.check(ana, bo)


async def test_the_host_kicks_somebody() -> None:
    hall = Hall()
    ana, bo = [await hall.peer() for _ in range(2)]
    room = (await ana.create("doubles")).room
    await bo.join(room, "bo")
    await ana.expect(Ack, Kick(id="1", target=1))
    bo.drain()
    assert isinstance(bo.seen[-1], Left)
    assert bo.seen[-1].reason == "kicked"
    assert (await bo.refused(Ready(id="2"))).code == "unauthorized"
    assert (await ana.refused(Kick(id="3", target=0))).message == "You can't kick yourself. You can leave."
    assert (await ana.refused(Kick(id="4", target=1))).message == "Nobody sits there."
    hall.check(ana)


async def test_somebody_who_is_away_and_sits_out_can_be_kicked() -> None:
    hall = Hall(bot_seconds=1)
    ana, bo = await hall.table("doubles", "ana", "bo")
    cy = await hall.peer()
    await cy.join(ana.store.room or "", "cy")
    await cy.drop()
    await ana.expect(Ack, Kick(id="1", target=2))
    hall.check(ana, bo)
    await bo.drop()
    await ana.move("roll")
    await hall.wait(20, ana)
    assert ana.store.player(1)["standin"]  # timers go on


async def test_leaving_while_nothing_can_be_saved_keeps_the_seat() -> None:
    storage = Broken()
    hall = Hall(storage=storage)
    ana, bo = await hall.table("doubles", "ana", "bo")
    storage.broken = True
    await bo.hang_up()
    storage.broken = False
    again = await hall.peer()
    await again.resume(bo)
    hall.check(ana, again)


async def test_the_host_role_passes_on() -> None:
    hall = Hall()
    ana, bo, cy = [await hall.peer() for _ in range(3)]
    room = (await ana.create("doubles")).room
    await bo.join(room, "bo")
    await cy.join(room, "cy")
    await ana.expect(Ack, Leave(id="1"))
    hall.check(bo, cy)
    assert bo.store.info.host == 1
    await bo.hang_up()
    hall.check(cy)
    assert cy.store.info.host == 2


async def test_options_are_checked_shown_and_locked() -> None:
    hall = Hall()
    ana, bo = [await hall.peer() for _ in range(2)]
    room = (await ana.create("doubles", options={"rounds": "3"})).room
    joined = await bo.join(room, "bo")
    assert joined.snapshot.room.options["rounds"] == 3
    await bo.ready()
    error = await ana.refused(ChangeOptions(id="1", options={"rounds": 0}))
    assert (error.code, error.message) == ("bad_message", "rounds must be at least 1.")
    await ana.expect(Ack, ChangeOptions(id="2", options={"rounds": "4-6"}))
    hall.check(ana, bo)
    assert bo.store.info.options["rounds"] == "4-6"
    assert bo.store.info.options["window"] == 10
    assert not bo.store.player(1)["ready"]  # bo was ready for another game
    await ana.expect(Ack, Start(id="3"))
    error = await ana.refused(ChangeOptions(id="4", options={"rounds": 5}))
    assert error.message == "The options are locked once the game has started."


async def test_bad_wishes_open_no_room() -> None:
    hall = Hall()
    ana = await hall.peer()
    wishes: list[tuple[dict[str, Any], str]] = [
        ({"game": "chess"}, "There is no game of that name. The games are: double-or-nothing"),
        ({"game": "doubles", "options": {"rounds": -1}}, "rounds must be at least 1."),
        ({"game": "double-or-nothing", "seats": 3}, "Double or Nothing has 2 seats, not 3."),
        ({"game": "sevens", "seats": 1}, "Sevens has 2 to 1000 seats, not 1."),
        ({"game": "doubles", "name": "\x07"}, "A name can't hold the character U+0007"),
    ]
    for fields, sentence in wishes:
        error = await ana.refused(Create(id=hall.id(), **{"name": "ana", **fields}))
        assert error.message.startswith(sentence)
    assert len(hall.lobby) == 0


async def test_it_starts_when_everyone_is_ready_but_never_for_one_alone() -> None:
    hall = Hall()
    ana, bo = [await hall.peer() for _ in range(2)]
    room = (await ana.create("doubles")).room
    await ana.ready()
    assert ana.phase == "waiting"
    await bo.join(room, "bo")
    await bo.ready()
    hall.check(ana, bo)
    assert ana.phase == "playing"


async def test_solo_practice_is_started_by_hand() -> None:
    hall = Hall()
    ana = await hall.peer()
    await ana.create("farkle")
    await ana.expect(Ack, Start(id="1"))
    assert ana.phase == "playing"
    lonely = await hall.peer()
    await lonely.create("sevens")
    error = await lonely.refused(Start(id="1"))
    assert error.message == "Sevens needs 2 players; there is 1. Wait for somebody, or add a bot."


async def test_rematch_keeps_the_seats_and_rotates_the_starter() -> None:
    hall = Hall((1,))
    ana, bo = await hall.table("double-or-nothing", "ana", "bo", options={"start": 19})
    cy = await hall.peer()
    await cy.watch(ana.store.room or "")
    assert (await ana.refused(Rematch(id="0"))).message == "A rematch comes after the game."
    await ana.move("add")
    await ana.expect(Ack, Rematch(id="1"))
    hall.drain(bo, cy)
    assert cy.events()[-1] == {"kind": "wants_rematch", "seat": 0, "votes": 1, "of": 2}
    await bo.expect(Ack, Rematch(id="2"))
    hall.check(ana, bo, cy)
    assert (cy.phase, cy.store.info.game_no) == ("playing", 2)
    assert cy.store.game["turn"] == 1  # ana began the first game
    await bo.move("add")
    hall.drain(ana)
    await ana.expect(Ack, Start(id="3"))  # the host need not wait for the vote
    assert ana.store.game["turn"] == 0


async def test_a_spectator_sits_down_for_the_next_game() -> None:
    hall = Hall()
    ana, bo = await hall.table("doubles", "ana", "bo", options={"rounds": 1, "window": 0})
    cy = await hall.peer()
    await cy.watch(ana.store.room or "")
    await cy.expect(Joined, Sit(id="1", name="cy"))
    hall.check(ana, bo, cy)
    assert "2" not in cy.store.game["seats"]
    error = await cy.refused(cy.moving("roll"))
    assert error.message == "You play from the next game on."
    assert (await cy.refused(Sit(id="2", name="cy"))).message == "You already have a seat."
    await ana.move("roll")
    hall.drain(bo)
    await ana.move("cash")
    hall.drain(bo)
    await bo.move("cash")
    for number, peer in enumerate((ana, bo, cy)):
        peer.drain()
        await peer.expect(Ack, Rematch(id=f"r{number}"))
    hall.check(ana, bo, cy)
    assert "2" in cy.store.game["seats"]


async def test_whoever_leaves_a_running_game_is_played_by_a_bot() -> None:
    hall = Hall((1,))
    ana, bo = await hall.table("double-or-nothing", "ana", "bo")
    await ana.move("add")
    hall.drain(bo)
    await bo.expect(Ack, Leave(id="1"))
    hall.check(ana)
    assert ana.store.player(1)["left"]
    await hall.wait(5, ana)
    assert ana.store.game["number"] == 3  # the mild move
    assert ana.updates[-1].cause.by == "bot"
    hall.check(ana)


async def test_chat_reaches_everyone_and_must_be_clean() -> None:
    hall = Hall()
    ana, bo = [await hall.peer() for _ in range(2)]
    room = (await ana.create("doubles")).room
    await bo.expect(Joined, Watch(id="1", room=room, name="bo"))
    await ana.expect(Ack, Chat(id="2", text=" run   away!! "))
    await bo.expect(Ack, Chat(id="3", text="ha"))
    bo.drain()
    assert [m for m in bo.seen if isinstance(m, Said)] == [
        Said(seat=0, name="ana", text="run away!!"),
        Said(name="bo", text="ha"),
    ]
    assert (await ana.refused(Chat(id="4", text="\x1b[31m"))).code == "bad_message"
    assert (await ana.refused(Chat(id="5", text="x" * 301))).code == "bad_message"


async def test_a_dropped_player_keeps_the_seat_and_comes_back() -> None:
    hall = Hall((1,))
    ana, bo = await hall.table("double-or-nothing", "ana", "bo")
    await bo.drop()
    ana.drain()
    assert isinstance(ana.seen[-1], Presence)
    assert ana.seen[-1].away == {"1": 900_000}
    await ana.move("add")
    again = await hall.peer()
    caught_up = await again.resume(bo)
    assert caught_up.hash == state_hash(again.store.table)
    assert [update.seq for update in again.updates] == [bo.store.seq + 1]
    hall.check(ana, again)
    await again.move("add")
    ana.drain()
    assert [m.here for m in ana.seen if isinstance(m, Presence)][-1] == (1,)


async def test_a_stand_in_goes_a_moment_later_where_that_could_not_be_saved_at_once() -> None:
    storage = DurableMemory()
    hall = Hall(storage=storage, grace_seconds=5, bot_seconds=60)
    ana, bo = await hall.table("double-or-nothing", "ana", "bo", options={"first": "1"})
    await ana.drop()
    await hall.wait(6, bo)
    assert bo.store.player(0)["standin"]
    write = storage.write
    storage.write = lambda entry, done: done(Unavailable("full"))  # type: ignore[method-assign]
    again = await hall.peer()
    await again.resume(ana)
    refused = await again.refused(again.moving("add"))
    assert refused.code == "unavailable" and "a bot" in refused.message.lower()
    storage.write = write  # type: ignore[method-assign]
    await hall.wait(1, again, bo)
    assert not bo.store.player(0)["standin"]
    await again.move("add")
    hall.check(again, bo)


async def test_a_bot_sits_in_after_the_grace_period_until_they_are_back() -> None:
    hall = Hall((1,), grace_seconds=20, bot_seconds=1)
    ana, bo = await hall.table("double-or-nothing", "ana", "bo")
    await bo.drop()
    await hall.wait(100, ana)
    assert not ana.store.player(1)["standin"]  # it is ana's turn: nobody waits for bo
    await ana.move("add")
    await hall.wait(19, ana)
    assert not ana.store.player(1)["standin"]
    await hall.wait(1, ana)
    assert ana.store.player(1)["standin"]
    await hall.wait(1, ana)
    assert ana.store.game["number"] == 3
    again = await hall.peer()
    await again.resume(bo)
    hall.check(ana, again)
    assert not again.store.player(1)["standin"]
    await ana.move("add")
    await hall.wait(100, ana, again)
    assert ana.store.game["number"] == 4  # now the person is waited for


async def test_a_newer_connection_evicts_the_older() -> None:
    hall = Hall((1,))
    ana, bo = await hall.table("double-or-nothing", "ana", "bo")
    again = await hall.peer()
    await again.resume(ana)
    assert ana.link.closed == (4009, "this seat was taken over by a newer connection")
    await ana.drop()  # its end no longer means anything
    await again.move("add")
    hall.check(again, bo)


async def test_missed_for_too_long_or_in_another_epoch_gives_a_snapshot() -> None:
    hall = Hall((1,))
    ana, bo = await hall.table("double-or-nothing", "ana", "bo")
    await ana.move("add")
    token = bo.store.tokens[1]
    for epoch, last_seq in [(0, 0), (2, 0), (1, 10_000)]:
        again = await hall.peer()
        room = bo.store.room or ""
        await again.ask(Resume(id="1", room=room, seat_token=token, epoch=epoch, last_seq=last_seq))
        assert [m.type for m in again.seen if m.type in ("snapshot", "update", "caught_up")] == [
            "snapshot",
            "caught_up",
        ]
        assert any(isinstance(m, Snapshot) for m in again.seen)


async def test_a_wrong_token_opens_nothing() -> None:
    hall = Hall()
    ana = await hall.peer()
    room = (await ana.create("doubles")).room
    thief = await hall.peer()
    error = await thief.refused(Resume(id="1", room=room, seat_token="x" * 43, epoch=1, last_seq=0))
    assert error.code == "unauthorized"


async def test_several_seats_on_one_connection_with_real_dice() -> None:
    hall = Hall()
    family = await hall.peer()
    room = (await family.create("doubles", "ana", options={"dice": "entered", "rounds": 1, "window": 0})).room
    await family.join(room, "bo")
    await family.join(room, "cy")
    assert family.store.seats == [0, 1, 2]
    await family.expect(Ack, Start(id="1"))
    assert (await family.refused(family.moving("roll", faces=(1, 2)))).code == "bad_message"
    error = await family.refused(family.moving("roll", seat=0))
    assert error.message == "Type the faces of the 2 dice that you rolled."
    error = await family.refused(family.moving("roll", seat=0, faces=(1, 7)))
    assert error.message == "A die has the faces 1 to 6; 7 is none of them."
    error = await family.refused(family.moving("roll", seat=0, faces=(1,)))
    assert error.message == "You typed 1 faces for 2 dice."
    await family.move("roll", seat=0, faces=(5, 3))
    await family.move("correct", choice="#1", seat=0, faces=(5, 5))
    assert family.store.game["pot"] == 500
    await family.move("roll", seat=1, faces=(1, 2))
    await family.move("cash", seat=2)
    await family.move("cash", seat=0)
    await family.move("cash", seat=1)
    hall.check(family)
    assert family.phase == "over"
    assert family.store.info.winners == (0, 1, 2)
    await family.drop()
    again = await hall.peer()
    for seat in range(3):
        await again.resume(family, seat)
    hall.check(again)


async def test_typed_faces_are_refused_where_the_server_rolls() -> None:
    hall = Hall()
    ana, _ = await hall.table("doubles", "ana", "bo")
    error = await ana.refused(ana.moving("roll", faces=(6, 6)))
    assert error.message == "No faces are to be typed here: the server rolls."


async def test_the_decision_window_closes_by_the_clock() -> None:
    hall = Hall((6, 1), (6, 1), (6, 1), (1, 2))
    ana, bo = await hall.table("doubles", "ana", "bo")
    for peer in (ana, bo, ana):
        await peer.move("roll")
        hall.drain(ana, bo)
    assert ana.store.info.timer and ana.store.info.timer.ms == 10_000
    await hall.wait(6, ana, bo)
    cy = await hall.peer()
    joined = await cy.watch(ana.store.room or "")
    assert joined.timer_ms == 4000  # what remains, not a time of day
    await bo.move("hold")
    await hall.wait(3.9, ana, bo, cy)
    assert cy.store.game["pot"] == 225
    await hall.wait(0.1, ana, bo, cy)
    assert cy.store.game["pot"] == 228
    assert cy.updates[-1].cause.by == "clock"
    assert cy.store.timer_ms == 10_000  # the next window
    hall.check(ana, bo, cy)


async def test_the_decision_window_closes_early() -> None:
    hall = Hall((6, 1), (6, 1), (6, 1), (1, 2))
    ana, bo = await hall.table("doubles", "ana", "bo")
    for peer in (ana, bo, ana):
        await peer.move("roll")
        hall.drain(ana, bo)
    await ana.move("hold")
    hall.drain(bo)
    await bo.move("hold")
    assert bo.store.game["pot"] == 228


async def test_a_turn_limit_plays_the_mild_move() -> None:
    hall = Hall((1,))
    ana, bo = await hall.table("double-or-nothing", "ana", "bo", turn_limit=30)
    await hall.wait(29.9, ana, bo)
    assert ana.store.game["number"] == 1
    await hall.wait(0.1, ana, bo)
    assert ana.store.game["number"] == 2
    told = ana.updates[-1]
    assert [event["kind"] for event in told.events] == ["time_up", "chose"]
    assert (told.events[0]["seat"], told.cause.by) == (0, "clock")
    await hall.wait(30, ana, bo)
    assert ana.store.game["number"] == 3
    hall.check(ana, bo)


async def test_a_turn_limit_goes_round_everyone_who_owes_a_roll() -> None:
    hall = Hall((1,) * 6, (2,) * 6, (3,) * 6)
    peers = await hall.table("sevens", "ana", "bo", "cy", turn_limit=30)
    for _ in range(3):
        await hall.wait(30, *peers)
    assert peers[0].store.game["stage"] == "play"


@pytest.mark.parametrize("game", ["doubles", "sevens", "farkle", "double-or-nothing"])
async def test_bots_play_every_game_to_its_end(game: str) -> None:
    options = {"doubles": {"rounds": 2}, "sevens": {"rounds": 2}, "farkle": {"target": 1000}}.get(game, {})
    hall = Hall(bot_seconds=1)
    ana = await hall.peer()
    await ana.create(game, options=options)
    await ana.expect(Ack, AddBot(id="1"))
    await ana.expect(Ack, Start(id="2"))
    await ana.drop()
    watcher = await hall.peer()
    await watcher.watch(ana.store.room or "")
    for _ in range(5000):
        await hall.wait(5, watcher)
        if watcher.phase == "over":
            break
    hall.check(watcher)
    assert watcher.store.info.winners


async def test_the_heartbeat_carries_the_hash_of_the_state() -> None:
    hall = Hall(heartbeat_seconds=10)
    ana, bo = await hall.table("doubles", "ana", "bo")
    for _ in range(3):
        await hall.wait(10, ana, bo)
    beats = [message for message in bo.seen if isinstance(message, Heartbeat)]
    assert len(beats) == 3
    assert beats[-1].hash == state_hash(bo.store.table)


async def test_real_dice_and_a_bot_whose_dice_the_server_rolls() -> None:
    hall = Hall((1, 2), bot_seconds=1)
    ana = await hall.peer()
    await ana.create("doubles", options={"dice": "entered", "window": 0})
    await ana.expect(Ack, AddBot(id="1"))
    await ana.expect(Ack, Start(id="2"))
    await ana.move("roll", faces=(6, 6))
    await hall.wait(1, ana)
    drawn = ana.updates[-1].cause.drawn
    if drawn:  # the bot may have cashed out instead
        assert drawn.faces == (1, 2)
    hall.check(ana)


def _join(hall: Hall, room: str, name: str) -> Join:
    return Join(id=hall.id(), room=room, name=name)


async def test_many_bots_at_once_or_none() -> None:
    hall = Hall()
    ana = await hall.peer()
    await ana.create("farkle", seats=6)
    assert (await ana.refused(AddBot(id="1", count=6))).code == "room_full"
    assert len(ana.store.table["seats"]) == 1
    await ana.expect(Ack, AddBot(id="2", count=5))
    assert [ana.store.name(seat) for seat in range(1, 6)] == [f"bot-{number}" for number in range(1, 6)]
    assert ana.updates[-1].cause.args == {"level": "steady", "count": 5}


async def test_a_rush_of_spectators_is_told_now_and_then() -> None:
    hall = Hall()
    ana = await hall.peer()
    room = (await ana.create("doubles")).room
    ana.drain()
    start = len(ana.seen)
    watchers = [await hall.peer() for _ in range(50)]
    for watcher in watchers:
        await watcher.watch(room)
    ana.drain()
    told = [message.watching for message in ana.seen[start:] if isinstance(message, Presence)]
    assert told == [1]  # the first at once
    await hall.wait(1, ana)
    told = [message.watching for message in ana.seen[start:] if isinstance(message, Presence)]
    assert told == [1, 50]  # and the rest in one
    await watchers[0].drop()
    await hall.lobby.close(hall.room(ana), "enough")
    ana.drain()
    end = len(ana.seen)
    await hall.wait(5, ana)
    assert len(ana.seen) == end  # a room that has ended is silent


async def test_an_ended_room_goes_without_the_garbage_collector() -> None:
    """The garbage collector rarely runs in full, so a room that has ended must not be part of a reference cycle."""
    hall = Hall((1,))
    ana, bo = await hall.table("double-or-nothing", "ana", "bo")
    await ana.move("add")
    room = weakref.ref(hall.room(ana))
    gc.collect()
    gc.disable()
    try:
        for peer in (ana, bo):
            await peer.expect(Ack, Leave(id="leave"))
        await asyncio.sleep(0)  # its task ends
        assert room() is None
    finally:
        gc.enable()

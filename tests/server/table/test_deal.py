"""How a game is dealt: who is committed to what, and when."""

import secrets

from dicegames_protocol.fairness import commitment, roll
from dicegames_protocol.messages.client import Leave, Ready, Rematch, Reveal, Start
from dicegames_protocol.messages.server import Ack
from dicegames_server.room.environment import FairDice
from dicegames_server.table.state import dice_key
from support.hall import DurableMemory, Hall, Peer

A, B = b"\xaa" * 16, b"\xbb" * 16


async def ready_table(hall: Hall, **options: object) -> tuple[Peer, Peer]:
    ana, bo = [await hall.peer() for _ in range(2)]
    room = (await ana.create("doubles", options={"window": 0, **options})).room
    await bo.join(room, "bo")
    for peer, seed in ((ana, A), (bo, B)):
        await peer.expect(Ack, Ready(id=hall.id(), commit=commitment(seed)))
    hall.drain(ana, bo)
    return ana, bo


async def test_the_game_begins_when_all_seeds_are_shown() -> None:
    hall = Hall()
    ana, bo = await ready_table(hall)
    assert ana.phase == "dealing"
    fair = ana.store.table["fair"]
    assert "seeds" not in fair and "secret" not in fair
    assert (await ana.refused(ana.moving("roll"))).message == "The game has not started yet."
    await ana.expect(Ack, Reveal(id="1", seed=A.hex()))
    assert "seeds" not in ana.store.table["fair"]  # nobody's seed is public before all are in
    await bo.expect(Ack, Reveal(id="2", seed=B.hex()))
    hall.check(ana, bo)
    assert bo.phase == "playing"
    assert bo.store.table["fair"]["seeds"] == {"0": A.hex(), "1": B.hex()}
    assert "commit" not in bo.store.player(0)


async def test_a_seed_must_be_the_one_that_was_promised() -> None:
    hall = Hall()
    ana, _ = await ready_table(hall)
    error = await ana.refused(Reveal(id="1", seed=B.hex()))
    assert error.message == "That is not the seed whose hash was sent."
    watcher = await hall.peer()
    await watcher.watch(ana.store.room or "")
    assert (await watcher.refused(Reveal(id="2", seed=A.hex()))).code == "unauthorized"


async def test_a_seat_that_does_not_show_its_seed_is_left_out() -> None:
    hall = Hall()
    ana, bo = await ready_table(hall)
    await ana.expect(Ack, Reveal(id="1", seed=A.hex()))
    await hall.wait(4.9, ana, bo)
    assert ana.phase == "dealing"
    await hall.wait(0.1, ana, bo)
    assert ana.phase == "playing"
    fair = ana.store.table["fair"]
    assert (fair["seeds"], fair["missing"]) == ({"0": A.hex()}, [1])
    assert [event for event in ana.events() if event["kind"] == "dealt"] == [
        {"kind": "dealt", "seats": [0], "missing": [1]}
    ]
    assert (await bo.refused(Reveal(id="2", seed=B.hex()))).message == "No seeds are asked for now."
    hall.check(ana, bo)


async def test_the_dice_follow_from_secret_and_seeds_and_both_are_public_in_the_end() -> None:
    hall = Hall()
    hall.environment = hall.environment.__class__(
        hall.environment.settings, hall.clock, FairDice(), hall.environment.storage, hall.environment.broadcast
    )
    hall.lobby = hall.lobby.__class__(hall.environment)
    ana, bo = await ready_table(hall, rounds=1)
    await ana.expect(Ack, Reveal(id="1", seed=A.hex()))
    await bo.expect(Ack, Reveal(id="2", seed=B.hex()))
    assert "secret" not in bo.store.table["fair"]
    for peer in (ana, bo, ana):
        await peer.move("roll")
    while ana.phase == "playing":
        for peer in (ana, bo):
            peer.drain()
            if "cash" in peer.store.offers(peer.seat):
                await peer.move("cash")
                ana.drain()
    state = hall.room(ana).state
    assert state.fair and state.fair.secret
    secret = bytes.fromhex(state.fair.secret)
    assert commitment(secret) == state.fair.commit
    key = dice_key(secret, state.fair, state.info)
    drawn = [update.cause.drawn for update in ana.updates if update.cause.drawn]
    assert [d.faces for d in drawn] == [roll(key, r, 2, 6) for r in range(1, len(drawn) + 1)]


async def test_nobody_left_to_deal_to() -> None:
    hall = Hall()
    ana, bo = [await hall.peer() for _ in range(2)]
    room = (await ana.create("sevens")).room
    await bo.join(room, "bo")
    await ana.expect(Ack, Start(id="1", commit=commitment(A)))
    await bo.expect(Ack, Leave(id="2"))
    await ana.expect(Ack, Reveal(id="3", seed=A.hex()))
    assert ana.phase == "waiting"
    hall.check(ana)


async def test_a_rematch_has_new_seeds_and_a_new_secret() -> None:
    hall = Hall((1,))
    ana, bo = await hall.table("double-or-nothing", "ana", "bo", options={"start": 19})
    first = ana.store.table["fair"]["commit"]
    await ana.move("add")
    seed = secrets.token_bytes(16)
    await ana.expect(Ack, Rematch(id="1", commit=commitment(seed)))
    await bo.expect(Ack, Rematch(id="2"))
    ana.drain()
    assert ana.phase == "dealing"
    await ana.expect(Ack, Reveal(id="3", seed=seed.hex()))
    hall.check(ana, bo)
    assert ana.phase == "playing"
    assert ana.store.table["fair"]["commit"] != first
    assert "secret" not in ana.store.table["fair"]


async def test_a_restart_while_dealing_asks_again() -> None:
    hall = Hall(storage=DurableMemory())
    ana, bo = await ready_table(hall)
    await ana.expect(Ack, Reveal(id="1", seed=A.hex()))
    await hall.restart()
    back, bo_back = await hall.peer(), await hall.peer()
    await back.resume(ana)
    await bo_back.resume(bo)
    for peer, seed in ((back, A), (bo_back, B)):
        await peer.expect(Ack, Reveal(id="again", seed=seed.hex()))
    hall.check(back, bo_back)
    assert back.phase == "playing"
    assert back.store.table["fair"]["seeds"] == {"0": A.hex(), "1": B.hex()}


async def test_a_room_that_ends_in_the_middle_of_a_game_shows_its_secret() -> None:
    hall = Hall()
    ana, _ = await hall.table("doubles", "ana", "bo")
    await hall.lobby.close_all("Good night.")
    ana.drain()
    assert "secret" in ana.store.table["fair"]

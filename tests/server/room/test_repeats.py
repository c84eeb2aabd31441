"""Moves sent twice, some of them across a restart: each acts once and gets the same answer."""

import random

from dicegames_protocol.messages.client import MakeMove, Rematch
from dicegames_protocol.messages.server import Ack, ServerMessage
from dicegames_protocol.table import Move
from support.hall import DurableMemory, Hall, Peer

MOVES = 10_000


async def back(hall: Hall, peers: list[Peer]) -> list[Peer]:
    await hall.restart()
    fresh = [await hall.peer() for _ in peers]
    for peer, before in zip(fresh, peers, strict=True):
        before.drain()
        await peer.resume(before)
    return fresh


async def test_ten_thousand_moves_of_which_three_in_ten_are_sent_twice() -> None:
    rng = random.Random(5)
    storage = DurableMemory()
    hall = Hall(storage=storage)
    peers = await hall.table("double-or-nothing", "ana", "bo", options={"best_of": 99})
    room = peers[0].store.room or ""
    made = 0
    pending: list[tuple[int, MakeMove, ServerMessage]] = []
    while made < MOVES:
        for peer in peers:
            peer.drain()
        if peers[0].phase == "over":
            for peer in peers:
                peer.drain()
                await peer.expect(Ack, Rematch(id=hall.id()))
            continue
        mover = next(number for number, peer in enumerate(peers) if peer.store.wanted() is not None)
        move = peers[mover].moving(rng.choice(["add", "double"]))
        answer = await peers[mover].expect(Ack, move)
        made += 1
        if rng.random() < 0.3:
            pending.append((mover, move, answer))
        if pending and rng.random() < 0.3:
            if rng.random() < 0.02:
                peers = await back(hall, peers)
            for sender, again, known in pending:
                assert await peers[sender].ask(again) == known
            pending.clear()
    found = await storage.read(room, 0, 10 * MOVES)
    assert found
    assert sum(b'"kind":"move"' in update for update in found[1]) == made
    hall.check(*peers)


async def test_an_id_with_another_content_is_refused_before_and_after_a_restart() -> None:
    hall = Hall(storage=DurableMemory())
    peers = await hall.table("double-or-nothing", "ana", "bo", options={"first": "1", "target": 1000})
    first = peers[0].moving("add")
    known = await peers[0].expect(Ack, first)
    other = first.but(move=Move(take="double"))
    refused = await peers[0].refused(other)
    assert (refused.code, refused.message) == (
        "bad_message",
        "This id was used for another move. Take a new id for every move.",
    )
    peers = await back(hall, peers)
    assert (await peers[0].refused(other)).code == "bad_message"
    assert await peers[0].ask(first) == known
    assert peers[0].store.table["game"]["number"] == 2
    hall.check(*peers)


async def test_an_id_that_was_refused_is_not_free_for_another_move() -> None:
    hall = Hall()
    peers = await hall.table("double-or-nothing", "ana", "bo", options={"first": "1"})
    early = peers[1].moving("add")
    assert (await peers[1].refused(early)).code == "not_your_turn"
    assert (await peers[1].refused(early)).code == "not_your_turn"
    assert (await peers[1].refused(early.but(move=Move(take="double")))).code == "bad_message"

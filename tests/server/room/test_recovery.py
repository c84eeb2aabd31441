"""When it is unknown whether an update was written, the log decides, and every command is answered once."""

import asyncio

import pytest

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.client import Chat, Join, Leave, MakeMove, Ready, Resume
from dicegames_protocol.messages.server import Ack, CaughtUp, Error, Redirect
from dicegames_server.room.recovery import RECOVERY_RETRY_SECONDS
from support.hall import Hall, Peer
from support.remembering import Remembering
from support.shared import LEASE, NodeStorage, SharedMemory


class Nodes:
    """Nodes on one store and one clock."""

    def __init__(self, *rolls: tuple[int, ...], count: int = 2) -> None:
        first = Hall(*rolls)
        self.clock = first.clock
        self.store = SharedMemory(self.clock)
        self.storages = [NodeStorage(self.store, f"ws://node{number}") for number in range(1, count + 1)]
        self.halls = [Hall(*rolls, storage=storage, clock=self.clock) for storage in self.storages]


def answers(peer: Peer, id: str) -> list[object]:
    peer.drain()
    return [message for message in peer.seen if getattr(message, "id", None) == id]


async def send(peer: Peer, message: MakeMove | Ready | Join | Chat) -> None:
    await peer._session.receive(encode(message).decode())
    peer.drain()


@pytest.mark.parametrize("written", [True, False])
async def test_a_move_in_doubt_is_answered_from_the_log(written: bool) -> None:
    nodes = Nodes((3, 4))
    hall, storage = nodes.halls[0], nodes.storages[0]
    ana, bo = await hall.table("doubles", "ana", "bo")
    before = ana.store.seq
    storage.forgetful = written
    roll = ana.moving("roll")
    await send(ana, roll)
    await hall.settle()
    (answer,) = answers(ana, roll.id)
    if written:
        assert answer == Ack(id=roll.id, seq=before + 1)
    else:
        assert isinstance(answer, Error)
        assert answer.code == "unavailable"
        assert await ana.ask(roll) == Ack(id=roll.id, seq=before + 1)  # the same again: now it acts
    assert await ana.ask(roll) == Ack(id=roll.id, seq=before + 1)
    assert hall.room(ana).state.epoch == 2
    hall.check(ana, bo)
    assert ana.gaps == bo.gaps == 0


@pytest.mark.parametrize("written", [True, False])
async def test_other_commands_in_doubt_are_answered_from_the_log_too(written: bool) -> None:
    nodes = Nodes()
    hall, storage = nodes.halls[0], nodes.storages[0]
    ana, bo = await hall.peer(), await hall.peer()
    room = (await ana.create("doubles")).room
    storage.forgetful = written
    join = Join(id="j", room=room, name="bo")
    await send(bo, join)
    await hall.settle()
    (answer,) = answers(bo, "j")
    if not written:
        assert isinstance(answer, Error)
        await bo.join(room, "bo")
    assert bo.store.seats == [1]
    for peer in (ana, bo):
        await peer.ready()
    hall.check(ana, bo)


async def test_while_storage_is_away_nothing_is_acknowledged_and_play_goes_on_without_a_restart() -> None:
    nodes = Nodes((3, 4), count=1)
    hall, storage = nodes.halls[0], nodes.storages[0]
    ana, bo = await hall.table("doubles", "ana", "bo")
    before = ana.store.seq
    storage.forgetful = True
    roll = ana.moving("roll")
    await send(ana, roll)
    storage.up = False
    await hall.settle()
    assert answers(ana, roll.id) == []  # nobody knows yet
    late = bo.moving("roll")
    await send(bo, late)
    (refused,) = answers(bo, late.id)
    assert isinstance(refused, Error)
    assert refused.code == "unavailable"
    await hall.wait(10 * RECOVERY_RETRY_SECONDS)
    assert answers(ana, roll.id) == []
    storage.up = True
    await hall.wait(RECOVERY_RETRY_SECONDS, ana, bo)
    assert answers(ana, roll.id) == [Ack(id=roll.id, seq=before + 1)]
    hall.check(ana, bo)


@pytest.mark.parametrize("written", [True, False])
async def test_a_copy_of_a_move_in_doubt_waits_with_the_first(written: bool) -> None:
    """It was refused as unavailable, and acknowledged a moment later."""
    nodes = Nodes((3, 4), count=1)
    hall, storage = nodes.halls[0], nodes.storages[0]
    ana, bo = await hall.table("doubles", "ana", "bo")
    before = ana.store.seq
    storage.forgetful = written
    roll = ana.moving("roll")
    await send(ana, roll)
    storage.up = False
    await hall.settle()
    for _ in range(3):
        await send(ana, roll)
    await hall.wait(10 * RECOVERY_RETRY_SECONDS)
    assert answers(ana, roll.id) == []  # nobody knows yet
    other = roll.but(move=roll.move.but(take="cash"))
    await send(ana, other)  # the same id for something else is not a copy
    (refused,) = answers(ana, roll.id)
    assert isinstance(refused, Error) and refused.code == "bad_message"
    await send(ana, roll.but(id="another"))
    (refused,) = answers(ana, "another")
    assert isinstance(refused, Error) and refused.code == "unavailable"
    storage.up = True
    await hall.wait(RECOVERY_RETRY_SECONDS, ana, bo)
    same = answers(ana, roll.id)[1:]
    assert len(same) == 4 and len({str(answer) for answer in same}) == 1
    assert isinstance(same[0], Ack) is written
    if not written:
        assert await ana.ask(roll) == Ack(id=roll.id, seq=before + 1)
    hall.check(ana, bo)


@pytest.mark.parametrize("known", [True, False])
async def test_a_hand_over_that_fails_leaves_one_answer_to_each_copy(known: bool) -> None:
    """The room stands still, a move waits, the room can't be released, and copies of the move come meanwhile."""
    nodes = Nodes((3, 4), count=1)
    hall, storage = nodes.halls[0], nodes.storages[0]
    ana, bo = await hall.table("doubles", "ana", "bo")
    before, room, roll = ana.store.seq, hall.room(ana), ana.moving("roll")
    hall.lobby.registry.elsewhere = lambda key: "ws://node2"
    assert await room.stand_still()
    first = asyncio.ensure_future(ana._session.receive(encode(roll).decode()))
    await hall.settle()
    storage.up = False
    room.recover()  # as Registry.move does when the release fails
    copies = [asyncio.ensure_future(ana._session.receive(encode(roll).decode())) for _ in range(2)]
    if not known:  # another command is told to try again
        await send(bo, bo.moving("roll").but(id="bo"))
        (refused,) = answers(bo, "bo")
        assert isinstance(refused, Error) and refused.code == "unavailable"
    await hall.settle()
    assert answers(ana, roll.id) == []
    storage.up = True
    await hall.wait(RECOVERY_RETRY_SECONDS, ana, bo)
    await asyncio.gather(first, *copies)
    await hall.settle()
    assert answers(ana, roll.id) == [Ack(id=roll.id, seq=before + 1)] * 3
    hall.check(ana, bo)


async def test_storage_that_is_away_from_the_beginning_refuses_at_once() -> None:
    nodes = Nodes((3, 4), count=1)
    hall, storage = nodes.halls[0], nodes.storages[0]
    ana, _ = await hall.table("doubles", "ana", "bo")
    storage.up = False
    roll = ana.moving("roll")
    assert (await ana.refused(roll)).code == "unavailable"
    storage.up = True
    await ana.expect(Ack, roll)
    assert hall.room(ana).state.epoch == 1  # nothing was in doubt


async def test_links_that_were_shown_are_kept() -> None:
    nodes = Nodes((3, 4), count=1)
    hall, storage = nodes.halls[0], nodes.storages[0]
    ana, bo = [await hall.peer(memory=Remembering()) for _ in range(2)]
    await bo.join((await ana.create("doubles", options={"window": 0})).room, "bo")
    for peer in (ana, bo):
        await peer.ready()
    await ana.move("roll")
    assert await ana.show()
    room = hall.room(ana)
    (link,) = room.state.shown.values()
    room.recover()
    await hall.settle()
    assert room.state.epoch == 2
    assert room.state.shown == {0: link}
    assert storage.up
    assert await bo.show()
    assert room.state.draws == 1
    hall.check(ana, bo)


async def test_a_room_that_another_node_has_is_left_to_it_and_everybody_is_sent_there() -> None:
    nodes = Nodes((3, 4))
    here, there = nodes.halls
    ana, bo = await here.table("doubles", "ana", "bo")
    code = ana.store.room or ""
    nodes.clock.advance(LEASE + 1)  # this node was asleep
    cy = await there.peer()
    await cy.watch(code)
    roll = ana.moving("roll")
    await send(ana, roll)
    await here.settle()
    assert answers(ana, roll.id) == []  # it is asked again where it is sent
    assert isinstance(ana.seen[-1], Redirect)
    assert ana.seen[-1].url == f"ws://node2/r/{code}"
    assert len(here.lobby) == 0
    assert ana.link.closed is None
    nodes.clock.advance(5)
    assert ana.link.closed  # whoever does not go is cut off
    again, bo_again = await there.peer(), await there.peer()
    await again.resume(ana)
    await bo_again.resume(bo)
    assert isinstance(await again.ask(roll), Ack)
    there.check(again, bo_again, cy)
    assert there.room(again).state.epoch == 2


async def test_whoever_stayed_here_while_another_node_had_the_room_has_to_show_their_token_again() -> None:
    nodes = Nodes((3, 4))
    here, there = nodes.halls
    ana, bo = await here.table("doubles", "ana", "bo")
    code = ana.store.room or ""
    nodes.clock.advance(LEASE + 1)  # this node was asleep; meanwhile bo's seat is given up on the other one
    bo_there = await there.peer()
    await bo_there.resume(bo)
    await bo_there.expect(Ack, Leave(id="l"))
    kept = there.lobby.registry.here(code)
    assert kept
    there.lobby.registry.elsewhere = lambda key: "ws://node1"
    await there.lobby.registry.move(kept.room)
    here.room(ana).recover()
    await here.settle()
    assert here.room(ana).state.epoch == 3
    assert ana.link.closed and bo.link.closed
    move = bo.moving("roll")
    await bo._session.receive(encode(move).decode())
    assert here.room(ana).state.seq == len(nodes.store._streams[code].entries)  # nothing came of it
    again = await here.peer()
    await again.resume(ana)
    gone = await here.peer()
    store = bo.store
    resume = Resume(id="r", room=code, seat_token=store.tokens[1], epoch=store.epoch, last_seq=store.seq)
    assert (await gone.refused(resume)).code == "unauthorized"


async def test_a_spectator_of_a_room_that_went_away_does_not_end_it() -> None:
    nodes = Nodes()
    here, there = nodes.halls
    ana, bo = await here.table("double-or-nothing", "ana", "bo")
    code = ana.store.room or ""
    nodes.clock.advance(LEASE + 1)
    cy = await there.peer()
    await cy.watch(code)
    here.room(ana).recover()
    await here.settle()
    for peer in (ana, bo):
        await peer.hang_up()  # meant for the node that had the room
    await here.settle()
    assert code in nodes.store._streams
    again = await there.peer()
    await again.resume(ana)


async def test_who_comes_back_while_it_is_not_known_is_told_to_try_again() -> None:
    nodes = Nodes((3, 4), count=1)
    hall, storage = nodes.halls[0], nodes.storages[0]
    ana, _ = await hall.table("doubles", "ana", "bo")
    again = await hall.peer()
    storage.forgetful = True
    await send(ana, ana.moving("roll"))
    storage.up = False
    store = ana.store
    resume = Resume(id="r", room=store.room or "", seat_token=store.tokens[0], epoch=store.epoch, last_seq=store.seq)
    await again._session.receive(encode(resume).decode())
    (refused,) = answers(again, "r")
    assert isinstance(refused, Error)
    assert refused.code == "unavailable"
    storage.up = True
    await hall.wait(RECOVERY_RETRY_SECONDS)
    await again.expect(CaughtUp, resume.but(id="s"))

"""A node among others: heartbeats, rooms that come and go, and where clients are redirected."""

import asyncio
from typing import Any

import pytest

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.client import AddBot, Create, Hello, Join, Leave, ListRooms, Start
from dicegames_protocol.messages.server import Ack, Error, Joined, Redirect, Rooms, ServerNotice, Welcome
from dicegames_server.lobby.drain import DRAIN_CHECK_SECONDS, Drain
from dicegames_server.lobby.nodes.cluster import Cluster
from dicegames_server.lobby.nodes.other_nodes import SETTLED_SECONDS, Other
from dicegames_server.lobby.nodes.outage import AWAY, BACK
from dicegames_server.lobby.nodes.rebalance import MOVES_PER_LOOK, Rebalance
from dicegames_server.ops.admin_client import lines
from dicegames_server.ops.status import Status
from dicegames_server.room.audience import COMING_SECONDS
from support.clock import FakeClock
from support.hall import Hall, Peer
from support.shared import LEASE, NodeStorage, SharedMemory

HELLO = Hello(protocol=(3, 3), client="test")


class Together:
    """Nodes with their clusters, on one store and one clock."""

    def __init__(self, count: int = 2, rolls: tuple[tuple[int, ...], ...] = ((3, 4),), **settings: Any) -> None:
        self.asked: list[str] = []
        self.clock = FakeClock()
        self.store = SharedMemory(self.clock)
        self.storages = [NodeStorage(self.store, f"ws://node{number}") for number in range(1, count + 1)]
        self.halls = [
            Hall(*rolls, storage=storage, clock=self.clock, **{"node_url": storage._url, **settings})
            for storage in self.storages
        ]
        self.clusters = [
            Cluster(
                hall.environment, hall.lobby, storage, Status(hall.environment, hall.lobby, "1").of_node, self.is_ready
            )
            for hall, storage in zip(self.halls, self.storages, strict=True)
        ]

    async def is_ready(self, url: str) -> bool:
        """What a node answers whom another one asks over the network."""
        self.asked.append(url)
        return any(storage.up for storage in self.storages if storage._url == url)

    async def start(self) -> None:
        for cluster in self.clusters:
            await cluster.start()
        await self.wait(2)

    async def stop(self) -> None:
        for cluster in self.clusters:
            await cluster.stop()

    async def wait(self, seconds: float) -> None:
        for _ in range(round(seconds)):
            self.clock.advance(1)
            await self.halls[0].settle()

    def dies(self, number: int) -> None:
        """As if killed: it sends and does nothing any more."""
        cluster = self.clusters[number]
        assert cluster._timer
        cluster._timer.cancel()
        self.storages[number].up = False


def notices(peer: Peer) -> list[str]:
    peer.drain()
    return [message.message for message in peer.seen if isinstance(message, ServerNotice)]


async def never(*_: object) -> Any:
    """A database that says nothing."""
    await asyncio.Event().wait()


async def arrive(hall: Hall, room: str) -> Peer:
    """A client connects to the address of a room; what it is told is in `seen`."""
    peer = Peer(hall, room)
    await peer.tell(HELLO)
    return peer


async def test_whoever_comes_for_a_room_is_sent_to_its_node_before_they_show_anything() -> None:
    together = Together()
    await together.start()
    here, there = together.halls
    ana = await here.peer()
    room = (await ana.create("doubles")).room
    bo = await arrive(there, room)
    assert bo.seen == [Redirect(url=f"ws://node1/r/{room}")]
    assert bo.link.closed
    assert [type(message) for message in (await arrive(here, room)).seen] == [Welcome]
    assert [type(message) for message in (await arrive(there, "ZZZZ")).seen] == [Welcome]
    await together.stop()


async def test_whoever_asks_on_the_way_is_sent_there_too() -> None:
    together = Together()
    await together.start()
    here, there = together.halls
    ana, bo = await here.peer(), await there.peer()
    room = (await ana.create("doubles", public=True)).room
    await together.wait(4)
    listed = await bo.expect(Rooms, ListRooms(id="l"))
    assert [entry.code for entry in listed.rooms] == [room]  # the list is everybody's
    assert await bo.ask(Join(id="j", room=room, name="bo")) == Redirect(id="j", url=f"ws://node1/r/{room}")
    assert there.environment.metrics.redirects == 1
    await together.stop()


async def test_guessing_codes_by_connecting_counts_and_counts_once() -> None:
    together = Together(failed_joins_per_minute=3)
    await together.start()
    there = together.halls[1]
    guesser = await arrive(there, "ZZZZ")
    assert (await guesser.refused(Join(id="1", room="ZZZZ", name="bo"))).code == "no_such_room"
    assert (await guesser.refused(Join(id="2", room="ZZZY", name="bo"))).code == "no_such_room"
    assert (await guesser.refused(Join(id="3", room="ZZZX", name="bo"))).code == "no_such_room"
    assert (await guesser.refused(Join(id="4", room="ZZZW", name="bo"))).code == "rate_limited"
    room = (await (await together.halls[0].peer()).create("doubles")).room
    assert [type(message) for message in (await arrive(there, room)).seen] == [Welcome]  # nothing is told any more
    await together.stop()


async def test_rooms_of_a_dead_node_go_on_where_somebody_asks_for_them() -> None:
    together = Together()
    await together.start()
    here, there = together.halls
    ana, bo = await here.table("doubles", "ana", "bo")
    room = ana.store.room or ""
    together.dies(0)
    await together.wait(LEASE - 1)
    coming = [asyncio.ensure_future(arrive(there, room)) for _ in range(3)]
    await there.settle()
    assert not any(one.done() for one in coming)  # nobody has heard of its node lately: they wait for the lease
    await together.wait(3)
    back = coming[0].result()
    assert [type(message) for message in back.seen] == [Welcome]
    await back.resume(ana)
    assert there.room(back).state.epoch == 2  # however many asked
    await (await there.peer()).resume(bo)
    await together.stop()


async def test_rooms_that_nobody_asks_for_are_taken_in_and_bots_play_on() -> None:
    together = Together(rolls=(), bot_seconds=1)
    await together.start()
    here, there = together.halls
    ana, cy = await here.peer(), await here.peer()
    room = (await ana.create("double-or-nothing", options={"best_of": 99})).room
    await ana.expect(Ack, AddBot(id="1"))
    await ana.expect(Ack, Start(id="2"))
    await cy.watch(room)
    await ana.expect(Ack, Leave(id="3"))
    together.dies(0)
    here.lobby.suspend()
    before = len(together.store._streams[room].entries)
    await together.wait(LEASE + 3)
    assert together.clusters[1].adopted == 1
    await together.wait(10)
    assert len(together.store._streams[room].entries) > before
    again = await there.peer()
    await again.watch(room)
    await together.stop()


async def test_a_node_that_was_asleep_finds_its_rooms_gone_and_sends_everybody_after_them() -> None:
    together = Together()
    await together.start()
    here, there = together.halls
    ana, _ = await here.table("doubles", "ana", "bo")
    timer = together.clusters[0]._timer
    assert timer
    timer.cancel()
    await together.wait(LEASE + 3)  # the other one has taken it in
    assert len(there.lobby) == 1
    together.clusters[0]._tick()
    together.clusters[0]._tick()
    await together.wait(3)
    ana.drain()
    assert Redirect(url=f"ws://node2/r/{ana.store.room}") in ana.seen
    assert (len(here.lobby), together.clusters[0].lost) == (0, 1)
    await together.stop()


async def test_a_room_that_was_lost_while_it_was_being_opened_is_noticed() -> None:
    together = Together()
    await together.start()
    here, there = together.halls
    ana, _ = await here.table("doubles", "ana", "bo")
    room = ana.store.room or ""
    del together.storages[0]._held[room]  # storage knows it before the room does
    nobody, _ = together.store.owners[room], together.store.owners.pop(room)
    assert nobody
    await together.storages[1].acquire(room)
    await together.wait(3)
    ana.drain()
    assert Redirect(url=f"ws://node2/r/{room}") in ana.seen
    assert len(there.lobby) == 0
    await together.stop()


async def test_a_node_that_is_cut_off_says_so_and_sends_people_on() -> None:
    together = Together()
    await together.start()
    here, there = together.halls
    ana, bo = await here.table("doubles", "ana", "bo")
    status = Status(here.environment, here.lobby, "1")
    status.cluster = together.clusters[0]
    assert status.problem == ""
    together.storages[0].up = False
    assert (await ana.refused(ana.moving("roll"))).code == "unavailable"
    await together.wait(LEASE + 3)
    assert status.problem == "cut off from storage"
    ana.drain()
    assert Redirect(url=f"ws://node2/r/{ana.store.room}") in ana.seen
    assert notices(ana) == [AWAY]
    assert ana.link.closed is None  # if they can't play there either, they wait here
    again = await there.peer()
    await again.resume(ana)
    await again.move("roll")
    together.storages[0].up = True
    await together.wait(3)
    assert status.problem == ""
    assert len(here.lobby) == 0
    bo.drain()
    assert isinstance(bo.seen[-1], Redirect)
    await together.stop()


@pytest.mark.parametrize("hangs", [False, True])
async def test_an_outage_is_told_within_two_seconds(hangs: bool, monkeypatch: Any) -> None:
    """Of a database that refuses, and of one that says nothing."""
    together = Together(count=3)
    await together.start()
    tables = [await hall.table("doubles", "ana", "bo") for hall in together.halls]
    for storage in together.storages:
        storage.up = False
        if hangs:
            for name in ("beat", "orphans"):
                monkeypatch.setattr(storage, name, never)
    await together.wait(2)
    assert [notices(peer) for table in tables for peer in table] == [[AWAY]] * 6
    await together.stop()


async def test_nobody_is_sent_where_nobody_can_serve() -> None:
    """120 of 120 players were sent to nodes that were cut off as well, every seven seconds."""
    together = Together(count=3)
    await together.start()
    tables = [await hall.table("doubles", "ana", "bo") for hall in together.halls]
    for storage in together.storages:
        storage.up = False
    await together.wait(5 * LEASE)
    for peer in (peer for table in tables for peer in table):
        peer.drain()
        assert not any(isinstance(message, Redirect) for message in peer.seen)
        assert peer.link.closed is None
    assert set(together.asked) == {"ws://node1", "ws://node2", "ws://node3"}
    together.storages[2].up = True  # the third one can be reached again, and storage from there
    await together.wait(10 * LEASE)
    ana = tables[0][0]
    ana.drain()
    assert {message.url for message in ana.seen if isinstance(message, Redirect)} == {f"ws://node3/r/{ana.store.room}"}
    await together.stop()


async def test_everybody_cut_off_waits_and_goes_on(caplog: Any) -> None:
    together = Together(count=1)
    await together.start()
    hall, storage = together.halls[0], together.storages[0]
    ana, bo = await hall.table("doubles", "ana", "bo")
    storage.up = False
    with caplog.at_level("WARNING", "dicegames.mailbox"):
        for _ in range(3):
            assert (await ana.refused(ana.moving("roll"))).code == "unavailable"
    assert caplog.text.count("can't commit") == 1
    await together.wait(10 * LEASE)
    bo.drain()
    assert not any(isinstance(message, Redirect) for message in bo.seen)
    assert notices(bo) == [AWAY]
    assert (await ana.refused(ana.moving("roll"))).code == "unavailable"
    storage.up = True
    await together.wait(3)
    assert notices(bo) == [AWAY, BACK]
    await ana.move("roll")
    hall.check(ana, bo)
    await together.stop()


async def test_a_drained_node_hands_its_rooms_on_between_two_moves() -> None:
    together = Together(count=3)
    await together.start()
    here = together.halls[0]
    tables = [await here.table("doubles", "ana", "bo") for _ in range(30)]
    over: list[bool] = []
    drain = Drain(here.lobby, here.clock, lambda: over.append(True))
    drain.move_all = together.clusters[0].move_all
    drain.begin(600)
    await here.settle()
    await here.wait(DRAIN_CHECK_SECONDS)
    assert over
    assert len(here.lobby) == 0
    nodes = set()
    for ana, bo in tables:
        ana.drain()
        (sent,) = [message for message in ana.seen if isinstance(message, Redirect)]
        assert not any(isinstance(message, ServerNotice) for message in ana.seen)
        nodes.add(sent.url.partition("/r/")[0])
        there = together.halls[int(sent.url[9]) - 1]
        again, bo_again = await there.peer(), await there.peer()
        await again.resume(ana)  # at once: nobody owns it
        await bo_again.resume(bo)
        await again.move("roll")
        there.check(again, bo_again)
    assert nodes == {"ws://node2", "ws://node3"}
    late = await here.peer()
    answer = await late.ask(Create(id="c", game="doubles", name="cy"))
    assert isinstance(answer, Redirect)
    await together.stop()


async def test_a_room_stays_while_there_is_no_other_node() -> None:
    """As just after an outage of storage, when no heartbeat has been seen for a while."""
    together = Together()
    await together.start()
    here = together.halls[0]
    ana, bo = await here.table("doubles", "ana", "bo")
    others, together.clusters[0].others = together.clusters[0].others, ()
    here.lobby.registry.refusing = True
    (room,) = here.lobby.rooms
    await here.lobby.registry.move(room)
    assert here.lobby.rooms == [room]
    await ana.move("roll")
    here.check(ana, bo)
    together.clusters[0].others = others
    await here.lobby.registry.move(room)
    assert here.lobby.rooms == []
    await together.stop()


async def test_who_comes_along_with_a_room_is_not_told_to_be_away() -> None:
    together = Together()
    await together.start()
    here, there = together.halls
    ana, bo, cy = await here.table("doubles", "ana", "bo", "cy")
    await together.clusters[0].move_all()
    again, bo_again = await there.peer(), await there.peer()
    await again.resume(ana)
    await bo_again.resume(bo)
    again.drain()
    assert again.store.away == {}
    await there.wait(COMING_SECONDS, again)
    assert list(again.store.away) == [2]  # cy has not come
    late = await there.peer()
    await late.resume(cy)
    again.drain()
    assert again.store.away == {}
    await together.stop()


async def test_a_sign_of_life_while_rooms_are_handed_on_does_not_get_them_back(monkeypatch: Any) -> None:
    together = Together()
    await together.start()
    here, storage = together.halls[0], together.storages[0]
    ana, _ = await here.table("doubles", "ana", "bo")
    release = storage.release

    async def in_between(room: str, epoch: int) -> None:
        await release(room, epoch)
        await together.clusters[0]._beat()
        await here.settle()

    monkeypatch.setattr(storage, "release", in_between)
    await together.clusters[0].move_all()
    assert together.store.owners[ana.store.room or ""] is None
    assert together.clusters[0].lost == 0
    await together.stop()


async def test_a_node_that_can_not_release_its_rooms_keeps_them() -> None:
    together = Together()
    await together.start()
    here, storage = together.halls[0], together.storages[0]
    ana, bo = await here.table("doubles", "ana", "bo")
    over: list[bool] = []
    drain = Drain(here.lobby, here.clock, lambda: over.append(True))
    drain.move_all = together.clusters[0].move_all
    storage.up = False
    drain.begin(600)
    await together.wait(3)
    ana.drain()
    assert not over
    assert not any(isinstance(message, Redirect) for message in ana.seen)
    await ana._session.receive(encode(ana.moving("roll")).decode())
    ana.drain()
    assert isinstance(ana.seen[-1], Error)
    assert ana.seen[-1].code == "unavailable"
    storage.up = True
    await together.wait(3)
    assert over
    ana.drain()
    assert Redirect(url=f"ws://node2/r/{ana.store.room}") in ana.seen
    there = together.halls[1]
    again, bo_again = await there.peer(), await there.peer()
    await again.resume(ana)
    await bo_again.resume(bo)
    await again.move("roll")
    there.check(again, bo_again)
    await together.stop()


async def test_two_nodes_with_one_address_do_not_both_serve(caplog: Any) -> None:
    """People who were sent to one of them reached the other."""
    together = Together(node_url="ws://node1")
    together.storages[1]._url = "ws://node1"
    with caplog.at_level("INFO"):
        await together.start()
        await together.wait(4)
    here, there = together.halls
    assert caplog.text.count("runs with the same node_url (ws://node1)") == 1
    assert [cluster.problem for cluster in together.clusters] == ["", "another node has the same node_url"]
    status = Status(there.environment, there.lobby, "1")
    status.cluster = together.clusters[1]
    assert status.problem == "another node has the same node_url"
    assert together.clusters[0].elsewhere("KQ7M") == ""  # nobody is sent from here to here
    stranger = await there.peer()
    assert (await stranger.refused(Create(id="c", game="doubles", name="ana"))).code == "unavailable"
    ana, _ = await here.table("doubles", "ana", "bo")
    assert ana.store.room
    coming = await arrive(there, ana.store.room)
    assert isinstance(coming.seen[0], Error) and coming.seen[0].code == "unavailable"
    together.dies(0)
    with caplog.at_level("INFO"):
        await together.wait(LEASE + 2)
    assert "no other node has the node_url ws://node1 any more" in caplog.text
    assert together.clusters[1].problem == ""
    assert there.lobby.rooms  # it has taken in what the other one had
    await together.stop()


async def test_a_node_that_is_back_within_its_lease_is_not_warned_of_itself(caplog: Any) -> None:
    together = Together(node_url="ws://node1")
    together.storages[1]._url = "ws://node1"  # the second one is started in the place of the first
    await together.clusters[0].start()
    await together.wait(2)
    together.dies(0)
    with caplog.at_level("WARNING"):
        await together.clusters[1].start()
        assert together.clusters[1].problem  # it can't know yet that the other one is itself
        await together.wait(LEASE / 2)
    assert together.clusters[1].problem == ""
    assert "node_url" not in caplog.text
    await together.clusters[1].stop()


async def test_after_an_outage_nobody_is_taken_for_gone_too_soon(caplog: Any) -> None:
    together = Together()
    await together.start()
    for storage in together.storages:
        storage.up = False
    await together.wait(2 * LEASE)
    with caplog.at_level("INFO"):
        for storage in together.storages:
            storage.up = True
        for _ in range(2):
            await together.clusters[0]._beat()  # the other one has not been heard yet
        assert together.clusters[0].elsewhere("KQ7M") == "ws://node2"
        await together.wait(4)
    assert "is gone" not in caplog.text
    together.dies(1)
    with caplog.at_level("INFO"):
        await together.wait(LEASE + 2)
    assert "is gone: ws://node2" in caplog.text
    await together.stop()


async def test_a_node_that_was_killed_and_is_back_sends_nobody_to_its_former_self() -> None:
    together = Together(node_url="ws://node1")
    together.storages[1]._url = "ws://node1"  # the second one is started in the place of the first
    await together.clusters[0].start()
    here, there = together.halls
    ana, _ = await here.table("doubles", "ana", "bo")
    together.dies(0)
    await together.clusters[1].start()
    await together.wait(LEASE / 2)
    coming = asyncio.ensure_future(arrive(there, ana.store.room or ""))
    await there.settle()
    assert not coming.done()
    await together.wait(LEASE + 1)
    assert [type(message) for message in coming.result().seen] == [Welcome]
    await together.clusters[1].stop()


async def test_a_room_on_a_node_that_nobody_can_be_sent_to_is_told_at_once(caplog: Any) -> None:
    together = Together(node_url="ws://node2")
    together.storages[0]._url = ""
    await together.start()
    here, there = together.halls
    ana, _ = await here.table("doubles", "ana", "bo")
    coming = asyncio.ensure_future(arrive(there, ana.store.room or ""))
    await together.wait(3)  # the owner gives a sign of life within two seconds
    (told,) = coming.result().seen
    assert isinstance(told, Error)
    assert (told.code, told.message) == ("unavailable", "This room is on a server that can't be reached from here.")
    assert coming.result().link.closed
    assert "has no node_url" in caplog.text
    await together.stop()


def others(*rooms: int, up_seconds: int = 60) -> list[Other]:
    return [
        Other(f"{n}", f"ws://node{n}", False, {"rooms": count, "up_seconds": up_seconds}, ())
        for n, count in enumerate(rooms, start=2)
    ]


@pytest.mark.parametrize(
    ("mine", "theirs", "plan"),
    [
        (0, (9,), []),
        (10, (), []),
        (10, (9, 8), []),
        (10, (6,), []),  # 8 is its share: not far enough from it
        (12, (4,), ["ws://node2"] * 2),
        (11, (5,), ["ws://node2"]),  # then there are 10 and 6
        (90, (0, 1), ["ws://node2"] * 2),
        (90, (3, 1), ["ws://node3"] * 2),
        (90, (2, 1), ["ws://node3", "ws://node2"]),
        (2, (0,), []),  # so few rooms are not worth a move
        (4, (0,), ["ws://node2"]),
    ],
)
def test_rooms_that_should_move(mine: int, theirs: tuple[int, ...], plan: list[str]) -> None:
    rebalance = Rebalance()
    assert rebalance.plan(mine, others(*theirs), 0.0) == plan
    assert rebalance.plan(mine, others(*theirs, up_seconds=1), 0.0) == []  # balancers do not know it yet
    for _ in range(100):  # the others never say that something has come: it counts all the same
        for url in rebalance.plan(mine, others(*theirs), 1.0):
            rebalance.moved(url, 1.0)
            mine -= 1
    assert not rebalance.plan(mine, others(*theirs), 2.0)
    assert not plan or mine >= sum(theirs) / (1 + len(theirs))


async def test_a_node_that_joins_gets_rooms_a_few_at_a_time() -> None:
    together = Together()
    await together.clusters[0].start()
    here, there = together.halls
    tables = [await here.table("doubles", "ana", "bo") for _ in range(12)]
    lonely = await here.peer()
    await lonely.create("doubles")
    await lonely.drop()  # nobody would ask for this one there
    await together.clusters[1].start()
    await together.wait(SETTLED_SECONDS + 2)
    moved = 0
    for _ in range(12):
        await together.wait(1)
        now = together.clusters[0].rebalanced
        assert now - moved <= MOVES_PER_LOOK
        moved = now
        for ana, bo in tables:  # clients follow
            ana.drain()
            if isinstance(ana.seen[-1], Redirect) and ana.link.closed is None:
                for peer in (ana, bo):
                    await (await there.peer()).resume(peer)
                    peer.link.closed = (0, "gone there")
    assert 4 <= moved <= 7
    assert len(here.lobby) + len(there.lobby) == 13
    assert here.lobby.registry.here(lonely.store.room or "")
    await together.wait(20)
    assert together.clusters[0].rebalanced == moved and together.clusters[1].rebalanced == 0  # and it is quiet again
    await together.stop()


async def test_a_node_that_goes_sends_whoever_comes_to_another() -> None:
    together = Together()
    await together.start()
    here, there = together.halls
    ana, _ = await there.table("doubles", "ana", "bo")
    await together.clusters[0].move_all()
    coming = await arrive(here, ana.store.room or "")
    assert coming.seen == [Redirect(url=f"ws://node2/r/{ana.store.room}")]
    together.dies(1)
    await together.wait(LEASE + 2)
    (told,) = (await arrive(here, ana.store.room or "")).seen
    assert isinstance(told, Error) and told.code == "unavailable"
    await together.stop()


async def test_rooms_go_to_nodes_that_balancers_know_already() -> None:
    together = Together(count=3)
    first, second, third = together.clusters
    await first.start()
    await second.start()
    await together.wait(SETTLED_SECONDS + 1)
    newcomer = together.halls[2]
    third._status = Status(newcomer.environment, newcomer.lobby, "1").of_node
    await third.start()
    await together.wait(3)
    assert {first.elsewhere(str(room)) for room in range(100)} == {"ws://node2"}
    await together.wait(SETTLED_SECONDS)
    assert {first.elsewhere(str(room)) for room in range(100)} == {"ws://node2", "ws://node3"}
    await together.stop()


async def test_the_last_node_lets_its_people_back_in_while_it_is_drained() -> None:
    together = Together()
    here = together.halls[0]
    status = Status(here.environment, here.lobby, "1")
    status.cluster = together.clusters[0]
    await together.clusters[0].start()
    here.lobby.drain()
    assert status.problem == ""
    await together.clusters[1].start()
    await together.wait(3)
    assert status.problem == "draining"
    await together.stop()


async def test_a_node_alone_is_drained_as_ever() -> None:
    together = Together(count=1)
    await together.start()
    hall = together.halls[0]
    ana, _ = await hall.table("doubles", "ana", "bo")
    over: list[bool] = []
    drain = Drain(hall.lobby, hall.clock, lambda: over.append(True))
    drain.move_all = together.clusters[0].move_all
    drain.begin(5)
    await hall.wait(1, ana)
    assert any(isinstance(message, ServerNotice) for message in ana.seen)
    assert not over
    await hall.wait(5)
    assert over
    await together.stop()


async def test_what_nodes_tell_adds_up() -> None:
    together = Together()
    await together.start()
    for hall in together.halls:
        await hall.table("doubles", "ana", "bo")
    await together.wait(4)
    status = Status(together.halls[0].environment, together.halls[0].lobby, "1")
    status.cluster = together.clusters[0]
    told = status.told()
    assert (told["rooms"], told["cluster"]["rooms"], told["cluster"]["nodes"]) == (1, 2, 2)
    assert list(lines(told))[-4:] == [
        "storage      PostgreSQL, 0.0 updates per commit",
        "this node    ws://node1 (1)",
        "other node   ws://node2 (1): 1 room, 0 connections",
        "all nodes    2: 2 rooms (2 playing), 4 players, 0 connections",
    ]
    together.storages[0].up = False
    await together.wait(LEASE + 2)
    assert list(lines(status.told()))[-3:] == [
        "storage      PostgreSQL, AWAY, 0.0 updates per commit",
        "this node    ws://node1 (1), cut off from storage",
        "all nodes    1: 1 room (1 playing), 2 players, 0 connections",  # what others have now is not counted twice
    ]
    together.storages[0].up = True
    await together.wait(3)
    together.dies(1)
    await together.wait(LEASE + 2)
    assert status.told()["cluster"]["nodes"] == 1
    await together.stop()


async def test_a_code_is_never_given_twice_on_all_nodes(monkeypatch: Any) -> None:
    together = Together()
    await together.start()
    codes = iter(["AAAA", "AAAA", "BBBB"])
    monkeypatch.setattr("dicegames_server.lobby.lobby.new_code", lambda rooms: next(codes))
    rooms = [await (await hall.peer()).create("doubles") for hall in together.halls]
    assert [joined.room for joined in rooms] == ["AAAA", "BBBB"]
    await together.stop()


async def test_a_node_of_another_version_may_tell_what_it_likes() -> None:
    together = Together()
    await together.start()
    await together.storages[1].beat(b"\xff not even text")
    await together.wait(2)
    assert [other.rooms for other in together.clusters[0].others] == [()]
    ana = await together.halls[0].peer()
    assert isinstance(await ana.ask(Create(id="c", game="doubles", name="ana")), Joined)
    assert not isinstance(ana.seen[-1], Error)
    await together.stop()


async def test_a_room_that_was_just_lost_is_not_taken_back_at_once() -> None:
    """Under load a room changed its node eleven times in a minute, and did not go on."""
    together = Together()
    await together.start()
    here = together.halls[0]
    ana, _ = await here.table("doubles", "ana", "bo")
    room = ana.store.room or ""
    timer = together.clusters[0]._timer
    assert timer
    timer.cancel()
    await together.wait(LEASE + 3)  # the other one has taken it in
    together.clusters[0]._tick()
    together.clusters[0]._tick()
    await together.halls[0].settle()
    assert here.lobby.registry.losses.wait_seconds(room) > 0
    together.dies(1)
    together.store.owners[room] = None  # and is free at once
    asking = asyncio.ensure_future(here.lobby.registry.bring(room))
    await here.settle()
    assert room not in here.lobby.registry
    await together.wait(LEASE)
    await asking
    assert room in here.lobby.registry
    await together.stop()

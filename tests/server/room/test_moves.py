"""Moves that come while others are still being committed."""

from collections.abc import Callable

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.client import MakeMove
from dicegames_protocol.messages.server import Ack, Error
from dicegames_server.storage.base import Done, Entry, Unavailable
from dicegames_server.storage.memory import MemoryStorage
from support.hall import Hall, Peer


class Slow(MemoryStorage):
    """A store that commits only when the test tells it to."""

    def __init__(self) -> None:
        super().__init__()
        self.slow = False
        self._waiting: list[tuple[Entry, Done]] = []

    def write(self, entry: Entry, done: Done) -> None:
        if self.slow:
            self._waiting.append((entry, done))
        else:
            super().write(entry, done)

    def go_on(self, fail_first: bool = False) -> None:
        self.slow = False
        waiting, self._waiting = self._waiting, []
        for number, (entry, done) in enumerate(waiting):
            if fail_first and not number:
                done(Unavailable("disk full"))
            else:
                super().write(entry, done)


async def table() -> tuple[Slow, Hall, list[Peer]]:
    """Three players at Doubles, after a roll: all may cash out."""
    storage = Slow()
    hall = Hall((3, 4), storage=storage)
    peers = list(await hall.table("doubles", "ana", "bo", "cy"))
    await peers[0].move("roll")
    for peer in peers:
        peer.drain()
    return storage, hall, peers


async def send(peer: Peer, move: MakeMove) -> None:
    """Without waiting for the result."""
    await peer._session.receive(encode(move).decode())
    peer.drain()


def answers(peer: Peer, move: MakeMove, kind: Callable[..., object]) -> list[object]:
    peer.drain()
    return [m for m in peer.seen if getattr(m, "id", None) == move.id and type(m) is kind]


async def test_moves_are_decided_upon_each_other_and_told_when_they_are_safe() -> None:
    storage, hall, peers = await table()
    storage.slow = True
    moves = [peer.moving("cash") for peer in peers]
    for peer, move in zip(peers, moves, strict=True):
        await send(peer, move)
        assert not answers(peer, move, Ack)
    before = peers[0].store.seq
    storage.go_on()
    for number, (peer, move) in enumerate(zip(peers, moves, strict=True), start=1):
        assert answers(peer, move, Ack) == [Ack(id=move.id, seq=before + number)]
    hall.check(*peers)


async def test_what_was_built_upon_a_move_that_failed_has_not_happened_either() -> None:
    storage, hall, peers = await table()
    storage.slow = True
    moves = [peer.moving("cash") for peer in peers[:2]]
    for peer, move in zip(peers, moves, strict=False):
        await send(peer, move)
    storage.go_on(fail_first=True)
    for peer, move in zip(peers, moves, strict=False):
        assert [type(answer) for answer in answers(peer, move, Error)] == [Error]
        assert not answers(peer, move, Ack)
    for peer, move in zip(peers, moves, strict=False):
        await peer.expect(Ack, move)  # the same again: it was never answered for good
    hall.check(*peers)


async def test_a_move_that_comes_again_while_it_is_being_committed_acts_once() -> None:
    storage, hall, peers = await table()
    storage.slow = True
    move = peers[0].moving("cash")
    await send(peers[0], move)
    await send(peers[0], move)
    before = peers[0].store.seq
    storage.go_on()
    await peers[1].move("cash")  # after all that was asked before
    acks = answers(peers[0], move, Ack)
    assert acks == [Ack(id=move.id, seq=before + 1)] * 2
    hall.check(*peers)

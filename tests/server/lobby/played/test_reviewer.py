"""Accuracy and luck are worked out after a game, and nobody waits for it."""

import time
from collections.abc import Callable, Generator, Hashable, Sequence
from types import SimpleNamespace
from typing import TypeVar

import pytest

from dicegames_protocol.codec import decode_update
from dicegames_protocol.messages.client import AskHistory, AskStats, Rematch
from dicegames_protocol.messages.review import GameReview
from dicegames_protocol.messages.server import Ack, History, Stats, Update
from dicegames_server.audit.review.reviewing import review, whole
from dicegames_server.core.worker import TooMuch
from dicegames_server.lobby.played.review_work import Allowance
from dicegames_server.lobby.played.reviewer import MOST_WAITING_GAMES, Reviewer
from dicegames_server.storage import memory_past_games
from dicegames_server.storage.base import Unavailable
from support.hall import DurableMemory, Hall, Peer

ANA, BO = "a" * 64, "b" * 64
T = TypeVar("T")


async def table(hall: Hall, game: str = "double-or-nothing", **options: object) -> tuple[Peer, Peer]:
    ana, bo = await hall.peer(ANA), await hall.peer(BO)
    room = (await ana.create(game, options=options)).room
    await bo.join(room, "bo")
    for peer in (ana, bo):
        await peer.ready()
    hall.drain(ana, bo)
    return ana, bo


async def play_out(*peers: Peer) -> None:
    """Everybody adds, until the game is over."""
    for _ in range(1000):
        for peer in peers:
            peer.drain()
        if peers[0].phase == "over":
            return
        await next(peer for peer in peers if peer.store.wanted() is not None).move("add")
    raise AssertionError("the game does not end")


async def again(*peers: Peer) -> None:
    for peer in peers:
        await peer.expect(Ack, Rematch(id=peer.hall.id()))


async def done(hall: Hall) -> None:
    """Until nothing waits for its review."""
    for _ in range(2000):
        await hall.wait(0.05)
        if hall.lobby.reviewer.idle:
            return
    raise AssertionError("the reviews do not end")


async def marks(peer: Peer) -> list[tuple[float | None, float | None]]:
    """Accuracy and luck of all games, the latest first."""
    games = (await peer.expect(History, AskHistory(id=peer.hall.id()))).games
    return [(game.accuracy, game.luck) for game in games]


async def review_of(peer: Peer, number: int) -> GameReview:
    found = await peer.hall.environment.storage.read(peer.hall.room(peer).code, 0, 10**6)
    assert found
    return whole(review([decode_update(line) for line in found[1]], number))


async def test_the_marks_are_those_of_the_review_of_the_whole_log() -> None:
    """Also of a later game in the same room: the log is read up to it, and cut."""
    hall = Hall(review_seconds=10)
    ana, bo = await table(hall, start=1, target=20)
    for number in (1, 2, 3):
        await play_out(ana, bo)
        if number < 3:
            await again(ana, bo)
    await done(hall)
    for seat, peer in enumerate((ana, bo)):
        players = [(await review_of(ana, number)).players[seat] for number in (3, 2, 1)]
        assert await marks(peer) == [(player.accuracy, player.luck) for player in players]
        (row,) = (await peer.expect(Stats, AskStats(id=hall.id()))).games
        assert row.marks and row.marks.reviewed == 3
        assert row.marks.luck == pytest.approx(sum(player.luck for player in players), abs=1e-4)
        assert [month.reviewed for month in row.months] == [3]
    assert any(accuracy not in (None, 1.0) for accuracy, _ in await marks(ana) + await marks(bo))


async def test_a_game_whose_end_was_corrected_is_reviewed_anew() -> None:
    hall = Hall(review_seconds=10)
    ana, bo = await table(hall, "doubles", rounds=1, window=0, dice="entered")
    for peer in (ana, bo, ana):
        await peer.move("roll", faces=(6, 1))
    await ana.move("cash")
    await bo.move("roll", faces=(3, 4))
    await done(hall)
    (first,) = await marks(bo)
    assert first[1] is not None
    await bo.move("undo")
    await done(hall)
    assert await marks(bo) == []
    await bo.move("roll", faces=(1, 2))
    await bo.move("cash")
    await done(hall)
    (second,) = await marks(bo)
    player = (await review_of(ana, 1)).players[1]
    assert second == (player.accuracy, player.luck) != first


class ByTurns:
    """A worker that is busy, or does what it is asked and notes how often."""

    def __init__(self) -> None:
        self.busy = False
        self.calls = 0

    async def run(self, key: Hashable, work: Callable[[], T]) -> T:
        if self.busy:
            raise TooMuch
        self.calls += key == "reviews"
        return work()


def endless(hall: Hall, seconds: float) -> Callable[[Sequence[Update]], Generator[float, None, GameReview]]:
    """A review whose every step takes so many seconds."""

    def begin(updates: Sequence[Update]) -> Generator[float, None, GameReview]:
        while True:
            hall.clock.advance(seconds)
            yield 0.5

    return begin


async def test_a_review_that_takes_too_long_is_given_up_for_good() -> None:
    worker = ByTurns()
    hall = Hall(worker=worker, storage=DurableMemory(), review_seconds=10)
    slow = Reviewer(hall.environment, endless(hall, 0.01))
    hall.environment.games_over.tell = slow.finished
    ana, bo = await table(hall, start=19)
    await play_out(ana, bo)
    for _ in range(5000):
        await hall.wait(0.05)
        if slow.idle:
            break
    assert slow.idle
    assert 300 < worker.calls < 600  # ten seconds of work, in slices of 20 ms
    assert await marks(ana) == [(None, None)]
    assert await hall.environment.storage.past_games.unmarked(3600, -1, 9) == []


async def test_a_worker_that_never_answers_costs_one_game_its_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that takes longer than the worker allows is not tried for ever."""

    class Stuck(ByTurns):
        async def run(self, key: Hashable, work: Callable[[], T]) -> T:
            if key == "reviews" and self.calls >= 1:
                if not allowances[0].working:
                    allowances[0].begin()  # the worker has begun with it, and is never done
                raise TooMuch
            return await super().run(key, work)

    allowances: list[Allowance] = []
    begin = Allowance.__init__

    def noting(self: Allowance, now: Callable[[], float], seconds: float) -> None:
        allowances.append(self)
        begin(self, now, seconds)

    monkeypatch.setattr(Allowance, "__init__", noting)
    hall = Hall(worker=Stuck(), review_seconds=10)
    ana, bo = await table(hall, start=19)
    await play_out(ana, bo)
    for _ in range(60):
        await hall.wait(0.25)
    assert hall.lobby.reviewer.idle
    assert await marks(ana) == [(None, None)]
    assert await hall.environment.storage.past_games.unmarked(3600, -1, 9) == []


async def test_what_a_busy_worker_or_store_puts_off_is_caught_up(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = ByTurns()
    hall = Hall(worker=worker, storage=DurableMemory(), review_seconds=10)
    ana, bo = await table(hall, start=19)
    worker.busy = True
    await play_out(ana, bo)
    await done(hall)
    worker.busy = False
    assert await marks(ana) == [(None, None)]
    later(monkeypatch)
    await hall.wait(31)  # a sweep
    await done(hall)
    ((_, luck),) = await marks(ana)
    assert luck is not None


async def test_what_a_process_leaves_undone_the_next_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = Hall(storage=DurableMemory(), review_seconds=10)
    ana, bo = await table(hall, start=19)
    await play_out(ana, bo)
    assert not hall.lobby.reviewer.idle
    await hall.restart()  # in the middle of it
    await hall.settle()
    past = hall.environment.storage.past_games
    assert len(await past.unmarked(3600, -1, 9)) == 1
    await hall.wait(31)
    assert hall.lobby.reviewer.idle  # it has only just ended: another node may be at it
    later(monkeypatch)
    await hall.wait(31)
    await done(hall)
    assert await past.unmarked(3600, -1, 9) == []
    ((_, luck),) = await marks(await hall.peer(ANA))
    assert luck is not None


def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ten minutes pass for the store."""
    now = time.time() + 600
    monkeypatch.setattr(memory_past_games, "time", SimpleNamespace(time=lambda: now))


async def test_a_server_that_stops_waits_for_no_review() -> None:
    hall = Hall(review_seconds=10)
    ana, bo = await table(hall, start=19)
    await play_out(ana, bo)
    reviewer = hall.lobby.reviewer
    assert not reviewer.idle
    hall.lobby.take_no_more()
    await hall.settle()  # the clock stands still
    assert reviewer.idle
    reviewer.finished("KQ7M", 1)
    assert reviewer.idle


async def test_a_drain_does_not_wait_either() -> None:
    """Games are running as long as their phase says so. A review is none."""
    hall = Hall(review_seconds=10)
    ana, bo = await table(hall, start=19)
    hall.lobby.drain()
    await play_out(ana, bo)
    assert [room.state.info.phase for room in hall.lobby.rooms] == ["over"]
    assert not hall.lobby.reviewer.idle


async def test_the_move_that_ends_a_game_is_answered_before_anything_is_worked_out() -> None:
    worker = ByTurns()
    hall = Hall(worker=worker, review_seconds=10)
    ana, bo = await table(hall, start=19)
    before = worker.calls
    told: list[int] = []
    tell = hall.environment.games_over.tell

    def noting(room: str, game_no: int) -> None:
        told.append(worker.calls)
        assert any(b'"ack"' in frame for peer in (ana, bo) for frame in peer.link.frames)
        tell(room, game_no)

    hall.environment.games_over.tell = noting
    await play_out(ana, bo)
    assert told == [before]


async def test_only_so_many_games_wait_and_each_once() -> None:
    hall = Hall(review_seconds=10)
    reviewer = hall.lobby.reviewer
    for _ in range(2):
        for number in range(MOST_WAITING_GAMES + 50):
            reviewer.finished("ZZZZ", number)
    assert len(reviewer._waiting) == MOST_WAITING_GAMES
    await done(hall)


async def test_a_store_that_is_away_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = Hall(storage=DurableMemory(), review_seconds=10)
    ana, bo = await table(hall, start=19)
    read = hall.environment.storage.read

    async def away(room: str, after: int, most: int) -> tuple[bytes, list[bytes]] | None:
        raise Unavailable("away")

    monkeypatch.setattr(hall.environment.storage, "read", away)
    await play_out(ana, bo)
    await done(hall)
    monkeypatch.setattr(hall.environment.storage, "read", read)
    later(monkeypatch)
    await hall.wait(31)
    await done(hall)
    ((_, luck),) = await marks(ana)
    assert luck is not None


async def test_a_log_that_makes_no_sense_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = Hall(review_seconds=10)
    ana, bo = await table(hall, start=19)

    async def nonsense(room: str, after: int, most: int) -> tuple[bytes, list[bytes]] | None:
        return b"{}", [b"nonsense"]

    monkeypatch.setattr(hall.environment.storage, "read", nonsense)
    await play_out(ana, bo)
    await done(hall)
    assert await marks(ana) == [(None, None)]
    assert await hall.environment.storage.past_games.unmarked(3600, -1, 9) == []


async def test_reviews_can_be_switched_off() -> None:
    hall = Hall(review_seconds=0)
    ana, bo = await table(hall, start=19)
    await play_out(ana, bo)
    assert hall.lobby.reviewer.idle
    assert await marks(ana) == [(None, None)]
    (row,) = (await ana.expect(Stats, AskStats(id="1"))).games
    assert (row.marks, row.months) == (None, ())

"""Reviews in a room: after the game, for all who are there, worked out once, and never in anybody's way."""

import asyncio
import gc
import weakref
from collections.abc import Callable, Hashable
from typing import TypeVar

import pytest

from dicegames_protocol.messages.client import AskReview, Rematch
from dicegames_protocol.messages.review import CurvePoint, GameReview, Review, ReviewedMove, ReviewedPlayer
from dicegames_protocol.messages.server import Ack, Error
from dicegames_server.audit.review import reviewing
from dicegames_server.audit.review.shortening import MOST_SENT_CHANCES, MOST_SENT_MOVES, MOST_SENT_PLAYERS, shortened
from dicegames_server.core.worker import TooMuch
from dicegames_server.lobby.played import review_work
from dicegames_server.lobby.played.reviews import MOST_KEPT, NOT_DURING_PLAY, REVIEW_SECONDS, STILL_AT_IT, WAIT_SECONDS
from support.clock import FakeClock
from support.hall import Hall, Peer

T = TypeVar("T")


class SlowWorker:
    """Every calculation takes so many seconds of the clock. It can be told to do nothing at all."""

    def __init__(self, clock: FakeClock, seconds: float = 0.0) -> None:
        self.clock, self.seconds = clock, seconds
        self.busy = False
        self.runs = 0
        self.open = asyncio.Event()
        self.open.set()

    async def run(self, key: Hashable, work: Callable[[], T]) -> T:
        if key != "review":
            return work()
        await self.open.wait()
        if self.busy:
            raise TooMuch
        self.runs += 1
        self.clock.advance(self.seconds)
        return work()


async def play(hall: Hall, *peers: Peer, doubles: int = 3) -> None:
    """Double or Nothing up to the end: whoever is to move doubles, and adds where that would be too much."""
    while peers[0].phase == "playing":
        for peer in peers:
            peer.drain()
            if peer.phase == "playing" and (offers := peer.store.offers(peer.seat)):
                await peer.move("double" if "double" in offers and peer.store.game["number"] < 20 else "add")
                hall.drain(*peers)


async def over(hall: Hall, **options: object) -> list[Peer]:
    peers = await hall.table("double-or-nothing", "ana", "bo", options={"target": 40, **options})
    await play(hall, *peers)
    return peers


async def later(hall: Hall, peer: Peer, id: str, number: int | None = None) -> Review | Error:
    """The answer to a question, which may come in its own time."""
    await peer.tell(AskReview(id=id, game_no=number))
    await hall.settle()
    peer.drain()
    (answer,) = [message for message in peer.seen if getattr(message, "id", None) == id]
    assert isinstance(answer, Review | Error)
    return answer


async def test_players_and_spectators_are_told_the_same() -> None:
    hall = Hall()
    ana, bo = await over(hall)
    eva = await hall.peer()
    await eva.watch(hall.room(ana).code)
    told = [await later(hall, peer, "r1") for peer in (ana, bo, eva)]
    found = told[0]
    assert isinstance(found, Review) and told == [found, found, found]
    assert [player.name for player in found.review.players] == ["ana", "bo"]
    assert {player.end for player in found.review.players} == {0.0, 1.0}
    assert found.review.game_no == 1 and found.review.room == hall.room(ana).code


async def test_never_during_play() -> None:
    hall = Hall()
    ana, bo = await over(hall)
    for peer in (ana, bo):
        await peer.expect(Ack, Rematch(id=hall.id()))
    hall.drain(ana, bo)
    assert ana.phase == "playing"
    for number in (None, 1, 2):
        refused = await ana.refused(AskReview(id=hall.id(), game_no=number))
        assert (refused.code, refused.message) == ("illegal_move", NOT_DURING_PLAY)
    await play(hall, ana, bo)
    for number in (1, 2):
        found = await later(hall, ana, f"again{number}", number)
        assert isinstance(found, Review) and found.review.game_no == number


async def test_a_game_that_begins_meanwhile_ends_it() -> None:
    clock = FakeClock()
    worker = SlowWorker(clock)
    hall = Hall(clock=clock, worker=worker)
    ana, bo = await over(hall)
    worker.open.clear()
    await ana.tell(AskReview(id="r"))
    for peer in (ana, bo):
        await peer.expect(Ack, Rematch(id=hall.id()))
    worker.open.set()
    await hall.settle()
    ana.drain()
    (answer,) = [message for message in ana.seen if getattr(message, "id", None) == "r"]
    assert isinstance(answer, Error) and answer.message == NOT_DURING_PLAY
    assert worker.runs <= 1


async def test_wrong_numbers_and_rooms_are_refused_with_a_sentence() -> None:
    hall = Hall()
    eva = await hall.peer()
    assert (await eva.refused(AskReview(id="a"))).message == "Join or watch a room first."
    await eva.create("double-or-nothing", "eva")
    assert (await eva.refused(AskReview(id="b"))).message.startswith("No game is over here.")
    ana, _ = await over(hall)
    refused = await ana.refused(AskReview(id="c", game_no=2))
    assert refused.code == "bad_message" and "The last one is game 1." in refused.message


async def test_many_who_ask_cost_one_calculation() -> None:
    clock = FakeClock()
    worker = SlowWorker(clock)
    hall = Hall(clock=clock, worker=worker)
    ana, _ = await over(hall)
    crowd = [await hall.peer() for _ in range(40)]
    worker.open.clear()
    for peer in crowd:
        await peer.watch(hall.room(ana).code)
        await peer.tell(AskReview(id="r"))
    worker.open.set()
    await hall.settle()
    runs = worker.runs
    hall.drain(*crowd)
    assert all(isinstance(peer.seen[-1], Review) for peer in crowd)
    assert isinstance(await later(hall, ana, "late"), Review)
    assert worker.runs == runs <= 3  # reading, and the review itself


async def test_it_is_worked_out_in_slices_and_others_get_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock()
    worker = SlowWorker(clock)
    hall = Hall(clock=clock, worker=worker)
    ana, _ = await over(hall)
    updates = hall.room(ana).state.seq
    real = reviewing._Table.follow

    def slow(table: reviewing._Table, update: object) -> None:
        clock._now += review_work.SLICE_SECONDS / 2
        real(table, update)  # type: ignore[arg-type]

    monkeypatch.setattr(reviewing._Table, "follow", slow)
    assert isinstance(await later(hall, ana, "r"), Review)
    assert updates / 4 < worker.runs < updates


async def test_what_takes_too_long_is_said_once_and_for_all() -> None:
    clock = FakeClock()
    worker = SlowWorker(clock, seconds=REVIEW_SECONDS)
    hall = Hall(clock=clock, worker=worker)
    ana, bo = await over(hall)
    told = await later(hall, ana, "r")
    assert isinstance(told, Error) and told.code == "unavailable"
    assert told.message.startswith("That takes too long here.")
    runs = worker.runs
    assert isinstance(await later(hall, bo, "r"), Error)
    assert worker.runs == runs


async def test_whoever_waits_for_long_is_told_to_ask_again() -> None:
    clock = FakeClock()
    worker = SlowWorker(clock)
    hall = Hall(clock=clock, worker=worker)
    ana, _ = await over(hall)
    worker.open.clear()
    await ana.tell(AskReview(id="r"))
    await hall.wait(WAIT_SECONDS - 1, ana)
    assert not isinstance(ana.seen[-1], Error)
    await hall.wait(1, ana)
    refused = ana.seen[-1]
    assert isinstance(refused, Error) and refused.message == STILL_AT_IT
    worker.open.set()
    await hall.settle()
    assert isinstance(await later(hall, ana, "again"), Review)


async def test_a_busy_worker_is_asked_again() -> None:
    clock = FakeClock()
    worker = SlowWorker(clock)
    hall = Hall(clock=clock, worker=worker)
    ana, _ = await over(hall)
    worker.busy = True
    await ana.tell(AskReview(id="r"))
    await hall.wait(1, ana)
    worker.busy = False
    await hall.wait(1, ana)
    assert isinstance(ana.seen[-1], Review)


async def test_one_at_a_time_for_a_connection_and_it_can_go_on() -> None:
    clock = FakeClock()
    worker = SlowWorker(clock)
    hall = Hall(clock=clock, worker=worker)
    ana, _ = await over(hall)
    worker.open.clear()
    await ana.tell(AskReview(id="r"))
    assert (await ana.refused(AskReview(id="again"))).code == "rate_limited"
    await ana.expect(Ack, Rematch(id="m"))
    worker.open.set()
    await hall.settle()
    ana.drain()
    assert isinstance(ana.seen[-1], Review)


async def test_a_room_that_goes_takes_its_reviews_along() -> None:
    clock = FakeClock()
    worker = SlowWorker(clock)
    hall = Hall(clock=clock, worker=worker)
    ana, bo = await over(hall)
    worker.open.clear()
    await ana.tell(AskReview(id="r"))
    room = weakref.ref(hall.room(ana))
    await ana.hang_up()
    await bo.hang_up()
    worker.open.set()
    await hall.settle()
    del ana, bo
    gc.collect()
    assert room() is None and worker.runs <= 1


async def test_only_the_newest_games_are_kept() -> None:
    hall = Hall()
    ana, bo = await over(hall)
    for number in range(2, MOST_KEPT + 3):
        for peer in (ana, bo):
            await peer.expect(Ack, Rematch(id=hall.id()))
        hall.drain(ana, bo)
        await play(hall, ana, bo)
        assert isinstance(await later(hall, ana, f"r{number}", number), Review)
    assert len(hall.lobby.reviews._asked[hall.room(ana)]) == MOST_KEPT


def test_a_review_is_shortened_to_what_matters() -> None:
    players = tuple(
        ReviewedPlayer(
            seat=seat,
            name=f"p{seat}",
            start=0.001,
            end=float(seat == 999),
            lost=seat / 1000,
            given=0.0,
            luck=0.0,
            decisions=1,
            slips=0,
            mistakes=0,
            blunders=0,
            costliest=(seat,) if seat < 500 else (),
        )
        for seat in range(1000)
    )
    moves = tuple(
        ReviewedMove(
            seq=seat, seat=seat if seat < 490 else 998, mark="fine", cost=0.001, chance=0.5, took="a", best="b"
        )
        for seat in range(500)
    )
    curve = tuple(CurvePoint(seq=n, chances=tuple(float(n == 399) for _ in players)) for n in range(400))
    whole = GameReview(
        room="KQ7M",
        game="doubles",
        title="Doubles",
        summary="",
        game_no=1,
        exact=False,
        players=players,
        moves=moves,
        curve=curve,
    )
    short = shortened(whole)
    assert len(short.players) == MOST_SENT_PLAYERS and short.players[-1].name == "p999"
    assert len(short.moves) <= MOST_SENT_MOVES and short.left_out == 500 - len(short.moves)
    seats = {player.seat for player in short.players}
    assert {move.seat for move in short.moves} <= seats
    assert len(short.curve) * len(short.players) <= MOST_SENT_CHANCES + len(short.players)
    assert short.curve[-1].seq == 399 and len(short.curve[0].chances) == len(short.players)
    assert len(short.model_dump_json()) < 48 * 1024
    assert shortened(short) == short

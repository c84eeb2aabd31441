"""A guest without a network: the server's end is a queue, and the test sets the time."""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from dicegames_client.base.address import Address
from dicegames_client.base.errors import NETWORK, REFUSED, ClientError
from dicegames_client.base.wire import LOST, Closed
from dicegames_client.guest.backoff import (
    FIRST_DELAY_SECONDS,
    GIVE_UP_SECONDS,
    LONGEST_DELAY_SECONDS,
    STILL_LOST_SECONDS,
)
from dicegames_client.guest.events import Back, Finished, GuestEvent, Lost, News, StillLost
from dicegames_client.guest.guest import RESEND_SECONDS, Guest
from dicegames_client.guest.server_link import NodeAway, ServerLink
from dicegames_protocol.codec import encode, state_hash
from dicegames_protocol.messages.client import (
    Chat,
    ClientMessage,
    Join,
    ListRooms,
    MakeMove,
    Ping,
    Ready,
    Resume,
    Watch,
)
from dicegames_protocol.messages.server import (
    Ack,
    CaughtUp,
    CloseCode,
    Error,
    Heartbeat,
    Joined,
    Left,
    Pong,
    Redirect,
    Rooms,
    ServerMessage,
    Update,
    Welcome,
)
from dicegames_protocol.table import Move
from support.hall import Hall
from support.limits import LIMITS

HERE = Address("127.0.0.1", 8765)
TRY_SECONDS = 2.0
"""Seconds that a try to connect takes in the world of these tests."""


class FakeLink:
    """A connection whose far end is the test."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.welcome = Welcome(protocol=1, server="test", limits=LIMITS, heartbeat_ms=10_000)
        self.sent: list[ClientMessage] = []
        self.answer: Callable[[ClientMessage], list[ServerMessage]] = lambda message: []
        self._incoming: asyncio.Queue[ServerMessage | Closed] = asyncio.Queue()
        self.aborted = self.closed = False
        self.server_id = ""

    def tell(self, *messages: ServerMessage | Closed) -> None:
        for message in messages:
            self._incoming.put_nowait(message)

    async def send(self, message: ClientMessage) -> None:
        self.sent.append(message)
        self.tell(*self.answer(message))

    async def receive_with_text(self) -> tuple[ServerMessage, bytes]:
        message = await self._incoming.get()
        if isinstance(message, Closed):
            raise message
        return message, encode(message)

    async def close(self) -> bool:
        self.closed = True
        return True

    def abort(self) -> None:
        self.aborted = True
        self.tell(Closed(LOST, ""))


class World:
    """The place that guests connect to: each try takes the next of `ways`, a link or an error."""

    def __init__(self) -> None:
        self.ways: list[FakeLink | ClientError] = []
        self.nodes: list[str] = []
        self.slept: list[float] = []
        self.time = 0.0

    async def open(
        self,
        address: Address,
        client: str,
        player: Any = None,
        node: Address | None = None,
        server_id: str = "",
        *,
        over_ssh: bool = False,
    ) -> FakeLink:
        self.time += TRY_SECONDS
        self.nodes.append(node.url if node else "")
        way = self.ways.pop(0) if len(self.ways) > 1 else self.ways[0]
        if isinstance(way, ClientError):
            raise way
        return way

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.setattr(ServerLink, "open", made.open)
    return made


async def opened(world: World, *ways: FakeLink | ClientError) -> Guest:
    world.ways = list(ways)
    guest = Guest(HERE, sleep=world.sleep, now=lambda: world.time)
    await guest.open()
    return guest


async def next_of(news: AsyncIterator[GuestEvent], kind: type[Any]) -> Any:
    async with asyncio.timeout(5):
        async for event in news:
            if isinstance(event, kind):
                return event
    raise AssertionError(f"no {kind.__name__}")


async def joined(room: str = "KQ7M") -> Joined:
    """What a player receives who takes a seat, from a real room."""
    hall = Hall()
    peer = await hall.peer()
    answer = await peer.create("double-or-nothing", "ana")
    return answer.but(room=room, seat_token="token")


def answering(**answers: Callable[[Any], list[ServerMessage]]) -> Callable[[ClientMessage], list[ServerMessage]]:
    return lambda message: answers.get(message.type, lambda message: [])(message)


async def seated(world: World, *ways: FakeLink | ClientError) -> tuple[Guest, FakeLink, Joined]:
    link, answer = FakeLink(HERE), await joined()
    link.answer = answering(join=lambda message: [answer.but(id=message.id)])
    guest = await opened(world, link)
    await guest.ask(Join(id=guest.new_id(), room="KQ7M", name="ana", password="dice"))
    world.ways = list(ways)
    return guest, link, answer


def update(seq: int, **patch: Any) -> Update:
    return Update.model_validate({"seq": seq, "cause": {"kind": "move"}, "events": [], "patch": patch})


def caught_up(guest: Guest, resume: Resume) -> CaughtUp:
    store = guest.store
    return CaughtUp(id=resume.id, room="KQ7M", seat=0, epoch=1, seq=store.seq, hash=state_hash(store.table))


async def test_an_answer_finds_whoever_asked_and_everything_else_is_news(world: World) -> None:
    link = FakeLink(HERE)
    link.answer = answering(
        rooms=lambda message: [Pong(id="other"), Rooms(id=message.id, rooms=())],
    )
    guest = await opened(world, link)
    assert await guest.ask(ListRooms(id="mine")) == Rooms(id="mine", rooms=())
    event = await next_of(guest.news(), News)
    assert event.message == Pong(id="other")
    await guest.close()
    assert link.closed


async def test_ids_are_never_used_twice(world: World) -> None:
    one, two = Guest(HERE), Guest(HERE)
    ids = [guest.new_id() for guest in (one, two) for _ in range(100)]
    assert len(set(ids)) == 200


async def test_what_came_too_fast_is_asked_again_after_a_while(world: World) -> None:
    link = FakeLink(HERE)
    tries = iter([True, True, False])

    def answer(message: ClientMessage) -> list[ServerMessage]:
        assert isinstance(message, Ping)
        return [Error(id=message.id, code="rate_limited", message="Wait.")] if next(tries) else [Pong(id=message.id)]

    link.answer = answer
    guest = await opened(world, link)
    assert await guest.ask(Ping(id="p")) == Pong(id="p")
    assert world.slept == [RESEND_SECONDS] * 2
    await guest.close()


@pytest.mark.parametrize(("code", "exit_code"), [("no_such_room", REFUSED), ("unavailable", NETWORK)])
async def test_a_refusal_is_an_error_with_its_sentence(world: World, code: Any, exit_code: int) -> None:
    link = FakeLink(HERE)
    link.answer = answering(watch=lambda message: [Error(id=message.id, code=code, message="No.")])
    guest = await opened(world, link)
    with pytest.raises(ClientError, match=r"^127\.0\.0\.1:8765 says: No\.$") as error:
        await guest.ask(Watch(id="w", room="KQ7M"))
    assert error.value.code == exit_code
    await guest.close()


async def test_a_move_names_the_update_that_was_seen(world: World) -> None:
    guest, link, answer = await seated(world)
    await guest.move(0, Move(take="add"))
    await guest.move(0, Move(take="add"), seq=1)
    first, second = [message for message in link.sent if isinstance(message, MakeMove)]
    assert (first.seq, second.seq, first.seat) == (answer.seq, 1, 0)
    assert first.id != second.id
    await guest.close()


async def test_the_back_off_doubles_up_to_its_limit_and_is_told_now_and_then(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full jitter: each wait is a random part of the delay. Here it is the largest part, so waits equal delays."""
    monkeypatch.setattr(secrets, "randbelow", lambda most: most)
    guest, link, _ = await seated(world, ClientError("Nobody there.", NETWORK))
    link.tell(Closed(LOST, ""))
    news = guest.news()
    await next_of(news, Lost)
    still = await next_of(news, StillLost)
    assert still.sentence == "Nobody there."
    ended = await next_of(news, Finished)
    assert ended.code == NETWORK
    delays = [FIRST_DELAY_SECONDS * 2**n for n in range(5)]
    assert delays[-1] < LONGEST_DELAY_SECONDS < 2 * delays[-1]
    assert world.slept[:6] == [*delays, LONGEST_DELAY_SECONDS]
    assert set(world.slept[5:]) == {LONGEST_DELAY_SECONDS}


@pytest.mark.parametrize("part", [0, 0.3, 1], ids=["short waits", "usual waits", "long waits"])
@pytest.mark.parametrize("hold_seconds", [60, 3600], ids=["seats held short", "seats held long"])
async def test_it_tries_for_as_long_as_it_says(
    part: float, hold_seconds: float, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What counts is the time that has passed, however long each wait and each try was. It was twice as fast once."""
    monkeypatch.setattr(secrets, "randbelow", lambda most: round(most * part))
    guest, link, _ = await seated(world)
    assert guest.hold_seconds == LIMITS.seat_seconds  # what the server says
    guest._seats.limits = LIMITS.but(seat_seconds=hold_seconds)
    world.ways = [ClientError("Nobody there.", NETWORK)]
    began = world.time
    link.tell(Closed(LOST, ""))
    step = TRY_SECONDS + LONGEST_DELAY_SECONDS
    told: list[float] = []
    async for event in guest.news():
        if isinstance(event, StillLost):
            assert STILL_LOST_SECONDS <= event.seconds - (told[-1] if told else 0) <= STILL_LOST_SECONDS + step
            told.append(event.seconds)
        if isinstance(event, Finished):
            assert re.fullmatch(r"No connection for (15|60) minutes\. Nobody there\.", event.sentence)
            break
    most = max(GIVE_UP_SECONDS, hold_seconds)
    assert most < world.time - began <= most + step
    assert told[-1] > most - 2 * step - STILL_LOST_SECONDS


async def test_the_waits_are_spread(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand clients that lose their server at the same time do not come back at the same time."""
    asked: list[int] = []

    def least(most: int) -> int:
        asked.append(most)
        return 0

    monkeypatch.setattr(secrets, "randbelow", least)
    guest, link, _ = await seated(world, ClientError("Nobody there.", NETWORK))
    link.tell(Closed(LOST, ""))
    await next_of(guest.news(), Finished)
    assert set(asked) == {1000} and set(world.slept) == {0.0}


async def test_it_comes_back_with_its_seat_and_says_so(world: World) -> None:
    back = FakeLink(HERE)
    guest, link, _ = await seated(world, back)
    back.answer = answering(resume=lambda message: [caught_up(guest, message)])
    link.tell(Closed(LOST, ""))
    news = guest.news()
    await next_of(news, Lost)
    await next_of(news, Back)
    (resume,) = back.sent
    assert isinstance(resume, Resume)
    assert (resume.seat_token, resume.last_seq) == ("token", guest.store.seq)
    await guest.close()
    assert back.closed


async def test_a_spectator_comes_back_by_watching_again(world: World) -> None:
    link, back, answer = FakeLink(HERE), FakeLink(HERE), await joined()
    watching = answer.but(seat=None, seat_token=None)
    link.answer = back.answer = answering(watch=lambda message: [watching.but(id=message.id)])
    guest = await opened(world, link)
    await guest.ask(Watch(id="w", room="KQ7M", password="dice"))
    world.ways = [back]
    link.tell(Closed(LOST, ""))
    await next_of(guest.news(), Back)
    (again,) = back.sent
    assert isinstance(again, Watch) and again.password == "dice" and again.id != "w"
    await guest.close()


def gone(message: Resume) -> list[ServerMessage]:
    return [Error(id=message.id, code="unauthorized", message="That seat is no longer yours.")]


async def test_a_seat_that_became_free_before_a_game_is_taken_anew(world: World) -> None:
    """Also where somebody else sits on the old one by now, and where the connection fails once more meanwhile."""
    hall = Hall()
    other, peer = await hall.peer(), await hall.peer()
    room = (await other.create("double-or-nothing", "cy")).room
    new = (await peer.join(room, "ana")).but(room="KQ7M", seat_token="new")
    half, back = FakeLink(HERE), FakeLink(HERE)
    guest, link, _ = await seated(world, half, back)

    def cut(message: Join) -> list[ServerMessage]:
        half.tell(Closed(LOST, ""), Closed(LOST, ""))
        return []

    half.answer = answering(resume=gone, join=cut)
    back.answer = answering(resume=gone, join=lambda message: [new.but(id=message.id)])
    link.tell(Closed(LOST, ""))
    news = guest.news()
    seat = await next_of(news, News)
    assert isinstance(seat.message, Joined) and seat.message.seat_token == "new"
    end = await next_of(news, Back)
    assert end.said == "You were away for too long, so your seat became free. You have sat down again."
    resume, join = back.sent
    assert isinstance(resume, Resume) and resume.seat_token == "token"
    assert isinstance(join, Join)
    assert (join.room, join.name, join.password, join.program) == ("KQ7M", "ana", "dice", False)
    assert guest.store.tokens == {1: "new"} and guest.store.seats == [1]
    assert guest.freed_seats == {0}
    await guest.close()


async def test_a_seat_that_can_not_be_taken_anew_is_the_end_and_says_why(world: World) -> None:
    back = FakeLink(HERE)
    guest, link, _ = await seated(world, back)
    full = "Room KQ7M is full (2 of 2)."
    back.answer = answering(resume=gone, join=lambda message: [Error(id=message.id, code="room_full", message=full)])
    link.tell(Closed(LOST, ""))
    end = await next_of(guest.news(), Finished)
    said = f"You were away for too long, so your seat became free. 127.0.0.1:8765 says: {full}"
    assert (end.sentence, end.code) == (said, REFUSED)


async def test_a_seat_in_a_game_is_not_taken_anew(world: World) -> None:
    back = FakeLink(HERE)
    guest, link, _ = await seated(world, back)
    link.tell(update(guest.store.seq + 1, room={"phase": "playing"}))
    back.answer = answering(resume=gone)
    link.tell(Closed(LOST, ""))
    end = await next_of(guest.news(), Finished)
    assert end.sentence == "127.0.0.1:8765 says: That seat is no longer yours."
    assert [type(message) for message in back.sent] == [Resume]


async def test_how_long_a_seat_is_held(world: World) -> None:
    """A server that does not say how long it is before a game holds it as in any game."""
    guest, link, _ = await seated(world)
    assert guest.hold_seconds == 900
    link.welcome = link.welcome.but(limits=LIMITS.but(waiting_seat_seconds=60))
    guest = await opened(world, link)
    await guest.ask(Join(id=guest.new_id(), room="KQ7M", name="ana"))
    assert guest.hold_seconds == 60
    link.tell(update(guest.store.seq + 1, room={"phase": "playing"}))
    await next_of(guest.news(), News)
    assert guest.hold_seconds == 900


async def test_nothing_is_queued_while_there_is_no_connection(world: World) -> None:
    guest, link, _ = await seated(world, ClientError("Nobody there.", NETWORK))
    link.tell(Closed(LOST, ""))
    news = guest.news()
    await next_of(news, Lost)
    with pytest.raises(ClientError, match="There is no connection at the moment"):
        await guest.send(Ready(id="r"))
    await guest.close()


async def test_whoever_waits_is_told_when_the_connection_is_lost(world: World) -> None:
    guest, link, _ = await seated(world, ClientError("Nobody there.", NETWORK))
    asking = asyncio.ensure_future(guest.ask(Ping(id="p")))
    await asyncio.sleep(0)
    link.tell(Closed(LOST, ""))
    with pytest.raises(ClientError, match="lost before the server answered"):
        await asking
    await guest.close()


@pytest.mark.parametrize("code", [CloseCode.VERSION, CloseCode.RATE, CloseCode.REPLACED, CloseCode.NO_SUCH_ROOM])
async def test_some_ends_are_final(world: World, code: int) -> None:
    guest, link, _ = await seated(world, ClientError("Nobody there.", NETWORK))
    link.tell(Closed(code, ""))
    ended = await next_of(guest.news(), Finished)
    assert ended.code == REFUSED and ended.sentence.endswith(".")
    assert not world.slept


async def test_a_closed_room_is_the_end(world: World) -> None:
    guest, link, _ = await seated(world)
    link.tell(Left(room="KQ7M", reason="closed", message="Nobody was left."))
    ended = await next_of(guest.news(), Finished)
    assert ended.sentence == "Nobody was left." and guest.room_closed


async def test_a_gap_is_closed_by_asking_once(world: World) -> None:
    guest, link, answer = await seated(world)
    link.tell(update(answer.seq + 2), update(answer.seq + 3), update(answer.seq + 4))
    link.tell(update(answer.seq + 1))
    event = await next_of(guest.news(), News)
    assert event.message.seq == answer.seq + 1  # what does not fit is no news
    resumes = [message for message in link.sent if isinstance(message, Resume)]
    assert len(resumes) == 1 and resumes[0].last_seq == answer.seq
    await guest.close()


async def test_a_wrong_hash_asks_for_the_whole_table(world: World) -> None:
    guest, link, answer = await seated(world)
    link.tell(Heartbeat(epoch=1, seq=answer.seq, hash="0" * 16))
    link.tell(Pong(id="after"))
    await next_of(guest.news(), News)
    (resume,) = [message for message in link.sent if isinstance(message, Resume)]
    assert resume.epoch == 0
    await guest.close()


async def test_it_follows_its_room_and_asks_again_what_does_no_harm(world: World) -> None:
    there = FakeLink(HERE)
    guest, link, _ = await seated(world, there)
    there.answer = answering(
        resume=lambda message: [caught_up(guest, message)],
        move=lambda message: [Ack(id=message.id, seq=9)],
    )
    move = await guest.move(0, Move(take="add"))
    await guest.send(Chat(id="talk", text="hello"))
    link.tell(Redirect(url="ws://127.0.0.1:9999/r/KQ7M"))
    news = guest.news()
    refused = await next_of(news, News)
    assert isinstance(refused.message, Error) and refused.message.id == "talk"  # said twice would be seen twice
    acked = await next_of(news, News)
    assert acked.message == Ack(id=move, seq=9)
    assert world.nodes[-1].startswith("ws://127.0.0.1:9999")
    assert link.aborted
    assert [message.type for message in there.sent] == ["resume", "move"]
    await guest.close()


async def test_it_is_not_sent_to_another_site(world: World) -> None:
    guest, link, _ = await seated(world, FakeLink(HERE))
    link.tell(Redirect(url="ws://evil.example:9999/r/KQ7M"), Pong(id="after"))
    await next_of(guest.news(), News)
    assert not link.aborted and world.nodes == [""]
    await guest.close()


async def test_a_question_is_asked_where_it_is_sent_to(world: World) -> None:
    link, there, answer = FakeLink(HERE), FakeLink(HERE), await joined()
    link.answer = answering(join=lambda message: [Redirect(id=message.id, url="ws://127.0.0.1:9999/r/KQ7M")])
    there.answer = answering(join=lambda message: [answer.but(id=message.id)])
    guest = await opened(world, link)
    world.ways = [there]
    found = await guest.ask(Join(id="j", room="KQ7M", name="ana"))
    assert isinstance(found, Joined) and guest.store.room == "KQ7M"
    await guest.close()


async def test_nobody_is_sent_round_for_ever(world: World) -> None:
    links = [FakeLink(HERE) for _ in range(9)]
    for link in links:
        link.answer = answering(join=lambda message: [Redirect(id=message.id, url="ws://127.0.0.1:9999/r/KQ7M")])
    guest = await opened(world, *links)
    with pytest.raises(ClientError, match="from one machine to the next"):
        await guest.ask(Join(id="j", room="KQ7M", name="ana"))
    await guest.close()


async def test_a_node_that_is_away_is_tried_again(world: World) -> None:
    link = FakeLink(HERE)
    guest = await opened(world, NodeAway("Not yet.", NETWORK), NodeAway("Not yet.", NETWORK), link)
    assert len(world.slept) == 2
    await guest.close()


async def test_a_server_that_makes_no_sense_ends_it_with_a_sentence(world: World) -> None:
    """A patch that does not fit the table must not leave a table behind that looks alive."""
    guest, link, answer = await seated(world)
    link.tell(update(answer.seq + 1, room={"timer": {"kind": "turn"}}))
    ended = await next_of(guest.news(), Finished)
    assert ended.code == REFUSED
    assert ended.sentence.startswith("The server said something that this client does not know")

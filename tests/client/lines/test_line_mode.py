"""Line mode where timing matters. What it says and understands is tested with whole processes in tests/e2e."""

import asyncio
import io
from collections.abc import AsyncIterator
from typing import cast

import pytest

from dicegames_client.base.address import Address
from dicegames_client.base.terminal.keyboard import Keyboard
from dicegames_client.enter.invitation import NO_LINE, invitation
from dicegames_client.guest.events import NOT_YET, Alarm, Finished, GuestEvent, News
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.store import Store
from dicegames_client.lines import line_mode
from dicegames_client.lines.line_mode import LineMode
from dicegames_client.play.parse_move import NotUnderstood
from dicegames_client.screens.table.typing.talk_line import meaning
from dicegames_protocol.messages.client import Leave, Request, Start
from dicegames_protocol.messages.server import Error
from support.hall import Hall
from support.typist import Typist


class SlowGuest:
    """A guest whose messages are answered when the test says so."""

    def __init__(self, hall: Hall, store: Store) -> None:
        self.store = store
        self.events: asyncio.Queue[GuestEvent] = asyncio.Queue()
        self.sent: list[str] = []
        self.new_id = hall.id

    async def send(self, message: Request) -> None:
        self.sent.append(message.id)

    async def news(self) -> AsyncIterator[GuestEvent]:
        while True:
            yield await self.events.get()


class Out(io.StringIO):
    """Notices when the player was told that the answer takes long."""

    def __init__(self) -> None:
        super().__init__()
        self.slow = asyncio.Event()

    def write(self, text: str) -> int:
        if NOT_YET in text:
            self.slow.set()
        return super().write(text)


async def test_whoever_waits_for_an_answer_is_told_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_mode, "SLOW_ANSWER_SECONDS", 0)
    hall = Hall()
    peer = await hall.peer()
    await peer.create("doubles", "ana")
    guest = SlowGuest(hall, peer.store)
    out = Out()
    keyboard = Keyboard(io.StringIO("ready\n"))
    run = asyncio.ensure_future(LineMode(cast(Guest, guest), keyboard, out, stay_at_end_of_input=True).run())
    await out.slow.wait()
    refused = Error(id=guest.sent[-1], code="unavailable", message="Not now.")
    guest.events.put_nowait(News(refused, peer.store, peer.store))
    guest.events.put_nowait(Finished("That was all.", 0))
    assert await run == 0
    assert out.getvalue().count(NOT_YET) == 1
    assert "Not now." in out.getvalue().partition(NOT_YET)[2]


async def test_an_alarm_is_a_line_of_its_own() -> None:
    hall = Hall()
    peer = await hall.peer()
    await peer.create("doubles", "ana")
    guest, out = SlowGuest(hall, peer.store), Out()
    guest.events.put_nowait(Alarm("The dice do not follow\x1b from what all have shown."))
    guest.events.put_nowait(Finished("That was all.", 0))
    mode = LineMode(cast(Guest, guest), Keyboard(io.StringIO("")), out, stay_at_end_of_input=True)
    assert await mode.run() == 0
    assert "ALARM: The dice do not follow from what all have shown.\n" in out.getvalue()


@pytest.mark.parametrize("given", [True, False])
async def test_the_line_for_friends_is_printed_again(given: bool) -> None:
    hall = Hall()
    peer = await hall.peer()
    await peer.create("doubles", "ana")
    guest, out = SlowGuest(hall, peer.store), Out()
    invited = invitation([Address("192.168.1.23", 8765, room="KQ7M")], hosted_here=True) if given else None
    keyboard = Keyboard(io.StringIO("invite\nhelp\n"))
    assert await LineMode(cast(Guest, guest), keyboard, out, invited=invited).run() == 0
    said = out.getvalue()
    assert ("  dicegames-client join 192.168.1.23:8765/KQ7M\n" in said) == given
    assert ("port 8765 (TCP) has to be open in this machine's firewall.\n" in said) == given
    assert (NO_LINE in said) != given
    assert "invite: the line with which friends join\n" in said


@pytest.mark.parametrize(("watching", "told"), [(True, "leave. Or"), (False, "leave; your seat becomes free. Or")])
async def test_a_watcher_has_no_seat_to_lose(watching: bool, told: str) -> None:
    hall = Hall()
    peer = await hall.peer()
    code = (await peer.create("doubles", "ana")).room
    if watching:
        peer = await hall.peer()
        await peer.watch(code)
    out = Out()
    mode = LineMode(cast(Guest, SlowGuest(hall, peer.store)), Keyboard(io.StringIO("")), out)
    assert not mode.interrupted()
    assert f"Press Ctrl-C again to {told} just go on.\n" in out.getvalue()


async def test_dice_that_do_not_lie_there_are_named() -> None:
    """Also in the line that is typed at the table on the screen."""
    hall = Hall((1, 3, 4, 4, 5, 6))
    ana, _ = await hall.table("farkle", "ana", "bo")
    typist = Typist(hall, ana)
    await typist.type("roll")
    sentence = "There is no 2 among the dice 1 3 4 4 5 6."
    assert f"{sentence} You can keep: " in await typist.type("bank 2 2")
    with pytest.raises(NotUnderstood, match=sentence):
        meaning("/bank 2 2", typist.store, 0, "", hall.id)
    assert "4 4 do not score. You can keep: " in await typist.type("keep 4 4")
    await typist.leave()


async def test_the_last_turns_say_what_is_needed() -> None:
    hall = Hall((1, 1, 1, 5, 2, 3), (1, 5, 2, 2, 3, 4), (5, 2, 3, 4, 6))
    ana, bo = await hall.table("farkle", "ana", "bo", options={"target": 1000})
    for take, choice in (("roll", None), ("bank", "1115")):
        await ana.move(take, choice=choice)
    typist = Typist(hall, bo)
    told = await typist.type("roll")
    assert "Last turn: 1,051 to win; you have 0.\nbo, it is your turn: 'roll':\n" in told
    assert "Last turn: 1,051 to win; you have 0.\nScoring: 1, 5." in told
    assert "Last turn: 1,051 to win; you have 100.\n" in await typist.type("roll 1")
    await typist.leave()


async def test_questions_are_whole_lines_and_nothing_is_empty() -> None:
    hall = Hall((5, 2), (6, 1))
    ana, bo = await hall.table("doubles", "ana", "bo", options={"rounds": 1})
    typist = Typist(hall, ana)
    await typist.type("roll")
    await bo.move("roll")
    await typist.catch_up()
    await typist.type("nonsense")
    await typist.type("say hello")
    lines = typist.text.splitlines()
    assert lines.count("ana, 'roll', or 'cash' to take 150:") == 3  # at first, and after each of the two lines
    assert all(lines) and typist.text.endswith(":\n")
    await typist.leave()


@pytest.mark.parametrize(
    ("starting", "told"), [(True, "'help' lists"), (False, "Type 'start' when everyone is here; ")]
)
async def test_a_game_that_begins_at_once_needs_no_start(starting: bool, told: str) -> None:
    hall = Hall()
    peer = await hall.peer()
    await peer.create("doubles", "ana")
    guest, out = SlowGuest(hall, peer.store), Out()
    guest.events.put_nowait(Finished("That was all.", 0))
    mode = LineMode(cast(Guest, guest), Keyboard(io.StringIO("")), out, stay_at_end_of_input=True)
    await mode.run(*([Start(id="1")] if starting else []))
    assert f"\n{told}" in out.getvalue()


@pytest.mark.parametrize("left", [True, False])
async def test_whoever_has_left_does_not_need_the_table(left: bool) -> None:
    """The host of a table where others still sit is asked once more."""
    hall = Hall((1,))
    ana, bo = await hall.table("double-or-nothing", "ana", "bo", options={"start": 19})
    await ana.move("add")
    if left:
        await bo.tell(Leave(id="bye"))
    hall.drain(ana)
    guest, out = SlowGuest(hall, ana.store), Out()
    assert await LineMode(cast(Guest, guest), Keyboard(io.StringIO("quit\n")), out, hosting=True).run() == 0
    assert ("Type 'quit' again to leave" in out.getvalue()) != left

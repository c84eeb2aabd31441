"""The replay: it begins with the game, tells its keys, and goes on where it was left."""

import random
from pathlib import Path

import pytest

from dicegames_client.base.state import replay_places
from dicegames_client.base.state.replay_places import place_in, remember_place
from dicegames_client.screens.replay_screen import ReplayScreen
from dicegames_client.screens.screen import Size
from dicegames_client.widgets.lines import text_of
from dicegames_protocol.codec import decode_update
from dicegames_protocol.messages.client import FetchLog
from dicegames_protocol.messages.server import Update
from fair.tables import FairTable
from support.hall import Hall
from support.home import remember_in
from support.sitting import STILL

pytestmark = pytest.mark.usefixtures("luck")


@pytest.fixture
async def updates() -> list[Update]:
    table = await FairTable.open("doubles", "ana", "bo", options={"rounds": "2"})
    await (await table.start()).play(random.Random(1))
    return [decode_update(line) for line in await table.log()]


def shown(screen: ReplayScreen) -> str:
    size = Size(80, 24)
    return "\n".join([*map(text_of, screen.paint(size, 0.0)), text_of(screen.footer(size, 0.0))])


def begun(updates: list[Update]) -> int:
    return next(u.seq for u in updates if any(event["kind"] == "game_started" for event in u.events))


async def test_it_begins_with_the_game_and_home_is_the_very_beginning(updates: list[Update]) -> None:
    screen = ReplayScreen(updates, STILL, 0.0, speed=1)
    first, last = begun(updates), len(updates)
    assert 1 < first < last
    assert f"{first}/{last}" in shown(screen) and "POT" in shown(screen)
    assert screen.place is None
    screen.press("home", 0.0)
    assert f" 1/{last}" in shown(screen)
    screen.press("end", 0.0)
    screen.press(" ", 0.0)
    assert f"{first}/{last}" in shown(screen), "Space begins anew at the end, with the game"


async def test_it_goes_on_where_it_was_left(updates: list[Update]) -> None:
    screen = ReplayScreen(updates, STILL, 0.0, speed=1)
    for _ in range(3):
        screen.press("right", 0.0)
    place = screen.place
    assert place == begun(updates) + 3
    again = ReplayScreen(updates, STILL, 0.0, speed=1, at=place)
    assert f"{place}/{len(updates)}" in shown(again)
    assert "You were here last time. Home begins anew." in shown(again)
    assert again.place == place
    again.press("n", 0.0)
    assert "You were here" not in shown(again)
    again.press("end", 0.0)
    assert again.place is None, "who has seen it all begins anew"
    anew = ReplayScreen(updates, STILL, 0.0, speed=1, start=1, at=place)
    assert f"{begun(updates)}/{len(updates)}" in shown(anew), "--round 1 begins anew"
    for impossible in (0, -3, 10**6):
        assert f"{begun(updates)}/" in shown(ReplayScreen(updates, STILL, 0.0, speed=1, at=impossible))


async def test_its_keys_are_on_a_page_of_their_own(updates: list[Update]) -> None:
    screen = ReplayScreen(updates, STILL, 0.0, speed=1)
    screen.press("?", 0.0)
    text = shown(screen)
    assert "The keys of a replay" in text and "Home          the very beginning: the waiting room" in text
    assert screen.pulse(0.0) is None, "nothing goes on behind the page"
    screen.press("z", 0.0)
    assert "Press Esc to go back to the replay." in shown(screen)
    screen.press("q", 0.0)
    assert "REPLAY  Doubles" in shown(screen) and screen.result is None
    screen.press("q", 0.0)
    assert screen.result is not None


def test_places_are_remembered_for_each_log_and_only_for_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember_in(tmp_path, monkeypatch)
    monkeypatch.setattr(replay_places, "MOST_PLACES", 3)
    remember_place(b"one", 7)
    remember_place(b"two", 8)
    remember_place(b"one", 9)
    assert (place_in(b"one"), place_in(b"two"), place_in(b"three")) == (9, 8, None)
    remember_place(b"two", None)
    assert place_in(b"two") is None
    for number in range(5):
        remember_place(b"more %d" % number, number)
    assert place_in(b"one") is None and place_in(b"more 4") == 4 and place_in(b"more 1") is None


async def test_no_moment_of_another_time_is_shown_after_a_jump() -> None:
    """The scores below it would be those of now."""
    hall = Hall((2, 3, 4, 6, 2, 3), (1, 2, 3, 4, 6, 6), (2, 3, 4, 6, 2, 3))
    ana, bo = await hall.table("farkle", "ana", "bo")
    await ana.move("roll")
    await bo.move("roll")
    await ana.tell(FetchLog(id="log", room=ana.store.room or ""))
    updates = [decode_update(line) for message in ana.seen if message.type == "log" for line in message.lines]
    screen = ReplayScreen(updates, STILL, 0.0, speed=1)
    screen.press("end", 0.0)
    assert "F A R K L E !" not in shown(screen)
    screen.press("left", 0.0)
    assert "F A R K L E !" in shown(screen), "that is where it happened"

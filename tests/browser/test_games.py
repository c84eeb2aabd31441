"""Whole games of all kinds: the host in a terminal, a player in a terminal, a phone, and a page that watches."""

import asyncio
import re
from pathlib import Path

import pytest

from browser.conftest import OpenPhone
from browser.phone import Phone
from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import AddBot, Create, GiveHost, Join, Leave, Start
from dicegames_protocol.table import Move
from dicegames_server.app.service import Service
from e2e.conftest import Serve
from support.pty import Pty
from support.robot import Robot
from support.settings import quick
from support.throwaway import throwaway_games

MOST_STEPS = 600
PATIENT_STEPS = 20
"""Steps after which a key that has changed nothing is pressed again."""
PLAYING = {
    # game -> arguments of the host; what the host sees and presses; what the other types; what is tapped
    "doubles": (
        ("--rounds", "2", "--window", "0"),
        {"[Y] Yes": "y", "[C] Cash": "c", "YOUR ROLL": "r"},  # who can takes the pot: else it may last for ever
        {"'cash'": "cash", "'roll'": "roll"},
        ("Cash", "Roll"),
    ),
    "sevens": (
        ("--rounds", "1"),
        {"ROLL FOR THE START": "r", "YOUR TURN": "r"},
        {"'roll'": "roll"},
        ("Keep", "Roll"),
    ),
    "farkle": (
        ("--target", "600"),
        {"PICKED": "b", "could take": "a", "YOUR TURN": "r"},
        {"then 'roll' or 'bank'": "keep all", "it is your turn": "roll", "'bank'?": "bank"},
        ("Bank 1", "Bank 2", "Bank 3", "Bank 4", "Bank 5", "Bank 6", "Bank 7", "Bank 8", "Bank 9", "All", "Roll"),
    ),
    "double-or-nothing": ((), {"YOUR MOVE": "a"}, {}, ("Add",)),
}


def host(tmp_path: Path, *arguments: str) -> tuple[Pty, str]:
    where = ("--host", "127.0.0.1", "--port", "0", "--name", "ana")
    terminal = Pty.client("host", *arguments, *where, state=tmp_path / "ana")
    found = re.search(r"join (127\.0\.0\.1:\d+/\w+)", terminal.until("join with this line:"))
    assert found, terminal.text
    return terminal, f"http://{found[1]}"


@pytest.mark.parametrize("game", PLAYING)
async def test_a_whole_game(game: str, tmp_path: Path, phone: OpenPhone) -> None:
    options, pressed, typed, taps = PLAYING[game]
    ana, url = await asyncio.to_thread(host, tmp_path, game, *options)
    assert f"In a browser: {url}" in ana.text  # on a network: On a phone
    cy = await phone(url)
    await cy.sit("cy")
    eve = await phone(url, width=1024, height=768)
    await eve.watch()
    command = "watch" if game == "double-or-nothing" else "join"
    named = () if command == "watch" else ("--name", "bo")
    bo = Pty.client(command, url.removeprefix("http://"), *named, "--plain", state=tmp_path / "bo")
    await asyncio.to_thread(bo.until, "Room ")
    await asyncio.to_thread(ana.until, "cy sits down")
    await cy.tap("Ready")
    await asyncio.to_thread(ana.until, "cy is ready")
    ana.press("s")
    seen: dict[str, tuple[str, int]] = {}
    for step in range(MOST_STEPS):
        if "game over" in await cy.text():
            break
        for name, terminal, known in (("ana", ana, pressed), ("bo", bo, typed)):
            text = terminal.text
            last = text if name == "ana" else " ".join([line for line in text.splitlines() if line.strip()][-2:])
            key = next((key for marker, key in known.items() if marker in last), None)
            before, at = seen.get(name, ("", 0))
            if key and (before != text or step - at > PATIENT_STEPS):  # right after a moment a key does nothing
                seen[name] = text, step
                terminal.press(key if name == "ana" else f"{key}\r")
        await cy.play(*taps)
        await cy.breathe()
    else:
        pytest.fail(f"It does not end:\n{ana.text}\n{bo.text}\n{await cy.text()}")
    for page in (cy, eve):
        assert "game over" in await page.until("game over")
    assert "The dice are proven: all draws" in await cy.text()
    for page in (cy, eve):
        await page.until("Average dice", "There are no reviews of")
    assert "you were watching" in await eve.text()
    await asyncio.to_thread(ana.until, "win", "share the win")
    assert not [
        url for url in cy.requests + eve.requests if not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:"))
    ]
    await rematch_and_leave(cy, ana)


async def rematch_and_leave(cy: Phone, ana: Pty) -> None:
    await cy.tap("Rematch")
    await asyncio.to_thread(ana.until, "cy wants a rematch")
    await cy.tap("Leave")
    await cy.tap("Leave the table")
    await cy.until("Open tables")
    await asyncio.to_thread(ana.until, "cy has left")


async def test_a_game_that_the_page_has_never_heard_of(serve: Serve, phone: OpenPhone) -> None:
    """Yacht: names to choose from, dice to pick, and no view. It is played by the generic view to its end."""
    with throwaway_games():
        server = await serve(quick())
        guest = Guest(Address("127.0.0.1", server.port))
        await guest.open()
        room = (await guest.ask(Create(id="1", game="yacht", name="ana", options={"rounds": 2}))).room  # type: ignore[union-attr]
        cy = await phone(f"http://127.0.0.1:{server.port}/{room}")
        await cy.sit("cy")
        await guest.ask(Start(id="2"))
        robot = asyncio.create_task(Robot(guest, 1).play())
        picked = False
        for _ in range(MOST_STEPS):
            labels = await cy.offers()
            if "game over" in await cy.text():
                break
            if "Roll the others" in labels and not picked:
                await cy.page.locator(".die").first.click()
                await cy.until("PICKED")
                picked = await cy.play("Roll the others")
            elif not await cy.play("Score", "Roll"):
                await cy.play(*labels)  # a category
            await cy.breathe()
        assert picked
        assert "win" in await cy.until("game over")
        await robot
        await guest.close()


async def roll_real_dice(guest: Guest) -> None:
    async for _ in guest.news():
        seat = guest.store.wanted()
        if seat is not None:
            await guest.move(seat, Move(take="roll", faces=(3, 4)))


async def test_real_dice_are_tapped(server: Service, phone: OpenPhone) -> None:
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    options = {"dice": "entered", "rounds": 1, "window": 0}
    room = (await guest.ask(Create(id="1", game="doubles", name="ana", options=options))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{server.port}/{room}")
    await cy.sit("cy")
    await guest.ask(Start(id="2"))
    typing = asyncio.create_task(roll_real_dice(guest))
    for _ in range(MOST_STEPS):
        if "game over" in await cy.text():
            break
        if "Tap the faces" in await cy.text():
            await cy.page.locator(".actions .die").nth(2).click()
        elif not await cy.play("Roll"):
            await cy.breathe()
    assert "These were real dice" in await cy.until("game over")
    typing.cancel()
    await guest.close()


async def test_two_at_one_phone_and_bots(serve: Serve, phone: OpenPhone) -> None:
    """A host on a phone, with a friend beside: both have a seat, and the buttons say for whom they act."""
    server = await serve(quick())
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game="sevens", name="ana", options={"rounds": 1}))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{server.port}/{room}")
    await cy.sit("cy")
    await cy.tap("Another player here")
    await cy.page.locator("dialog").get_by_label("Your name").fill("di")
    await cy.page.locator("dialog").get_by_role("button", name="Take a seat").click()
    await cy.until("di you")
    await guest.close()  # the host has gone: the next one is the host
    await cy.until("cy is the host now")
    await cy.tap("Options")
    assert "who rolls: the server, or you" in await cy.page.locator("dialog").inner_text()
    await cy.page.locator("dialog").get_by_label("dice").select_option("server")
    await cy.page.locator("dialog").get_by_label("rounds").fill("99999999999")
    await cy.page.locator("dialog").get_by_role("button", name="Change").click()
    await cy.until("rounds must be at most")
    await cy.page.locator("dialog").get_by_label("rounds").fill("2")
    await cy.page.locator("dialog").get_by_role("button", name="Change").click()
    await cy.until("Waiting room, 2 rounds")
    await cy.tap("Add bot")
    await cy.tap("expert")
    await cy.until("bot-1 bot, expert")
    await cy.tap("Start")
    for _ in range(MOST_STEPS):
        if "game over" in await cy.text():
            break
        await cy.play("Keep", "Roll")
        await cy.breathe()
    assert "The dice are proven" in await cy.until("game over")


async def test_a_host_on_a_phone_removes_somebody_and_hands_the_role_on(serve: Serve, phone: OpenPhone) -> None:
    server = await serve(quick())
    guests = [Guest(Address("127.0.0.1", server.port)) for _ in range(3)]
    for guest in guests:
        await guest.open()
    room = (await guests[0].ask(Create(id="1", game="sevens", name="ana"))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{server.port}/{room}")
    await cy.sit("cy")
    for guest, name in zip(guests[1:], ("bo", "di"), strict=True):
        await guest.ask(Join(id="2", room=room, name=name))
    await cy.until("di sits down")
    assert await cy.page.locator(".players button").count() == 0  # cy is not the host
    await guests[0].ask(GiveHost(id="3", target=1))
    await cy.until("You are the host now")
    await cy.page.locator(".players").get_by_role("button", name="bo").click()
    await cy.tap("Remove from the table")
    await cy.until("bo was removed by the host")
    await cy.page.locator(".players").get_by_role("button", name="di").click()
    await cy.tap("Make host")
    await cy.until("di is the host now")
    assert await cy.page.locator(".players button").count() == 0
    for guest in guests:
        await guest.close()


async def test_decisions_are_tapped_in_secret(serve: Serve, phone: OpenPhone) -> None:
    """Cash out and Hold are buttons as always. What ana has decided is on the page when cy has decided, too."""
    server = await serve(quick())
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    options = {"rounds": 1, "window": 300, "sealed": True}
    room = (await guest.ask(Create(id="1", game="doubles", name="ana", options=options))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{server.port}/{room}")
    await cy.sit("cy")
    await guest.ask(Start(id="2"))
    rolling = asyncio.create_task(decide_and_roll(guest))
    for _ in range(MOST_STEPS):
        if "1 of 2 decided" in await cy.text():
            break
        await cy.play("Roll")
        await cy.breathe()
    told = await cy.until("CASH OUT OR HOLD?")
    assert "in, decided" in told and "cashes out" not in told
    await cy.tap("Hold")
    told = await cy.until("The window is closed. Cashing out: ana. Holding: you.")
    assert told.index("ana has decided") < told.index("ana cashes out")
    rolling.cancel()
    await guest.close()


async def decide_and_roll(guest: Guest) -> None:
    """Roll, and cash out in the first window."""
    async for _ in guest.news():
        seat = guest.store.wanted()
        if seat is not None:
            decides = "decide" in guest.store.offers(seat)
            await guest.move(seat, Move(take="decide", choice="cash") if decides else Move(take="roll"))


async def test_each_move_has_its_place(serve: Serve, phone: OpenPhone) -> None:
    """Cash out is there before Roll is, and stays where it was: no tap on the one ever hits the other."""
    server = await serve(quick())
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    options = {"rounds": 1, "window": 0}
    room = (await guest.ask(Create(id="1", game="doubles", name="ana", options=options))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{server.port}/{room}")
    await cy.sit("cy")
    await guest.ask(Start(id="2"))
    await guest.move(0, Move(take="roll"))
    await cy.until("ana rolled")
    button = cy.page.get_by_role("button", name=re.compile("^Cash out"))
    roll = cy.page.get_by_role("button", name="Roll", exact=True)
    await roll.wait_for()
    before, other = await button.bounding_box(), await roll.bounding_box()
    assert before and other and before["x"] + before["width"] <= other["x"] and before["y"] == other["y"]
    await roll.click()
    await cy.until("cy rolled", "THE FOURTH SEVEN")
    await guest.move(0, Move(take="roll"))
    await roll.wait_for()
    after = await button.bounding_box()
    assert after and (after["x"], after["width"], after["y"]) == (before["x"], before["width"], before["y"])
    await guest.close()


async def test_buttons_beside_the_game_have_places_too(serve: Serve, phone: OpenPhone) -> None:
    """A second tap on Ready or Rematch never hits Start, and somebody who sits down moves nothing under the finger."""
    server = await serve(quick())
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game="sevens", name="ana", options={"rounds": 1}))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{server.port}/{room}")
    await cy.sit("cy")
    await guest.ask(GiveHost(id="2", target=1))
    await guest.ask(Leave(id="3"))
    await cy.until("You are the host now")
    await cy.until_gone("ana host")

    async def place(name: str) -> tuple[int, int, int]:
        box = await cy.page.get_by_role("button", name=name, exact=True).bounding_box()
        assert box, name
        return round(box["x"]), round(box["y"]), round(box["width"])

    alone = {name: await place(name) for name in ("Add bot", "Ready")}
    await guest.open()
    await guest.ask(Join(id="4", room=room, name="bo"))
    await cy.until("bo sits down")
    assert {name: await place(name) for name in alone} == alone
    start = await place("Start")
    assert start[:2] not in [where[:2] for where in alone.values()]
    await cy.tap("Ready")
    await cy.until("You are ready")
    assert await place("Start") == start and await place("Not ready") == alone["Ready"]
    await guest.close()


async def test_another_player_at_a_table_with_a_password(serve: Serve, phone: OpenPhone) -> None:
    server = await serve(quick())
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    created = await guest.ask(Create(id="1", game="sevens", name="ana", password="secret", public=True))
    cy = await phone(f"http://127.0.0.1:{server.port}/{created.room}")  # type: ignore[union-attr]
    await cy.until("with a password")  # the list says so, and the door
    await cy.page.get_by_label("Your name").fill("cy")
    await cy.tap("Take a seat")
    await cy.until("This room has a password.")  # nothing was typed
    await cy.page.get_by_label("Password").fill("secret")
    await cy.tap("Take a seat")
    await cy.until("Waiting room")
    await cy.tap("Another player here")
    await cy.page.locator("dialog").get_by_label("Your name").fill("di")
    await cy.page.locator("dialog").get_by_label("Password").fill("secret")
    await cy.page.locator("dialog").get_by_role("button", name="Take a seat").click()
    await cy.until("di you")
    await cy.tap("Leave")
    await cy.tap("Only di")
    await cy.until("di has left")
    await cy.page.reload()
    text = await cy.until("cy you")
    assert "no longer yours" not in text
    await guest.close()


async def test_a_rematch_when_somebody_has_left(serve: Serve, phone: OpenPhone) -> None:
    """All who are left want it, and too few are left, until a bot sits down: the host starts it."""
    server = await serve(quick())
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game="sevens", name="ana", options={"rounds": 1}))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{server.port}/{room}")
    await cy.sit("cy")
    await guest.ask(Start(id="2"))
    robot = asyncio.create_task(Robot(guest, 5).play())
    for _ in range(MOST_STEPS):
        if "game over" in await cy.text():
            break
        await cy.play("Keep", "Roll")
        await cy.breathe()
    await cy.tap("Rematch")
    robot.cancel()
    await guest.ask(Leave(id="3"))
    await cy.until("1 more player is needed")
    await cy.tap("Add bot")
    await cy.tap("easy")
    await cy.tap("Start")
    await cy.until("The game begins.")
    await cy.until("rolling for the start", "round 1/1")


async def test_rules_odds_and_talk(server: Service, phone: OpenPhone) -> None:
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game="doubles", name="ana"))).room  # type: ignore[union-attr]
    await guest.ask(AddBot(id="2"))
    cy = await phone(f"http://127.0.0.1:{server.port}/{room}")
    await cy.sit("cy")
    await cy.tap("Rules")
    assert "seven" in (await cy.page.locator("dialog").inner_text()).lower()
    await cy.page.keyboard.press("Escape")
    await guest.ask(Start(id="3"))
    await cy.until("round 1/")
    await cy.tap("Odds")
    await cy.page.locator("dialog").wait_for()
    assert re.search(r"\d%|no odds|odds", await cy.page.locator("dialog").inner_text())
    await cy.tap("Close")
    await cy.page.get_by_label("Talk").fill("hello <b>all</b>")
    await cy.page.keyboard.press("Enter")
    await cy.until("<cy> hello <b>all</b>")
    assert await cy.page.get_by_label("Talk").input_value() == ""
    await guest.close()

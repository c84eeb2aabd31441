"""A page that loses its connection, sleeps, is loaded anew, or whose server restarts or moves: it comes back by itself.

No tap stays without an answer, and nothing is sent twice.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from browser.conftest import OpenPhone
from browser.message_relay import MessageRelay
from browser.phone import Phone
from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create, Join, Kick, Leave, Start
from dicegames_protocol.table import Move
from dicegames_server.app.service import Service
from e2e.conftest import Serve
from support.eventually import eventually
from support.ports import free_port
from support.process import Process
from support.relay import Relay
from support.robot import Robot
from support.settings import quick


async def table(
    server: Service, phone: OpenPhone, port: int, game: str = "double-or-nothing", **options: Any
) -> tuple[Guest, Phone]:
    """A game that has begun: ana plays by program and begins, cy by phone. `port`: where the page comes from."""
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    options = options or {"first": "1"}
    room = (await guest.ask(Create(id="1", game=game, name="ana", options=options))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{port}/{room}")
    await cy.sit("cy")
    await guest.ask(Start(id="2"))
    await eventually(lambda: guest.store.phase == "playing")
    return guest, cy


async def add(guest: Guest) -> None:
    await eventually(lambda: guest.link is not None and guest.store.wanted() == 0)
    seq = guest.store.seq
    await guest.move(0, Move(take="add"))
    await eventually(lambda: guest.store.seq > seq)


async def test_a_cut_connection(serve: Serve, phone: OpenPhone) -> None:
    server = await serve(quick())
    relay = Relay(server.port)
    guest, cy = await table(server, phone, await relay.start())
    await add(guest)
    await cy.until("YOUR TURN")
    relay.refusing = True
    relay.cut()
    await cy.until("RECONNECTING")
    assert await cy.offers() == []  # nothing can be tapped that would go nowhere
    assert "seat held" in await cy.text()
    relay.refusing = False
    assert "You are back" in await cy.until("You are back; nothing was missed")
    await cy.tap("Add one")
    await cy.until("NUMBER 3")
    relay.refusing = True
    relay.cut()
    await add(guest)
    relay.refusing = False
    await cy.until("While you were away: ana chose to add one. New number is 4.")
    await cy.tap("Add one")
    await cy.until("NUMBER 5")
    await guest.close()
    await relay.stop()


async def test_a_move_that_did_not_arrive(serve: Serve, phone: OpenPhone) -> None:
    """The wire is held, then cut: the player is told that one waits, that nobody knows, and that it did not arrive."""
    server = await serve(quick())
    relay = MessageRelay(server.port)
    guest, cy = await table(server, phone, await relay.start())
    await add(guest)
    await cy.until("YOUR TURN")
    relay.swallow = lambda message: message["type"] == "move"
    await cy.tap("Add one")
    await cy.until("One moment: the server has not answered yet.")
    await cy.tap("Add one")  # a second tap is answered, and sends nothing
    assert [message["type"] for message in relay.sent].count("move") == 1
    relay.swallow = lambda message: False
    for page in relay._pages:
        page.transport.abort()
    await cy.until("Your last move did not arrive.")
    assert [message["type"] for message in relay.sent].count("move") == 1  # it is for the player to do it again
    await cy.tap("Add one")
    await cy.until("NUMBER 3")
    await guest.close()
    await relay.stop()


async def test_a_move_that_arrived_before_the_cut(serve: Serve, phone: OpenPhone) -> None:
    server = await serve(quick())
    relay = MessageRelay(server.port)
    guest, cy = await table(server, phone, await relay.start())
    await add(guest)
    await cy.until("YOUR TURN")
    relay.change = lambda message: []  # the server hears the page; the page does not hear the server
    await cy.tap("Add one")
    await eventually(lambda: guest.store.game["number"] == 3)
    relay.change = lambda message: [message]
    for page in relay._pages:
        page.transport.abort()
    text = await cy.until("NUMBER 3")
    assert "did not arrive" not in text
    moves = [message for message in relay.sent if message["type"] == "move"]
    assert len(moves) == 1
    await guest.close()
    await relay.stop()


async def test_a_phone_that_sleeps(serve: Serve, phone: OpenPhone) -> None:
    """The page is frozen, its connection dies without a word, the others play on. It wakes and is there at once."""
    server = await serve(quick(heartbeat_seconds=60))
    relay = Relay(server.port)
    guest, cy = await table(server, phone, await relay.start())
    await add(guest)
    await cy.until("YOUR TURN")
    await cy.tap("Add one")
    await cy.until("NUMBER 3")
    devtools = await cy.page.context.new_cdp_session(cy.page)
    await devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
    relay.hold(there=True, back=True)
    await add(guest)
    await devtools.send("Page.setWebLifecycleState", {"state": "active"})
    await cy.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await relay.held.wait()
    relay.let_go()
    await cy.until("NUMBER 4")
    await devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
    relay.cut()
    await devtools.send("Page.setWebLifecycleState", {"state": "active"})
    await cy.until("You are back")
    await cy.tap("Add one")
    await cy.until("NUMBER 5")
    await guest.close()
    await relay.stop()


async def test_a_connection_that_is_dead_and_says_nothing(serve: Serve, phone: OpenPhone) -> None:
    """As after a change of the network: nothing comes and nothing goes. Looking at the page again is enough."""
    server = await serve(quick(heartbeat_seconds=60))
    relay = Relay(server.port)
    guest, cy = await table(server, phone, await relay.start())
    await cy.until("ana's turn")
    relay.hold(there=True, back=True)
    await add(guest)
    await cy.page.evaluate("window.dispatchEvent(new Event('online'))")
    await cy.until("RECONNECTING")
    relay.cut()
    relay.let_go()
    await cy.until("NUMBER 2")
    await guest.close()
    await relay.stop()


async def test_a_page_that_is_loaded_anew_has_its_seat(serve: Serve, phone: OpenPhone) -> None:
    """Also with its part of the dice: it shows the links of the chain that it gave before."""
    server = await serve(quick(heartbeat_seconds=0.3))
    guest, cy = await table(server, phone, server.port, "sevens", rounds=1)
    await cy.until("rolling for the start")
    await cy.page.reload()
    await cy.until("rolling for the start")
    assert "cy you" in await cy.text()
    await guest.move(0, Move(take="roll"))
    await cy.until("ana rolls")
    await cy.tap("Roll")
    await cy.until("You roll")
    assert "did not answer" not in await cy.text() and "ALARM" not in await cy.text()
    other = Phone(await cy.page.context.new_page())  # another tab of the same browser: it asks before it takes the seat
    await other.open(cy.page.url)
    await other.tap("Come back as cy")
    await other.until("cy you")
    await cy.until("Your seat was taken over in another window; it goes on there.")
    await eventually(lambda: other.heartbeats >= 4)  # it would have made more connections meanwhile
    assert len(other.sockets) == 2  # one at the door, one with the seat
    assert "lost" not in await other.text()
    await guest.close()


async def test_a_seat_that_is_gone_is_not_asked_for_forever(serve: Serve, phone: OpenPhone) -> None:
    server = await serve(quick())
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game="doubles", name="ana"))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{server.port}/{room}")
    await cy.sit("cy")
    table = cy.page.url
    await cy.page.goto(f"{table}?terminal")
    await guest.ask(Kick(id="2", target=1))
    await cy.page.goto(table)
    await cy.until("Take a seat")
    assert await cy.page.locator(".notice").inner_text() != ""
    assert "Come back" not in await cy.text()
    await cy.page.reload()
    await cy.until("Take a seat")
    assert await cy.page.locator(".notice").inner_text() == ""  # it was forgotten
    await guest.close()


@pytest.mark.parametrize("end", ["terminate", "kill"])
async def test_the_server_restarts(end: str, tmp_path: Path, phone: OpenPhone) -> None:
    port = free_port()
    arguments = ("--host", "127.0.0.1", "--port", str(port), "--data", str(tmp_path / "rooms"), "--admin", "")
    process = await Process.start("dicegames_server", *arguments, state=tmp_path)
    await process.until("listening")
    guest = Guest(Address("127.0.0.1", port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game="double-or-nothing", name="ana", options={"first": "1"}))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{port}/{room}")
    await cy.sit("cy")
    await guest.ask(Start(id="2"))
    await add(guest)
    await cy.until("YOUR TURN")
    await cy.tap("Add one")
    await cy.until("NUMBER 3")
    getattr(process._process, end)()
    await process._process.wait()
    await cy.until("RECONNECTING")
    process = await Process.start("dicegames_server", *arguments, state=tmp_path)
    await process.until("listening")
    await cy.page.evaluate("window.dispatchEvent(new Event('online'))")
    await cy.until("You are back")
    await add(guest)
    await cy.until("YOUR TURN")
    await cy.tap("Add one")
    await cy.until("NUMBER 5")
    await guest.close()


async def test_the_room_moves_to_another_node(serve: Serve, phone: OpenPhone) -> None:
    """A redirect as the answer to hello, and one in the middle of a game. No token goes to a node that only points."""
    server = await serve(quick())
    post, node = MessageRelay(server.port), MessageRelay(server.port)
    await node.start()
    to = {"type": "redirect", "url": f"ws://127.0.0.1:{node.port}/r/KQ7M"}
    post.change = lambda message: [to] if message["type"] == "welcome" else [message]
    guest, cy = await table(server, phone, await post.start())
    await add(guest)
    await cy.until("YOUR TURN")
    assert {message["type"] for message in post.sent} == {"hello"}
    assert {"join", "show"} & {message["type"] for message in node.sent}
    third = MessageRelay(server.port)
    await third.start()
    await node.say({"type": "redirect", "url": f"ws://127.0.0.1:{third.port}/r/KQ7M"})
    await cy.until("You are back")
    await cy.tap("Add one")
    await cy.until("NUMBER 3")
    assert [message["type"] for message in third.sent][:2] == ["hello", "resume"]
    await third.say({"type": "redirect", "url": "ws://evil.example/r/KQ7M"})
    await cy.until("The server sends us to another site, where we do not go.")
    await guest.close()
    for one in (post, node, third):
        await one.stop()


async def test_a_circle_of_redirects_ends(serve: Serve, phone: OpenPhone) -> None:
    server = await serve(quick())
    post = MessageRelay(server.port)
    await post.start()
    post.change = lambda message: [{"type": "redirect", "url": f"ws://127.0.0.1:{post.port}/r/KQ7M"}]
    cy = await phone(f"http://127.0.0.1:{post.port}/KQ7M")
    await cy.until("Reload the page to try again.")
    assert len(post.sent) <= 5
    await post.stop()


async def test_a_gap_is_filled(serve: Serve, phone: OpenPhone) -> None:
    """An update is lost on the way: the page asks for it, and misses nothing."""
    server = await serve(quick(heartbeat_seconds=0.2))
    relay = MessageRelay(server.port)
    guest, cy = await table(server, phone, await relay.start())
    await cy.until("ana's turn")
    lost: list[int] = []

    def lose(message: dict[str, Any]) -> list[Any]:
        if message["type"] == "update" and not lost:
            lost.append(message["seq"])
            return []
        return [message]

    relay.change = lose
    await add(guest)
    await cy.until("NUMBER 2")
    assert lost and "ana chose to add one. New number is 2." in await cy.text()
    assert "ALARM" not in await cy.text()
    await guest.close()
    await relay.stop()


async def test_another_history_is_an_alarm(serve: Serve, phone: OpenPhone) -> None:
    server = await serve(quick(heartbeat_seconds=0.2))
    relay = MessageRelay(server.port)
    guest, cy = await table(server, phone, await relay.start())
    relay.change = lambda message: [{**message, "head": "0" * 64}] if message["type"] == "heartbeat" else [message]
    await cy.until("ALARM: The server now tells another history of this room than before")
    await guest.close()
    await relay.stop()


async def test_a_recap_for_somebody_who_comes_late(serve: Serve, phone: OpenPhone) -> None:
    """The plot is read from the log of the room."""
    server = await serve(quick())
    guest, cy = await table(server, phone, server.port)
    for _ in range(10):
        await add(guest)
        await cy.until("YOUR TURN", "game over")
        if guest.store.phase != "over":
            await cy.tap("Add one")
            await eventually(lambda: guest.store.wanted() == 0 or guest.store.phase == "over")
    await cy.until("game over")
    eve = await phone(cy.page.url)
    await eve.watch()
    plot = eve.page.locator('svg[aria-label^="Scores over"] polyline')
    await plot.wait_for()
    assert await plot.get_attribute("points") == await cy.page.locator(
        'svg[aria-label^="Scores over"] polyline'
    ).get_attribute("points")
    await guest.close()


async def test_a_file_of_the_page_that_does_not_arrive(serve: Serve, phone: OpenPhone) -> None:
    """The page is loaded again by itself. If that does not help, it says so."""
    server = await serve(quick())
    cy = await phone()
    lost: list[str] = []

    async def lose_one(route: Any) -> None:
        lost.append(route.request.url)
        await (route.abort() if len(lost) == 1 else route.continue_())

    await cy.page.route("**/store.js", lose_one)
    await cy.open(f"http://127.0.0.1:{server.port}/")
    await cy.until("Open tables")
    assert len(lost) > 1
    eve = await phone()
    await eve.page.add_init_script("sessionStorage.setItem('dicegames tries', '3')")
    await eve.page.route("**/store.js", lambda route: route.abort())
    await eve.open(f"http://127.0.0.1:{server.port}/")
    await eve.until("The page could not be loaded.")


async def test_a_seat_that_was_given_up_is_forgotten(serve: Serve, phone: OpenPhone) -> None:
    server = await serve(quick())
    guest, cy = await table(server, phone, server.port)
    place = cy.page.url
    await cy.tap("Leave")
    await cy.tap("Leave the table")
    await cy.until("Open tables")
    kept = await cy.page.evaluate(
        "Object.values(localStorage).filter((text) => text.includes('tokens')).map((text) => JSON.parse(text).tokens)"
    )
    assert kept == []
    await cy.open(place)
    await cy.until("Take a seat")
    assert "Come back" not in await cy.text()
    await guest.close()


async def test_every_link_is_shown_once(serve: Serve, phone: OpenPhone) -> None:
    """With two seats at one phone. A page that showed them again after each answer was thrown out as a flood."""
    server = await serve(quick(messages_per_second=10, message_burst=20))
    relay = MessageRelay(server.port)
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    options = {"rounds": 2}
    room = (await guest.ask(Create(id="1", game="sevens", name="ana", options=options))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{await relay.start()}/{room}")
    await cy.sit("cy")
    await cy.tap("Another player here")
    await cy.page.locator("dialog").get_by_label("Your name").fill("di")
    await cy.page.locator("dialog").get_by_role("button", name="Take a seat").click()
    await cy.until("di you")
    await guest.ask(Start(id="2"))
    robot = asyncio.create_task(Robot(guest, 3).play())
    for _ in range(600):
        if "game over" in await cy.text():
            break
        await cy.play("Roll", "Keep")
        await cy.breathe()
    assert "The dice are proven" in await cy.until("game over")
    shows = [(message["seat"], message["draw"]) for message in relay.sent if message["type"] == "show"]
    assert len(shows) > 10 and len(shows) == len(set(shows))
    assert len({message.get("id") for message in relay.sent}) == len(relay.sent)
    await robot
    await guest.close()
    await relay.stop()


async def test_a_page_loaded_anew_still_proves_the_dice_and_others_do_not_claim_to(
    serve: Serve, phone: OpenPhone
) -> None:
    """The log of the room fills the gap, because it leads to what the page has heard. Who sat down late had no part."""
    server = await serve(quick())
    guest, cy = await table(server, phone, server.port, "sevens", rounds=1)
    eve = await phone(cy.page.url)
    await eve.watch()
    await eve.tap("Take a seat")
    await eve.page.locator("dialog").get_by_label("Your name").fill("eve")
    await eve.page.locator("dialog").get_by_role("button", name="Take a seat").click()
    await eve.until("You play from the next game on")
    robot = asyncio.create_task(Robot(guest, 3).play())
    await cy.until("ana rolls")
    await cy.page.reload()
    for _ in range(600):
        if "game over" in await cy.text():
            break
        await cy.play("Roll", "Keep")
        await cy.breathe()
    assert "and your part was in each" in await cy.until("The dice are proven")
    assert await cy.page.locator('svg[aria-label^="Scores over"] polyline').count() == 2
    assert "no part of them was yours" in await eve.until("not proven")
    await robot
    await guest.close()


async def test_circles_of_redirects_and_refusals_are_slow(serve: Serve, phone: OpenPhone) -> None:
    """Nodes that disagree, or a full server, are not flooded by their own pages. The seat is not given up either."""
    server = await serve(quick())
    relay = MessageRelay(server.port)
    guest, cy = await table(server, phone, await relay.start())
    await cy.until("ana's turn")
    to = {"type": "redirect", "url": f"ws://127.0.0.1:{relay.port}/r/KQ7M"}
    full = {"type": "error", "code": "rate_limited", "message": "Too many connections from your address."}

    def after_resume(message: dict[str, Any]) -> list[Any]:
        return [message, to] if message["type"] == "caught_up" else [message]

    def instead_of_resume(message: dict[str, Any]) -> list[Any]:
        return [{**to, "id": message["id"]}] if message["type"] == "caught_up" else [message]

    def refuse(message: dict[str, Any]) -> list[Any]:
        return [{**full, "id": message["id"]}] if message["type"] == "caught_up" else [message]

    def wrong_hash(message: dict[str, Any]) -> list[Any]:
        return [{**message, "hash": "0" * 16}] if message["type"] == "caught_up" else [message]

    for lie in (after_resume, instead_of_resume, refuse, wrong_hash):
        relay.change = lie
        before = len(cy.sockets)
        for page in relay._pages:
            page.transport.abort()
        await asyncio.sleep(4)
        assert len(cy.sockets) - before < 25, lie.__name__
        relay.change = lambda message: [message]
        await cy.page.evaluate("window.dispatchEvent(new Event('online'))")
        await cy.until_gone("RECONNECTING")
        assert "CLOSED" not in await cy.text()
    await add(guest)
    await cy.until("YOUR TURN")
    await guest.close()
    await relay.stop()


async def test_another_server_at_the_same_address(serve: Serve, phone: OpenPhone) -> None:
    """It gets no token. Who holds no seat there just meets a new server, as at a friend's home."""
    server = await serve(quick())
    relay = MessageRelay(server.port)
    guest, cy = await table(server, phone, await relay.start())
    relay.change = lambda message: [{**message, "id": "f" * 64}] if message["type"] == "welcome" else [message]
    sent = len(relay.sent)
    for page in relay._pages:
        page.transport.abort()
    await cy.until("Another server than before answers here. Your seat was not shown to it.")
    assert not [message for message in relay.sent[sent:] if "seat_token" in message]
    await cy.open(f"http://127.0.0.1:{relay.port}/")
    await cy.until("Open tables")
    relay.change = lambda message: [message]
    await cy.open(f"http://127.0.0.1:{relay.port}/{guest.store.room}")
    await cy.until("ana's turn")  # the seat was not thrown away
    await guest.close()
    await relay.stop()


async def test_one_of_two_seats_was_taken_meanwhile(serve: Serve, phone: OpenPhone) -> None:
    """Two sit at one phone, which is away while the host removes one of them. The other seat comes back."""
    server = await serve(quick())
    relay = Relay(server.port)
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game="sevens", name="ana"))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{await relay.start()}/{room}")
    await cy.sit("cy")
    await cy.tap("Another player here")
    await cy.page.locator("dialog").get_by_label("Your name").fill("di")
    await cy.page.locator("dialog").get_by_role("button", name="Take a seat").click()
    await cy.until("di you")
    for target, name in ((1, "di"),):
        relay.refusing = True
        relay.cut()
        await cy.until("RECONNECTING")
        await guest.ask(Kick(id="k", target=target))
        relay.refusing = False
        await cy.until_gone("RECONNECTING")
        text = await cy.until(f"{name} you")
        assert "cy you" not in text
    await cy.page.reload()
    await cy.until("di you")
    await guest.close()
    await relay.stop()


async def test_who_only_looks_pushes_no_seat_out_of_the_memory(serve: Serve, phone: OpenPhone) -> None:
    """A foreign site could lead a window through many rooms."""
    server = await serve(quick())
    guest, cy = await table(server, phone, server.port)
    place = cy.page.url
    codes = [f"CC{one}{two}" for one in "234679" for two in "CDFGHJ"]
    for code in codes:
        await cy.open(f"http://127.0.0.1:{server.port}/{code}")
        await cy.until("Take a seat")
    assert await cy.page.evaluate("Object.keys(localStorage).length") == 2  # the seat, and the name
    await cy.open(place)
    await cy.until("cy you")
    await guest.close()


async def test_what_happened_before_is_told_of_those_who_sat_there_then(serve: Serve, phone: OpenPhone) -> None:
    """The seat was another's when the game was played."""
    server = await serve(quick())
    guests = [Guest(Address("127.0.0.1", server.port)) for _ in range(2)]
    for guest in guests:
        await guest.open()
    room = (await guests[0].ask(Create(id="1", game="sevens", name="ana"))).room  # type: ignore[union-attr]
    await guests[1].ask(Join(id="2", room=room, name="bo"))
    await guests[1].ask(Leave(id="3"))
    cy = await phone(f"http://127.0.0.1:{server.port}/{room}")
    await cy.sit("cy")
    for _ in range(2):
        text = await cy.until("bo has left.")
        assert "bo sits down." in text and "You sit down as bo" not in text
        await cy.page.reload()
    for guest in guests:
        await guest.close()


@pytest.mark.parametrize("ending", ["", "/"])
async def test_a_room_with_a_slash_behind_it(ending: str, serve: Serve, phone: OpenPhone) -> None:
    server = await serve(quick())
    guest, cy = await table(server, phone, server.port)
    eve = await phone(f"{cy.page.url}{ending}")
    await eve.watch()
    await guest.close()


async def test_a_table_that_its_host_has_closed(serve: Serve, phone: OpenPhone) -> None:
    """Nothing is left that could be tapped in vain."""
    server = await serve(quick())
    relay = MessageRelay(server.port)
    guest, cy = await table(server, phone, await relay.start())
    await relay.say({"type": "left", "reason": "closed", "message": "The host has closed the table."})
    await cy.until("The host has closed the table.")
    await cy.until("CLOSED")
    assert await cy.page.get_by_role("button").count() == 0
    assert await cy.page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('dicegames K'))") == []
    await guest.close()
    await relay.stop()

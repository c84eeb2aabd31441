"""For everyone: with the keyboard alone, with a screen reader, without motion, in dark and light, and enlarged."""

import asyncio
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from browser.conftest import MISSING, OpenPhone
from browser.phone import Phone
from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Chat, Create, Start
from dicegames_protocol.table import Move
from e2e.conftest import Serve
from support.eventually import eventually
from support.settings import quick

OPTIONS: dict[str, dict[str, Any]] = {
    "doubles": {"rounds": 1, "window": 0},
    "sevens": {"rounds": 1},
    "farkle": {"target": 300},
    "double-or-nothing": {"first": "2"},
}


def axe() -> str:
    """The text of axe-core."""
    spec = importlib.util.find_spec("axe_playwright_python")
    if spec is None or spec.origin is None:
        pytest.skip(MISSING)
    return (Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8")


async def serious(page: Phone) -> list[str]:
    """What axe-core finds that is serious or worse."""
    await page.page.evaluate(axe())
    found = await page.page.evaluate("() => axe.run(document)")
    assert len(found["passes"]) > 10
    bad = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
    return [f"{one['id']}: {node['html'][:120]}" for one in bad for node in one["nodes"]]


async def open_table(serve: Serve, phone: OpenPhone, game: str, **context: Any) -> tuple[Guest, Phone]:
    server = await serve(quick())
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game=game, name="ana", options=OPTIONS[game]))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{server.port}/{room}", **context)
    return guest, cy


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("game", OPTIONS)
async def test_nothing_serious_for_axe(game: str, scheme: str, serve: Serve, phone: OpenPhone) -> None:
    guest, cy = await open_table(serve, phone, game, color_scheme=scheme)
    await cy.until("Take a seat")
    assert await serious(cy) == []
    await cy.sit("cy")
    await guest.ask(Chat(id="2", text="hello"))
    await cy.until("<ana> hello")
    assert await serious(cy) == []
    await cy.tap("Rules")
    await cy.page.locator("dialog").wait_for()
    assert await serious(cy) == []
    await cy.page.keyboard.press("Escape")
    await guest.ask(Start(id="3"))
    playing = asyncio.create_task(play(guest))
    checked = False
    for _ in range(600):
        if "game over" in await cy.text():
            break
        if await cy.offers():
            await cy.play(
                "Keep",
                "Bank 1",
                "Bank 2",
                "Bank 3",
                "Bank 4",
                "Bank 5",
                "Bank 6",
                "Bank 7",
                "Bank 8",
                "Bank 9",
                "All",
                "Roll",
                "Double",
                "Yes",
                "Add",
            )
            if not checked and re.search(r"rolls|You roll|chose", await cy.text()):
                assert await serious(cy) == []
                checked = True
        await cy.breathe()
    await cy.until("game over")
    assert checked and await serious(cy) == []
    await playing
    await guest.close()


async def play(guest: Guest) -> None:
    """Take the first offer, until the game is over."""
    tried = 0
    while guest.store.phase != "over":
        seat = guest.store.wanted()
        if seat is not None and tried != guest.store.seq and not guest.store.rolling:
            tried = guest.store.seq
            take, offer = next(iter(guest.store.offers(seat).items()))
            await guest.move(seat, Move(take=take, choice=next(iter(offer.choices)) if offer.choices else None))
        await asyncio.sleep(0.01)


async def test_the_list_of_rooms_and_a_lost_connection(serve: Serve, phone: OpenPhone) -> None:
    server = await serve(quick())
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    await guest.ask(Create(id="1", game="doubles", name="ana"))
    cy = await phone(f"http://127.0.0.1:{server.port}/")
    await cy.until("1 of 8 seats")
    assert await serious(cy) == []
    await cy.page.get_by_role("link", name=re.compile("Doubles")).click()
    await cy.sit("cy")
    await server.stop()
    await cy.until("CLOSED", "RECONNECTING")
    assert await serious(cy) == []


async def test_with_the_keyboard_alone(serve: Serve, phone: OpenPhone) -> None:
    """From the name to a move, with Tab, Enter and nothing else. What others do does not move the focus."""
    guest, cy = await open_table(serve, phone, "double-or-nothing")
    keys = cy.page.keyboard
    await cy.until("Take a seat")
    await focus(cy, "Your name")
    await keys.type("cy")
    await keys.press("Enter")
    await cy.until("Waiting room")
    await focus(cy, "Ready")
    await keys.press("Enter")
    await cy.until("You are ready.")
    assert await focused(cy) == "Not ready"  # the same button: the focus has stayed
    await guest.ask(Start(id="2"))
    await cy.until("YOUR TURN")
    await focus(cy, "Talk")
    await keys.type("hel")
    await guest.ask(Chat(id="3", text="I am first"))
    await cy.until("<ana> I am first")
    await keys.type("lo")
    await keys.press("Enter")
    await cy.until("<cy> hello")
    assert await focused(cy) == "Talk"
    await focus(cy, "Add one")
    await keys.press("Space")
    await cy.until("You chose to add one. New number is 2.")
    assert await cy.page.evaluate("document.activeElement.matches('.actions, .actions *')")  # not at the top again
    await eventually(lambda: guest.store.wanted() == 0)
    await guest.move(0, Move(take="add"))
    await cy.until("YOUR TURN")
    await keys.press("Tab")
    assert (await focused(cy)).startswith(("Add one", "Double"))
    await guest.close()


async def focused(page: Phone) -> str:
    name: str = await page.page.evaluate(
        "() => { const at = document.activeElement; return (at.labels?.[0] ?? at).innerText ?? at.tagName; }"
    )
    return name.strip()


async def focus(page: Phone, wanted: str) -> None:
    """Press Tab until this has the focus."""
    for _ in range(40):
        if (await focused(page)).startswith(wanted):
            return
        await page.page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} can't be reached; the focus is on {await focused(page)}")


async def test_what_happens_is_told_to_a_screen_reader(serve: Serve, phone: OpenPhone) -> None:
    """In a live region, one sentence each, in the words of line mode. Lines that were told stay the same nodes."""
    guest, cy = await open_table(serve, phone, "double-or-nothing")
    await cy.sit("cy")
    log = cy.page.get_by_role("log")
    assert await log.get_attribute("aria-live") == "polite"
    await cy.page.evaluate(
        "() => { window.told = []; new MutationObserver((changes) => { for (const change of changes)"
        " for (const node of change.addedNodes) told.push(node.textContent); })"
        ".observe(document.querySelector('[role=log]'), { childList: true }); }"
    )
    await guest.ask(Start(id="2"))
    await cy.until("YOUR TURN")
    await cy.tap("Double")
    await cy.until("NUMBER 2")
    await eventually(lambda: guest.store.wanted() == 0)
    await guest.move(0, Move(take="add"))
    await cy.until("NUMBER 3")
    told = await cy.page.evaluate("window.told")
    assert told == [
        "The game begins.",
        "You begin.",
        "You chose to double it. New number is 2.",
        "ana chose to add one. New number is 3.",
    ]
    await guest.close()


async def test_no_motion_for_those_who_want_none(serve: Serve, phone: OpenPhone) -> None:
    for motion, moving in (("reduce", False), ("no-preference", True)):
        guest, cy = await open_table(serve, phone, "sevens", reduced_motion=motion)
        await cy.sit("cy")
        await guest.ask(Start(id="2"))
        await cy.until("rolling for the start")
        name = await cy.page.evaluate(
            "() => getComputedStyle(document.querySelector('.rolled .die svg')).animationName"
        )
        assert (name != "none") is moving
        await guest.close()


@pytest.mark.parametrize(("width", "height"), [(360, 640), (320, 256), (180, 320), (640, 360), (1280, 800)])
async def test_every_window_shows_it_all(width: int, height: int, serve: Serve, phone: OpenPhone) -> None:
    """180 x 320 is a phone of 360 x 640 at 200 % zoom. Nothing has to be scrolled sideways."""
    guest, cy = await open_table(serve, phone, "farkle", width=width, height=height)
    await cy.sit("cy")
    await guest.ask(Start(id="2"))
    await cy.until("ana's turn")
    for _ in range(2):
        wide = await cy.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0
        seat = await asyncio.to_thread(lambda: guest.store.wanted())
        if seat is not None:
            await guest.move(seat, Move(take="roll"))
        await cy.breathe()
    await guest.close()

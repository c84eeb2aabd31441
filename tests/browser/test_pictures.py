"""Pictures of each view, for README and docs: DICEGAMES_PICTURES=write .ci/browser -k pictures"""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from browser.conftest import OpenPhone
from browser.phone import Phone
from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import AddBot, Chat, Create, Start
from dicegames_protocol.table import Move
from e2e.conftest import Serve
from support.settings import quick

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
VIEWS = ("waiting", "doubles", "sevens", "farkle", "double-or-nothing", "recap")
MOST_BYTES = 50_000
WRITE = os.environ.get("DICEGAMES_PICTURES") == "write"


def test_there_is_a_small_picture_of_each_view() -> None:
    for view in VIEWS:
        file = FOLDER / f"phone-{view}.png"
        assert 2_000 < file.stat().st_size < MOST_BYTES, file


async def take(phone: Phone, view: str) -> None:
    await phone.page.evaluate("() => Promise.all(document.getAnimations().map((one) => one.finished))")
    await phone.page.evaluate("scrollTo(0, 0)")
    await phone.page.screenshot(path=FOLDER / f"phone-{view}.png")


async def opened(serve: Serve, phone: OpenPhone, game: str, **options: Any) -> tuple[Guest, Phone]:
    server = await serve(quick(bot_talk=False))
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game=game, name="ana", options=options))).room  # type: ignore[union-attr]
    if game != "double-or-nothing":
        await guest.ask(AddBot(id="2"))
    cy = await phone(f"http://127.0.0.1:{server.port}/{room}")
    await cy.sit("cy")
    await guest.ask(Chat(id="3", text="Good luck!"))
    await cy.until("Good luck!")
    return guest, cy


async def play_until(guest: Guest, cy: Phone, done: str, *wishes: str) -> None:
    """Ana takes her first offer, cy follows the wishes, until a text is on the page."""
    await guest.ask(Start(id="4"))
    tried = 0
    for _ in range(3000):
        if done in await cy.text():
            return
        seat = guest.store.wanted()
        if seat is not None and guest.store.seq != tried and not guest.store.rolling:
            tried = guest.store.seq
            take, offer = next(iter(guest.store.offers(seat).items()))
            await guest.move(seat, Move(take=take, choice=next(iter(offer.choices)) if offer.choices else None))
        await cy.play(*wishes)
        await cy.breathe()
    raise AssertionError(f"{done} never came")


@pytest.mark.skipif(not WRITE, reason="only to write the pictures anew: DICEGAMES_PICTURES=write")
@pytest.mark.parametrize(
    ("game", "done", "wishes", "options"),
    [
        ("doubles", "Seven number 2", ("Roll",), {"window": 0}),
        ("sevens", "roll 2 of 3", ("Roll",), {}),
        ("farkle", "PICKED", ("All", "Roll"), {}),
        ("double-or-nothing", "New number is 6", ("Add",), {"first": "1"}),
    ],
)
async def test_pictures_of_games(
    game: str, done: str, wishes: tuple[str, ...], options: dict[str, Any], serve: Serve, phone: OpenPhone
) -> None:
    guest, cy = await opened(serve, phone, game, **options)
    if game == "doubles":
        await take(cy, "waiting")
    await play_until(guest, cy, done, *wishes)
    await take(cy, game)
    await guest.close()


@pytest.mark.skipif(not WRITE, reason="only to write the pictures anew: DICEGAMES_PICTURES=write")
async def test_pictures_of_a_recap(serve: Serve, phone: OpenPhone) -> None:
    guest, cy = await opened(serve, phone, "sevens", rounds=5)
    await play_until(guest, cy, "game over", "Keep", "Roll")
    await cy.until("proven")
    await asyncio.sleep(8)  # the last notice goes
    await take(cy, "recap")
    await guest.close()

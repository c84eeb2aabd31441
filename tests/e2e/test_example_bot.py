"""The example bot of docs/bots.md, against a bot of the server, in every game."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from dicegames_client.base.address import Address
from dicegames_client.guest.events import News
from dicegames_client.guest.guest import Guest
from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import Create, Ready
from dicegames_protocol.messages.server import Joined

FILE = Path(__file__).parents[2] / "docs" / "examples" / "cautious_bot.py"


def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cautious_bot", FILE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_short() -> None:
    code = [line for line in FILE.read_text().splitlines() if line.strip() and not line.startswith(("import", "from"))]
    assert len(code) <= 40


@pytest.mark.parametrize("game", keys())
async def test_it_plays_a_whole_game(game: str, address: Address) -> None:
    import asyncio

    options = {"farkle": {"target": 1000}, "doubles": {"rounds": 2}, "sevens": {"rounds": 2}}.get(game, {})
    host = Guest(address)
    await host.open()
    joined = await host.ask(Create(id="1", game=game, name="ana", options=options))
    assert isinstance(joined, Joined)
    bot = example()
    playing = asyncio.ensure_future(bot.play(f"127.0.0.1:{address.port}/{joined.room}"))
    await host.ask(Ready(id="2"))
    async for heard in host.news():
        store = host.store
        seat = store.wanted()
        if seat is not None and isinstance(heard, News):
            await host.move(seat, bot.choose(store.offers(seat)))
        if store.phase == "over":
            break
    assert await playing == tuple(host.store.info.winners or ())
    await host.close()

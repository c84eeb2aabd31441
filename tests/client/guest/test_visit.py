"""A visitor: nothing leads elsewhere, and nobody else's files are read."""

import asyncio
import contextvars
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from dicegames_client.base.address import Address
from dicegames_client.base.errors import ClientError
from dicegames_client.base.player_identity import own_identity
from dicegames_client.base.state.saved_state import remember_name, remembered_name
from dicegames_client.base.state.state_files import state_folder
from dicegames_client.base.visit import VISIT, Visit, visit_of
from dicegames_client.base.wire import Wire
from dicegames_client.enter.entering import way_back
from dicegames_client.guest.nearby import NearbyBrowser
from dicegames_client.guest.server_link import ServerLink

HOME = Address("dice.example.org", 8765)


class Way:
    def __init__(self) -> None:
        self.taken: list[str] = []

    async def open(self, room: str) -> Wire:
        self.taken.append(room)
        raise ClientError("that is enough", 3)


async def visiting(folder: Path, do: Callable[[], Coroutine[Any, Any, Any]], way: Way | None = None) -> Any:
    """Do something as a visitor with this folder."""
    context = contextvars.copy_context()
    context.run(VISIT.set, Visit(HOME, (way or Way()).open, folder, "10.0.0.1", 2222))
    return await asyncio.get_running_loop().create_task(do(), context=context)


@pytest.mark.parametrize(
    "elsewhere", [Address("127.0.0.1", 8765), Address("dice.example.org", 22), Address("10.0.0.9", 443, secure=True)]
)
async def test_no_other_server_is_reached(elsewhere: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*arguments: object, **settings: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", never)
    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", never)
    way = Way()
    with pytest.raises(ClientError, match="this server only"):
        await visiting(tmp_path, lambda: ServerLink.open(elsewhere, "test"), way)
    assert not way.taken


async def test_home_is_reached_inside_the_process(tmp_path: Path) -> None:
    way = Way()
    with pytest.raises(ClientError, match="enough"):
        await visiting(tmp_path, lambda: ServerLink.open(HOME.at("KQ7M"), "test"), way)
    assert way.taken == ["KQ7M"]


async def test_the_network_of_the_server_is_not_searched(tmp_path: Path) -> None:
    async def search() -> int:
        async with NearbyBrowser() as browser:
            return len(browser._open)

    assert await visiting(tmp_path, search) == 0


async def test_everybody_has_their_own_files_and_is_somebody_else(tmp_path: Path) -> None:
    async def come(name: str) -> tuple[Path, bytes]:
        remember_name(name)
        await asyncio.sleep(0)
        assert remembered_name() == name
        return state_folder(), own_identity().seed_for("server")

    visits = (visiting(tmp_path / name, lambda name=name: come(name)) for name in ("ana", "bo"))  # type: ignore[misc]
    (ana, ana_key), (bo, bo_key) = await asyncio.gather(*visits)
    assert (ana, bo) == (tmp_path / "ana", tmp_path / "bo") and ana_key != bo_key
    assert state_folder() not in (ana, bo)


async def test_where_nothing_can_be_written_they_are_still_told_apart(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")

    async def key() -> bytes:
        identity = own_identity()
        assert not identity.saved
        return identity.seed_for("server")

    keys = [await visiting(tmp_path / "file" / name, key) for name in ("ana", "bo", "ana")]
    assert keys[0] == keys[2] != keys[1]


async def test_the_way_back_is_by_ssh(tmp_path: Path) -> None:
    async def told() -> str:
        return way_back(HOME, "KQ7M")

    assert "ssh -p 2222 KQ7M@dice.example.org" in await visiting(tmp_path, told)


async def test_an_error_is_known_to_be_of_a_visit(tmp_path: Path) -> None:
    async def fail() -> object:
        handle = asyncio.get_running_loop().call_soon(lambda: None)
        return visit_of({"handle": handle})

    assert await visiting(tmp_path, fail) is not None
    assert visit_of({"handle": asyncio.get_running_loop().call_soon(lambda: None)}) is None

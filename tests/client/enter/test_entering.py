"""Coming back to a held seat: what happens when that does not work."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from dicegames_client.base.address import Address
from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.errors import NETWORK, REFUSED, ClientError
from dicegames_client.base.state.saved_state import HeldSeat, held_seats, hold_seat
from dicegames_client.enter.entering import Entering, seats_at
from dicegames_client.guest import known_servers
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.store import Store
from support.home import remember_in

HERE = Address("127.0.0.1", 8765)


class Unlucky:
    """A guest who does not get its seat."""

    link = None

    def __init__(self, code: int) -> None:
        self.address = HERE
        self.store = Store()
        self.closed = False
        self._code = code

    async def resume(self, room: str, tokens: dict[int, str]) -> None:
        raise ClientError("No.", self._code)

    async def close(self) -> bool:
        self.closed = True
        return True


class Quiet:
    present = False

    def __init__(self) -> None:
        self.told: list[str] = []

    def tell(self, text: str) -> None:
        self.told.append(text)


@pytest.fixture
def seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember_in(tmp_path, monkeypatch)
    hold_seat(HeldSeat(server=HERE.server, room="KQ7M", seat=0, token="token", name="ana"))


def entering(prompter: Quiet) -> Entering:
    return Entering(CommandLine(command="join"), prompter)  # type: ignore[arg-type]


async def test_a_seat_that_can_not_be_reached_now_is_kept(seat: None) -> None:
    """The player is not asked to sit down under another name instead."""
    guest = Unlucky(NETWORK)
    assert await entering(Quiet()).wants_back(HERE, "KQ7M")
    with pytest.raises(ClientError) as error:
        await entering(Quiet()).resume(cast(Guest, guest), "KQ7M")
    assert error.value.sentence == (
        "The seat of ana can't be taken back: No. Your seat is held for you: dicegames-client join 127.0.0.1:8765/KQ7M"
    )
    assert guest.closed
    assert held_seats(seats_at(HERE, "KQ7M"))


async def test_a_seat_that_is_gone_is_forgotten(seat: None) -> None:
    prompter = Quiet()
    assert not await entering(prompter).resume(cast(Guest, Unlucky(REFUSED)), "KQ7M")
    assert prompter.told == ["The seat of ana can't be taken back: No."]
    assert not held_seats(seats_at(HERE, "KQ7M"))


async def test_a_seat_on_another_server_at_this_address_is_not_asked_for(seat: None) -> None:
    known_servers.meet(HERE, "ab" * 32)
    hold_seat(HeldSeat(server=HERE.server, room="WXYZ", seat=0, token="token", name="ana", id="ab" * 32))
    assert await entering(Quiet()).wants_back(HERE, "WXYZ")
    known_servers.meet(HERE, "cd" * 32)  # what was found out when connecting
    assert not await entering(Quiet()).resume(cast(Guest, Unlucky(REFUSED)), "WXYZ")
    assert held_seats(lambda seat: seat.room == "WXYZ")  # it is still ours, where it is


async def test_a_server_that_does_not_show_the_id_of_the_seat_gets_no_token(seat: None) -> None:
    """It may show none at all, or one that is not bound: then nothing new is remembered about the address."""
    known_servers.meet(HERE, "ab" * 32)
    hold_seat(HeldSeat(server=HERE.server, room="WXYZ", seat=0, token="token", name="ana", id="ab" * 32))
    for shown, asked in (("", False), ("cd" * 32, False), ("ab" * 32, True)):
        guest = Unlucky(NETWORK)
        guest.link = SimpleNamespace(server_id=shown)  # type: ignore[assignment]
        try:
            assert not await entering(Quiet()).resume(cast(Guest, guest), "WXYZ")
        except ClientError:
            assert asked  # it was asked for, and that failed
        else:
            assert not asked

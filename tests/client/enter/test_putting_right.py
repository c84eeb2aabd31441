"""A room that can't be entered as asked: it is full, its code is wrong, or its password is missing."""

from pathlib import Path
from typing import Any, cast

import pytest

from dicegames_client.base.address import Address
from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.errors import REFUSED, ClientError
from dicegames_client.base.state.saved_state import HeldSeat, held_seats, hold_seat
from dicegames_client.enter.entering import Entering
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.store import Store
from dicegames_protocol.messages.client import Create, Join, Request, Watch
from dicegames_protocol.messages.server import Joined, ServerMessage
from support.asked import Asked
from support.hall import Hall, Peer
from support.home import remember_in

HERE = Address("127.0.0.1", 8765)
AGAIN = "If the code is right, and the room has a password, type the same code again."
CODE, PASSWORD = "Code (Enter gives up): ", "The password (Enter gives up): "


class InTheHall:
    """What entering needs of a guest, without a connection."""

    link = None
    address = HERE

    def __init__(self, hall: Hall, peer: Peer) -> None:
        self.new_id = hall.id
        self.closed = False
        self.freed_seats: set[int] = set()
        self.asked: list[Request] = []
        self._peer = peer

    @property
    def store(self) -> Store:
        return self._peer.store

    async def try_ask(self, message: Request) -> ServerMessage:
        self.asked.append(message)
        return await self._peer.ask(message)

    async def close(self) -> bool:
        self.closed = True
        return True


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember_in(tmp_path, monkeypatch)


async def opened(hall: Hall, **fields: Any) -> str:
    """The code of a new table."""
    return (await (await hall.peer()).create("doubles", **fields)).room


async def enter(guest: InTheHall, user: Asked, message: Create | Join | Watch) -> Joined:
    return await Entering(CommandLine(command="join"), user).enter(cast(Guest, guest), message)


def wrong_code(right: str) -> str:
    return "CCCC" if right != "CCCC" else "DDDD"


def no_room(code: str) -> str:
    return f"No room {code} here. Check the code with the host."


async def test_a_full_room_is_watched_instead() -> None:
    hall = Hall()
    room = await opened(hall, seats=2, password="dice")
    await (await hall.peer()).join(room, "cy", "dice")
    guest, user = InTheHall(hall, await hall.peer()), Asked(True)
    joined = await enter(guest, user, Join(id="1", room=room, name="bo", password="dice"))
    assert joined.seat is None and guest.store.room == room
    assert user.heard == [f"Room {room} is full (2 of 2). [W] watch"]
    assert not guest.closed


@pytest.mark.parametrize("user", [Asked(False), Asked()], ids=["does not want to", "is not there"])
async def test_a_full_room_is_left_by_who_does_not_want_to_watch(user: Asked) -> None:
    hall = Hall()
    room = await opened(hall, seats=2)
    await (await hall.peer()).join(room, "cy")
    guest = InTheHall(hall, await hall.peer())
    with pytest.raises(ClientError) as error:
        await enter(guest, user, Join(id="1", room=room, name="bo"))
    assert (error.value.sentence, error.value.code) == (
        f"Room {room} is full (2 of 2). You can watch instead.",
        REFUSED,
    )
    assert guest.closed and len(guest.asked) == 1


async def test_who_has_a_seat_already_does_not_watch_instead() -> None:
    """Two players share a keyboard, and there is a seat for one of them."""
    hall = Hall()
    room = await opened(hall, seats=2)
    guest, user = InTheHall(hall, await hall.peer()), Asked(True)
    await enter(guest, user, Join(id="1", room=room, name="bo"))
    with pytest.raises(ClientError, match="is full"):
        await enter(guest, user, Join(id="2", room=room, name="cy"))
    assert user.heard == []


async def test_a_wrong_code_is_asked_for_again_before_any_password() -> None:
    hall = Hall()
    room = await opened(hall)
    guest, user = InTheHall(hall, await hall.peer()), Asked("K", room.lower())
    joined = await enter(guest, user, Join(id="1", room=wrong_code(room), name="bo"))
    assert joined.room == room and joined.seat == 1
    short = "A room's code has 4 to 8 letters and digits."
    assert user.heard == [no_room(wrong_code(room)), AGAIN, CODE, short]
    assert len(guest.asked) == 2  # each try is one


@pytest.mark.parametrize("watch", [False, True])
async def test_the_same_code_again_means_that_a_password_is_missing(watch: bool) -> None:
    hall = Hall()
    room = await opened(hall, public=False, password="dice")
    guest, user = InTheHall(hall, await hall.peer()), Asked(room, "wrong", room, "dice")
    asked = Watch(id="1", room=room, name="bo") if watch else Join(id="1", room=room, name="bo")
    joined = await enter(guest, user, asked)
    assert joined.room == room and (joined.seat is None) == watch
    another = f"{no_room(room)} Or is the password another one?"
    assert user.heard == [no_room(room), AGAIN, CODE, PASSWORD, another, AGAIN, CODE, PASSWORD]


async def test_a_public_room_says_that_it_has_a_password() -> None:
    hall = Hall()
    room = await opened(hall, password="dice")
    guest, user = InTheHall(hall, await hall.peer()), Asked("dice")
    await enter(guest, user, Join(id="1", room=room, name="bo"))
    assert user.heard == ["This room has a password.", PASSWORD]


@pytest.mark.parametrize("answers", [("",), ("CCCC", ""), ("CCCC", "dice", "")], ids=str)
async def test_enter_gives_up(answers: tuple[str, ...]) -> None:
    hall = Hall()
    guest, user = InTheHall(hall, await hall.peer()), Asked(*answers)
    with pytest.raises(ClientError) as error:
        await enter(guest, user, Join(id="1", room="CCCC", name="bo"))
    assert (error.value.sentence, error.value.code) == (no_room("CCCC"), REFUSED)
    assert not user.answers and guest.closed


async def test_too_many_tries_end_it() -> None:
    hall = Hall(failed_joins_per_minute=3)
    guest, user = InTheHall(hall, await hall.peer()), Asked(*["CCCC", "dice"] * 9)
    with pytest.raises(ClientError) as error:
        await enter(guest, user, Join(id="1", room="CCCC", name="bo"))
    assert error.value.sentence == "Too many wrong codes or passwords from your address. Wait a minute."
    assert len(guest.asked) == 4


async def test_a_seat_that_became_free_is_forgotten_when_there_is_a_new_one() -> None:
    """Otherwise both would be asked for the next time. A seat of another window is not touched."""
    hall = Hall()
    room = await opened(hall)
    guest = InTheHall(hall, await hall.peer())
    for seat in (1, 2, 3):
        hold_seat(HeldSeat(server=HERE.server, room=room, seat=seat, token=f"old-{seat}", name="bo"))
    guest.freed_seats = {1, 3}
    joined = await enter(guest, Asked(), Join(id="1", room=room, name="bo"))
    assert [(held.seat, held.token) for held in held_seats()] == [(2, "old-2"), (1, joined.seat_token)]

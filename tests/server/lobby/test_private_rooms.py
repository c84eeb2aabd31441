"""Nobody learns whether a private room exists, by an answer or by its time, and its log stays among its people."""

import secrets

import pytest

from dicegames_protocol.messages.client import FetchLog, Join, Resume, Watch
from dicegames_protocol.messages.server import Error, Log
from dicegames_server.core.room_codes import SHORTEST_CODE
from dicegames_server.lobby import passwords
from support.hall import DurableMemory, Hall, Peer

NOWHERE = "ZZZZ"


async def answers(hall: Hall, room: str, password: str | None) -> list[tuple[str, str]]:
    """What a stranger is told about a room, by every message that names one."""
    told: list[tuple[str, str]] = []
    for message in (
        Join(id="1", room=room, name="eve", password=password),
        Watch(id="1", room=room, password=password),
        Resume(id="1", room=room, seat_token=secrets.token_urlsafe(32), epoch=1, last_seq=0),
        FetchLog(id="1", room=room, password=password),
        FetchLog(id="1", room=room, password=password, seat_token=secrets.token_urlsafe(32)),
    ):
        eve = await hall.peer()
        answer = await eve.ask(message)
        assert isinstance(answer, Error), answer
        told.append((answer.code, answer.message.replace(room, "CODE")))
    return told


@pytest.mark.parametrize("password", [None, "wrong"])
async def test_a_private_room_answers_like_none(password: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is counted, not timed: a wrong password took 215 ms, and an unknown room 1 ms."""
    hashes = 0
    real = passwords._scrypt

    def counted(typed: str, salt: bytes) -> bytes:
        nonlocal hashes
        hashes += 1
        return real(typed, salt)

    hall = Hall()
    ana = await hall.peer()
    room = (await ana.create("doubles", "ana", public=False, password="sesame")).room
    monkeypatch.setattr(passwords, "_scrypt", counted)
    there, work = await answers(hall, room, password), hashes
    assert there == await answers(hall, NOWHERE, password)
    assert hashes == 2 * work


async def test_the_log_of_a_private_room_wants_a_password_or_a_seat() -> None:
    hall = Hall(storage=DurableMemory())
    ana, eve = await hall.peer(), await hall.peer()
    joined = await ana.create("doubles", "ana", public=False)
    assert (await eve.refused(FetchLog(id="1", room=joined.room))).code == "no_such_room"
    await ana.expect(Log, FetchLog(id="2", room=joined.room))
    by_token = FetchLog(id="3", room=joined.room, seat_token=joined.seat_token)
    await eve.expect(Log, by_token)
    assert (await eve.refused(by_token.but(id="4", seat_token="x"))).code == "no_such_room"


async def test_the_log_of_a_public_room_is_open() -> None:
    hall = Hall()
    ana, eve = await hall.peer(), await hall.peer()
    room = (await ana.create("doubles", "ana")).room
    await eve.expect(Log, FetchLog(id="1", room=room))


async def test_codes_grow_with_all_codes_that_can_still_be_read() -> None:
    """Not with the rooms that are open: the logs of ended rooms are as good a find."""

    class Kept(DurableMemory):
        async def codes(self) -> int:
            return 100_000

    hall = Hall(storage=Kept())
    ana: Peer = await hall.peer()
    assert len((await ana.create("doubles", "ana")).room) > SHORTEST_CODE + 1

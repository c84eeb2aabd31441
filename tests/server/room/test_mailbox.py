"""One job at a time, in order, and one answer each, whichever task does the job."""

import asyncio
import json

import pytest

from dicegames_protocol.codec import decode_server
from dicegames_protocol.messages.server import Error
from dicegames_server.core.errors import Refused
from dicegames_server.room.mailbox import Mailbox, Reply
from dicegames_server.storage.base import Unavailable


class Desk:
    """A mailbox, what was done, and what was answered."""

    def __init__(self) -> None:
        self.mailbox = Mailbox("test")
        self.done: list[str] = []
        self.answers: list[str] = []

    def ask(self, name: str) -> asyncio.Task[object]:
        async def job(reply: Reply) -> None:
            self.done.append(name)
            reply(name.encode())

        return asyncio.ensure_future(self.mailbox.ask(job, name, self.answer))

    def answer(self, data: bytes) -> None:
        self.answers.append(data.decode())

    def error(self) -> str:
        message = decode_server(self.answers[-1])
        assert isinstance(message, Error)
        return message.code


async def rest() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_jobs_wait_until_all_who_claimed_it_have_released_it() -> None:
    desk = Desk()
    claims = [desk.mailbox.claim(name, desk.answer) for name in ("mine", "too")]
    waiting = [desk.ask("first"), desk.ask("second")]
    for claimed in claims:
        await rest()
        assert claimed
        assert desk.done == []
        assert desk.mailbox.claim("pushing in", desk.answer) is None
        claimed.reply((claimed.id or "").encode())
        desk.mailbox.release(claimed)
    assert desk.mailbox.claim("pushing in", desk.answer) is None  # others have waited
    await asyncio.gather(*waiting)
    assert desk.answers == ["mine", "too", "first", "second"]
    assert desk.mailbox.claim("next", desk.answer)


async def test_a_claim_that_came_to_nothing_is_explained_once() -> None:
    desk = Desk()
    for error, code in ((Refused("stale", "Too late."), "stale"), (Unavailable("full"), "unavailable")):
        claimed = desk.mailbox.claim("mine", desk.answer)
        assert claimed
        desk.mailbox.release(claimed, error)
        assert desk.error() == code
    claimed = desk.mailbox.claim("mine", desk.answer)
    assert claimed
    claimed.reply(b"answered")
    desk.mailbox.release(claimed, RuntimeError("afterwards"))
    assert desk.answers[-1] == "answered"


async def test_who_waits_for_a_claim_is_told_when_the_mailbox_is_closed() -> None:
    desk = Desk()
    claimed = desk.mailbox.claim("mine", desk.answer)
    assert claimed
    waiting = [desk.ask("first"), desk.ask("second")]
    await rest()
    desk.mailbox.close("It is over.")
    await asyncio.gather(*waiting)
    assert [json.loads(answer)["code"] for answer in desk.answers] == ["no_such_room", "no_such_room"]
    claimed.reply(b"mine")  # what was under way is answered all the same
    desk.mailbox.release(claimed)
    assert desk.answers[-1] == "mine"
    assert desk.done == []


async def test_a_closed_mailbox_can_not_be_claimed() -> None:
    desk = Desk()
    desk.mailbox.close("It is over.")
    assert desk.mailbox.claim("mine", desk.answer) is None
    await desk.ask("late")
    assert desk.error() == "no_such_room"


async def test_a_second_answer_is_held_back(caplog: pytest.LogCaptureFixture) -> None:
    """Every command gets exactly one answer, even from a job that has a bug."""
    desk = Desk()

    async def twice(reply: Reply) -> None:
        reply(b"first")
        reply(b"second")
        raise Refused("stale", "And a third.")

    with caplog.at_level("ERROR"):
        await desk.mailbox.ask(twice, "mine", desk.answer)
    assert desk.answers == ["first"]
    assert "a second answer to command 'mine' was held back" in caplog.text
    claimed = desk.mailbox.claim("claimed", desk.answer)
    assert claimed
    claimed.reply(b"once")
    claimed.reply(b"twice")
    desk.mailbox.release(claimed)
    assert desk.answers == ["first", "once"]

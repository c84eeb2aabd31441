"""The typing line at the table: a command stays a command, and what is refused stays to be mended."""

import pytest

from client.screens.test_shell import at_the_table
from dicegames_client.guest.events import NO_CONNECTION, NOT_YET, Lost
from dicegames_protocol.messages.client import Chat
from support.hall import Hall
from support.sitting import Sitting, begin, catch_up, sit_down


async def test_a_line_that_was_opened_as_a_command_stays_one() -> None:
    async with at_the_table("doubles") as (seen, ana, _):
        await seen.press("/", "\x15")
        assert seen.lines[-1] == " Command:"
        await seen.type("hello")
        await seen.press("enter")
        assert "'hello' is not a move" in seen.text and seen.lines[-1] == " Command: hello"
        await seen.press("\x15")
        await seen.type("ki")
        await seen.press("tab")
        assert seen.lines[-1] == " Command: kick"
        assert not any(isinstance(request, Chat) for request in ana.sent)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("/set rounds=0", "rounds"),
        ("/set frobs=3", "frobs"),
        ("/bot genius", "easy, steady, expert"),
        ("/kick nobody", "nobody"),
        ("/host nobody", "nobody"),
        ("/sit bo", ""),
    ],
)
async def test_a_command_that_is_refused_stays_open_with_the_error(typed: str, said: str) -> None:
    ana, _ = await sit_down(Hall(), "doubles", "ana", "bo")
    await ana.press("/")
    assert not await ana.type(typed)
    assert ana.table.prompt is not None and said in ana.table._typing.wrong != ""
    ana.table.edited(ana.now)
    assert await ana.type("/set rounds=5") and ana.table.prompt is None
    assert ana.store.info.options["rounds"] == 5


async def test_a_guest_is_refused_what_the_host_may_do() -> None:
    ana, bo = await sit_down(Hall(), "doubles", "ana", "bo")
    for typed in ("/set rounds=5", "/start", "/bot", "/kick ana", "/host bo"):
        await bo.press("/")
        assert not await bo.type(typed) and "host" in bo.table._typing.wrong
        bo.table.cancel(bo.now)
    await ana.press("/")
    assert await ana.type("/kick bo")


async def test_while_there_is_no_answer_the_line_waits() -> None:
    ana, _ = await sit_down(Hall(), "doubles", "ana", "bo")
    await ana.press("/")
    assert not ana.table.submit("/set rounds=5", ana.now)
    assert not ana.table.submit("/set rounds=5", ana.now) and ana.table._typing.wrong == NOT_YET
    ana.table.hear(Lost("gone"), ana.now)
    assert ana.table._typing.wrong == NO_CONNECTION and ana.table.prompt is not None


async def test_what_is_typed_before_the_answer_is_not_lost() -> None:
    ana, _ = await sit_down(Hall(), "doubles", "ana", "bo")
    await ana.press("/")
    ana.table.submit("/set rounds=5", ana.now)
    ana.table.edited(ana.now)
    await ana.deliver()
    assert ana.store.info.options["rounds"] == 5 and ana.table.prompt is not None


async def test_a_message_that_can_not_be_sent_leaves_the_line() -> None:
    ana, _ = await sit_down(Hall(), "doubles", "ana", "bo")
    await ana.press("/")
    ana.table.submit("/say hello", ana.now)
    ana.table.failed(ana.sent[-1].id, "It is too large.", ana.now)
    assert ana.table._typing.wrong == "It is too large." and ana.table.prompt is not None


async def test_the_line_closes_on_the_screen_when_the_answer_comes() -> None:
    async with at_the_table("doubles") as (seen, ana, _):
        await seen.press("/")
        await seen.type("say hello")
        await seen.press("enter")
        assert "Command: /say hello" in seen.text
        await ana.deliver()
        await seen.painted()
        assert "Command:" not in seen.text
        await seen.press("/", "up")
        assert "Command: /say hello" in seen.text


async def test_what_you_say_yourself_is_seen_though_the_feed_was_scrolled_back() -> None:
    ana, bo = await sit_down(Hall(), "doubles", "ana", "bo")
    await begin([ana, bo])

    async def says(who: Sitting, text: str) -> None:
        await who.press("t")
        await who.type(text)
        catch_up(ana, bo)

    for number in range(5):
        await says(bo, f"line {number} " * 8)
    ana.text()
    await ana.press("pageup")
    assert "newer" in ana.text()
    await says(bo, "hidden")
    assert "<bo> hidden" not in ana.text()
    await says(ana, "seen")
    assert "<ana> seen" in ana.text()

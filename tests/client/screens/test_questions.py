"""Questions on the screen and in lines: one key or one line answers, and what was wrong goes when it is mended."""

import asyncio
import io
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dicegames_client.base.errors import ClientError
from dicegames_client.base.glyphs import UNICODE
from dicegames_client.base.terminal.terminal import Terminal as UserTerminal
from dicegames_client.lines.line_prompter import LinePrompter
from dicegames_client.screens.forms.question_screen import QuestionScreen
from dicegames_client.screens.room_list import RoomListScreen
from dicegames_client.screens.screen import Prompt, Screen, Size
from dicegames_client.screens.screen_prompter import Cancelled, ScreenPrompter
from dicegames_client.widgets.lines import text_of, width_of
from support.clock import FakeClock
from support.terminal import terminal

SIZE = Size(80, 24)
Ask = Callable[[ScreenPrompter], Awaitable[Any]]


async def pressed(ask: Ask, *keys: str) -> tuple[object, str]:
    """What a question gives after these keys, and what was on the screen before the last one."""
    async with terminal(None) as seen:
        prompter = ScreenPrompter(seen.shell)
        asking = asyncio.ensure_future(ask(prompter))
        await seen.until("Give up", there=False)
        await seen.press(*keys[:-1])
        text = seen.text
        await seen.press(keys[-1])
        try:
            async with asyncio.timeout(20):
                return await asking, text
        except Cancelled:
            return "cancelled", text


@pytest.mark.parametrize("usual", [True, False])
async def test_one_key_answers_yes_or_no(usual: bool) -> None:
    async def ask(prompter: ScreenPrompter) -> bool:
        return await prompter.confirm("Resume KQ7M as bo?", usual=usual)

    for key, answer in (("y", True), ("n", False), ("Y", True), ("enter", usual)):
        assert (await pressed(ask, key))[0] is answer
    for key in ("escape", "ctrl-c", "q"):
        assert (await pressed(ask, key))[0] == "cancelled"
    said, text = await pressed(ask, "x", "n")
    assert said is False
    assert "Resume KQ7M as bo?" in text and "Press Y or N." in text
    assert ("[Y, Enter] Yes  [N] No" if usual else "[Y] Yes  [N, Enter] No") in text


async def test_pasted_text_is_no_answer() -> None:
    clock = FakeClock()
    async with terminal(None, now=clock.now) as seen:
        asking = asyncio.ensure_future(ScreenPrompter(seen.shell).confirm("Sure?"))
        await seen.until("Sure?")
        await seen.paste("yyyy")
        assert "Pasted text does nothing here." in seen.text
        clock.advance(0.31)
        await seen.press("n")
        assert await asking is False


async def test_an_offer_is_taken_by_its_key_alone() -> None:
    def ask(prompter: ScreenPrompter) -> Awaitable[bool]:
        return prompter.offer("Room KQ7M is full (8 of 8).", "W", "watch")

    answer, text = await pressed(ask, "w")
    assert answer is True and "Room KQ7M is full (8 of 8). Press W to watch." in text
    assert "[W] Watch  [any other key] Quit" in text
    for key in ("enter", "escape", "x", "ctrl-c"):
        assert (await pressed(ask, key))[0] is False


class Keys:
    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)

    async def line(self) -> str | None:
        return self._lines.pop(0) if self._lines else None


def in_lines(*lines: str) -> tuple[LinePrompter, io.StringIO]:
    out = io.StringIO()
    return LinePrompter(cast(UserTerminal, SimpleNamespace(present=True, keyboard=Keys(*lines), out=out))), out


@pytest.mark.parametrize(
    ("lines", "usual", "answer"),
    [
        (["y"], True, True),
        (["Yes"], False, True),
        (["n"], True, False),
        (["no"], False, False),
        ([""], True, True),
        ([""], False, False),
        (["maybe", "", "y"], False, False),
    ],
)
async def test_the_same_in_lines(lines: list[str], usual: bool, answer: bool) -> None:
    prompter, out = in_lines(*lines)
    assert await prompter.confirm("Sure?", usual=usual) is answer
    how = "Enter for yes, n for no" if usual else "y for yes, Enter for no"
    assert out.getvalue().startswith(f"Sure? {how}:\n")
    assert ("Type y or n, or just Enter for" in out.getvalue()) == ("maybe" in lines)


async def test_an_offer_in_lines_is_a_question() -> None:
    prompter, out = in_lines("")
    assert await prompter.offer("Room KQ7M is full (8 of 8).", "W", "watch")
    assert out.getvalue() == "Room KQ7M is full (8 of 8). Watch it instead? Enter for yes, n for no:\n"
    with pytest.raises(ClientError):
        await in_lines()[0].offer("It is full.", "W", "watch")


def shown(screen: Screen, size: Size = SIZE) -> str:
    lines = [*screen.paint(size, 0.0), screen.warning(size, 0.0) if screen.prompt else screen.footer(size, 0.0)]
    assert all(width_of(line) <= size.columns for line in lines)
    return "\n".join(text_of(line) for line in lines)


def mended(screen: Screen, wrong: str, *sentences: str) -> None:
    """What was typed is wrong. The sentence is there until the text is changed."""
    assert not screen.submit(wrong, 0.0)
    assert all(sentence in shown(screen) for sentence in sentences)
    screen.edited(0.0)
    assert not any(sentence in shown(screen) for sentence in sentences)


async def test_what_is_wrong_with_an_answer_goes_when_it_is_changed() -> None:
    def check(typed: str) -> str | None:
        return "No. " * 40 if len(typed) > 3 else None

    screen = QuestionScreen(Prompt("> "), UNICODE, before=["Your name: "], check=check)
    mended(screen, "anna", "No. No. No.")
    assert not screen.submit("anna", 0.0)
    for size in (SIZE, Size(60, 20)):  # all of it is there, and so are the keys
        assert shown(screen, size).count("No.") == 40 and "[Enter] Go on  [Esc] Quit" in shown(screen, size)
    assert screen.submit("ann", 0.0) and screen.result == "ann"


async def test_what_is_wrong_with_a_code_goes_when_it_is_changed() -> None:
    screen = RoomListScreen("dicegames", UNICODE, name="bo", rename=lambda name: None, intro=("dicegames",))
    screen.press("j", 0.0)
    mended(screen, "no/such/room", '"no/such/room" is not an address.', "wss://host/KQ7M.")
    assert "[J] Enter code" in shown(screen)
    screen.cancel(0.0)
    screen.press("u", 0.0)
    mended(screen, "x" * 40, "16")


async def test_a_sentence_that_is_too_long_for_the_last_line_is_shown_whole() -> None:
    said = " ".join(["Nobody answers at 192.168.1.23:8765."] * 4)
    screen = RoomListScreen("dicegames", UNICODE, name="bo", rename=lambda name: None, said=said)
    assert shown(screen).count("Nobody answers") == 4
    screen.press("x", 0.0)
    assert shown(screen).count("Nobody answers") == 0 and "does nothing here" in shown(screen)

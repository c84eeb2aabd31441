"""Where a question stands: before the cursor in a terminal, on a line of its own for a program."""

import asyncio
import io
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dicegames_client.base.terminal.terminal import Terminal
from dicegames_client.lines.line_output import LineOutput
from dicegames_client.lines.line_prompter import LinePrompter


class Out(io.StringIO):
    columns = 80

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize(
    ("terminal", "echoed", "shown"),
    [
        (True, True, "ana, 'roll': \nbo is here.\nana, 'roll': "),
        (True, False, "ana, 'roll':\nbo is here.\nana, 'roll':\n"),  # typed by a program: nobody's Enter is shown
        (False, True, "ana, 'roll':\nbo is here.\nana, 'roll':\n"),
        (False, False, "ana, 'roll':\nbo is here.\nana, 'roll':\n"),
    ],
)
def test_a_question_that_something_came_after(terminal: bool, echoed: bool, shown: str) -> None:
    out = Out(terminal)
    output = LineOutput(out, echoed=echoed)
    output.ask("ana, 'roll': ")
    assert output.asking and not output.displaced
    output.say("bo is here.")
    assert output.displaced and not output.asking
    output.ask("ana, 'roll': ")
    assert out.getvalue() == shown


@pytest.mark.parametrize("terminal", [True, False])
def test_an_answered_question_leaves_no_empty_line(terminal: bool) -> None:
    out = Out(terminal)
    output = LineOutput(out, echoed=terminal)
    output.ask("Which?")
    output.answered()
    before = out.getvalue()
    output.end_line()
    output.say("Thanks.")
    assert out.getvalue() == f"{before}Thanks.\n"


def test_a_long_question_leaves_room_for_the_answer() -> None:
    shown = {}
    for terminal in (True, False):
        out = Out(terminal)
        LineOutput(out, echoed=terminal).ask("a question that is as long as this one, with hardly any room left?")
        shown[terminal] = out.getvalue()
    assert shown[True].endswith(" left?\n> ") and shown[False].endswith(" left?\n")


@pytest.mark.parametrize(("terminal", "shown"), [(True, "Your name: "), (False, "Your name:\n")])
async def test_the_questions_before_the_table(terminal: bool, shown: str) -> None:
    answers: asyncio.Queue[str] = asyncio.Queue()
    answers.put_nowait("ana")
    keyboard: Any = SimpleNamespace(is_terminal=terminal, line=answers.get)
    out = Out(terminal)
    prompter = LinePrompter(cast(Terminal, SimpleNamespace(keyboard=keyboard, out=out)))
    assert await prompter.question("Your name: ") == "ana"
    assert out.getvalue() == shown

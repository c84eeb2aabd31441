"""Whoever looks elsewhere is called when it is their turn, and the terminal is told what to send only meanwhile."""

import re
import signal
from dataclasses import replace

import pytest
from prompt_toolkit.input import create_pipe_input

from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.base.terminal.reports import FOCUS_IN, FOCUS_OUT
from dicegames_client.screens.screen import Prompt, Screen
from dicegames_client.screens.terminal.shell import Terminated
from support.terminal import Terminal, terminal

WANTED = DisplayOptions(motion=False, bell=True)
NOTIFIED = re.compile(r"\x1b\]9;([^\x07]*)\x07")
FOCUS_ON, FOCUS_OFF = "\x1b[?1004h", "\x1b[?1004l"


class Noting(Screen):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def press(self, key: str, now: float) -> None:
        self.heard.append(key)
        if key == "t":
            self.prompt = Prompt("Say: ")

    def submit(self, text: str, now: float) -> bool:
        self.heard.append(f"said {text}")
        self.prompt = None
        return True


async def called(*told: str, rings: str = "Farkle KQ7M: your turn") -> str:
    """What goes to a terminal that has told this, when it is the user's turn."""
    screen = Noting()
    async with terminal(screen, display=WANTED) as seen:
        await seen.painted()
        for each in told:
            await seen.paste(each)
        seen.written.clear()
        screen.rings = rings
        await seen.painted()
        assert not screen.rings and not screen.heard
        return "".join(seen.written)


@pytest.mark.parametrize(
    ("told", "notified"),
    [((), False), ((FOCUS_IN,), False), ((FOCUS_OUT,), True), ((FOCUS_OUT, FOCUS_IN), False), (("\x1b", "[O"), True)],
)
async def test_a_notification_comes_only_while_the_window_has_no_focus(told: tuple[str, ...], notified: bool) -> None:
    written = await called(*told)
    assert NOTIFIED.findall(written) == (["Farkle KQ7M: your turn"] if notified else [])
    assert NOTIFIED.sub("", written).count("\x07") == 1


async def test_it_is_clean_and_short() -> None:
    written = await called(FOCUS_OUT, rings="Farkle\x1b\\\x07\x9c\u202e" + "日" * 100)
    (notified,) = NOTIFIED.findall(written)
    assert notified.startswith("Farkle") and notified.isascii() and notified.isprintable() and len(notified) == 60


async def test_the_focus_is_no_key_not_even_in_the_typing_line() -> None:
    screen = Noting()
    async with terminal(screen, display=WANTED) as seen:
        for told in (FOCUS_IN, FOCUS_OUT, "\x1b[?2026;2$y", "\x1b[?62;22c", "\x1b]11;rgb:ffff/0/0\x1b\\"):
            await seen.paste(told)
        assert screen.heard == []
        await seen.paste(f"{FOCUS_OUT}t{FOCUS_IN}")
        for told in (FOCUS_OUT, "\x1b", "[O", "\x1b[", "I", "\x1b]11;rgb:", "ffff/0/0\x1b\\", "\x1b[?62;", "22c"):
            await seen.paste(told)
        await seen.paste(f"h{FOCUS_OUT}i")
        assert seen.lines[-1] == " Say: hi"
        await seen.press("enter")
        assert screen.heard == ["t", "said hi"]


async def test_escape_is_still_a_key() -> None:
    screen = Noting()
    async with terminal(screen, display=WANTED) as seen:
        await seen.press("t")
        await seen.press("escape")
        await seen.until("Say:", there=False)


async def test_the_terminal_is_told_when_it_is_wanted_and_in_the_end_not_any_more() -> None:
    async with terminal(Noting(), display=replace(WANTED, bell=False)) as seen:
        await seen.painted()
        assert FOCUS_ON not in "".join(seen.written)
        seen.shell.look(WANTED)
        await seen.painted()
        assert "".join(seen.written).count(FOCUS_ON) == 1
        seen.resize(60, 20)
        await seen.painted()
        assert "".join(seen.written).count(FOCUS_ON) == 1 and FOCUS_OFF not in "".join(seen.written)
        seen.shell.look(replace(WANTED, bell=False))
        await seen.painted()
        assert "".join(seen.written).count(FOCUS_OFF) == 1
        seen.shell.look(replace(WANTED, mouse=True))
        await seen.painted()
    text = "".join(seen.written)
    for mode in ("1004", "1000", "1006"):
        assert text.rindex(f"\x1b[?{mode}l") > text.rindex(f"\x1b[?{mode}h")


class Broken(Exception):
    pass


@pytest.mark.parametrize("how", ["signal", "crash"])
async def test_however_it_ends_the_terminal_is_as_before(how: str) -> None:
    with create_pipe_input() as input:
        made = Terminal(replace(WANTED, mouse=True), 80, 24, None, input)

        async def flow() -> None:
            await made.shell.painted.wait()
            assert FOCUS_ON in "".join(made.written)
            if how == "crash":
                raise Broken
            signal.raise_signal(signal.SIGTERM)
            await made.shell.show(Noting())

        with pytest.raises(Broken if how == "crash" else Terminated):
            await made.shell.run(flow)
        text = "".join(made.written)
        for mode in ("1004", "1000", "1006"):
            assert text.rindex(f"\x1b[?{mode}l") > text.rindex(f"\x1b[?{mode}h")


async def test_after_a_suspension_it_is_told_again() -> None:
    """The shell in between has had the terminal, and may have told it something else."""
    async with terminal(Noting(), display=WANTED) as seen:
        await seen.painted()
        seen.shell._app.renderer.erase()  # as prompt_toolkit does for Ctrl-Z
        assert "".join(seen.written).count(FOCUS_OFF) == 1
        await seen.painted()
        assert "".join(seen.written).count(FOCUS_ON) == 2
        seen.shell._continued()
        await seen.painted()
        assert "".join(seen.written).count(FOCUS_ON) == 3

"""Keys of a remote terminal take a short way. They mean the same as by the long one."""

import asyncio

import pytest

from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.base.terminal.remote import RemoteTerminal
from dicegames_client.screens.screen import Prompt, Screen
from dicegames_client.screens.terminal import remote_screen
from dicegames_client.screens.terminal.remote_screen import shell_on
from support.eventually import eventually
from support.terminal import terminal

TYPED = ("r", "A", "1", "\r", "\t", "\x7f", "\x03", "\x04", "\x1b[A", "\x1b[5~", "\x01", "\x1b[31m", "é", "日", "?")


class Noting(Screen):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def press(self, key: str, now: float) -> None:
        self.heard.append(key)
        if key == "t":
            self.prompt = Prompt("Say: ")

    def pasted(self, now: float) -> None:
        self.heard.append("pasted")

    def submit(self, text: str, now: float) -> bool:
        self.heard.append(f"said {text}")
        self.prompt = None
        return True


@pytest.fixture(autouse=True)
def no_holding(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key waits for nothing but the next round of the event loop."""
    monkeypatch.setattr(remote_screen, "HOLD_SECONDS", 0.0)


async def remotely(*texts: str, rounds: int = 5) -> list[str]:
    """What a screen hears if these texts come, each in one piece. `rounds`: of the event loop after each of them."""
    far = RemoteTerminal(lambda text: None, environment={"TERM": "xterm"}, size=(80, 24), give_up=lambda: None)
    shell, screen = shell_on(far, DisplayOptions(motion=False)), Noting()
    over = asyncio.Event()

    async def flow() -> None:
        showing = asyncio.ensure_future(shell.show(screen))
        await over.wait()
        showing.cancel()

    running = asyncio.ensure_future(shell.run(flow))
    await eventually(lambda: far.on_keys is not None and shell._screen is screen)
    for text in texts:
        far.received(text)
        for _ in range(rounds):
            await asyncio.sleep(0)
    far.received("\x1b[A")
    await eventually(lambda: screen.heard[-1:] == ["up"])
    over.set()
    await running
    return screen.heard[:-1]


async def locally(*texts: str) -> list[str]:
    screen = Noting()
    async with terminal(screen, display=DisplayOptions(motion=False)) as near:
        for text in texts:
            await near.paste(text)
    return screen.heard


@pytest.mark.parametrize("key", TYPED)
async def test_each_key_means_the_same(key: str) -> None:
    assert await remotely(key) == await locally(key)


async def test_ctrl_z_stops_nothing_but_is_told() -> None:
    assert await remotely("\x1a") == ["ctrl-z"]


async def test_many_keys_in_one_piece_were_pasted() -> None:
    """However many: a hundred users share the process."""
    assert await remotely("roll") == ["pasted"]
    assert await remotely("q" * 4000) == ["pasted"]
    assert await remotely("\x1b[200~q\nq\x1b[201~") == ["pasted"]


@pytest.mark.parametrize(
    "parts", [["q\rsome words, ready\r"], ["q", "\r", "some words", ", ready", "\r"], ["ca", "sh\rq\ry\r"]]
)
async def test_a_paste_in_several_parts_is_one_too(parts: list[str]) -> None:
    """From a terminal that does not mark it. Without waiting for the rest, the first key would act: q leaves."""
    assert set(await remotely(*parts, rounds=0)) == {"pasted"}


async def test_what_the_terminal_tells_is_no_key() -> None:
    reports = ("\x1b[O", "\x1b[I", "\x1b", "[O", "\x1b[", "I", "\x1b[?62;", "22c", "\x1b]11;rgb:", "ff/ff/ff\x1b\\")
    assert await remotely("a", *reports, "b") == ["a", "b"]
    assert await remotely("t", "h", *reports, "i", "\r") == ["t", "said hi"]


@pytest.mark.parametrize("sequence", ["\x1b[R", "\x1bOr", "\x1b[9;9z", "\x1b[ q", "\x1b[=1R", "\x1bOz"])
async def test_the_last_letter_of_an_unknown_sequence_is_no_key(sequence: str) -> None:
    assert "r" not in (heard := await remotely(sequence)) and not {"q", "z", "o"} & set(heard)
    assert (await remotely("r"))[0] == "r"


async def test_a_line_that_comes_as_a_whole_is_not_sent_before_it_was_asked_for() -> None:
    """On a slow line that is what a person has typed."""
    assert await remotely("t", "hello\r", "\x03") == ["t"]
    assert await remotely("t", "hello\r", "\r", "\x03") == ["t"]  # one more in the same paste


async def test_a_line_is_typed_as_ever() -> None:
    assert await remotely("t", "h", "i", "\r") == ["t", "said hi"]

"""The shell: real key sequences through a pipe, real VT100 into a terminal emulator."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_toolkit.input import create_pipe_input

from client.screens.scenes import SCENES
from dicegames_client.guest.events import News
from dicegames_client.screens.forms.menu import CANCELLED, Menu
from dicegames_client.screens.forms.question_screen import QuestionScreen
from dicegames_client.screens.room_list import Destination
from dicegames_client.screens.screen import Prompt, Screen, Size
from dicegames_client.screens.terminal.shell import MOST_MISHAPS, Terminated
from dicegames_client.widgets.lines import Line
from dicegames_protocol.messages.client import Chat, MakeMove
from dicegames_protocol.messages.server import Said
from support.hall import Hall
from support.sitting import STILL, Sitting, begin, catch_up, sit_down
from support.terminal import TITLE, Terminal, terminal

SEQUENCES = [
    *(b"\x1b[31m", b"\x1b[<0;31;1m", b"\x1b[M   ", b"\x1b[200~", b"\x1b[201~", b"\x1b[1;5R", b"\x1b[99999999999R"),
    *(
        b"\x1b[<64;3;4M",
        b"\x1b[<65;3;4M",
        b"\x1b[I",
        b"\x1b[O",
        b"\x1b[?2026;2$y",
        b"\x1b]11;rgb:0/0/0\x07",
        b"\x1b]11;",
    ),
    *(b"\x1b", b"\x1bO", b"\x1b[", b"\x1b[A", b"\x9b31m", b"\x00", b"\x16", b"\x11", b"\x18\x05", b"\xff", b"q", b"\r"),
]


@asynccontextmanager
async def at_the_table(game: str, *rolls: tuple[int, ...]) -> AsyncIterator[tuple[Terminal, Sitting, Sitting]]:
    """ana in a terminal, bo at the same table, and the game has begun."""
    hall = Hall(*rolls)
    ana, bo = await sit_down(hall, game, "ana", "bo")
    await begin([ana, bo])
    async with terminal(ana.table, now=lambda: hall.clock.now()) as seen:
        yield seen, ana, bo


async def test_a_whole_game_with_keys() -> None:
    async with at_the_table("double-or-nothing", (1,)) as (seen, ana, bo):
        for mine, theirs in (("a", "a"), ("d", "a"), ("d", "a")):
            await seen.press(mine)
            await ana.deliver()
            catch_up(bo)
            await bo.press(theirs)
            ana.catch_up()
        await seen.painted()
        assert "<15>" in seen.text
        await seen.press("d")
        assert "Double → 30 loses at once. Really? y/n" in seen.text
        ana.hall.clock.advance(1)
        await seen.press("Y")  # capitals are the same keys
        await ana.deliver()
        await seen.painted()
        assert "bo wins!" in seen.text
        assert "[M] Rematch" in seen.text


async def test_letters_do_not_act_while_typing() -> None:
    async with at_the_table("doubles", (4, 4)) as (seen, ana, _):
        await seen.press("t")
        await seen.type("roll rrr cash q?/o")
        assert ana.sent[1:] == []
        assert "Say: roll rrr cash q?/o" in seen.text
        await seen.press("enter")
        assert [type(request) for request in ana.sent[1:]] == [Chat]
        assert "Say:" not in seen.text
        await seen.press("r")
        assert isinstance(ana.sent[-1], MakeMove)


async def test_escape_and_ctrl_c_cancel_typing() -> None:
    async with at_the_table("doubles") as (seen, ana, _):
        for key in ("escape", "ctrl-c"):
            await seen.press("t")
            await seen.type("hello")
            await seen.press(key)
            await seen.until("Say:", there=False)
        await seen.press("t", "ctrl-d")
        assert "Say:" not in seen.text
        assert ana.table.result is None
        assert ana.sent[1:] == []


async def test_news_neither_moves_the_focus_nor_eats_a_key() -> None:
    async with at_the_table("doubles", (4, 4), (5, 6)) as (seen, ana, bo):
        await seen.press("t")
        await seen.type("hel")
        await bo.press("t")
        await bo.type("I say")
        catch_up(ana)
        seen.shell.changed()
        await seen.painted()
        assert "<bo> I say" in seen.text
        await seen.type("lo")
        assert "Say: hello" in seen.text
        await seen.press("enter")
        said = ana.sent[-1]
        assert isinstance(said, Chat) and said.text == "hello"


async def test_history_of_the_talk_line() -> None:
    async with at_the_table("doubles") as (seen, ana, _):
        for word in ("first", "second"):
            await seen.press("t")
            await seen.type(word)
            await seen.press("enter")
        await seen.press("t", "up", "up")
        assert "Say: first" in seen.text
        assert len([request for request in ana.sent if isinstance(request, Chat)]) == 2


async def test_completion_of_commands() -> None:
    async with at_the_table("doubles") as (seen, ana, _):
        await seen.press("/")
        assert "Command: /" in seen.text
        await seen.type("ki")
        await seen.until("remove somebody")
        await seen.press("tab")
        assert "Command: /kick" in seen.text and "/kick bo" not in seen.text
        await seen.press("tab")
        assert "Command: /kick bo" in seen.text
        await seen.press("escape")
        await seen.until("Command:", there=False)
        assert ana.sent[1:] == []


async def test_what_can_follow_is_listed_at_once_and_tab_goes_round() -> None:
    async with at_the_table("doubles") as (seen, _ana, _):
        await seen.press("/")
        await seen.type("bo")
        await seen.press("tab")
        await seen.until("expert")
        found = []
        for _step in range(4):
            await seen.press("tab")
            found.append(seen.lines[-1].strip())
        assert found == [f"Command: /bot {level}".strip() for level in ("easy", "steady", "expert", "")]


async def test_the_prompt_of_talk_is_not_the_prompt_of_a_command() -> None:
    async with at_the_table("doubles") as (seen, _ana, _):
        await seen.press("t", "/", "w")
        assert seen.lines[-1] == " Command: /w"
        await seen.until("who is here")  # prompt_toolkit paints the line under a menu
        assert seen.lines[-1] == " Command: /w"
        await seen.press("backspace", "backspace", "w")
        assert seen.lines[-1] == " Say: w"


async def test_what_is_wrong_with_a_line_is_not_under_the_menu_and_gone_when_it_is_changed() -> None:
    async with at_the_table("doubles") as (seen, _ana, _):
        await seen.press("/")
        await seen.type("set ")
        await seen.until("rounds=")
        await seen.press("enter")
        assert "Type for example: set rounds=5" in seen.text and "rounds= " in seen.text
        await seen.press("r")
        assert "Type for example" not in seen.text


async def test_a_refused_line_stays_to_be_put_right() -> None:
    async with at_the_table("doubles") as (seen, ana, _):
        await seen.press("/")
        await seen.type("kick nobody")
        await seen.press("enter")
        assert 'Nobody here is called "nobody".' in seen.text
        assert "Command: /kick nobody" in seen.text
        assert ana.sent[1:] == []


@pytest.mark.parametrize("marked", [True, False])
async def test_pasting_never_acts(marked: bool) -> None:
    """Terminals mark pasted text. If a terminal does not, many keys in one read are not taken as typing either."""
    async with at_the_table("doubles", (4, 4)) as (seen, ana, _):
        text = "r\rc\rqy\rroll\r"
        await seen.paste(f"\x1b[200~{text}\x1b[201~" if marked else text)
        assert ana.sent[1:] == []
        assert ana.table.result is None
        assert "Pasted text does nothing here." in seen.text
        await seen.paste("c")  # the tail of a long paste comes in a read of its own
        assert ana.sent[1:] == [] or marked
        ana.hall.clock.advance(0.31)
        await seen.press("r")
        assert isinstance(ana.sent[-1], MakeMove)


@pytest.mark.parametrize("marked", [True, False])
async def test_pasting_into_the_talk_line_sends_nothing(marked: bool) -> None:
    async with at_the_table("doubles") as (seen, ana, _):
        await seen.press("t")
        text = "one\rtwo\x07\rthree"
        await seen.paste(f"\x1b[200~{text}\x1b[201~" if marked else text)
        assert "Say: one two" in seen.text
        await seen.paste("\r")
        assert (ana.sent[1:] == []) or marked  # nobody can tell that last line break from the key, if it is not marked
        assert ("Send this? Enter sends it." in seen.text) is not marked
        ana.hall.clock.advance(0.31)
        await seen.press("enter")
        assert isinstance(ana.sent[-1], Chat)


@pytest.mark.parametrize(
    ("reads", "text"),
    [
        (["hello\r"], "hello"),
        (["hello\r\r"], "hello"),
        (["he", "llo\r"], "hello"),
        (["h", "\rthere"], "h there"),
        (["one\rtwo\r\rthree"], "one two three"),
        (["first\r", "second\r", "x"], "first second x"),
        (["first\r", "\x1b[200~second\x1b[201~\r"], "first second"),
        (["  hello \r", "you all"], "  hello you all"),
    ],
)
async def test_enter_that_comes_with_text_asks_and_loses_nothing(reads: list[str], text: str) -> None:
    """It was pasted, or typed on a slow line. Nobody can tell, so the user is asked."""
    async with at_the_table("doubles") as (seen, ana, _):
        await seen.press("t")
        for read in reads:
            await seen.paste(read)
        asked = " Send this? Enter sends it."
        assert ana.sent[1:] == [] and seen.lines[-1] == f" Say: {text}".rstrip()
        assert seen.lines[-2] == asked
        ana.hall.clock.advance(0.31)
        await seen.painted()
        assert seen.lines[-2] == asked
        await seen.press("enter")
        said = ana.sent[-1]
        assert isinstance(said, Chat) and said.text == text.strip()
        assert len(ana.sent[1:]) == 1 and asked not in seen.lines


async def test_another_key_after_the_question_writes_on() -> None:
    async with at_the_table("doubles") as (seen, ana, _):
        await seen.press("t")
        await seen.paste("hello\r")
        ana.hall.clock.advance(0.31)
        await seen.press("!")
        assert seen.lines[-1] == " Say: hello!" and "Send this?" not in seen.text
        await seen.paste("more\r")
        await seen.press("escape")
        await seen.until("Say:", there=False)
        assert "Send this?" not in seen.text and ana.sent[1:] == []


async def test_ctrl_l_paints_anew_with_the_line_open_and_with_a_menu() -> None:
    async with at_the_table("doubles") as (seen, _ana, _):
        for keys in ("", "t", "hi"):
            await seen.type(keys)
            await seen.painted()
            before = seen.lines
            seen.scribble("garbage")
            await seen.press("\x0c")
            assert seen.lines == before
        await seen.press("escape")
        await seen.until("Say:", there=False)
        await seen.type("/k")
        await seen.until("remove somebody")
        before = seen.lines
        seen.scribble("garbage")
        await seen.press("\x0c")
        assert seen.lines == before


async def test_enter_is_no_paste_because_another_key_follows_at_once() -> None:
    """Keys that are typed fast arrive together, over ssh above all. A line break was pasted only if text follows."""
    async with at_the_table("doubles") as (seen, ana, _):
        for behind in ("\x0c", "\x1b[A"):
            await seen.press("t", "h")
            await seen.paste(f"\r{behind}")
            said = ana.sent[-1]
            assert isinstance(said, Chat) and said.text == "h"
            ana.sent.pop()


async def test_bytes_that_are_no_characters_can_be_sent_all_the_same() -> None:
    """prompt_toolkit gives halves of characters for them, which no message can hold."""
    async with at_the_table("doubles") as (seen, ana, _):
        await seen.press("t", "\udcfc", "h", "enter")
        assert isinstance(ana.sent[-1], Chat) and ana.sent[-1].text == "?h"


async def test_a_long_line_leaves_the_next_one_its_label() -> None:
    async with at_the_table("doubles") as (seen, ana, _):
        await seen.press("t")
        await seen.paste(f"\x1b[200~{'x' * 120}\x1b[201~")
        assert "Say:" not in seen.text
        await seen.press("enter", "t")
        assert "Say:" in seen.text
        assert isinstance(ana.sent[-1], Chat)


async def test_resize_at_any_time() -> None:
    async with at_the_table("doubles", (4, 4)) as (seen, ana, _):
        for columns, rows in ((60, 20), (120, 40), (30, 8), (80, 24)):
            seen.resize(columns, rows)
            await seen.painted()
            assert ("dicegames needs" in seen.text) == (columns < 60)
        await seen.press("t")
        seen.resize(60, 20)
        await seen.type("still here")
        assert "Say: still here" in seen.text
        assert ana.table.prompt


class Endless(Screen):
    """It never ends, whatever is pressed."""

    def paint(self, size: Size, now: float) -> list[Line]:
        return [[("", "still here")]]


class Broken(Screen):
    def paint(self, size: Size, now: float) -> list[Line]:
        raise ZeroDivisionError("the paint is spilled")


async def shown(made: Terminal, text: str) -> None:
    """Until the terminal has got this text."""
    async with asyncio.timeout(30):
        while text not in "".join(made.written):
            made.shell.painted.clear()
            await made.shell.painted.wait()


async def test_an_exception_while_painting_is_told_and_the_terminal_is_restored() -> None:
    with create_pipe_input() as input:
        made = Terminal(STILL, 80, 24, None, input)

        async def flow() -> str:
            showing = asyncio.ensure_future(made.shell.show(Broken()))
            await shown(made, "drawn here (ZeroDivisionError)")
            showing.cancel()
            return "it went on"

        assert await made.shell.run(flow) == "it went on"
        text = "".join(made.written)
        assert text.rindex("\x1b[?1049l") > text.rindex("\x1b[?1049h")


def trip() -> None:
    asyncio.get_running_loop().call_exception_handler({"message": "a task", "exception": LookupError("gone")})


async def test_an_exception_in_a_task_of_its_own_is_told_and_everything_goes_on() -> None:
    """With a host, the others at the table must not pay for it."""
    with create_pipe_input() as input:
        made = Terminal(STILL, 80, 24, None, input)
        screen, _ = await SCENES["menu"](STILL)

        async def flow() -> str:
            showing = asyncio.ensure_future(made.shell.show(screen))
            trip()
            await shown(made, "went wrong here (LookupError)")
            showing.cancel()
            return "it went on"

        assert await made.shell.run(flow) == "it went on"


async def test_one_exception_after_the_other_ends_it() -> None:
    with create_pipe_input() as input:
        made = Terminal(STILL, 80, 24, None, input)
        screen, _ = await SCENES["menu"](STILL)

        async def flow() -> None:
            for _ in range(MOST_MISHAPS + 1):
                asyncio.get_running_loop().call_soon(trip)
            await made.shell.show(screen)

        with pytest.raises(LookupError):
            await made.shell.run(flow)


@pytest.mark.parametrize("keys", [b"\x1b[31m", b"\x1b[<0;1M", b"\x1b[M", b"\x1b[1;2;3M", b"\x1b[<31m", b"\x1b[0n"])
async def test_a_paste_that_looks_like_a_mouse_ends_nothing(keys: bytes) -> None:
    await typed(keys)


@settings(max_examples=40)
@given(st.lists(st.one_of(st.binary(max_size=12), st.sampled_from(SEQUENCES)), max_size=12).map(b"".join))
def test_no_bytes_from_the_keyboard_end_it(keys: bytes) -> None:
    asyncio.run(typed(keys.replace(b"\x1a", b"")))  # Ctrl-Z would stop the whole test run


async def typed(keys: bytes) -> None:
    """Whatever comes, the screen still paints afterwards."""
    with create_pipe_input() as input:
        made = Terminal(replace(STILL, bell=True, mouse=True), 80, 24, None, input)

        async def flow() -> str:
            showing = asyncio.ensure_future(made.shell.show(Endless()))
            input.send_bytes(keys)
            for _ in range(4):
                made.shell.painted.clear()
                made.shell.changed()
                await made.shell.painted.wait()
            showing.cancel()
            return "it went on"

        assert await made.shell.run(flow) == "it went on"
        assert "went wrong" not in "".join(made.written)


async def test_a_signal_ends_it_from_outside_and_says_so() -> None:
    lost: list[bool] = []
    with create_pipe_input() as input:
        made = Terminal(STILL, 80, 24, None, input)
        made.shell.on_lost = lambda: lost.append(True)
        screen, _ = await SCENES["menu"](STILL)

        async def flow() -> None:
            showing = asyncio.ensure_future(made.shell.show(screen))
            await made.shell.painted.wait()
            signal.raise_signal(signal.SIGTERM)
            await showing

        with pytest.raises(Terminated):
            await made.shell.run(flow)
        assert lost == [True]
        assert "\x1b[?1049l" in "".join(made.written)


async def test_menu() -> None:
    menu = Menu("Which game?", [("Doubles", "a pot"), ("Sevens", "six dice")], STILL.glyphs)
    async with terminal(menu) as seen:
        await seen.press("x")
        assert "Press a number from 1 to 2, or Q to quit." in seen.text
        await seen.press("down", "enter")
        assert menu.result == 1
    menu = Menu("Which game?", [("Doubles", "a pot")], STILL.glyphs)
    menu.press("9", 0)
    assert menu.result is None
    menu.press("escape", 0)
    assert menu.result == CANCELLED


async def test_asking_with_a_check() -> None:
    ask = QuestionScreen(
        Prompt("> "), STILL.glyphs, before=["Your name:"], check=lambda text: None if text else "A name, please."
    )
    async with terminal(ask) as seen:
        await seen.press("enter")
        assert "A name, please." in seen.text
        await seen.type("bo")
        await seen.press("enter")
        assert ask.result == "bo"


async def test_a_secret_is_not_shown() -> None:
    ask = QuestionScreen(Prompt("> ", secret=True), STILL.glyphs, before=["Password:"])
    async with terminal(ask) as seen:
        await seen.type("sesame")
        assert "sesame" not in seen.text
        assert "******" in seen.text
        await seen.press("enter")
        assert ask.result == "sesame"


async def test_lobby() -> None:
    lobby, _ = await SCENES["lobby"](STILL)
    async with terminal(lobby) as seen:
        await seen.press("8")
        assert "8 does nothing here." in seen.text
        await seen.press("j")
        await seen.type("not an address!")
        await seen.press("enter")
        assert "is not an address" in seen.text
        await seen.press("escape")
        await seen.until("Code or address:", there=False)
        await seen.press("down", "w")
        assert isinstance(lobby.result, Destination)
        assert (lobby.result.kind, lobby.result.address.room) == ("watch", "TX2P")


async def test_replay() -> None:
    replay, _ = await SCENES["replay"](STILL)
    async with terminal(replay, now=lambda: 0.0) as seen:
        await seen.painted()
        assert "POT" in seen.text
        await seen.press("home", "p", "right", "right")
        assert "PAUSED" in seen.text
        for key in ("n", "f", "w", "b", "end", "left", "+", "-", "z"):
            await seen.press(key)
        assert "Z does nothing here. ? shows the keys." in seen.text
        await seen.press("q")
        assert replay.result is not None


async def test_the_shell_shows_no_control_characters_of_others() -> None:
    async with at_the_table("doubles") as (seen, ana, _):
        evil = Said(seat=None, name="\x1b]0;owned\x07", text="\x1b[2J\u202e\x9b31m\u200dboo x\u0300\u0301\u0302\u0303")
        ana.table.hear(News(evil, ana.store, ana.store), ana.now)
        seen.written.clear()
        await seen.painted()
        text = TITLE.sub(r"\1", "".join(seen.written))
        assert "boo" in text
        assert not any(bad in text for bad in ("\x07", "\x9b", "\u202e", "\u200d", "\x1b[2J", "\x1b]"))

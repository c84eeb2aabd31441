"""What has happened at the table can be read back and searched."""

import re

import pytest

from dicegames_client.base.glyphs import ASCII
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.guest.events import Lost
from support.hall import Hall
from support.sitting import STILL, Sitting, begin, catch_up, sit_down
from support.terminal import terminal


async def much_talk(display: DisplayOptions = STILL, count: int = 30) -> tuple[Sitting, Sitting]:
    ana, bo = await sit_down(Hall(), "double-or-nothing", "ana", "bo", display=display, options={"first": "1"})
    await begin([ana, bo])
    ana.table.stage.feed.add(*(f"thing {number}" for number in range(1, count + 1)))
    ana.text()
    return ana, bo


async def test_page_up_reads_back_and_news_do_not_move_it() -> None:
    ana, bo = await much_talk()
    await ana.press("pageup")
    assert "thing 30" not in ana.text()
    newer = int(re.findall(r"▼ (\d+) newer", ana.text())[0])
    before = [line for line in ana.lines() if "thing" in line]
    await bo.press("t")
    await bo.type("hello")
    catch_up(ana)
    assert [line for line in ana.lines() if "thing" in line] == before
    assert f"▼ {newer + 1} newer" in ana.text() and "<bo> hello" not in ana.text()
    await ana.press("end")
    assert "<bo> hello" in ana.text() and "newer" not in ana.text()


@pytest.mark.parametrize("keys", [("escape",), ("end",), ("pagedown", "pagedown")])
async def test_back_to_the_newest(keys: tuple[str, ...]) -> None:
    ana, _ = await much_talk()
    await ana.press("pageup", *keys)
    assert "thing 30" in ana.text() and "newer" not in ana.text()
    assert ana.table.result is None


async def test_in_ascii() -> None:
    ana, _ = await much_talk(DisplayOptions(motion=False, glyphs=ASCII))
    await ana.press("pageup")
    assert re.search(r"v \d+ newer", ana.text())


async def test_arrows_and_home_still_scroll_the_players() -> None:
    ana, _ = await much_talk()
    for key in ("up", "down", "home", "end"):
        await ana.press(key)
        assert "thing 30" in ana.text() and "does nothing" not in ana.text()


async def test_where_the_feed_has_no_room_it_is_a_page() -> None:
    ana, _ = await much_talk()
    ana.text(60, 20)
    await ana.press("pageup")
    assert "Feed: " in ana.text(60, 20) and "thing 30" in ana.text(60, 20)


async def test_a_word_is_found() -> None:
    ana, _ = await much_talk()
    await ana.press("ctrl-f")
    assert ana.table.prompt and ana.table.prompt.label == "Find in the feed: "
    assert await ana.type("THING 2")
    text = ana.text()
    assert 'Feed with "THING 2": 11 lines' in text
    assert "thing 2\n" in text and "thing 29" in text and "thing 30" not in text
    assert text.index("thing 20") < text.index("thing 29")
    await ana.press("escape")
    assert "YOUR MOVE" in ana.text()


async def test_find_and_feed_as_commands() -> None:
    ana, _ = await much_talk()
    await ana.press("/")
    assert await ana.type("/find thing 30")
    assert 'Feed with "thing 30": 1 line\n' in ana.text()
    await ana.press("escape", "/")
    assert await ana.type("/find nowhere")
    assert 'Nothing in the feed contains "nowhere".' in ana.text()
    await ana.press("escape", "/")
    assert await ana.type("/feed")
    assert "Feed: 3" in ana.text() and "thing 30" in ana.text()
    await ana.press("home")
    assert "thing 30" not in ana.text()


async def test_nothing_to_find_shows_all_of_it_at_its_end() -> None:
    ana, _ = await much_talk()
    await ana.press("ctrl-f")
    assert await ana.type("")
    assert "thing 30" in ana.text() and "thing 1\n" not in ana.text()
    await ana.press("pageup")
    assert "thing 12" in ana.text()


async def test_it_is_searched_without_a_connection_too() -> None:
    ana, _ = await much_talk()
    ana.table.hear(Lost(), ana.now)
    await ana.press("ctrl-f")
    assert await ana.type("thing 7")
    assert "thing 7" in ana.text()
    await ana.press("escape", "t")
    assert not await ana.type("hello")
    assert "There is no connection at the moment; nothing was sent." in ana.text()


async def test_the_keys_are_on_the_help_page() -> None:
    ana, _ = await much_talk()
    await ana.press("?")
    await ana.press("end")
    for key in ("PgUp, PgDn", "Ctrl-F", "Ctrl-L"):
        assert key in ana.text()


async def test_with_real_keys() -> None:
    ana, _ = await much_talk()
    async with terminal(ana.table, now=lambda: ana.now) as seen:
        await seen.press("pageup")
        assert re.search(r"▼ \d+ newer", seen.text)
        await seen.paste("\x06")
        await seen.type("thing 4")
        assert "Find in the feed: thing 4" in seen.text
        await seen.press("enter")
        assert 'Feed with "thing 4": 1 line' in seen.text

"""The title of the window says whose turn it is, and is what it was before when the screen has gone."""

from dataclasses import replace

from dicegames_client.base.glyphs import ASCII
from dicegames_client.base.terminal.display_options import DisplayOptions
from support.hall import Hall
from support.sitting import STILL, begin, sit_down
from support.terminal import terminal

KEEP, GIVE_BACK = "\x1b[22;2t", "\x1b[23;2t"


async def test_it_says_whose_turn_it_is() -> None:
    ana, bo = await sit_down(Hall(), "double-or-nothing", "ana", "bo", display=STILL, options={"first": "1"})
    await begin([ana, bo])
    table = f"Double or Nothing {ana.table.shown.info.code}"
    assert (ana.table.title, bo.table.title) == (f"● your turn ─ {table}", table)


async def test_in_ascii() -> None:
    display = replace(DisplayOptions(motion=False), glyphs=ASCII)
    ana, bo = await sit_down(Hall(), "double-or-nothing", "ana", "bo", display=display, options={"first": "1"})
    await begin([ana, bo])
    assert ana.table.title.startswith("o your turn - Double or Nothing")


async def test_it_is_shown_and_given_back() -> None:
    ana, _ = await sit_down(Hall(), "double-or-nothing", "ana", "bo", display=STILL, options={"first": "1"})
    ana.table.title = "Farkle KQ7M\x1b]2;evil\x07" + "x" * 200
    async with terminal(ana.table) as seen:
        await seen.painted()
        assert seen.screen.title.startswith("Farkle KQ7M]2;evilx") and len(seen.screen.title) == 60
        shown = "".join(seen.written)
        assert shown.count(KEEP) == 1 and GIVE_BACK not in shown
    assert "".join(seen.written).count(GIVE_BACK) == 1

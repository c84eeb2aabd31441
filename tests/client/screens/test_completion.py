"""What Tab offers in the typing line at the table."""

import pytest

from support.hall import Hall
from support.sitting import Sitting, begin, sit_down


def offered(who: Sitting, text: str) -> list[str]:
    """The line after each completion."""
    return [text[: len(text) - word.back] + word.text for word in who.table.complete(text)]


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        ("/ki", ["/kick "]),
        ("/KI", ["/kick "]),
        ("/rul", ["/rules"]),
        ("/fi", ["/find "]),
        ("/fe", ["/feed"]),
        ("/kick ", ["/kick Bo B", "/kick cy", "/kick bot-1"]),
        ("/kick b", ["/kick Bo B", "/kick bot-1"]),
        ("/kick bo b", ["/kick Bo B"]),
        ("/host ", ["/host Bo B", "/host cy"]),
        ("/drop ", ["/drop bot-1"]),
        ("/bot ", ["/bot easy", "/bot steady", "/bot expert"]),
        ("/bot ex", ["/bot expert"]),
        ("/set ta", ["/set target=", "/set table="]),
        ("/set table=", ["/set table=multiplier", "/set table=doubling", "/set table=set-value"]),
        ("/set table=D", ["/set table=doubling"]),
        ("/set target=500 four-and-pair=", ["/set target=500 four-and-pair=yes", "/set target=500 four-and-pair=no"]),
        ("/set target=", []),
        ("/set nonsense=", []),
        ("/say he", []),
        ("/sit ", []),
        ("/frobnicate ", []),
        ("hello", []),
        ("", []),
    ],
)
async def test_commands_and_what_follows_them(typed: str, lines: list[str]) -> None:
    ana, _, _ = await sit_down(Hall(), "farkle", "ana", "Bo B", "cy")
    await ana.press("b")
    assert offered(ana, typed) == lines


async def test_a_name_with_a_blank_is_understood() -> None:
    ana, _ = await sit_down(Hall(), "farkle", "ana", "Bo B")
    (line,) = offered(ana, "/host b")
    await ana.press("t")
    assert await ana.type(line)
    assert ana.store.name(ana.store.info.host or 0) == "Bo B"


async def test_moves_with_choices() -> None:
    ana, bo = await sit_down(Hall((1, 1, 5, 2, 3, 4)), "farkle", "ana", "bo")
    await begin([ana, bo])
    await ana.press("r")
    assert "/bank " in offered(ana, "/ba") and "/keep " in offered(ana, "/ke")
    assert {"/bank 1", "/bank 1 1", "/bank 1 1 5"} <= set(offered(ana, "/bank "))
    assert set(offered(ana, "/bank 1 1")) == {"/bank 1 1", "/bank 1 1 5"}
    assert "/keep 1 1 5" in offered(ana, "/keep 11")
    assert offered(bo, "/ke") == []
    await ana.press("t")
    assert await ana.type("/bank 1 1 5")
    assert ana.store.game["seats"]["0"]["score"] == 250


async def test_a_spectator_is_offered_the_own_name_for_a_seat() -> None:
    hall = Hall()
    ana = (await sit_down(hall, "farkle", "ana"))[0]
    peer = await hall.peer()
    await peer.watch(ana.store.room or "")
    cy = Sitting(hall, peer, name="cy")
    assert offered(cy, "/sit ") == ["/sit cy"] and offered(ana, "/sit ") == []

"""K and C in the waiting room: the way to our table as a QR code, and on the clipboard."""

import base64
import re

import pytest

from client.screens.scenes import in_glyphs, waiting
from dicegames_client.base.address import Address
from dicegames_client.base.glyphs import ASCII, UNICODE, Glyphs
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.enter.invitation import NO_LINE, Invitation, invitation
from dicegames_client.guest.events import Lost
from dicegames_client.screens.invitation_page import invitation_page
from dicegames_client.screens.screen import Screen
from dicegames_client.screens.terminal.clipboard import MOST_COPIED, osc52
from dicegames_client.widgets.lines import text_of, width_of
from support.hall import Hall
from support.scanner import scan
from support.sitting import Sitting, begin, sit_down
from support.terminal import terminal

LAN = Address("192.168.1.23", 8765, room="KQ7M")
LINE = "dicegames-client join 192.168.1.23:8765/KQ7M"
PAGE = "http://192.168.1.23:8765/KQ7M"
COLOURED = ("default", "high-contrast", "colour-blind")


async def room(*, invited: Invitation | None = None, watching: bool = False) -> Sitting:
    hall = Hall()
    peer = await hall.peer()
    code = (await peer.create("doubles", "ana")).room
    if watching:
        peer = await hall.peer()
        await peer.watch(code)
    return Sitting(hall, peer, invited=invitation([LAN]) if invited is None else invited)


@pytest.mark.parametrize("light", [False, True], ids=["dark", "light"])
@pytest.mark.parametrize("theme", COLOURED)
@pytest.mark.parametrize(
    ("glyphs", "size"), [(UNICODE, (60, 20)), (UNICODE, (80, 24)), (UNICODE, (120, 40)), (ASCII, (80, 34))]
)
async def test_a_phone_reads_it_from_the_screen(theme: str, glyphs: Glyphs, size: tuple[int, int], light: bool) -> None:
    display = DisplayOptions(theme=theme, glyphs=glyphs, motion=False)
    screen, now = await waiting(display)
    async with terminal(screen, display=display, size=size, now=lambda: now) as seen:
        assert scan(seen.screen, light=light) == []
        await seen.press("k")
        assert scan(seen.screen, light=light) == [PAGE]
        assert LINE in seen.text
        await seen.press("k")
        assert "Waiting room" in seen.text


async def test_without_colours_it_is_the_terminal_reversed() -> None:
    """There only readers that take light on dark find it on a terminal that is dark on light. Phones do."""
    display = DisplayOptions(theme="mono", motion=False)
    screen, now = await waiting(display)
    async with terminal(screen, display=display, now=lambda: now) as seen:
        await seen.press("k")
        assert scan(seen.screen) == [PAGE]
        assert scan(seen.screen, light=True) == []
        assert scan(seen.screen, light=True, inverted=True) == [PAGE]


@pytest.mark.parametrize(
    ("address", "locked", "fits"),
    [
        (Address("dice.example.org", 443, secure=True, room="KQ7M-2PXT"), True, True),
        (Address("192.168.100.100", 8765, secure=True, room="KQ7M", pin="a" * 26), True, True),  # a line in two parts
        (Address("2001:db8:1234:5678:9abc:def0:1234:5678", 8765, room="KQ7M"), False, True),
        (Address("2001:db8:1234:5678:9abc:def0:1234:5678", 8765, room="KQ7M"), True, False),
        (Address(f"{'a' * 60}.example.org", 8765, room="KQ7M"), False, False),
    ],
)
async def test_longer_addresses_in_80x24(address: Address, locked: bool, fits: bool) -> None:
    display = in_glyphs(UNICODE)
    sitting = await room(invited=invitation([address], locked=locked))
    async with terminal(sitting.table, display=display, now=lambda: sitting.now) as seen:
        await seen.press("k")
        assert scan(seen.screen) == ([address.page] if fits else [])
        shown = re.sub(r"\s+", "", seen.text)
        assert f"dicegames-clientjoin{address.shown}{'--ask-password' if locked else ''}" in shown
        if not fits:
            needed = re.search(r"needs a window of (\d+)x(\d+)", seen.text)
            assert needed and address.page in shown
            seen.resize(*(int(number) for number in needed.groups()))
            await seen.painted()
            assert scan(seen.screen) == [address.page]


async def test_an_address_that_no_phone_can_open() -> None:
    sitting = await room(invited=invitation([Address("fe80::1%eth0", 8765, room="KQ7M")]))
    await sitting.press("k")
    assert "A phone can't open this address" in sitting.text()
    assert "dicegames-client join [fe80::1%eth0]:8765/KQ7M" in sitting.text()


async def test_the_line_for_ssh_is_there_as_well() -> None:
    sitting = await room(invited=invitation([LAN], ssh_port=2222, hosted_here=True))
    assert "Nothing installed?  ssh -p 2222 KQ7M@192.168.1.23" in sitting.text()
    await sitting.press("k")
    assert "ssh -p 2222 KQ7M@192.168.1.23" in sitting.text()
    assert "ports 8765 and 2222" in sitting.text(120, 40)


async def test_a_table_for_this_machine_only_says_so() -> None:
    sitting = await room(invited=invitation([Address("127.0.0.1", 8765, room="KQ7M")], hosted_here=True))
    assert "firewall" not in sitting.text()
    await sitting.press("k")
    assert "Only this" in sitting.text() and "no phone" in sitting.text() and "firewall" not in sitting.text()


def copied(written: list[str]) -> list[str]:
    """What went to the clipboard, and that nothing was asked of it."""
    found = re.findall("\x1b]52;c;([^\x07]*)\x07", "".join(written))
    assert len(found) == "".join(written).count("\x1b]52;") and "?" not in found
    return [base64.b64decode(text, validate=True).decode() for text in found]


@pytest.mark.parametrize("keys", ["c", "kc"])
async def test_c_copies_the_line_once(keys: str) -> None:
    sitting = await room()
    async with terminal(sitting.table, now=lambda: sitting.now) as seen:
        await seen.press(*keys)
        assert f"Copied, if your terminal lets us: {LINE}" in seen.text
        await seen.press("up")
        await seen.painted()
        assert copied(seen.written) == [LINE]


async def test_nothing_but_the_key_copies() -> None:
    """Neither news, nor pasted text, nor what is typed in the talk line."""
    sitting = await room()
    async with terminal(sitting.table, now=lambda: sitting.now) as seen:
        await seen.press("t")
        await seen.type("cc")
        await seen.press("enter")
        await sitting.deliver()
        await seen.painted()
        assert "<ana> cc" in seen.text
        await seen.paste("cccccccc")
        assert "Pasted text does nothing here." in seen.text
        assert copied(seen.written) == []


@pytest.mark.parametrize(
    "text", ["", "a\nb", "a\x1b]52;c;eA==\x07", "a;b", "$(a)", "a\x07", "a\u202eb", "a" * (MOST_COPIED + 1), "\x9b1m"]
)
async def test_whatever_a_screen_hands_over_only_a_line_is_copied(text: str) -> None:
    assert osc52(text) == ""
    screen = Screen()
    async with terminal(screen) as seen:
        screen.copies = text
        await seen.painted()
        assert "\x1b]52" not in "".join(seen.written) and screen.copies == ""


async def test_a_spectator_can_bring_friends_too() -> None:
    watching = await room(watching=True)
    await watching.press("c")
    assert watching.table.copies == LINE
    await watching.press("k")
    assert PAGE in watching.text()


async def test_without_a_line_the_keys_say_so() -> None:
    for key in ("k", "c"):
        sitting = await room(invited=Invitation())
        await sitting.press(key)
        assert NO_LINE in sitting.text() and not sitting.table.copies


async def test_they_work_without_a_connection_too() -> None:
    sitting = await room()
    sitting.table.hear(Lost(), sitting.now)
    await sitting.press("c", "k")
    assert sitting.table.copies == LINE and PAGE in sitting.text()


async def test_in_a_game_the_keys_belong_to_the_game() -> None:
    hall = Hall((4, 4))
    table = await sit_down(hall, "doubles", "ana", "bo")
    table[0].table._browsing._invited = invitation([LAN])
    await begin(table)
    await table[0].press("k", "c")
    assert not table[0].table.copies and PAGE not in table[0].text()
    await table[0].press("/")
    await table[0].type("/invite")
    assert PAGE in table[0].text()


async def test_the_keys_are_shown_and_explained() -> None:
    sitting = await room()
    assert "[K] QR code  [C] Copy" in sitting.text()
    await sitting.press("?")
    helped = sitting.text(80, 100)
    assert "how friends join, as a QR code" in helped and "copy the line with which friends join" in helped


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_a_key_is_shown_whole_or_not_at_all(glyphs: Glyphs) -> None:
    """People compare it with what ssh shows. On a small window its end was missing."""
    key = "SHA256:" + "".join(chr(ord("a") + number % 26) for number in range(43))
    page = invitation_page(invitation([LAN], ssh_port=2222, ssh_key=key, hosted_here=True), glyphs)
    whole = 0
    for columns in range(60, 140, 5):
        for rows in range(20, 60, 2):
            drawn = page.draw(columns - 6, rows - 4)
            assert all(width_of(line) <= columns - 6 for line in drawn)
            words = [text_of(line).split() for line in drawn[: rows - 4]]
            begun = any(line and line[-1].startswith("SHA256:") for line in words)
            assert begun == (key in "".join(line[-1] for line in words if line))
            whole += begun
    assert whole

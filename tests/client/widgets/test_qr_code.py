"""The QR code, drawn with characters: the same modules as the library's, and read by another one."""

import pytest
import segno
import zxingcpp

from dicegames_client.base.glyphs import ASCII, UNICODE, Glyphs
from dicegames_client.widgets.lines import Line, text_of, width_of
from dicegames_client.widgets.qr_code import QUIET_MODULES, least_size, modules_of, qr_code

PAGE = "http://192.168.1.23:8765/KQ7M"
PAGES = [
    "http://10.0.0.2/KQ7M",
    PAGE,
    "https://192.168.100.100:8765/KQ7M-2PXT",
    "http://[2001:db8:1234:5678:9abc:def0:1234:5678]:8765/KQ7M",
    f"https://{'a' * 60}.example.org/KQ7M",
]
GOLDEN = """
█▀▀▀▀▀█ ▀▀▀▀▀▀▄ ▀ █▀▀▀▀▀█
█ ███ █  ▀█▄▄█▄▄▄ █ ███ █
█ ▀▀▀ █  ▄ █ ▄    █ ▀▀▀ █
▀▀▀▀▀▀▀ █▄▀▄▀▄▀ ▀ ▀▀▀▀▀▀▀
▀▀▄██▄▀  ▀▄▄▄▄ █▄▄▀ ▄▄▄▄▀
 ▀▀▄ ▀▀ ▄▀ █▄▀▀█ █▀▀██▄▄█
█▀██▀▄▀ █▀█▀  ▀▄▀▀▀▄▄  ▄▀
█▀██▀▀▀▄█▀ ▄▄▀▄▀█▀  ▄▀█▀█
▀ ▀ ▀ ▀ █ ▄▄▀▀█▄█▀▀▀█ ▀█
█▀▀▀▀▀█   ▄█ ▄  █ ▀ █▀ ▄█
█ ███ █ █▀▄██  ▀▀▀██▀█ █▄
█ ▀▀▀ █ ▄▀▄█ ▀ ▄ ▄▄▄█ ███
▀▀▀▀▀▀▀ ▀ ▀▀  ▀▀▀ ▀  ▀  ▀
"""


def drawn_modules(lines: list[Line], glyphs: Glyphs) -> list[list[bool]]:
    """What the characters mean, read back."""
    texts = [text_of(line) for line in lines]
    if not glyphs.unicode:
        return [[text[column : column + 2] == "##" for column in range(0, len(text), 2)] for text in texts]
    upper = [[char in "█▀" for char in text] for text in texts]
    lower = [[char in "█▄" for char in text] for text in texts]
    both = [row for pair in zip(upper, lower, strict=True) for row in pair]
    return both[: len(both[0])]


def reads(modules: list[list[bool]]) -> list[str]:
    """What another library than the one that made the code finds in it, dark on light only."""
    scale, side = 4, 4 * len(modules)
    rows = [b"".join((b"\x00" if dark else b"\xff") * scale for dark in row) * scale for row in modules]
    found = zxingcpp.read_barcodes(memoryview(b"".join(rows)).cast("B", (side, side)), try_invert=False)
    return [code.text for code in found]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_what_is_drawn_is_read(page: str, glyphs: Glyphs) -> None:
    lines = qr_code(page, 1000, 1000, glyphs)
    assert lines
    modules = drawn_modules(lines, glyphs)
    assert reads(modules) == [page]
    quiet = QUIET_MODULES[0]
    made = segno.make_qr(page, error="l")
    assert [row[quiet:-quiet] for row in modules[quiet:-quiet]] == [[bool(m) for m in row] for row in made.matrix]
    edges = [*modules[:quiet], *modules[-quiet:], *(row[:quiet] + row[-quiet:] for row in modules)]
    assert not any(dark for row in edges for dark in row)
    assert len({width_of(line) for line in lines}) == 1


def test_the_picture() -> None:
    lines = qr_code(PAGE, 29, 15, UNICODE)
    assert lines
    shown = "\n".join(text_of(line)[2:].rstrip() for line in lines[1:-1])
    assert shown == GOLDEN.strip("\n")
    assert {style for line in lines for style, _ in line} == {"qr"}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_it_fits_or_there_is_none(page: str, glyphs: Glyphs) -> None:
    """With the least margin it is still read; in one row or column less there is no code, never a part of one."""
    columns, rows = least_size(page, glyphs)
    lines = qr_code(page, columns, rows, glyphs)
    assert lines and len(lines) == rows and width_of(lines[0]) == columns
    assert reads(drawn_modules(lines, glyphs)) == [page]
    assert qr_code(page, columns - 1, rows, glyphs) is None
    assert qr_code(page, columns, rows - 1, glyphs) is None


def test_the_margin_is_as_wide_as_there_is_room_for() -> None:
    side = len(modules_of(PAGE))
    for quiet in QUIET_MODULES:
        lines = qr_code(PAGE, side + 2 * quiet, 100, UNICODE)
        assert lines and width_of(lines[0]) == side + 2 * quiet

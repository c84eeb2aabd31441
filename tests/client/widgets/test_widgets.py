"""The parts that screens are made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_client.base.glyphs import ASCII, UNICODE, to_ascii
from dicegames_client.base.theme import THEMES, colours
from dicegames_client.play.keys import RESERVED, offer_keys
from dicegames_client.play.picking import add, also, best, can_add, chosen
from dicegames_client.screens.page_layout import Action, action_lines
from dicegames_client.widgets.bar import bar, clock, seconds
from dicegames_client.widgets.die import Die, large, small, tumbling
from dicegames_client.widgets.feed import WARNING, Feed
from dicegames_client.widgets.lines import broken, cut, fit, text_of, width_of, wrap
from dicegames_client.widgets.plot import Series, plot
from dicegames_client.widgets.scoreboard import Head, Row, scoreboard, visible
from dicegames_protocol.table import Choice, Offer
from dicegames_protocol.text import columns, strip

CLEAN = st.text(max_size=60).map(strip)
GLYPHS = pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])


@given(texts=st.lists(CLEAN, max_size=4), width=st.integers(0, 80))
def test_a_line_fits_exactly(texts: list[str], width: int) -> None:
    fitted = fit([("", text) for text in texts], width)
    assert width_of(fitted) == width or (width_of(fitted) < width and not texts)
    assert text_of(fitted).rstrip(" ").startswith(cut("".join(texts), 0))


@given(text=CLEAN, width=st.integers(4, 60))
def test_wrapping_keeps_every_word_and_the_width(text: str, width: int) -> None:
    lines = wrap(text, width, indent="  ")
    assert all(columns(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(text=CLEAN, width=st.integers(-10, 12), indent=st.integers(0, 12))
def test_any_width_will_do(text: str, width: int, indent: int) -> None:
    """A window can have one column, and less is left inside a margin. This once went on for ever."""
    lines = wrap(text, width, indent=" " * indent)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert "".join(broken(text, width)) == text


@given(
    count=st.integers(1, 300),
    height=st.integers(6, 40),
    scroll=st.integers(0, 400),
    pinned=st.sets(st.integers(0, 299), max_size=3),
)
def test_a_long_table_always_shows_whoever_is_pinned(count: int, height: int, scroll: int, pinned: set[int]) -> None:
    rows = [Row(f"p{number}", "0", "in", pinned=number in pinned) for number in range(count)]
    shown = visible(rows, height, scroll, UNICODE)
    assert len(shown) <= height
    assert len(shown) == min(count, height) or count > height
    assert {row.name for row in rows if row.pinned} <= {row.name for row in shown}
    real = [row for row in shown if row.note]
    assert real == sorted(real, key=rows.index)
    hidden = sum(int(row.name.split()[1]) for row in shown if not row.note)
    assert len(real) + hidden == count


@given(names=st.lists(CLEAN, min_size=1, max_size=12), width=st.integers(30, 120))
def test_columns_stay_straight_with_any_names(names: list[str], width: int) -> None:
    rows = [Row(name, "1,000", "in  holding", share=0.5) for name in names]
    for line in scoreboard(Head(), rows, width, 30, 0, UNICODE):
        assert width_of(line) == width


@GLYPHS
def test_dice_are_boxes(glyphs: object) -> None:
    drawn = UNICODE if glyphs is UNICODE else ASCII
    for face in range(7):
        for lines, wide in ((large([Die(face)], drawn), 9), (small([Die(face)], drawn), 5)):
            assert all(width_of(line) == wide for line in lines)
    pips = sum(text_of(line).count(drawn.pip) for line in large([Die(5)], drawn))
    assert pips == 5


def test_tumbling_dice_have_faces() -> None:
    faces = {face for frame in range(30) for face in tumbling((), 6, frame)}
    assert faces == set(range(1, 7))
    assert tumbling((), 0, 3) == ()


def test_dice_tumble_from_where_they_lay() -> None:
    assert tumbling((6, 2), 2, 0) == (6, 2)
    assert tumbling((6, 2), 2, 1) != (6, 2)
    assert tumbling((6, 2), 3, 0)[:2] == (6, 2)


@GLYPHS
@given(points=st.lists(st.integers(-500, 20_000), min_size=1, max_size=60), width=st.integers(20, 90))
def test_a_plot_stays_in_its_box(glyphs: object, points: list[int], width: int) -> None:
    drawn = UNICODE if glyphs is UNICODE else ASCII
    series = [Series("ana", tuple(points)), Series("bo", tuple(reversed(points)))]
    lines = plot(series, width, 6, drawn)
    assert len(lines) == 6
    assert all("\n" not in text_of(line) for line in lines)
    text = "\n".join(text_of(line) for line in lines)
    assert "ana" in text and "bo" in text
    assert drawn.unicode or text.isascii()


def test_an_empty_plot_is_nothing() -> None:
    assert plot([], 60, 6, UNICODE) == []


def test_bars_and_clocks() -> None:
    assert text_of(bar(0.5, 4, ASCII)) == "[##..]"
    assert text_of(bar(7, 4, ASCII)) == "[####]"
    assert (seconds(1), seconds(1000), seconds(0), clock(894_000)) == ("1s", "1s", "0s", "14:54")


def test_the_feed_shows_the_newest() -> None:
    feed = Feed()
    feed.add(*(f"line {number}" for number in range(1000)))
    feed.add("<ana> a long line of talk that has to be wrapped", mark="")
    lines = [text_of(line) for line in feed.lines(20, 4)]
    assert lines == ["<ana> a long line of", "  talk that has to", "  be wrapped"][-4:] or lines[-1] == "  be wrapped"
    assert len(lines) == 4
    assert feed.lines(20, 0) == []


def test_a_warning_that_is_repeated_stands_in_the_feed_once() -> None:
    feed = Feed()
    feed.add("rolled 7", "rolled 7")
    for _ in range(3):
        feed.add("Not now.", mark=WARNING)
    assert [entry.text for entry in feed.entries] == ["rolled 7", "rolled 7", "Not now."]


def farkle_offers() -> dict[str, Offer]:
    worth = {"1": 100, "5": 50, "11": 200, "15": 150, "115": 250, "222": 200, "1222": 300}
    return {
        "roll": Offer(label="roll", choices={key: Choice(worth=points, rolls=3) for key, points in worth.items()}),
        "bank": Offer(
            label="bank", choices={key: Choice(worth=points) for key, points in worth.items() if points > 100}
        ),
    }


def test_picking_by_faces() -> None:
    offers = farkle_offers()
    assert can_add(offers, "") == {"1", "2", "5"}
    assert can_add(offers, "1") == {"1", "2", "5"}
    assert can_add(offers, "2") == {"1", "2"}
    assert add(offers, "1", "6") is None
    assert add(offers, "15", "1") == "151"
    picked = chosen(offers, "151")
    assert picked and picked.worth == 250
    assert chosen(offers, "22") is None
    assert best(offers) == "1222"
    assert best({}) == ""
    assert also(offers, "1") == [("1", 100), ("5", 50), ("222", 200)]
    three = {
        "roll": Offer(label="roll", choices={"1" * n: Choice(worth=w) for n, w in ((1, 100), (2, 200), (3, 1000))})
    }
    assert also(three, "") == [("1", 100), ("111", 1000)]
    assert also(three, "1") == [("1", 100), ("11", 900)]


def test_keys_are_letters_of_the_offers() -> None:
    roll, cash = Offer(label="Roll", needed=True), Offer(label="Cash out")
    assert offer_keys({"roll": roll, "cash": cash}) == {"r": "roll", "c": "cash"}
    assert offer_keys({"correct": cash, "cash": cash, "roll": roll}) == {"x": "correct", "c": "cash", "r": "roll"}
    assert "a" not in offer_keys(farkle_offers())


@given(st.lists(st.text("abcdefghij", min_size=1, max_size=5), unique=True, max_size=12))
def test_every_offer_has_a_key_of_its_own(names: list[str]) -> None:
    keys = offer_keys({name: Offer(label=name) for name in names})
    assert sorted(keys.values()) == sorted(names)
    assert not set(keys) & set(RESERVED)


def test_keys_never_lose_their_labels() -> None:
    general = [Action("O", "Odds", True), Action("T", "Talk", True), Action("Q", "Leave", True)]
    actions = [Action("R", "Roll other 4"), Action("B", "Bank 200"), *general]

    def shown(width: int) -> list[str]:
        lines = action_lines(actions, width)
        assert all(width_of(line) <= width for line in lines)
        return [text_of(line).strip() for line in lines]

    assert shown(80) == ["[R] Roll other 4  [B] Bank 200   [O] Odds  [T] Talk  [Q] Leave"]
    assert shown(42) == ["[R] Roll other 4  [B] Bank 200", "[O] Odds  [T] Talk  [Q] Leave"]
    assert shown(24) == ["[R] Roll other 4", "[B] Bank 200", "[O] Odds  [T] Talk"]


def test_every_theme_knows_every_style() -> None:
    sets = [set(styles) for both in THEMES.values() for styles in both]
    assert all(known == sets[0] for known in sets)
    assert not any("#" in style for both in THEMES["mono"] for style in both.values())


def _brightness(colour: str) -> float:
    """Relative luminance of #rrggbb, as WCAG defines it: 0 is black, 1 is white."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("light", "page"), [(False, "#1c1c1c"), (True, "#fdf6e3")], ids=["dark", "light"])
def test_every_colour_can_be_read_on_its_background(theme: str, light: bool, page: str) -> None:
    """With a contrast of 4.5 to 1 for text; 2.9 for rules and what is over, which nobody has to read."""
    for name, style in colours(theme, light=light).items():
        words = style.split()
        behind = next((word[3:] for word in words if word.startswith("bg:#")), page)
        front = next((word for word in words if word.startswith("#")), None)
        if front is None or name.startswith("qr"):
            continue
        bright, dark = sorted((_brightness(front), _brightness(behind)), reverse=True)
        wanted = 2.9 if name in ("rule", "off", "die-gone", "old", "plot-5") else 4.5
        assert (bright + 0.05) / (dark + 0.05) >= wanted, (name, style)


def test_dice_and_numbers_have_the_colour_of_the_terminal() -> None:
    for light in (False, True):
        assert all("#" not in colours("default", light=light)[name] for name in ("die", "big"))


def test_ascii_keeps_the_width() -> None:
    assert to_ascii("名前-1 é") == "????-1 ?"
    assert columns(to_ascii("漢字")) == columns("漢字")

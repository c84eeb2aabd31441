"""Which text may reach a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_protocol.text import TextError, check_chat, check_name, columns, same_name, strip, ungrouped

HOSTILE = [
    "\x1b[2J",
    "\x9b31m",
    "a\x07b",
    "a\nb",
    "a\rb",
    "\u202eevil",
    "a\u200bb",
    "a\u200d b",
    "\ufeffa",
    "\ue000",
    "\U000e0041",
    "\u0378",
    "\ud800",
    "a\u0301\u0301\u0301\u0301",
    "\u0301a",
    "\u3164",
    "\u2800",
    "\U0001f1e9\U0001f1ea",
    "\U0001f44d\U0001f3fd",
    "\u2028",
    "\x00",
    "\x7f",
    "\u061c",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_refused_with_a_sentence(text: str) -> None:
    for check in (check_name, check_chat):
        with pytest.raises(TextError) as error:
            check(text)
        assert str(error.value).isprintable()


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("ana", "ana"),
        ("  ana  ", "ana"),
        ("ana\tbo", "ana bo"),
        ("\u2764\ufe0f", "\u2764"),
        ("ana   bo", "ana bo"),
        ("Zoe\u0301", "Zo\u00e9"),
        ("日本語", "日本語"),
        ("Ωmega", "Ωmega"),
        ("bo🎲", "bo🎲"),
        ("a\u00a0b", "a b"),
        ("x" * 16, "x" * 16),
        ("日" * 8, "日" * 8),
    ],
)
def test_names(raw: str, name: str) -> None:
    assert check_name(raw) == name


@pytest.mark.parametrize("raw", ["", "   ", "\t", "x" * 17, "日" * 9])
def test_names_that_are_too_short_or_too_wide(raw: str) -> None:
    with pytest.raises(TextError):
        check_name(raw)


def test_chat_has_a_length() -> None:
    assert check_chat("x" * 300) == "x" * 300
    with pytest.raises(TextError, match="at most 300"):
        check_chat("x" * 301)


@given(st.text(max_size=60))
def test_stripped_text_is_harmless(text: str) -> None:
    clean = strip(text)
    assert all(c == " " or unicodedata.category(c)[0] not in "CZ" for c in clean)
    assert strip(clean) == clean


@given(st.text(max_size=40))
def test_what_the_server_takes_the_client_leaves_alone(text: str) -> None:
    try:
        name = check_name(text)
    except TextError:
        return
    assert strip(name) == name
    assert check_name(name) == name
    assert 1 <= columns(name) <= 16


def test_names_that_look_the_same() -> None:
    assert same_name("Bo", "bO")
    assert same_name("ﬁn", "fin")
    assert not same_name("bo", "bo2")


def test_the_widths_of_what_we_draw_do_not_depend_on_the_version_of_the_table() -> None:
    """Newer versions of wcwidth see flags, skin tones, fillers and marks before numbers otherwise. None is safe."""
    disputed = [*range(0x1F1E6, 0x1F200), *range(0x1F3FB, 0x1F400), 0x3164, 0xFFA0, *range(0x600, 0x606), 0x6DD, 0x70F]
    assert not "".join(strip(f"a{chr(code)}").removeprefix("a") for code in disputed)


def test_characters_that_are_left_out_do_not_part_a_stack_of_marks() -> None:
    """A server could pile up marks by private characters between them."""
    assert len(strip("x" + "\u0301\u0302\ue000" * 20)) == len("x") + 2


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("1,675", "1675"),
        ("bid 1,000,000", "bid 1000000"),
        ("1,000-1,200", "1000-1200"),
        ("1,1,5", "1,1,5"),  # dice
        ("1,67", "1,67"),
        ("0,675", "0,675"),
        ("1675,000", "1675,000"),
        ("1,675,00", "1,675,00"),
    ],
)
def test_thousands_are_read(typed: str, read: str) -> None:
    assert ungrouped(typed) == read

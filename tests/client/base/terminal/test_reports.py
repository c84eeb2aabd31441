"""What a terminal tells by itself acts as no key, however it is cut into parts. Keys come through as they are."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_client.base.terminal.reports import FOCUS_IN, FOCUS_OUT, REST_SECONDS, Reports

COLOURS = ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1b]11;rgba:0/0/0/0\x07")
MODE, ATTRIBUTES = "\x1b[?2026;2$y", "\x1b[?62;22c"
REPORTS = (FOCUS_IN, FOCUS_OUT, *COLOURS, MODE, ATTRIBUTES)
SEQUENCES = ("\x1b[A", "\x1b[5~", "\x1bOP", "\x1b[<64;3;4M", "\x1b[1;5C")
UNTOUCHED = (*SEQUENCES, "\x1b\x1b[A", "\x1bq", "\x1b]2;title\x07", "\x1b[1;2I", "\x1b[31m", "é日", "[I", "[O", "O")


class Far:
    """A terminal that sends parts. Time passes only when the test says so."""

    def __init__(self) -> None:
        self.time = 0.0
        self.reports = Reports(lambda: self.time)
        self.keys, self.told = "", list[str]()

    def send(self, *parts: str, pause: float = 0.0, flushed: bool = False) -> None:
        for part in parts:
            keys, told = self.reports.sift(part)
            self.keys += keys
            self.told += told
            self.time += pause
            if flushed:
                self.flush()

    def flush(self) -> None:
        self.keys += self.reports.flush()


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_is_no_key_wherever_it_is_cut(report: str) -> None:
    for cut in range(1, len(report)):
        far = Far()
        far.send("a", report[:cut], report[cut:], "b")
        assert (far.keys, far.told) == ("ab", [report]), cut


@pytest.mark.parametrize("report", REPORTS)
def test_a_late_rest_is_no_key_either(report: str) -> None:
    """Its beginning has acted as Escape by then, because Escape must not wait."""
    for cut in range(1, len(report)):
        far = Far()
        far.send(report[:cut], pause=0.06, flushed=True)
        far.send(report[cut:], "b")
        assert far.told == [report], cut
        assert far.keys.removesuffix("b") in ("", report[:2][:cut]), cut


def test_escape_acts_when_nothing_follows() -> None:
    far = Far()
    far.send("\x1b")
    assert far.keys == ""
    far.flush()
    assert far.keys == "\x1b"
    far.flush()
    assert far.keys == "\x1b"


@pytest.mark.parametrize("typed", ["O", "I", "q", "]x", "[x"])
def test_what_is_typed_after_escape_is_typed(typed: str) -> None:
    far = Far()
    far.send("\x1b", *typed, pause=0.06, flushed=True)
    assert (far.keys, far.told) == (f"\x1b{typed}", [])


def test_after_a_while_nothing_is_the_rest_of_anything() -> None:
    far = Far()
    far.send("\x1b", pause=REST_SECONDS + 0.01, flushed=True)
    far.send("[O")
    assert (far.keys, far.told) == ("\x1b[O", [])
    far.send("\x1b]11;rgb:ff", pause=REST_SECONDS + 0.01, flushed=True)  # the rest was lost
    far.send("r")
    assert far.keys == "\x1b[Or"


@pytest.mark.parametrize("keys", UNTOUCHED)
def test_keys_stay_what_they_are(keys: str) -> None:
    for cut in range(len(keys)):
        far = Far()
        far.send(keys[:cut], keys[cut:], "x")
        far.flush()
        assert (far.keys, far.told) == (f"{keys}x", []), cut


@pytest.mark.parametrize("key", ["\x1b[A", "\x1b[5~", "\x1b[<64;3;4M"])
def test_a_key_of_several_characters_that_is_cut_does_not_fall_into_letters(key: str) -> None:
    far = Far()
    far.send(key[:1], pause=0.06, flushed=True)
    far.send(key[1:])
    assert far.keys == f"\x1b{key}"


def test_pasted_text_is_not_read() -> None:
    paste = f"\x1b[200~{FOCUS_IN}{ATTRIBUTES}\x1b[201~"
    far = Far()
    far.send(f"{FOCUS_OUT}a{paste}")
    assert (far.keys, far.told) == (f"a{paste}", [FOCUS_OUT])


PIECE = st.one_of(
    st.sampled_from([*REPORTS, *SEQUENCES, "\x1b", "\x1b[", "\x1b]", "\x1b[?", "\x1b]11;", "q", "\r"]), st.text()
)


@given(st.lists(PIECE, max_size=8).map("".join), st.lists(st.integers(0, 60), max_size=8))
def test_any_cuts_give_the_same_keys(text: str, cuts: list[int]) -> None:
    """And what is not an escape sequence is never lost."""
    whole, parts = Far(), Far()
    whole.send(text, "x")
    places = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    parts.send(*(text[one:other] for one, other in pairwise(places)), "x")
    if "\x1b[200~" not in text:  # what is in a paste is not sent here at all
        assert (parts.keys, parts.told) == (whole.keys, whole.told)
    if "\x1b" not in text:
        assert whole.keys == f"{text}x"

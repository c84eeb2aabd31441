"""The verdict on three keys: all combinations, each with what the sentence must say and must not say."""

import itertools

import pytest

from dicegames_client.guest.key_verdict import Keys, verdict

OLD, NEW, OTHER = "o" * 26, "n" * 26, "x" * 26
STOP, LINE, OK = "STOP", "line", ""
TABLE = {
    # known, line, shown: verdict, may `forget` be named, who is blamed
    (None, None, NEW): (OK, False, ""),
    (None, NEW, NEW): (OK, False, ""),
    (None, OTHER, NEW): (LINE, False, "Somebody may be in between"),
    (None, OLD, NEW): (LINE, False, "Somebody may be in between"),
    (OLD, None, OLD): (OK, False, ""),
    (OLD, OLD, OLD): (OK, False, ""),
    (OLD, NEW, OLD): (LINE, False, "The line is old or for another server"),
    (OLD, OTHER, OLD): (LINE, False, "The line is old or for another server"),
    (OLD, None, NEW): (STOP, True, "Either the host has made a new key, or somebody is in between."),
    (OLD, OLD, NEW): (STOP, False, "your join line and this machine both name"),
    (OLD, NEW, NEW): (STOP, True, "could have sent you the line as well"),
    (OLD, OTHER, NEW): (STOP, False, "no two of them agree"),
    ("authority", None, NEW): (STOP, True, "Before, an authority vouched for it"),
    ("authority", NEW, NEW): (STOP, True, "could have sent you the line as well"),
    ("authority", OTHER, NEW): (STOP, False, "Your join line names another key"),
    ("authority", OLD, NEW): (STOP, False, "Your join line names another key"),
}


@pytest.mark.parametrize("case", TABLE, ids=str)
def test_the_verdict_names_what_was_compared_with_what(case: tuple[str | None, str | None, str]) -> None:
    known, line, shown = case
    kind, forget, blamed = TABLE[case]
    authority = known == "authority"
    sentence = verdict(Keys(shown, line, None if authority else known, authority), "host:1", "wss://host:1")
    assert sentence.startswith("STOP: ") is (kind == STOP)
    assert bool(sentence) is (kind != OK)
    assert blamed in sentence
    assert ("dicegames-client forget wss://host:1" in sentence) is forget
    if sentence:  # every key that was compared is named
        assert all(key in sentence for key in (shown, line, known) if key and key != "authority")
        assert "fits" not in sentence and "ws://" not in sentence.replace("wss://", "")


def test_the_table_is_whole() -> None:
    combinations = set(itertools.product((None, OLD), (None, OLD, NEW, OTHER), (OLD, NEW)))
    combinations |= set(itertools.product(("authority",), (None, OLD, NEW, OTHER), (NEW,)))
    missing = combinations - TABLE.keys()
    assert all(known is None and shown == OLD for known, _, shown in missing)  # no key is old where none is known

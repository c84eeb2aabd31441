"""Keys of one read belong together, however busy the machine is."""

from prompt_toolkit.key_binding.key_processor import KeyPress

from dicegames_client.screens.terminal.keys.pasting import BURST_KEYS, PASTE_SECONDS, Pasting
from support.clock import FakeClock


def keys(text: str) -> list[KeyPress]:
    return [KeyPress(key, key) for key in text]


def test_all_keys_of_a_burst_were_pasted_even_if_each_takes_a_second() -> None:
    clock = FakeClock()
    pasting = Pasting(clock.now)
    text = "q" * (BURST_KEYS + 5)
    for place in range(len(text)):
        pasting.notice(keys(text[place + 1 :]))
        clock.advance(1.0)
        assert pasting.goes_on()


def test_a_key_in_its_own_read_is_typed_when_the_paste_is_over() -> None:
    clock = FakeClock()
    pasting = Pasting(clock.now)
    for place in range(6):
        pasting.notice(keys("pasted"[place + 1 :]))
    clock.advance(PASTE_SECONDS / 2)
    pasting.notice([])
    assert pasting.goes_on()  # the rest of a long paste
    clock.advance(PASTE_SECONDS)
    pasting.notice([])
    assert not pasting.goes_on()


def test_few_keys_in_one_read_are_typed() -> None:
    pasting = Pasting(FakeClock().now)
    for place in range(BURST_KEYS):
        pasting.notice(keys("q" * (BURST_KEYS - 1 - place)))
        assert not pasting.goes_on()

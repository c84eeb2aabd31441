"""Which options of Farkle lead to an end."""

from typing import Any

import pytest

from dicegames_protocol.games.farkle import FarkleOptions
from dicegames_server.games.farkle import Farkle

NOTHING = {str(face) * number: 0 for face in range(1, 7) for number in range(1, 7)}
ONE_POINT = dict.fromkeys(NOTHING, 1)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, None),
        *[({"preset": preset}, None) for preset in FarkleOptions.presets],
        ({"target": 1_000_000}, None),
        ({"opening": 2000}, None),
        ({"minimum": 1000}, None),
        ({"three_farkles": 1000}, None),
        ({"values": NOTHING, "straight": 1500}, None),
        ({"values": NOTHING}, "No dice score"),
        ({"values": NOTHING, "opening": 50}, "No dice score"),
        ({"opening": 10_001}, "opening must be at most the target of 10,000."),
        ({"opening": 9000}, "opening is out of reach"),
        ({"minimum": 9000}, "minimum is out of reach"),
        ({"minimum": 9000, "opening": 500}, "minimum is out of reach"),
        ({"values": NOTHING, "straight": 100, "minimum": 1000}, "minimum is out of reach"),
        ({"three_farkles": 1_000_000}, "three-farkles costs more"),
        ({"values": ONE_POINT, "target": 1_000_000}, "turns of each player"),
    ],
)
def test_options_that_lead_to_no_end_are_named(options: dict[str, Any], sentence: str | None) -> None:
    told = Farkle(FarkleOptions.read(options)).endless()
    assert (told is None) if sentence is None else (told is not None and sentence in told), told

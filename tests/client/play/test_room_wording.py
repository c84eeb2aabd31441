"""Sentences about the room: who has a part in the dice, and who did not answer."""

import pytest

from dicegames_client.guest.store import Store
from dicegames_client.play.room_wording import tell_room
from dicegames_client.play.wording import Wording
from dicegames_protocol.base import JsonObject

SEATS = {str(seat): {"name": name} for seat, name in enumerate(("ana", "bo\x1b", "cy"))}


@pytest.mark.parametrize(
    ("fair", "told"),
    [
        ({}, []),
        ({"committee": [0, 1, 2]}, []),
        ({"committee": [], "without": [0, 1, 2]}, []),
        ({"committee": [0], "without": [1, 2]}, ["Without a part in the dice: bo and cy."]),
    ],
)
def test_who_has_no_part_in_the_dice(fair: JsonObject, told: list[str]) -> None:
    wording = Wording(Store(table={"seats": SEATS, "fair": fair}))
    assert tell_room({"kind": "game_started", "game_no": 1, "seats": [0, 1, 2]}, wording) == ["The game begins.", *told]


def test_who_did_not_answer() -> None:
    event = {"kind": "drawn_anew", "seats": [1, 2], "names": ["bo\x1b", "cy"]}
    told = tell_room(event, Wording(Store(table={"seats": SEATS})))
    assert told == ["The dice were drawn anew because bo and cy did not answer."]

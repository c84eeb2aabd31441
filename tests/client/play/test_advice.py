"""The rules of a table, read in lines."""

import json
from typing import Any

import pytest

from dicegames_client.guest.store import Store
from dicegames_client.play.advice import tell_rules
from dicegames_client.play.room_wording import tell_table
from dicegames_protocol.codec import encode
from dicegames_server.table.questions import rules_page
from support.pure_table import PureTable


def store_of(table: PureTable) -> Store:
    return Store(table=json.loads(encode(table.state.public())), tokens={0: "t"})


def rules(game: str, **fields: Any) -> list[str]:
    table = PureTable(game, "ana", **fields)
    return tell_rules(rules_page(table.state, "1"), store_of(table).info)


def test_rules_with_points_and_options() -> None:
    lines = rules("farkle", target=2000, straight=1500, turn_limit=30)
    assert lines[0] == "Rules: Farkle, to 2,000, table multiplier."
    at = lines.index("Points:")
    assert lines[at + 1 : at + 3] == ["1: 100.", "1 1 1: 1,000."] and "1 2 3 4 5 6: 1,500." in lines[at:]
    assert lines[-4:] == [
        "Options of this table:",
        "target 2,000: points that trigger the last turns.",
        "straight 1,500: points for 1-2-3-4-5-6; 0 = none.",
        "turn limit 30 s: then the server moves for you.",
    ]


def test_rules_without_either() -> None:
    lines = rules("sevens")
    assert "Points:" not in lines
    assert lines[-1] == "The options of this table are the usual ones."


@pytest.mark.parametrize(
    ("game", "fields", "told"),
    [
        ("doubles", {}, "The usual options."),
        ("doubles", {"rounds": 5}, "Options: rounds 5."),
        ("doubles", {"turn_limit": 30}, "Options: turn limit 30 s."),
        ("farkle", {"target": 2000, "four_and_pair": True, "three_pairs": 1500},
         "Options: target 2,000, three-pairs 1,500, four-and-pair yes."),
    ],
)  # fmt: skip
def test_whoever_comes_in_hears_of_unusual_options(game: str, fields: dict[str, Any], told: str) -> None:
    assert tell_table(store_of(PureTable(game, "ana", **fields)))[1] == told

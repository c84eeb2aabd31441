"""A server that cheats in every way that we know of: the page never says that its dice are proven."""

import json
from pathlib import Path
from typing import Any

import pytest

from dicegames_protocol.fairness.inspector import Inspector
from support.node import needs_node, run

pytestmark = needs_node

SERVER = (Path(__file__).parent / "cheating_server.mjs").read_text(encoding="utf-8")
TWICE = "The server asks a second time for a part of the dice that it has already got."
SETTLED = "What the game is played with was changed in the middle of it."
TOLD = "Other dice are told than those that were drawn."
LYING = "Other dice lie on the table than those that were drawn."
NOTICED = {
    "other_dice": TOLD,
    "dice_as_text": TOLD,
    "other_dice_in_the_picture_only": LYING,
    "a_member_is_dropped_by_a_leave_that_was_none": "The committee was changed without a reason.",
    "links_are_asked_for_in_advance": "The server goes back to update 3 of this room, though it has told us update 20.",
    "links_are_asked_for_in_advance_without_a_hash": "The server does not say which update led to this table.",
    "another_commitment_by_snapshots": TWICE,
    "another_commitment_by_a_game_that_goes_on": SETTLED,
    "another_epoch_with_the_roll": SETTLED,
    "dice_that_somebody_is_said_to_have_typed": SETTLED,
    "an_alarm_is_not_forgotten": TOLD,
    "the_history_is_told_anew_to_a_page_that_was_loaded_anew": "tells another history of this room than before",
}
"""Scenario -> the alarm that the verdict names."""


def played(scenario: str) -> dict[str, Any]:
    found: dict[str, Any] = run(SERVER, scenario)
    return found


@pytest.mark.parametrize("scenario", ["honest", "honest_and_loaded_anew"])
def test_an_honest_server_is_believed(scenario: str) -> None:
    found = played(scenario)
    assert found["alarms"] == []
    assert (
        found["verdict"].startswith("The dice are proven: all draws (") and "your part was in each" in found["verdict"]
    )


@pytest.mark.parametrize("scenario", NOTICED)
def test_what_is_noticed(scenario: str) -> None:
    found = played(scenario)
    assert any(NOTICED[scenario] in alarm for alarm in found["alarms"]), found
    assert found["verdict"].startswith("The dice are WRONG: ")


@pytest.mark.parametrize(
    "scenario",
    [
        "other_dice",
        "dice_as_text",
        "other_dice_in_the_picture_only",
        "a_member_is_dropped_by_a_leave_that_was_none",
        "another_commitment_by_a_game_that_goes_on",
        "another_epoch_with_the_roll",
        "dice_that_somebody_is_said_to_have_typed",
    ],
)
def test_the_terminal_notices_it_too(scenario: str) -> None:
    """What can be seen in the updates alone, without what a client remembers."""
    inspector = Inspector()
    lines = [line.encode() for line in played(scenario)["lines"]]
    said = [sentence for line in lines for sentence in inspector.see(line, json.loads(line))]
    assert NOTICED[scenario] in said


def test_a_full_storage_does_not_make_us_show_a_link_twice() -> None:
    found = played("a_full_storage_does_not_make_us_show_twice")
    assert "are proven" not in found["verdict"]


def test_a_seat_that_nobody_asked_for_is_not_taken() -> None:
    assert played("seats_that_nobody_asked_for")["verdict"] == "refused"


def test_one_tap_is_one_move_wherever_the_server_sends_us() -> None:
    moved = "The room has moved to another machine meanwhile. If that was not done, do it again."
    assert played("one_tap_is_one_move")["verdict"] == f"1 sent. {moved}"

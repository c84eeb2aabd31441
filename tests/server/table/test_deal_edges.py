"""Dealing at its edges: who has shown what, who is left out, and the dice of the very start. Without a server."""

from typing import Any

import pytest

from dicegames_protocol.fairness import commitment
from dicegames_protocol.messages.client import Ready, Reveal, Start
from dicegames_protocol.messages.server import Cause
from dicegames_protocol.table import Fair, Timer
from dicegames_server.core.errors import Refused
from dicegames_server.table.commands import leave_seat
from dicegames_server.table.deal import all_revealed, deal, reveal
from dicegames_server.table.state import DEAL_MS, dice_key
from support.pure_table import PureTable, events_of, kinds

A, B = b"\xaa" * 16, b"\xbb" * 16


def refusal(call: Any, *arguments: Any) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        call(*arguments)
    return refused.value.code, refused.value.message


def dealing() -> PureTable:
    """All but the last have sent the hash of a seed."""
    at = PureTable("doubles", "ana", "bo", "cy")
    for seat, seed in zip(at.state.seats.present[:-1], (A, B), strict=False):
        at.do(seat, Ready(id="1", commit=commitment(seed)))
    at.do(at.state.seats.present[-1], Ready(id="1"))
    assert at.state.info.phase == "dealing"
    return at


def test_the_server_is_bound_before_the_seeds_are_shown() -> None:
    at = dealing()
    last = at.updates[-1]
    assert last.events[-1] == {"kind": "dealing", "commit": commitment(at.state.secret)}
    assert at.state.info.timer == Timer(kind="deal", ms=5000, since=at.state.seq)
    assert DEAL_MS == 5000
    assert (at.state.fair, at.state.key) == (Fair(commit=commitment(at.state.secret), epoch=1), b"")
    assert at.refused(0, at.moving("roll")) == ("illegal_move", "The game has not started yet.")


def test_seeds_are_shown_one_by_one() -> None:
    at = dealing()
    assert not all_revealed(at.state)
    wrong = ("illegal_move", "That is not the seed whose hash was sent.")
    for seat, seed in ((0, B), (2, A)):
        assert refusal(reveal, at.state, seat, Reveal(id="1", seed=seed.hex())) == wrong
    one = reveal(at.state, 0, Reveal(id="1", seed=A.hex()))
    assert not all_revealed(one)
    both = reveal(one, 1, Reveal(id="1", seed=B.hex()))
    assert all_revealed(both)
    assert both.revealed == {0: A, 1: B}
    change = deal(both, at.dice)
    assert events_of(change)[0] == {"kind": "dealt", "seats": (0, 1), "missing": ()}
    fair = change.state.fair
    assert fair and (fair.seeds, fair.missing) == ({"0": A.hex(), "1": B.hex()}, None)
    assert (
        change.state.key
        == dice_key(both.secret, fair, both.info)
        != dice_key(both.secret, Fair(commit=fair.commit, epoch=1), both.info)
    )
    assert (change.state.info.phase, change.state.revealed, change.state.info.timer) == ("playing", {}, None)
    assert change.cause == Cause(kind="deal", by="clock")
    assert all(player.commit is None for player in change.state.seats.players.values())
    said = ("illegal_move", "No seeds are asked for now.")
    assert refusal(reveal, change.state, 0, Reveal(id="1", seed=A.hex())) == said
    assert refusal(deal, change.state, at.dice) == ("illegal_move", "Nothing is being dealt.")
    assert not all_revealed(change.state)
    assert not all_revealed(PureTable("doubles", "ana").state)


def test_who_does_not_show_a_seed_is_named_and_who_left_is_not() -> None:
    at = dealing()
    shown = reveal(at.state, 1, Reveal(id="1", seed=B.hex()))
    change = deal(shown, at.dice)
    assert events_of(change)[0] == {"kind": "dealt", "seats": (1,), "missing": (0,)}
    assert change.state.fair and change.state.fair.missing == (0,)
    gone = leave_seat(shown, 1, "left").state
    change = deal(gone, at.dice)
    assert events_of(change)[0] == {"kind": "dealt", "seats": (), "missing": (0,)}
    assert change.state.fair and change.state.fair.seeds == {}


def test_a_seed_of_somebody_who_left_is_not_waited_for() -> None:
    at = dealing()
    shown = reveal(at.state, 1, Reveal(id="1", seed=B.hex()))
    left = leave_seat(shown, 1, "left").state
    assert not all_revealed(left)
    assert all_revealed(reveal(left, 0, Reveal(id="1", seed=A.hex())))
    assert all_revealed(leave_seat(shown, 0, "left").state)


def test_too_few_are_left_to_deal_to() -> None:
    at = PureTable("sevens", "ana", "bo")
    at.do(0, Start(id="1", commit=commitment(A)))
    left = leave_seat(at.state, 1, "left").state
    change = deal(left, at.dice)
    assert (kinds(change), change.cause) == (["not_dealt"], Cause(kind="deal", by="clock"))
    state = change.state
    assert (state.info.phase, state.fair, state.secret, state.match, state.info.timer) == (
        "waiting",
        None,
        b"",
        None,
        None,
    )


@pytest.mark.parametrize(
    ("game", "options", "drawn"),
    [
        ("double-or-nothing", {}, {"r": 1, "sides": 2, "count": 1, "faces": (2,)}),
        ("doubles", {"rounds": "2-4"}, {"r": 1, "sides": 3, "count": 1}),
    ],
)
def test_dice_at_the_very_start(game: str, options: dict[str, Any], drawn: dict[str, Any]) -> None:
    at = PureTable(game, "ana", "bo", rolls=((2,),), **options)
    change = at.do(0, Start(id="1"))
    assert change.cause.drawn and change.cause.drawn.model_dump(exclude_none=True) == drawn
    assert change.state.draws == 1

"""The tally of the evening: wins and points of each player over all games of a room."""

from typing import Any

from dicegames_protocol.messages.client import Rematch
from dicegames_server.audit.audit import audit
from dicegames_server.audit.check import Check
from dicegames_server.table.commands import leave_seat
from support.hall import DurableMemory, Hall
from support.pure_table import PureTable, chained


def typed_doubles(**how: Any) -> PureTable:
    """One round with real dice. It ends with the third seven of bo, or when both have cashed."""
    return PureTable("doubles", "ana", "bo", entered=True, rounds=1, window=0, **how).start()


def tally(at: PureTable) -> dict[str, tuple[int | None, int | None]]:
    return {player.name: (player.won, player.points) for player in at.state.seats.players.values()}


def play_round(at: PureTable, first: int, *, early: int | None = None) -> None:
    """Seat `first` rolls 5 3. `early` cashes 8, the rest cashes 28 after another roll of 6 4 (or all cash at once)."""
    at.move(first, "roll", faces=(5, 3))
    if early is not None:
        at.move(early, "cash")
        at.move(1 - early, "roll", faces=(6, 4))
        at.move(1 - early, "cash")
    else:
        at.move(0, "cash")
        at.move(1, "cash")


def again(at: PureTable) -> None:
    for seat in at.state.seats.people:
        at.do(seat, Rematch(id="1"))


def checked(lines: list[bytes]) -> list[Check]:
    return [check for check in audit(lines) if not check.ok]


def test_wins_and_points_grow_from_game_to_game() -> None:
    at = typed_doubles()
    assert tally(at) == {"ana": (None, None), "bo": (None, None)}
    play_round(at, 0, early=0)
    assert at.state.info.winners == (1,)
    assert tally(at) == {"ana": (None, 8), "bo": (1, 18)}
    again(at)
    assert at.state.info.game_no == 2 and tally(at) == {"ana": (None, 8), "bo": (1, 18)}
    play_round(at, 1, early=None)  # both have 8: a shared win counts for each
    assert tally(at) == {"ana": (1, 16), "bo": (2, 26)}
    assert not checked(at.lines)


def test_the_update_that_ends_a_game_tells_only_what_has_changed() -> None:
    at = typed_doubles()
    play_round(at, 0, early=0)
    assert at.updates[-1].patch["seats"] == {"0": {"points": 8}, "1": {"won": 1, "points": 18}}
    again(at)
    assert all("won" not in str(update.patch.get("seats")) for update in at.updates[-2:])


def test_a_game_without_points_counts_wins_alone() -> None:
    at = PureTable("double-or-nothing", "ana", "bo", rolls=((1,), (2,), (1,), (2,)), best_of=3).start()
    while at.state.playing:
        assert at.state.match
        seat = next(seat for seat in (0, 1) if at.state.match.waits_for(seat))
        at.move(seat, "add")
    ((won, points),) = {entry for entry in tally(at).values() if entry[0]}
    assert (won, points) == (1, None)


def test_a_correction_takes_back_what_was_counted() -> None:
    at = typed_doubles()
    for seat in (0, 1, 0):
        at.move(seat, "roll", faces=(6, 1))
    at.move(1, "roll", faces=(6, 1))  # the first seven after three: nobody has anything
    assert at.state.info.phase == "over" and tally(at) == {"ana": (1, None), "bo": (1, None)}
    at.move(1, "correct", choice="#4", faces=(1, 2))
    assert at.state.playing and tally(at) == {"ana": (None, None), "bo": (None, None)}
    at.move(1, "cash")
    at.move(0, "cash")
    assert at.state.info.phase == "over"
    before = tally(at)
    at.move(1, "correct", choice="#4", faces=(2, 2))  # the game stays over, with other points
    assert at.state.info.phase == "over"
    assert [entry[0] for entry in tally(at).values()] == [1, 1]
    assert [entry[1] for entry in tally(at).values()] != [entry[1] for entry in before.values()]
    assert at.state.match
    assert [entry[1] for entry in tally(at).values()] == list(
        at.state.match.rules.scores(at.state.match.state).values()
    )
    assert not checked(at.lines)


def test_who_leaves_takes_it_along_and_who_comes_begins_at_nothing() -> None:
    at = typed_doubles()
    play_round(at, 0, early=0)
    at.take(leave_seat(at.state, 1, "left"))
    at.sit("bo2")
    at.sit("bo3")
    again(at)
    assert tally(at) == {"ana": (None, 8), "bo2": (None, None), "bo3": (None, None)}
    assert not checked(at.lines)


def test_a_wrong_tally_is_noticed() -> None:
    at = typed_doubles()
    play_round(at, 0, early=0)
    log: list[dict[str, Any]] = [update.model_dump(mode="json", exclude_none=True) for update in at.updates]
    assert not checked(chained(log))
    log[-1]["patch"]["seats"]["0"]["won"] = 1
    assert [check.name for check in checked(chained(log))] == ["rules"]


def test_a_log_of_an_earlier_version_has_none() -> None:
    at = typed_doubles(format=None)
    play_round(at, 0, early=0)
    assert tally(at) == {"ana": (None, None), "bo": (None, None)}
    log: list[dict[str, Any]] = [update.model_dump(mode="json", exclude_none=True) for update in at.updates]
    assert "format" not in log[0]["cause"]["args"] and "format" not in log[0]["patch"]["room"]
    assert not checked(chained(log))


async def test_it_is_there_after_a_restart_and_in_a_rematch() -> None:
    hall = Hall((5, 3), storage=DurableMemory())
    ana, bo = await hall.table("doubles", "ana", "bo", options={"rounds": 1, "window": 0})
    await ana.move("roll")
    await ana.move("cash")
    await bo.move("cash")
    await hall.restart()
    peers = [await hall.peer(), await hall.peer()]
    for peer, old in zip(peers, (ana, bo), strict=True):
        await peer.resume(old)
    hall.check(*peers)
    for peer in peers:
        await peer.ask(Rematch(id=hall.id()))
    for peer in peers:
        peer.drain()
        assert [(p["won"], p["points"]) for p in peer.store.table["seats"].values()] == [(1, 8), (1, 8)]
    hall.check(*peers)

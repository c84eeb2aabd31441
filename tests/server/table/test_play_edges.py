"""Moves, timers and questions at their edges. Without a server."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from dicegames_protocol.fairness import scheme
from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import AskOdds, Start
from dicegames_protocol.messages.server import Cause, Drawn, Odds
from dicegames_protocol.table import Move, Timer
from dicegames_server.core.errors import Refused
from dicegames_server.games.base import Need
from dicegames_server.games.dice import KeyedDice
from dicegames_server.table.commands import abandon, leave_seat, stand_in
from dicegames_server.table.play import play_for, time_up
from dicegames_server.table.questions import odds, rules_page
from dicegames_server.table.state import change, waited_for
from support.pure_table import PureTable, events_of, kinds
from support.throwaway import throwaway_games

SEVENS = ((6, 1), (5, 2), (4, 3))


@pytest.fixture
def more_games() -> Iterator[None]:
    with throwaway_games():
        yield


def doubles(*rolls: tuple[int, int], **fields: Any) -> PureTable:
    """Three at Doubles, and these rolls have been made."""
    at = PureTable("doubles", "ana", "bo", "cy", rolls=rolls, **{"window": 0, "rounds": 1, **fields}).start()
    for number in range(len(rolls)):
        at.move(number % 3, "roll")
    return at


def refusal(call: Any, *arguments: Any) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        call(*arguments)
    return refused.value.code, refused.value.message


# Moves.


def test_a_move_in_sight_of_what_it_depends_on() -> None:
    at = doubles((1, 2))
    rolled = at.state.seq
    assert at.state.basis_seq == rolled
    at.move(1, "cash")
    assert (at.state.seq, at.state.basis_seq) == (rolled + 1, rolled)  # nobody's move depends on a cash-out
    assert at.refused(2, at.moving("cash", seq=rolled - 1)) == (
        "stale",
        "Too late: the dice were already rolling. The pot was 0.",
    )
    assert at.refused(2, at.moving("cash", seq=rolled + 2)) == (
        "bad_message",
        "That move names an update that has not happened yet.",
    )
    at.move(2, "cash", seq=rolled)
    assert at.state.seats.present == [0, 1, 2]


def test_what_people_are_told_when_it_is_not_their_turn() -> None:
    at = PureTable("doubles", "ana", "bo", rolls=((1, 2),), window=0, rounds=1)
    assert at.refused(0, at.moving("roll")) == ("illegal_move", "The game has not started yet.")
    at.start()
    at.sit("cy")
    assert at.refused(1, at.moving("roll")) == ("not_your_turn", "Not your turn: ana is rolling.")
    assert at.refused(2, at.moving("roll")) == ("not_your_turn", "You play from the next game on.")
    assert at.refused(1, at.moving("jump")) == ("illegal_move", "'jump' is not possible now.")
    at.move(0, "roll")
    at.move(0, "cash")
    assert at.refused(0, at.moving("roll"))[1] == "Not your turn: bo is rolling."
    at.move(1, "cash")
    assert at.refused(0, at.moving("roll")) == ("illegal_move", "'roll' is not possible now.")


def test_the_one_who_chooses_is_named_by_what_they_do() -> None:
    at = PureTable("double-or-nothing", "ana", "bo", first="2").start()
    assert at.refused(0, at.moving("add")) == ("not_your_turn", "Not your turn: bo is choosing.")


def test_where_many_are_waited_for_the_first_is_named() -> None:
    at = PureTable("sevens", "ana", "bo", "cy", rolls=((1,) * 6,)).start()
    assert waited_for(at.state) == 0
    at.move(0, "roll")
    assert waited_for(at.state) == 1
    assert at.refused(0, at.moving("roll")) == ("not_your_turn", "Not your turn: bo is rolling.")
    assert waited_for(PureTable("sevens", "ana").state) is None


def test_the_dice_of_a_move_are_in_its_cause() -> None:
    at = doubles()
    at.dice.then((3, 3), (1, 2))  # type: ignore[attr-defined]
    assert at.move(0, "roll").cause == Cause(
        kind="move", seat=0, move=Move(take="roll"), drawn=Drawn(r=1, sides=6, count=2, faces=(3, 3))
    )
    assert at.move(1, "roll").cause.drawn == Drawn(r=2, sides=6, count=2, faces=(1, 2))
    assert at.state.draws == 2
    cashed = at.move(2, "cash")
    assert cashed.cause == Cause(kind="move", seat=2, move=Move(take="cash"))
    assert at.state.draws == 2


def test_a_choice_is_in_the_cause() -> None:
    at = PureTable("farkle", "ana", "bo", rolls=((1, 2, 3, 4, 6, 6),)).start()
    at.move(0, "roll")
    assert at.move(0, "bank", choice="1").cause == Cause(kind="move", seat=0, move=Move(take="bank", choice="1"))


def test_a_bot_and_the_clock_move_for_a_seat() -> None:
    at = doubles()
    at.dice.then((1, 2))  # type: ignore[attr-defined]
    change = play_for(at.state, 0, Move(take="roll"), "bot", at.dice)
    assert (change.cause.by, change.cause.drawn and change.cause.drawn.faces) == ("bot", (1, 2))
    assert kinds(change) == ["rolled"]
    idle = PureTable("doubles", "ana").state
    assert refusal(play_for, idle, 0, Move(take="roll"), "bot", at.dice) == (
        "illegal_move",
        "There is no game, or its dice are rolling.",
    )


def test_the_end_of_a_game() -> None:
    at = doubles((1, 2), (6, 6))
    at.move(0, "cash")
    at.move(1, "cash")
    assert at.state.info.winners is None
    change = at.move(2, "cash")
    assert events_of(change)[-1] == {"kind": "game_over", "winners": (0, 1, 2)}
    state = at.state
    assert (state.info.phase, state.info.winners, state.playing) == ("over", (0, 1, 2), False)
    assert state.fair and state.fair.secret == state.secret.hex()
    assert state.bests == {0: {"best pot": 6}, 1: {"best pot": 6}, 2: {"best pot": 6}}


def test_the_record_book_keeps_the_largest() -> None:
    at = PureTable("doubles", "ana", rolls=((1, 2), (6, 6), (5, 5), (6, 6)), window=0, rounds=4).start()
    best = []
    for _ in range(4):
        at.move(0, "roll")
        at.move(0, "cash")
        best.append(at.state.bests)
    assert best == [{0: {"best pot": pot}} for pot in (3, 600, 600, 600)]


def test_more_than_one_thing_is_remarkable() -> None:
    farkle = (2, 2, 3, 4, 6, 6)
    at = PureTable("farkle", "ana", rolls=(farkle, (1, 1, 2, 3, 4, 6), (2, 3, 4, 6), (5, 2, 3, 4, 6, 6))).start()
    at.move(0, "roll")
    assert at.state.bests == {}  # nothing was lost, which is not remarkable
    at.move(0, "roll")
    at.move(0, "roll", choice="11")
    assert at.state.bests == {0: {"biggest farkle": 200}}
    at.move(0, "roll")
    at.move(0, "bank", choice="5")
    assert at.state.bests == {0: {"biggest farkle": 200, "best bank": 50}}


def test_a_single_point_is_remarkable() -> None:
    at = PureTable("farkle", "ana", rolls=((2, 3, 3, 4, 4, 6),), values={"2": 1}).start()
    at.move(0, "roll")
    at.move(0, "bank", choice="2")
    assert at.state.bests == {0: {"best bank": 1}}


# Real dice.


def entered(*typed: tuple[int, int]) -> PureTable:
    at = PureTable("doubles", "ana", "bo", entered=True, window=0, rounds=1).start()
    for number, faces in enumerate(typed):
        at.move(number % 2, "roll", faces=faces)
    return at


def test_typed_faces_are_told_without_a_number() -> None:
    at = entered((6, 1))
    cause = at.updates[-1].cause
    assert cause.drawn == Drawn(sides=6, count=2, faces=(6, 1))
    assert cause.move == Move(take="roll", faces=(6, 1))
    assert (at.state.draws, at.state.match and len(at.state.match.typed)) == (0, 1)


def test_a_correction_can_end_the_end() -> None:
    at = entered((6, 1), (6, 1), (6, 1), (3, 4))
    assert at.state.info.phase == "over"
    assert at.refused(0, at.moving("correct", choice="#4", faces=(1, 2)))[0] == "illegal_move"
    change = at.move(1, "correct", choice="#4", faces=(1, 2))
    assert kinds(change) == ["corrected", "rolled", "game_goes_on"]
    assert (at.state.info.phase, at.state.info.winners) == ("playing", None)
    assert at.state.basis_seq == at.state.seq
    change = at.move(1, "correct", choice="#4", faces=(2, 5))
    assert kinds(change)[-1] == "game_over"


# Time.


def test_there_is_no_timer_without_a_limit() -> None:
    at = doubles((1, 2))
    assert at.state.info.timer is None
    assert refusal(time_up, at.state, at.dice) == ("illegal_move", "No timer is running.")
    assert refusal(time_up, PureTable("doubles").state, at.dice) == ("illegal_move", "No timer is running.")


def test_a_turn_has_its_timer() -> None:
    at = doubles((1, 2), turn_limit=30)
    rolled = at.state.seq
    assert at.state.info.timer == Timer(kind="turn", ms=30_000, since=rolled)
    at.move(2, "cash")
    assert at.state.info.timer == Timer(kind="turn", ms=30_000, since=rolled)  # it is still the same turn
    at.move(1, "cash")
    assert at.state.info.timer == Timer(kind="turn", ms=30_000, since=rolled + 2)  # another one is waited for
    at.take(stand_in(at.state, 1, True))
    assert at.state.info.timer.since == rolled + 2
    at.dice.then((2, 1))  # type: ignore[attr-defined]
    change = at.take(time_up(at.state, at.dice))
    assert events_of(change)[0] == {"kind": "time_up", "seat": 0}
    assert (change.cause.by, change.cause.seat, change.cause.kind) == ("clock", 0, "move")
    at.move(0, "cash")
    assert at.state.info.timer is None


def test_everyone_who_owes_a_roll_gets_their_time() -> None:
    at = PureTable("sevens", "ana", "bo", rolls=((1,) * 6,), turn_limit=9).start()
    begun = at.state.seq
    assert at.state.info.timer == Timer(kind="turn", ms=9000, since=begun)
    at.move(0, "roll")
    assert at.state.info.timer == Timer(kind="turn", ms=9000, since=begun + 1)


def test_the_window_has_its_own_timer() -> None:
    at = doubles(*SEVENS, window=7, turn_limit=30)
    opened = at.state.seq
    assert at.state.info.timer == Timer(kind="window", ms=7000, since=opened)
    at.move(0, "hold")
    at.move(1, "cash")
    assert at.state.info.timer == Timer(kind="window", ms=7000, since=opened)  # it runs on
    at.dice.then((1, 2))  # type: ignore[attr-defined]
    change = at.take(time_up(at.state, at.dice))
    assert change.cause == Cause(
        kind="time", by="clock", move=Move(take="time-up"), drawn=Drawn(r=4, sides=6, count=2, faces=(1, 2))
    )
    assert kinds(change) == ["rolled", "window_opened"]
    assert at.state.info.timer == Timer(kind="window", ms=7000, since=at.state.seq)


def test_nobody_is_waited_for_when_it_is_over() -> None:
    at = doubles((1, 2))
    for seat in (0, 1, 2):
        at.move(seat, "cash")
    assert waited_for(at.state) is None
    stuck = at.state.but(info=at.state.info.but(timer=Timer(kind="turn", ms=1, since=1)))
    assert refusal(time_up, stuck, at.dice) == ("illegal_move", "Nobody is waited for.")


def test_a_change_that_changes_nothing_has_a_number_all_the_same() -> None:
    state = doubles((1, 2)).state
    after = change(state, state, Cause(kind="stand_in"), ()).state
    assert (after.seq, after.basis_seq, after.info) == (state.seq + 1, state.basis_seq, state.info)


# Hidden things.


@pytest.mark.usefixtures("more_games")
def test_a_hidden_draw_and_a_private_part() -> None:
    at = PureTable("liars-dice", "ana", "bo", rolls=((1, 2, 3, 4),)).start()
    assert at.move(0, "shake").cause.drawn == Drawn(r=1, sides=6, count=4)
    assert at.state.private(0) == {"game": {"seats": {"0": {"hand": [1, 2]}}}}
    assert at.state.private(1) == {"game": {"seats": {"1": {"hand": [3, 4]}}}}
    shown = at.state.public()["game"]
    assert all(seat.hand is None for seat in shown.seats.values())
    assert doubles((1, 2)).state.private(0) == {}


@pytest.mark.usefixtures("more_games")
def test_a_sealed_move_is_opened_in_the_end() -> None:
    at = PureTable("sealed-bid", "ana", "bo", rounds=1).start()
    first = at.move(0, "bid", choice="17")
    seal = scheme.seal(scheme.seal_key(at.state.secret), first.state.seq, {"take": "bid", "choice": "17"})
    assert first.cause == Cause(kind="move", seat=0, move=Move(take="bid"), seal=seal)
    assert at.state.sealed == {first.state.seq: Move(take="bid", choice="17")}
    ended = abandon(at.state)
    opened = {str(first.state.seq): Move(take="bid", choice="17")}
    assert (ended.cause.opened, ended.state.sealed) == (opened, {})
    last = at.move(1, "bid", choice="4")
    assert last.cause.opened == {**opened, str(last.state.seq): Move(take="bid", choice="4")}
    assert (at.state.sealed, at.state.info.phase) == ({}, "over")


def test_all_dice_come_from_the_key() -> None:
    assert KeyedDice().draw(b"k", 3, Need(5, sides=20)) == scheme.roll(b"k", 3, 5, 20)


# Questions.


def ask(at: PureTable, mine: list[int], seat: int | None = None) -> Odds:
    return odds(at.state, AskOdds(id="7", seat=seat), mine)


def test_before_and_after_the_game_there_are_no_odds() -> None:
    waiting = PureTable("doubles", "ana")
    assert ask(waiting, [0]) == Odds(id="7", note="There are no odds before the game begins.")
    done = doubles((1, 2))
    for seat in (0, 1, 2):
        done.move(seat, "cash")
    assert ask(done, [0]).note == "The game is over: there is nothing left to roll."


def test_while_a_rematch_is_dealt_the_last_game_is_forgotten() -> None:
    at = doubles((1, 2))
    for seat in (0, 1, 2):
        at.move(seat, "cash")
    at = PureTable("doubles", "ana", "bo", rounds="1-2", window=0).start()
    at.take(abandon(at.state).__class__(at.state.but(info=at.state.info.but(phase="over")), Cause(kind="x"), ()))
    at.do(0, Start(id="1", commit="a" * 64))
    assert at.state.info.phase == "dealing" and at.state.match
    assert ask(at, [0]).note == "There are no odds before the game begins."


def test_whose_odds_are_told() -> None:
    at = PureTable("farkle", "ana", "bo", "cy").start()
    farkle = {"a farkle with 6 dice": Fraction(5, 162)}
    for mine, seat, told, chances in (
        ([0], None, 0, farkle),
        ([0, 1], None, 0, farkle),
        ([1, 0], None, 0, farkle),
        ([1, 2], None, 1, {}),
        ([2, 1], None, 2, {}),
        ([], None, 0, farkle),
        ([], 1, 1, {}),
        ([1, 2], 2, 2, {}),
    ):
        found = ask(at, mine, seat)
        assert (found.id, found.seat) == ("7", told)
        assert {chance.what: Fraction(chance.good, chance.of) for chance in found.chances} == chances
        assert found.note == (None if chances else "There are no odds to tell at the moment.")
    with pytest.raises(Refused) as refused:
        ask(at, [1, 2], 0)
    assert (refused.value.code, refused.value.message) == ("unauthorized", "That is not your seat.")


@pytest.mark.parametrize("game", keys())
def test_somebody_who_does_not_play_has_no_odds(game: str) -> None:
    at = PureTable(game, "ana", "bo").start()
    at.sit("cy")
    assert ask(at, [2]) == Odds(id="7", seat=2, note=at.state.rules.no_odds)
    assert ask(at, [], 7).chances == ()


def test_the_rules_page() -> None:
    page = rules_page(PureTable("farkle", "ana", target=2000, straight=1500).state, "9")
    assert (page.id, page.title) == ("9", "Farkle, to 2,000, table multiplier")
    assert {row.what: row.points for row in page.table}["1 2 3 4 5 6"] == "1,500"
    assert {row.what: row.points for row in page.table}["5"] == "50"
    assert page.text[-1].startswith("Whoever banks 2,000 first")


def test_whoever_left_is_played_for() -> None:
    at = doubles((1, 2), turn_limit=30)
    since = at.state.info.timer
    at.take(leave_seat(at.state, 1, "left"))
    assert at.state.info.timer == since  # the turn goes on

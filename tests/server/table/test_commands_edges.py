"""What commands lead to, at their edges: the first update, the host's rights, votes. Without a server."""

from typing import Any

import pytest

from dicegames_protocol.fairness.chain import commitment
from dicegames_protocol.games.sevens import SevensOptions
from dicegames_protocol.messages.client import (
    AddBot,
    ChangeOptions,
    GiveHost,
    Kick,
    Ready,
    Rematch,
    RemoveBot,
    Start,
)
from dicegames_protocol.messages.server import Cause
from dicegames_protocol.table import Fair
from dicegames_server.bots import BOTS_VERSION
from dicegames_server.core.errors import Refused
from dicegames_server.games.sevens import Sevens
from dicegames_server.table.commands import TableCommand, abandon, leave_seat, stand_in, take_seat
from dicegames_server.table.create_room import open_room
from support.pure_table import PureTable, events_of, kinds


def table(*names: str, **options: Any) -> PureTable:
    return PureTable("doubles", *(names or ("ana", "bo")), **{"window": 0, "rounds": 1, **options})


def over(*names: str) -> PureTable:
    """A game of one round that is over: all have cashed out."""
    done = table(*names, rolls=((1, 2),)).start()
    done.move(0, "roll")
    for seat in done.state.seats.present:
        done.move(seat, "cash")
    assert done.state.info.phase == "over"
    return done


def refusal(call: Any, *arguments: Any) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        call(*arguments)
    return refused.value.code, refused.value.message


# A room begins.


def test_the_first_update() -> None:
    opened = open_room("KQ7M", "farkle", {"preset": "kcd"}, 5, False, True, 30)
    assert events_of(opened) == [{"kind": "room_opened", "code": "KQ7M"}]
    info = opened.state.info.model_dump(exclude_none=True, exclude={"options"})
    assert info == {
        "code": "KQ7M",
        "game": "farkle",
        "title": "Farkle",
        "rules": "farkle-1",
        "summary": "to 2,000, table doubling, kcd",
        "capacity": 5,
        "least": 1,
        "public": False,
        "locked": True,
        "turn_limit": 30,
        "bots": True,
        "format": 2,
        "phase": "waiting",
        "game_no": 0,
    }
    assert opened.state.info.options["straight_low"] == 500
    assert opened.cause == Cause(
        kind="open",
        args={
            "code": "KQ7M",
            "game": "farkle",
            "options": opened.state.info.options,
            "capacity": 5,
            "public": False,
            "locked": True,
            "turn_limit": 30,
            "bots": True,
            "format": 2,
        },
    )
    state = opened.state
    assert (state.seq, state.epoch, state.basis_seq, state.draws) == (1, 1, 0, 0)
    assert (state.secret, state.key, state.match, state.seats.capacity) == (b"", b"", None, 5)
    assert state.public() == {"room": state.info, "seats": {}, "offers": {}}
    assert state.private(0) == {}


def test_what_can_not_be_played_opens_no_room() -> None:
    games = "double-or-nothing, doubles, farkle, sevens"
    said = ("bad_message", f"There is no game of that name. The games are: {games}.")
    assert refusal(open_room, "KQ7M", "chess", {}, 5, True, False, 0) == said
    assert refusal(open_room, "KQ7M", "sevens", {"rounds": 0}, 5, True, False, 0) == (
        "bad_message",
        "rounds must be at least 1.",
    )


# Sitting down and leaving.


def test_somebody_sits_down() -> None:
    empty = PureTable("doubles")
    change, seat = take_seat(empty.state, " ana ", "hash", "key")
    assert (seat, change.cause) == (0, Cause(kind="join", seat=0, args={"name": " ana "}))
    assert events_of(change) == [{"kind": "took_seat", "seat": 0, "name": "ana"}]
    assert (change.state.seq, change.state.info.host) == (2, 0)
    assert (change.state.seats.tokens, change.state.seats.keys) == ({"hash": 0}, {0: "key"})
    assert change.state.seats[0].program is False


def test_a_program_says_that_it_is_one() -> None:
    change, seat = take_seat(PureTable("doubles").state, "robo", "hash", program=True)
    assert change.cause.args == {"name": "robo", "program": True}
    assert change.state.seats[seat].program is True
    closed = PureTable("doubles", bots=False)
    said = ("unauthorized", "There are no bots at this table: it was opened without them.")
    assert refusal(take_seat, closed.state, "robo", "hash", None, True) == said
    assert take_seat(closed.state, "ana", "hash")[1] == 0


@pytest.mark.parametrize(("why", "by"), [("left", "player"), ("kicked", "player"), ("expired", "clock")])
def test_somebody_leaves_before_the_game(why: Any, by: str) -> None:
    change = leave_seat(table().state, 0, why)
    assert change.cause == Cause(kind="leave", seat=0, by=by, args={"why": why})
    assert events_of(change) == [
        {"kind": "left_seat", "seat": 0, "name": "ana", "why": why, "bot_plays": False},
        {"kind": "host_changed", "seat": 1},
    ]
    assert (change.state.info.host, list(change.state.seats.players)) == (1, ["1"])


def test_a_bot_plays_on_in_a_running_game() -> None:
    running = table("ana", "bo", "cy").start()
    change = leave_seat(running.state, 1, "left")
    assert events_of(change) == [{"kind": "left_seat", "seat": 1, "name": "bo", "why": "left", "bot_plays": True}]
    assert change.state.seats[1].left is True
    again = leave_seat(change.state, 1, "left")  # and whoever has left already is no part of it
    assert events_of(again)[0]["bot_plays"] is False
    assert "1" not in again.state.seats.players


def test_whoever_only_waits_for_the_next_game_is_gone() -> None:
    running = table().start()
    running.sit("cy")
    change = leave_seat(running.state, 2, "left")
    assert (kinds(change), "2" in change.state.seats.players) == (["left_seat"], False)
    assert events_of(change)[0]["bot_plays"] is False


def test_after_the_game_the_name_stays() -> None:
    change = leave_seat(over().state, 1, "left")
    assert events_of(change)[0]["bot_plays"] is False
    assert change.state.seats[1].left is True


def test_the_last_one_leaves_no_host_behind() -> None:
    change = leave_seat(table("ana").state, 0, "left")
    assert (kinds(change), change.state.info.host) == (["left_seat"], None)


@pytest.mark.parametrize(("on", "by"), [(True, "clock"), (False, "player")])
def test_a_bot_sits_in(on: bool, by: str) -> None:
    change = stand_in(table().start().state, 1, on)
    assert change.cause == Cause(kind="stand_in", seat=1, by=by, args={"on": on})
    assert events_of(change) == [{"kind": "stand_in", "seat": 1, "on": on}]
    assert change.state.seats[1].standin is on


def test_a_room_that_ends_shows_the_secret() -> None:
    running = table().start().state
    change = abandon(running)
    assert change.cause == Cause(kind="abandon", by="clock")
    assert change.events == ()
    assert change.state.fair and change.state.fair.secret == running.secret.hex()
    assert abandon(table().state).state.fair is None


# Who may do what.


def test_spectators_and_others_may_not() -> None:
    at = table()
    assert at.refused(None, Ready(id="1")) == ("unauthorized", "You are watching. Take a seat to play.")
    commands: list[TableCommand] = [
        Start(id="1"),
        AddBot(id="1"),
        RemoveBot(id="1"),
        Kick(id="1", target=0),
        GiveHost(id="1", target=1),
    ]
    for command in (*commands, ChangeOptions(id="1", options={})):
        assert at.refused(1, command) == ("unauthorized", "Only the host can do that (ana).")
    at.state = at.state.but(seats=at.state.seats.give_host(None))  # type: ignore[arg-type]
    assert at.refused(1, Start(id="1")) == ("unauthorized", "Only the host can do that.")


def test_a_cause_tells_what_was_asked() -> None:
    at = table("ana", "bo", "cy")
    assert at.do(0, Kick(id="7", target=2)).cause == Cause(kind="kick", seat=0, args={"target": 2})
    assert at.do(1, Ready(id="7", ready=False)).cause == Cause(kind="ready", seat=1, args={"ready": False})
    assert at.do(0, AddBot(id="7")).cause.args == {"level": "steady", "count": 1}
    assert at.do(0, RemoveBot(id="7")).cause == Cause(kind="remove_bot", seat=0)
    assert at.do(0, Start(id="7")).cause.args == {"epoch": 1}


# Ready, start, rematch.


def test_it_begins_when_all_are_ready() -> None:
    at = table("ana", "bo", "cy")
    assert events_of(at.do(1, Ready(id="1"))) == [{"kind": "ready_changed", "seat": 1, "ready": True}]
    at.do(2, Ready(id="1"))
    assert events_of(at.do(2, Ready(id="1", ready=False)))[0]["ready"] is False
    assert kinds(at.do(0, Ready(id="1"))) == ["ready_changed"]
    assert kinds(at.do(2, Ready(id="1"))) == ["ready_changed", "game_started", "round_began"]
    assert at.refused(0, Ready(id="1")) == ("illegal_move", "The game has already started.")
    assert at.refused(0, Start(id="1")) == ("illegal_move", "The game is already running.")
    assert at.refused(0, Rematch(id="1")) == ("illegal_move", "A rematch comes after the game.")


def test_one_alone_is_not_started_by_being_ready() -> None:
    at = table("ana")
    assert kinds(at.do(0, Ready(id="1"))) == ["ready_changed"]
    assert at.start().state.info.phase == "playing"  # but by hand


def test_bots_are_ready_and_count() -> None:
    at = table("ana")
    at.do(0, AddBot(id="1"))
    assert "game_started" in kinds(at.do(0, Ready(id="1")))


def test_a_game_starts_with_everything_new() -> None:
    at = table("ana", "bo", "cy")
    change = at.do(0, Start(id="1"))
    assert events_of(change)[0] == {"kind": "game_started", "game_no": 1, "seats": (0, 1, 2)}
    state = change.state
    assert (state.info.phase, state.info.game_no, state.starter, state.draws) == ("playing", 1, 0, 0)
    fair = Fair(commit=commitment(state.secret), epoch=1, scheme=2, committee=(), links={}, without=(0, 1, 2))
    assert state.fair == fair.but(rolls=("roll",), bots=BOTS_VERSION)
    assert state.key == b""
    assert (len(state.secret), state.basis_seq, state.seq) == (32, 5, 5)
    assert change.cause.drawn is None


@pytest.mark.parametrize(
    ("game", "names", "sentence"),
    [
        ("sevens", ["ana"], "Sevens needs 2 players; there is 1. Wait for somebody, or add a bot."),
        ("double-or-nothing", ["ana", "bo", "cy"], "Double or Nothing is for 2 players; 3 sit here."),
    ],
)
def test_too_few_or_too_many(game: str, names: list[str], sentence: str) -> None:
    assert PureTable(game, *names).refused(0, Start(id="1")) == ("illegal_move", sentence)


class ForThree(Sevens):
    least, most = 3, 4


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ("a", "Sevens needs 3 players; there is 1. Wait for somebody, or add a bot."),
        ("ab", "Sevens needs 3 players; there are 2. Wait for somebody, or add a bot."),
        ("abc", None),
        ("abcd", None),
        ("abcde", "Sevens is for 4 players; 5 sit here."),
    ],
)
def test_from_three_to_four(names: str, sentence: str | None) -> None:
    at = PureTable("sevens", *names)
    at.state = at.state.but(rules=ForThree(SevensOptions()))
    if sentence is None:
        assert at.start().state.playing
    else:
        assert at.refused(0, Start(id="1")) == ("illegal_move", sentence)


def test_nobody_at_all_is_too_few() -> None:
    at = PureTable("sevens", "ana")
    gone = at.state.but(seats=at.state.seats.change(0, left=True))
    at.state = gone
    assert at.refused(0, Start(id="1"))[1].startswith("Sevens needs 2 players; there are 0.")


def test_a_rematch_when_all_people_want_it() -> None:
    at = over("ana", "bo", "cy")
    change = at.do(1, Rematch(id="1"))
    assert events_of(change) == [{"kind": "wants_rematch", "seat": 1, "votes": 1, "of": 3}]
    assert events_of(at.do(1, Rematch(id="1")))[0]["votes"] == 1  # nobody votes twice
    assert events_of(at.do(0, Rematch(id="1")))[0]["votes"] == 2
    change = at.do(2, Rematch(id="1"))
    assert kinds(change) == ["wants_rematch", "game_started", "round_began"]
    assert (at.state.info.game_no, at.state.info.winners, at.state.starter) == (2, None, 1)
    assert not any(player.rematch for player in at.state.seats.players.values())


@pytest.mark.parametrize(("starter", "following"), [(0, 1), (1, 2), (2, 0), (5, 0)])
def test_in_a_rematch_the_next_seat_begins(starter: int, following: int) -> None:
    at = over("ana", "bo", "cy")
    at.state = at.state.but(starter=starter)
    assert at.start().state.starter == following


def test_a_rematch_needs_enough_players() -> None:
    at = PureTable("double-or-nothing", "ana", "bo", start=19, first="1").start()
    at.move(0, "add")
    at.take(leave_seat(at.state, 1, "left"))
    assert kinds(at.do(0, Rematch(id="1"))) == ["wants_rematch"]
    assert at.state.info.phase == "over"


# Bots, hosts, options.


def test_bots_come_and_go_between_games() -> None:
    at = table("ana")
    change = at.do(0, AddBot(id="1", level="expert", count=2))
    assert events_of(change) == [
        {"kind": "took_seat", "seat": 1, "name": "bot-1"},
        {"kind": "took_seat", "seat": 2, "name": "bot-2"},
    ]
    assert at.refused(0, AddBot(id="1", level="god")) == (
        "bad_message",
        "There is no bot of that level. The levels are: easy, steady, expert.",
    )
    at.do(0, AddBot(id="1"))
    assert events_of(at.do(0, RemoveBot(id="1")))[0] == {
        "kind": "left_seat",
        "seat": 3,
        "name": "bot-3",
        "why": "dropped",
        "bot_plays": False,
    }
    assert events_of(at.do(0, RemoveBot(id="1", target=1)))[0]["seat"] == 1
    assert at.refused(0, RemoveBot(id="1", target=0)) == ("illegal_move", "There is no bot to drop.")
    at.do(0, RemoveBot(id="1"))
    assert at.refused(0, RemoveBot(id="1")) == ("illegal_move", "There is no bot to drop.")
    at.start()
    assert at.refused(0, AddBot(id="1")) == ("illegal_move", "A bot can join when the game is over.")
    assert at.refused(0, RemoveBot(id="1")) == ("illegal_move", "Bots stay until the game is over.")
    ended = over()
    ended.do(0, AddBot(id="1"))
    assert kinds(ended.do(0, RemoveBot(id="1"))) == ["left_seat"]


def test_no_bots_where_there_are_none() -> None:
    said = "There are no bots at this table: it was opened without them."
    assert PureTable("doubles", "ana", bots=False).refused(0, AddBot(id="1")) == ("unauthorized", said)


def test_people_are_kicked_and_nobody_else() -> None:
    at = table("ana", "bo")
    at.do(0, AddBot(id="1"))
    assert at.refused(0, Kick(id="1", target=0)) == ("illegal_move", "You can't kick yourself. You can leave.")
    for target in (2, 7):
        assert at.refused(0, Kick(id="1", target=target)) == ("illegal_move", "Nobody sits there.")
        told = "Only somebody who sits at the table can be host."
        assert at.refused(0, GiveHost(id="1", target=target)) == ("illegal_move", told)
    assert events_of(at.do(0, GiveHost(id="1", target=1))) == [{"kind": "host_changed", "seat": 1}]
    assert at.state.info.host == 1
    assert events_of(at.do(1, Kick(id="1", target=0)))[0]["why"] == "kicked"


def test_options_change_for_all_who_were_ready() -> None:
    at = table("ana", "bo", "cy")
    at.do(0, Ready(id="1"))
    at.do(1, Ready(id="1"))
    change = at.do(0, ChangeOptions(id="1", options={"rounds": 3}))
    assert events_of(change) == [{"kind": "options_changed", "summary": "3 rounds"}]
    assert [at.state.seats[seat].ready for seat in (0, 1, 2)] == [True, False, False]
    assert (at.state.info.summary, at.state.info.options["rounds"], at.state.info.options["window"]) == (
        "3 rounds",
        3,
        0,
    )
    assert at.state.rules.options.model_dump()["rounds"] == 3
    assert at.refused(0, ChangeOptions(id="1", options={"rounds": 0})) == ("bad_message", "rounds must be at least 1.")
    at.start()
    locked = ("illegal_move", "The options are locked once the game has started.")
    assert at.refused(0, ChangeOptions(id="1", options={"rounds": 2})) == locked
    assert over().refused(0, ChangeOptions(id="1", options={"rounds": 2})) == locked


def test_the_host_who_changes_options_may_sit_anywhere() -> None:
    at = table("ana", "bo", "cy")
    at.do(0, Ready(id="1"))
    at.do(0, GiveHost(id="1", target=1))
    at.do(1, ChangeOptions(id="1", options={"rounds": 3}))
    assert at.state.seats[0].ready is False

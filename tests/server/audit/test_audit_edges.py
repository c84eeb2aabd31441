"""What an audit says, check by check: of an honest log of everything, and of logs with one thing wrong each."""

import json
from collections.abc import Callable
from typing import Any

import pytest

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
from dicegames_protocol.table import Move
from dicegames_server.audit.audit import audit, verdict
from dicegames_server.audit.check import Check
from dicegames_server.audit.replay import KnownDice, NotPossible, NotYet
from dicegames_server.table.bot_move import bot_move
from dicegames_server.table.commands import abandon, leave_seat, stand_in
from dicegames_server.table.draw import redraw
from dicegames_server.table.play import play_for, time_up
from support.dice import CountedDice
from support.pure_table import Owner, PureTable, chained

ANA, BO = Owner(0, b"a"), Owner(1, b"b")
Log = list[dict[str, Any]]


def evening() -> PureTable:
    """Everything that can happen to a table, by everybody who can do it: two games, and a third that is abandoned."""
    at = PureTable("doubles", "ana", "bo", dice=CountedDice(), turn_limit=30, rounds="2-3", window=5)
    at.sit("robo", program=True)
    at.sit("cy")
    at.do(0, AddBot(id="1", count=2, level="easy"))
    at.do(0, RemoveBot(id="1", target=4))
    at.do(0, Kick(id="1", target=3))
    at.do(0, GiveHost(id="1", target=1))
    at.do(1, ChangeOptions(id="1", options={"rounds": 2}))
    at.take(leave_seat(at.state, 2, "expired"))
    at.do(0, Ready(id="1", commit=ANA.tip))
    at.do(1, Ready(id="1", commit=BO.tip))
    at.move(0, "roll")
    at.show(ANA)
    at.take(redraw(at.state))  # bo does not answer
    at.show(ANA)
    at.take(time_up(at.state, at.dice))
    at.show(ANA)
    at.take(stand_in(at.state, 0, True))
    if at.state.match and at.state.match.waits_for(0) and (choice := bot_move(at.state, 0)):
        at.take(play_for(at.state, 0, choice.move, "bot", at.dice))
    at.take(stand_in(at.state, 0, False))
    at.take(leave_seat(at.state, 1, "left"))
    while at.state.playing:
        assert at.state.match
        if at.state.pending:
            at.show(ANA)
            continue
        turn = next(seat for seat in (0, 1, 5) if at.state.match.waits_for(seat))
        take = next(take for take in ("hold", "roll") if take in at.state.match.may(turn))
        if turn == 0:
            at.move(0, take)
        else:  # bo has left, and is played for
            choice = bot_move(at.state, turn)
            assert choice
            at.take(play_for(at.state, turn, choice.move, "bot", at.dice))
    at.do(0, Rematch(id="1"))
    return at


def one_game(**fields: Any) -> PureTable:
    """Double or Nothing from 19: a toss, one move, and it is over."""
    at = PureTable("double-or-nothing", "ana", "bo", dice=CountedDice(), start=19, **fields)
    at.do(0, Ready(id="1", commit=ANA.tip))
    at.do(1, Ready(id="1", commit=BO.tip))
    at.show(ANA, BO)
    at.move(at.state.starter or 0, "add")
    return at


def log_of(at: PureTable) -> Log:
    return [json.loads(line) for line in at.lines]


def checked(log: Log) -> dict[str, Check]:
    return {check.name: check for check in audit(chained(log))}


def test_one_honest_game() -> None:
    nothing = "this machine remembers nothing of this room"
    assert audit([*one_game().lines, b"\n"]) == [
        Check("numbers", True, "1 to 7, none missing"),
        Check("chain", True, "each update names the one before"),
        Check(
            "dice",
            True,
            "1 draw, from the links of ana, bo and of the server; they are fair if one of these is honest",
        ),
        Check("secrets", True, "1 of 1 secrets shown, all as promised"),
        Check("rules", True, "7 updates played again with the same result, 0 moves of bots among them"),
        Check("faces", True, "chi² 1.0 for 1 die of 2 sides"),
        Check("memory", True, "nothing is remembered here", (nothing,)),
    ]


def test_an_honest_evening() -> None:
    at = evening()
    checks = checked(log_of(at))
    assert all(check.ok for check in checks.values()), checks
    assert "game 1: 1 redraw, because bo did not answer" in checks["dice"].doubts
    at.take(abandon(at.state))
    checks = checked(log_of(at))
    assert all(check.ok for check in checks.values()), checks
    assert checks["secrets"].detail == "2 of 2 secrets shown, all as promised"
    assert "game 2: it was abandoned" in verdict(checks.values())[1]
    assert not checks["rules"].doubts


def test_a_move_after_an_abandoned_game_is_refused_by_verify() -> None:
    at = PureTable("double-or-nothing", "ana", "bo", first="1").start()
    at.take(abandon(at.state))
    at.state = at.state.but(abandoned=False)  # a server that does not care
    at.move(0, "add")
    checks = checked(log_of(at))
    assert not checks["rules"].ok
    assert "abandoned" in checks["rules"].detail
    assert checks["dice"].detail == "update 6: The game is played on, although the secret of its dice is known."


def test_a_running_game_is_checked_as_far_as_it_goes() -> None:
    at = one_game()
    at.do(0, Start(id="1"))
    at.sit("cy")
    checks = checked(log_of(at))
    assert checks["secrets"] == Check("secrets", True, "1 of 2 secrets shown, all as promised")
    assert checks["dice"].doubts == ("game 2: it is not over",)
    assert checks["rules"].doubts == ()


def test_a_table_that_never_played() -> None:
    checks = checked(log_of(PureTable("doubles", "ana")))
    assert checks["secrets"].detail == "0 of 0 secrets shown, all as promised"
    assert checks["faces"].detail == "no dice were rolled by the server"
    assert checks["rules"].detail == "2 updates played again with the same result, 0 moves of bots among them"


# One thing is wrong.


def edit(where: int, *path: Any, to: Any) -> Callable[[Log], None]:
    def change(log: Log) -> None:
        target = log[where]
        for step in path[:-1]:
            target = target[step]
        if to is ...:
            del target[path[-1]]
        else:
            target[path[-1]] = to

    return change


GONE: Any = ...


@pytest.mark.parametrize(
    ("change", "name", "detail"),
    [
        (edit(2, "seq", to=4), "numbers", "update 3 is missing or out of place"),
        (edit(0, "seq", to=0), "numbers", "update 1 is missing or out of place"),
        (
            edit(6, "patch", "fair", "secret", to="00" * 32),
            "secrets",
            "the secret of game 1 is not the one promised",
        ),
        (
            edit(6, "patch", "fair", "secret", to="xyz"),
            "secrets",
            "the secret of game 1 is not the one promised",
        ),
        (edit(6, "patch", "fair", "secret", to=GONE), "secrets", "game 1 is over, and its secret was never shown"),
        (edit(6, "patch", "fair", "secret", to=None), "secrets", "game 1 is over, and its secret was never shown"),
        (
            edit(5, "patch", "fair", "links", "1", to=ANA.chain.link(1).hex()),
            "dice",
            "update 6: The link of bo is not the one that was promised.",
        ),
        (
            edit(5, "patch", "fair", "links", "0", to="xyz"),
            "dice",
            "update 6: The link of ana is not the one that was promised.",
        ),
        (
            edit(3, "patch", "seats", "0", "ready", to=1),
            "rules",
            "update 4 is not what the rules make of it: patch.seats.0.ready",
        ),
        (
            edit(3, "patch", "seats", "0", "ready", to=GONE),
            "rules",
            "update 4 is not what the rules make of it: patch.seats.0.ready",
        ),
        (
            edit(3, "patch", "extra", to={"a": 1}),
            "rules",
            "update 4 is not what the rules make of it: patch.extra",
        ),
        (
            edit(3, "events", 0, "seat", to=1),
            "rules",
            "update 4 is not what the rules make of it: events[0].seat",
        ),
        (edit(3, "events", to=[]), "rules", "update 4 is not what the rules make of it: events"),
        (
            edit(6, "events", 1, "number", to=21),
            "rules",
            "update 7 is not what the rules make of it: events[1].number",
        ),
        (
            edit(5, "cause", "drawn", "r", to=2),
            "rules",
            "update 6 is not what the rules make of it: cause.drawn.r",
        ),
        (
            edit(2, "cause", "args", "name", to="ana"),
            "rules",
            'update 3: the rules refuse it: "ana" is already at this table. Join as "ana2"?',
        ),
        (edit(2, "cause", "args", to=GONE), "rules", "update 3: it makes no sense"),
        (edit(2, "cause", "kind", to="dance"), "rules", "update 3: it makes no sense"),
        (edit(3, "cause", "seat", to=9), "rules", "update 4: it makes no sense"),
        (edit(6, "cause", "seat", to=GONE), "rules", "update 7: it makes no sense"),
        (edit(6, "cause", "by", to="bot"), "rules", "update 7: a move of this seat can't be made by a bot"),
        (edit(6, "cause", "by", to="clock"), "rules", "update 7: a move of this seat can't be made by a clock"),
    ],
)
def test_what_is_wrong_is_named(change: Callable[[Log], None], name: str, detail: str) -> None:
    log = log_of(one_game())
    change(log)
    found = checked(log)[name]
    assert (found.ok, found.detail) == (False, detail)


def test_where_numbers_are_wrong_nothing_else_is_looked_at() -> None:
    assert list(checked(log_of(one_game())[1:])) == ["numbers"]


def test_an_earlier_game_must_have_shown_its_secret() -> None:
    at = one_game()
    at.do(0, Start(id="1"))
    log = log_of(at)
    log[6]["patch"]["fair"].pop("secret")
    log[6]["events"].pop()  # not even its end is told
    checks = checked(log)
    assert checks["secrets"].detail == "game 1 is over, and its secret was never shown"
    assert "never showed the secret" in checks["dice"].detail


def test_a_draw_that_was_changed_is_found() -> None:
    log = log_of(one_game())
    faces = log[5]["cause"]["drawn"]["faces"]
    log[5]["cause"]["drawn"]["faces"] = [3 - faces[0]]
    checks = checked(log)
    assert checks["rules"].detail == "update 6 is not what the rules make of it: cause.drawn.faces[0]"
    assert checks["dice"].detail == "update 6: The dice do not follow from what all have shown."


def test_what_was_never_shown_can_not_be_played_again() -> None:
    at = one_game()
    dice = KnownDice({"c": b"s"}, {3: Move(take="bid", choice="4")})
    dice.expect(at.state, {"commit": "c"})
    assert (dice.secret(), dice.unsealed(3, b"s")) == (b"s", Move(take="bid", choice="4"))
    dice.expect(at.state, {"commit": "d", "link": "00" * 32})
    assert (dice.secret(), dice.commitment(b"")) == (b"", "d")
    for late in (lambda: dice.hidden(b"", 1), lambda: dice.unsealed(3, b"")):
        with pytest.raises(NotYet):
            late()
    with pytest.raises(NotPossible, match=r"^the server's link is not the one that it was bound to$"):
        dice.link(b"", 1)
    with pytest.raises(NotPossible, match=r"^the sealed move in it was never shown$"):
        dice.unsealed(4, b"s")


def played_otherwise() -> PureTable:
    """A game whose bot never does what its level does, where it has another choice."""
    at = PureTable("sevens", "ana", dice=CountedDice(), rounds=1)
    at.do(0, AddBot(id="1", level="steady"))
    at.start()
    while at.state.playing:
        assert at.state.match
        seat = next(seat for seat in (0, 1) if at.state.match.waits_for(seat))
        if seat == 0:
            at.move(0, "roll" if "roll" in at.state.match.may(0) else "keep")
            continue
        choice = bot_move(at.state, seat)
        assert choice
        other = [take for take in at.state.match.may(seat) if take != choice.move.take]
        at.take(play_for(at.state, seat, Move(take=other[0]) if other else choice.move, "bot", at.dice))
    return at


def test_a_bot_that_plays_otherwise_is_found() -> None:
    (wrong,) = [check for check in audit(played_otherwise().lines) if not check.ok]
    assert (wrong.name, wrong.detail.partition(": ")[2]) == ("bots", "bot-1 does not play as its level does")


def test_rules_of_another_version_are_not_compared() -> None:
    log = log_of(one_game())
    log[0]["patch"]["room"]["rules"] = "double-or-nothing-0"
    rules = checked(log)["rules"]
    assert rules.ok and rules.doubts == (
        "the log is of the rules double-or-nothing-0, and this program has double-or-nothing-1",
    )


def test_bots_of_another_version_are_not_accused() -> None:
    log = log_of(played_otherwise())
    begun = next(line["patch"]["fair"] for line in log if "commit" in (line["patch"].get("fair") or {}))
    begun["bots"] = 7
    checks = checked(log)
    assert all(check.ok for check in checks.values()), checks
    assert "of bots of another version" in checks["rules"].doubts[0]


# What is no log.


@pytest.mark.parametrize(
    ("lines", "detail"),
    [
        ([], "this is not a log of updates"),
        ([b"", b"  \n"], "this is not a log of updates"),
        ([b'{"type":"ack","id":"1","seq":1}'], "line 1 is not an update. This is not an update."),
        ([b"[]"], "line 1 is not an update. A message is a JSON object."),
        ([b'{"type":"magic"}'], "line 1 is not an update. That type of message is not known here."),
        ([b"\xff"], "line 1 is not an update. It is not text."),
    ],
)
def test_what_is_no_log_says_so(lines: list[bytes], detail: str) -> None:
    assert audit(lines) == [Check("file", False, detail)]


def test_updates_and_something_else() -> None:
    lines = one_game().lines
    assert [check.name for check in audit([*lines, b'{"type":"ack","id":"1","seq":8}'])] == ["file"]


@pytest.mark.parametrize("patch", [{"fair": {"links": 7}}, {"fair": {"links": {"0": 7}}}, {"room": 1}, {"seats": []}])
def test_an_update_of_another_build(patch: dict[str, Any]) -> None:
    log = log_of(one_game())
    log[5]["patch"] = patch
    assert checked(log)["file"].detail.startswith("update 6 is not built as updates are. The table makes no sense")


# How the dice fell.


def faces_check(*draws: tuple[int, dict[int, int]], r: int | None = 1) -> Check:
    """Of one update for each draw: sides, and how often each face fell."""
    log = []
    for seq, (sides, counts) in enumerate(draws, start=1):
        faces = [face for face, many in counts.items() for _ in range(many)]
        drawn = {"r": r, "sides": sides, "count": len(faces), "faces": faces}
        log.append({"type": "update", "seq": seq, "cause": {"kind": "open", "drawn": drawn}, "events": [], "patch": {}})
    return checked(log)["faces"]


@pytest.mark.parametrize(
    ("sides", "counts", "ok", "chi"),
    [
        (2, {1: 200, 2: 200}, True, "0.0"),
        (2, {1: 248, 2: 152}, True, "23.0"),
        (2, {1: 249, 2: 151}, False, "24.0"),
        (2, {1: 151, 2: 249}, False, "24.0"),
        (6, {1: 142, 2: 58, 3: 100, 4: 100, 5: 100, 6: 100}, True, "35.3"),
        (6, {1: 142, 2: 58, 3: 106, 4: 94, 5: 100, 6: 100}, False, "36.0"),
        (6, {1: 100, 2: 100, 3: 100, 4: 100, 5: 58, 6: 142}, True, "35.3"),
        (3, {1: 300}, True, "600.0"),  # of such dice nothing is said
    ],
)
def test_dice_that_nobody_would_believe(sides: int, counts: dict[int, int], ok: bool, chi: str) -> None:
    total = sum(counts.values())
    assert faces_check((sides, counts)) == Check("faces", ok, f"chi² {chi} for {total} dice of {sides} sides")


def test_all_draws_count_by_their_sides() -> None:
    told = faces_check((6, {1: 1, 6: 1}), (2, {1: 2}), (6, {2: 1, 3: 1, 4: 1, 5: 1}))
    assert told == Check("faces", True, "chi² 2.0 for 2 dice of 2 sides; chi² 0.0 for 6 dice of 6 sides")
    bad, good = (2, {1: 249, 2: 151}), (6, {1: 1})
    assert not faces_check(bad, good).ok and not faces_check(good, bad).ok


def test_typed_dice_are_not_the_servers() -> None:
    assert faces_check((6, {1: 300}), r=None) == Check("faces", True, "no dice were rolled by the server")


@pytest.mark.parametrize("mended", [{"take": "correct", "choice": "#4", "faces": (1, 2)}, {"take": "undo"}])
def test_a_game_that_goes_on_after_a_correction_has_a_new_secret(mended: dict[str, Any]) -> None:
    """The old one is known by then. Only where dice are typed can that happen."""
    at = PureTable("doubles", dice=CountedDice(), entered=True, rounds=1, window=0)
    at.sit("ana", commit=ANA.tip)
    at.sit("bo", commit=BO.tip)
    first = at.start().state.fair
    for number, faces in enumerate(((6, 1), (6, 1), (6, 1), (3, 4))):
        at.move(number % 2, "roll", faces=faces)
    assert at.state.info.phase == "over" and at.state.fair and at.state.fair.secret
    at.move(1, **mended)
    assert at.state.playing and first and at.state.fair.commit != first.commit and at.state.fair.secret is None
    at.take(abandon(at.state))
    checks = checked(log_of(at))
    assert all(check.ok for check in checks.values()), checks
    assert checks["secrets"].detail == "2 of 2 secrets shown, all as promised"
    log = log_of(at)
    for line in log:
        if (options := (line["patch"].get("room") or {}).get("options")) is not None:
            options["dice"] = "server"
    wrong = checked(log)["dice"]
    assert not wrong.ok

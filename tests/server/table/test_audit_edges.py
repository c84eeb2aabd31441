"""What an audit says, check by check: of an honest log of everything, and of logs with one thing wrong each."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from dicegames_protocol.fairness import commitment
from dicegames_protocol.messages.client import (
    AddBot,
    ChangeOptions,
    GiveHost,
    Kick,
    Ready,
    Rematch,
    RemoveBot,
    Reveal,
    Start,
)
from dicegames_protocol.table import Move
from dicegames_server.games.dice import KeyedDice
from dicegames_server.table.audit import Check, audit
from dicegames_server.table.commands import abandon, leave_seat, stand_in
from dicegames_server.table.deal import deal, reveal
from dicegames_server.table.play import play_for, time_up
from dicegames_server.table.replay import KnownDice, NotPossible
from support.pure_table import PureTable

A, B = b"\xaa" * 16, b"\xbb" * 16
Log = list[dict[str, Any]]


class CountedDice(KeyedDice):
    """Fair dice, with secrets that anybody could guess."""

    def __init__(self) -> None:
        self._drawn = 0

    def secret(self) -> bytes:
        self._drawn += 1
        return bytes([self._drawn]) * 32


def dealt(at: PureTable, **seeds: bytes) -> None:
    """The seeds are shown, in the name of ana or bo, and the game begins."""
    for name, seed in seeds.items():
        seat = next(int(seat) for seat, known in at.names().items() if known == name)
        at.state = reveal(at.state, seat, Reveal(id="1", seed=seed.hex()))
    at.take(deal(at.state, at.dice))


def evening() -> PureTable:
    """Everything that can happen to a table, by everybody who can do it: two games, and a third that is abandoned."""
    at = PureTable("doubles", "ana", "bo", dice=CountedDice(), turn_limit=30, rounds=1, window=5)
    at.sit("robo", program=True)
    at.sit("cy")
    at.do(0, AddBot(id="1", count=2, level="easy"))
    at.do(0, RemoveBot(id="1", target=4))
    at.do(0, Kick(id="1", target=3))
    at.do(0, GiveHost(id="1", target=1))
    at.do(1, ChangeOptions(id="1", options={"rounds": 2}))
    at.take(leave_seat(at.state, 2, "expired"))
    at.do(0, Ready(id="1", commit=commitment(A)))
    at.do(1, Ready(id="1", commit=commitment(B)))
    dealt(at, ana=A)  # bo's seed is left out
    at.move(0, "roll")
    at.take(time_up(at.state, at.dice))
    at.take(stand_in(at.state, 0, True))
    at.take(play_for(at.state, 0, Move(take="cash"), "bot", at.dice))
    at.take(stand_in(at.state, 0, False))
    at.take(leave_seat(at.state, 1, "left"))
    while at.state.playing:
        assert at.state.match
        turn = next(seat for seat in (0, 1, 5) if at.state.match.waits_for(seat))
        take = next(take for take in ("hold", "roll") if take in at.state.match.may(turn))
        if turn == 0:
            at.move(0, take)
        else:  # bo has left, and is played for
            at.take(play_for(at.state, turn, Move(take=take), "bot", at.dice))
    at.do(0, Rematch(id="1"))
    return at


def one_game(**fields: Any) -> PureTable:
    """Double or Nothing from 19: a toss, one move, and it is over."""
    at = PureTable("double-or-nothing", "ana", "bo", dice=CountedDice(), start=19, **fields)
    at.do(0, Ready(id="1", commit=commitment(A)))
    at.do(1, Ready(id="1", commit=commitment(B)))
    dealt(at, ana=A, bo=B)
    at.move(at.state.starter or 0, "add")
    return at


def log_of(at: PureTable) -> Log:
    return [json.loads(line) for line in at.lines]


def checked(log: Log, own: dict[str, str] | None = None) -> dict[str, Check]:
    return {check.name: check for check in audit([json.dumps(line).encode() for line in log], own)}


def test_one_honest_game() -> None:
    assert audit([*one_game().lines, b"\n"]) == [
        Check("numbers", True, "1 to 7, none missing"),
        Check("commits", True, "1 of 1 secrets shown, all as promised"),
        Check("seeds", True, "2 shown, all as promised; 0 left out"),
        Check("rules", True, "7 updates played again with the same result, 1 draws worked out anew"),
        Check("faces", True, "chi² 1.0 for 1 dice of 2 sides"),
    ]


def test_an_honest_evening() -> None:
    at = evening()
    checks = checked(log_of(at))
    assert all(check.ok for check in checks.values()), checks
    assert checks["seeds"].detail == "1 shown, all as promised; 1 left out"
    at.take(abandon(at.state))
    checks = checked(log_of(at))
    assert all(check.ok for check in checks.values()), checks
    assert checks["commits"].detail == "2 of 2 secrets shown, all as promised"
    assert checks["rules"].unchecked == 0


def test_a_move_after_an_abandoned_game_is_refused_by_verify() -> None:
    at = PureTable("double-or-nothing", "ana", "bo", first="1").start()
    at.take(abandon(at.state))
    at.state = at.state.but(abandoned=False)  # a server that does not care
    at.move(0, "add")
    rules = checked(log_of(at))["rules"]
    assert not rules.ok
    assert "abandoned" in rules.detail


def test_a_running_game_is_checked_up_to_its_beginning() -> None:
    at = one_game()
    played = len(at.updates)
    at.do(0, Start(id="1"))
    at.sit("cy")
    checks = checked(log_of(at))
    assert checks["commits"] == Check(
        "commits",
        True,
        "1 of 2 secrets shown, all as promised; the last game is still running, so its dice can't be checked yet",
    )
    told = f"{played} updates played again with the same result, 1 draws worked out anew"
    assert checks["rules"] == Check("rules", True, told, unchecked=2)


def test_a_table_that_never_played() -> None:
    checks = checked(log_of(PureTable("doubles", "ana")))
    assert checks["commits"].detail == "0 of 0 secrets shown, all as promised"
    assert checks["seeds"].detail == "0 shown, all as promised; 0 left out"
    assert checks["faces"].detail == "no dice were rolled by the server"
    assert checks["rules"] == Check(
        "rules", True, "2 updates played again with the same result, 0 draws worked out anew"
    )


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
            "commits",
            "the secret of game 1 is not the one that the server was bound to",
        ),
        (
            edit(6, "patch", "fair", "secret", to="xyz"),
            "commits",
            "the secret of game 1 is not the one that the server was bound to",
        ),
        (edit(6, "patch", "fair", "secret", to=GONE), "commits", "game 1 is over, and its secret was never shown"),
        (edit(6, "patch", "fair", "secret", to=None), "commits", "game 1 is over, and its secret was never shown"),
        (
            edit(5, "patch", "fair", "seeds", "1", to=A.hex()),
            "seeds",
            "update 6: the seed of seat 1 is not the one promised",
        ),
        (
            edit(5, "patch", "fair", "seeds", "0", to="xyz"),
            "seeds",
            "update 6: the seed of seat 0 is not the one promised",
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
    assert checked(log)["commits"].detail == "game 1 is over, and its secret was never shown"


def test_a_draw_that_was_changed_is_found() -> None:
    log = log_of(one_game())
    faces = log[5]["cause"]["drawn"]["faces"]
    log[5]["cause"]["drawn"]["faces"] = [3 - faces[0]]
    assert checked(log)["rules"].detail == "update 6 is not what the rules make of it: cause.drawn.faces[0]"


def test_what_was_never_shown_can_not_be_played_again() -> None:
    dice = KnownDice({"c": b"s"}, {3: Move(take="bid", choice="4")})
    dice.next_commit = "c"
    assert (dice.secret(), dice.unsealed(3)) == (b"s", Move(take="bid", choice="4"))
    dice.next_commit = "d"
    with pytest.raises(NotPossible, match=r"^the secret of this game was never shown$"):
        dice.secret()
    with pytest.raises(NotPossible, match=r"^the sealed move in it was never shown$"):
        dice.unsealed(4)


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


@pytest.mark.parametrize("patch", [{"fair": {"seeds": 7}}, {"fair": {"seeds": {"0": 7}}}, {"room": 1}, {"seats": []}])
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


# My own seeds.


def test_my_seeds_went_into_the_dice() -> None:
    own = {commitment(seed): seed.hex() for seed in (A, B)}
    lines = one_game().lines
    assert audit(lines, own)[5:] == [
        Check("your seed", True, "update 6: the seed of ana is included"),
        Check("your seed", True, "update 6: the seed of bo is included"),
    ]
    assert audit(lines, {commitment(B): B.hex()})[5:] == [
        Check("your seed", True, "update 6: the seed of bo is included")
    ]
    at = PureTable("double-or-nothing", "ana", "bo", dice=CountedDice())
    at.do(0, Ready(id="1", commit=commitment(A)))
    at.do(1, Ready(id="1", commit=commitment(B)))
    dealt(at, bo=B)
    assert audit(at.lines, own)[5:] == [
        Check("your seed", False, "update 6: the seed of ana was left out"),
        Check("your seed", True, "update 6: the seed of bo is included"),
    ]
    assert len(audit(at.lines)) == 5

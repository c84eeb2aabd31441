"""Seats at their edges: who is host next, which seat and which name is free, and what stays of whoever has left."""

import hashlib

import pytest

from dicegames_protocol.table import Player
from dicegames_server.core.errors import Refused
from dicegames_server.table.seats import Seats, token_hash


def seated(*names: str, capacity: int = 8) -> Seats:
    seats = Seats(capacity)
    for name in names:
        seats, seat = seats.sit(name, "KQ7M")
        seats = seats.with_token(seat, f"token-{seat}").with_key(seat, f"key-{seat}")
    return seats


def refusal(seats: Seats, name: str) -> tuple[str, str, str | None]:
    with pytest.raises(Refused) as refused:
        seats.sit(name, "KQ7M")
    return refused.value.code, refused.value.message, refused.value.hint


def test_the_lowest_free_seat() -> None:
    seats = seated("ana", "bo", "cy", "di").vacate(1, "removed")
    seats, seat = seats.sit("ed", "KQ7M")
    assert (seat, seats.present) == (1, [0, 1, 2, 3])
    seats, seat = seats.vacate(0, "removed").sit("flo", "KQ7M")
    assert (seat, seats[0].name) == (0, "flo")
    assert seats.get(0) == seats[0] and seats.get(7) is None


def test_present_seats_are_in_order_of_their_numbers() -> None:
    seats = seated(*(f"p{number}" for number in range(12)), capacity=12).vacate(3, "removed")
    assert seats.sit("back", "KQ7M")[0].present == list(range(12))


@pytest.mark.parametrize("capacity", [1, 2, 3])
def test_as_many_sit_as_there_are_seats(capacity: int) -> None:
    seats = seated(*"abc"[:capacity], capacity=capacity)
    full = f"Room KQ7M is full ({capacity} of {capacity})."
    assert refusal(seats, "late") == ("room_full", full, None)
    with pytest.raises(Refused) as refused:
        seats.add_bots(1, "easy", "KQ7M")
    assert (refused.value.code, refused.value.message) == ("room_full", full)


def test_whoever_has_left_takes_no_seat_away() -> None:
    seats = seated("ana", "bo", capacity=2).vacate(1, "kept")
    assert (seats.present, seats.people) == ([0], [0])
    seats, seat = seats.sit("cy", "KQ7M")
    assert (seat, seats.present, set(seats.players)) == (2, [0, 2], {"0", "1", "2"})


def test_a_person_is_not_ready_and_a_bot_is() -> None:
    seats, bot = Seats(4).sit("bot-1", "KQ7M", bot="easy")
    assert seats[bot] == Player(name="bot-1", bot="easy", ready=True)
    assert seats.host is None  # a bot is no host
    seats, person = seats.sit("ana", "KQ7M")
    assert (seats[person], seats.host) == (Player(name="ana"), person)
    seats, _ = seats.sit("bo", "KQ7M")
    assert (seats.host, seats.people, seats.bots) == (1, [1, 2], [0])


@pytest.mark.parametrize(
    ("taken", "name", "hint"),
    [
        (["ana"], "ana", "ana2"),
        (["ana"], "ANA", "ANA2"),
        (["ana", "ana2"], "ana", "ana3"),
        (["ana", "ana2", "ana3"], "ana", "ana4"),
        (["sixteen-letters-"], "sixteen-letters-", "sixteen-letters2"),
        (["fourteen-lette"], "fourteen-lette", "fourteen-lette2"),
        (["fifteen-letters"], "fifteen-letters", "fifteen-letters2"),
        (["漢字漢字漢字漢字"], "漢字漢字漢字漢字", "漢字漢字漢字漢2"),
    ],
)
def test_a_free_name_is_proposed(taken: list[str], name: str, hint: str) -> None:
    said = f'"{name}" is already at this table. Join as "{hint}"?'
    assert refusal(seated(*taken), name) == ("name_taken", said, hint)
    assert seated(*taken).sit(hint, "KQ7M")[1] == len(taken)


def test_a_number_of_two_digits_still_fits() -> None:
    names = ["sixteen-letters-", *(f"sixteen-letters{number}" for number in range(2, 10))]
    assert refusal(seated(*names, capacity=20), "sixteen-letters-")[2] == "sixteen-letter10"


def test_a_name_that_is_none() -> None:
    assert refusal(Seats(2), "  ") == ("bad_message", "A name needs at least one letter.", None)


def test_bots_get_the_lowest_numbers_that_nobody_is_called() -> None:
    seats = seated("ana", "bot-2", "bo").vacate(0, "removed")
    seats, bots = seats.add_bots(3, "hard", "KQ7M")
    assert bots == [0, 3, 4]
    assert [seats[bot] for bot in bots] == [Player(name=f"bot-{n}", bot="hard", ready=True) for n in (1, 3, 4)]
    assert (seats.bots, seats.people, seats.host) == ([0, 3, 4], [1, 2], 1)


@pytest.mark.parametrize(("count", "fits"), [(1, True), (2, True), (3, False)])
def test_all_bots_or_none(count: int, fits: bool) -> None:
    seats = seated("ana", "bo", capacity=4)
    if fits:
        assert seats.add_bots(count, "easy", "KQ7M")[1] == [2, 3][:count]
        return
    with pytest.raises(Refused, match=r"^Room KQ7M is full \(2 of 4\)\.$"):
        seats.add_bots(count, "easy", "KQ7M")


@pytest.mark.parametrize(
    ("host", "gone", "following"),
    [(0, 0, 1), (1, 1, 2), (3, 3, 0), (2, 2, 3), (1, 0, 1), (1, 2, 1)],
)
def test_who_is_host_next(host: int, gone: int, following: int) -> None:
    for fate in ("removed", "bot", "kept"):
        seats = seated("ana", "bo", "cy", "di").give_host(host).vacate(gone, fate)
        assert seats.host == following


def test_a_bot_is_never_host_and_without_people_there_is_none() -> None:
    seats = seated("ana").add_bots(1, "easy", "KQ7M")[0]
    assert seats.vacate(0, "removed").host is None
    seats = seats.sit("cy", "KQ7M")[0]
    assert seats.vacate(0, "removed").host == 2


@pytest.mark.parametrize("fate", ["bot", "kept"])
def test_what_stays_of_whoever_left_a_game(fate: str) -> None:
    seats = seated("ana", "bo").change(1, ready=True, rematch=True, standin=True, commit="c")
    seats = seats.vacate(1, fate)  # type: ignore[arg-type]
    assert seats[1] == Player(name="bo", left=True)
    assert (seats.tokens, seats.keys) == ({"token-0": 0}, {0: "key-0"})
    assert (seats.present, list(seats.players)) == ([0], ["0", "1"])


def test_whoever_left_before_a_game_is_gone() -> None:
    seats = seated("ana", "bo", "cy").vacate(1, "removed")
    assert list(seats.players) == ["0", "2"]
    assert (seats.tokens, seats.keys) == ({"token-0": 0, "token-2": 2}, {0: "key-0", 2: "key-2"})


def test_a_seat_has_one_token_and_one_key() -> None:
    seats = seated("ana", "bo").with_token(1, "new").with_key(1, "other")
    assert (seats.tokens, seats.keys) == ({"token-0": 0, "new": 1}, {0: "key-0", 1: "other"})
    assert seats.with_key(1, None).keys == {0: "key-0"}
    seats = seats.with_token(0, "newer").with_key(0, "another")
    assert (seats.tokens, seats.keys) == ({"new": 1, "newer": 0}, {1: "other", 0: "another"})


def test_a_new_game_forgets_what_was_said_after_the_last() -> None:
    seats = seated("ana", "bo", "cy").add_bots(1, "easy", "KQ7M")[0]
    seats = seats.change(0, ready=True, rematch=True, commit="c").vacate(1, "kept").for_new_game().take_commits([0, 2])
    assert seats.players == {
        "0": Player(name="ana"),
        "2": Player(name="cy"),
        "3": Player(name="bot-1", bot="easy", ready=True),
    }


def test_of_a_token_its_hash_is_kept() -> None:
    assert token_hash("secret") == hashlib.sha256(b"secret").hexdigest()

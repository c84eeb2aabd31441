"""Limits by address: how many connections, and how many wrong guesses."""

import pytest

from dicegames_protocol.messages.client import (
    AddBot,
    AskOdds,
    AskRules,
    Chat,
    Create,
    FetchLog,
    Hello,
    Join,
    Kick,
    Ready,
    RemoveBot,
    Watch,
)
from dicegames_protocol.messages.server import Ack, Error, Joined, Left, Odds
from dicegames_protocol.text import skeleton
from dicegames_server.core.address_key import address_key
from dicegames_server.lobby.address_limits import AddressLimits
from dicegames_server.settings import Settings
from dicegames_server.table import seats
from support.clock import FakeClock
from support.hall import Hall, Peer


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("memory", "memory"),
    ],
)
def test_what_counts_as_one_place(address: str, place: str) -> None:
    assert address_key(address) == place


def test_connections_are_counted_by_place() -> None:
    address_limits = AddressLimits(FakeClock(), Settings(connections_per_address=2))
    assert address_limits.enters("2001:db8::1") and address_limits.enters("2001:db8::2")
    assert not address_limits.enters("2001:db8::3")
    assert address_limits.enters("2001:db8:0:1::3")
    address_limits.leaves("2001:db8::1")
    assert address_limits.enters("2001:db8::3")


async def test_guessing_is_slowed_down_for_one_address_only() -> None:
    hall = Hall(failed_joins_per_minute=10)
    ana, guesser, friend = await hall.peer(), await hall.peer(), await hall.peer()
    guesser.link.address, friend.link.address = "192.0.2.66", "192.0.2.7"
    room = (await ana.create("doubles")).room
    for number in range(10):
        id = f"guess {number}"
        wrong = (Join(id=id, room="AAAA", name="x"), Watch(id=id, room="AAAA"), FetchLog(id=id, room="AAAA"))
        assert (await guesser.refused(wrong[number % 3])).code == "no_such_room"
    error = await guesser.refused(Join(id="now", room=room, name="x"))
    assert (error.code, error.message) == (
        "rate_limited",
        "Too many wrong codes or passwords from your address. Wait a minute.",
    )
    await friend.expect(Joined, Join(id="f", room=room, name="bo"))
    await hall.wait(6.1, guesser)
    assert (await guesser.refused(Join(id="again", room="AAAA", name="x"))).code == "no_such_room"
    assert (await guesser.refused(Join(id="once more", room="AAAA", name="x"))).code == "rate_limited"
    await hall.wait(61, guesser)
    await guesser.expect(Joined, Join(id="at last", room=room, name="cy"))


def test_who_knocks_on_and_on_is_not_listened_to() -> None:
    address_limits = AddressLimits(FakeClock(), Settings(connections_per_address=2))
    assert [address_limits.knocks("192.0.2.66") for _ in range(9)] == [*[True] * 8, False]
    assert address_limits.knocks("192.0.2.7")
    address_limits.goes("192.0.2.66")
    assert address_limits.knocks("192.0.2.66")


async def test_rooms_are_counted_by_the_address_that_opened_them() -> None:
    hall = Hall(rooms_per_address=2)
    opened = []
    for _ in range(2):
        greedy = await hall.peer()
        greedy.link.address = "192.0.2.66"
        opened.append(await greedy.create("doubles"))
        await greedy.drop()  # the room is still there
    greedy = await hall.peer()
    greedy.link.address = "192.0.2.66"
    error = await greedy.refused(Create(id="x", game="doubles", name="ana"))
    assert (error.code, error.message) == (
        "rate_limited",
        "Too many rooms were opened from your address. Close one first.",
    )
    await (await hall.peer()).create("doubles")
    kept = hall.lobby.registry.here(opened[0].room)
    assert kept
    await hall.lobby.close(kept.room, "enough")
    await greedy.create("doubles")


async def kicked(hall: Hall, *, address: str, key: str | None = None) -> tuple[Peer, str]:
    """A host who has just removed a player who came from this address."""
    ana, bo = await hall.peer(), await hall.peer(player=key)
    ana.link.address, bo.link.address = "192.0.2.1", address
    room = (await ana.create("doubles")).room
    seat = (await bo.join(room, "bo")).seat
    assert seat is not None
    await ana.expect(Ack, Kick(id="kick", target=seat))
    return ana, room


async def test_who_was_removed_does_not_come_back_under_another_name() -> None:
    hall = Hall(kick_seconds=60)
    _, room = await kicked(hall, address="192.0.2.66")
    again, other = await hall.peer(), await hall.peer()
    again.link.address, other.link.address = "192.0.2.66", "192.0.2.7"
    for message in (Join(id="j", room=room, name="carl"), Watch(id="w", room=room)):
        error = await again.refused(message)
        assert (error.code, error.message) == ("unauthorized", "The host has removed you from this room.")
    await other.join(room, "cy")
    await hall.wait(61)
    await again.join(room, "bo")


async def test_a_key_is_known_from_another_address_too() -> None:
    hall = Hall()
    _, room = await kicked(hall, address="192.0.2.66", key="a" * 64)
    moved = await hall.peer(player="a" * 64)
    moved.link.address = "198.51.100.1"
    assert (await moved.refused(Join(id="j", room=room, name="carl"))).code == "unauthorized"


async def test_people_behind_one_router_are_not_shut_out_for_each_other() -> None:
    hall = Hall()
    _, room = await kicked(hall, address="192.0.2.1", key="a" * 64)  # the host's own address
    friend, same = await hall.peer(), await hall.peer(player="a" * 64)
    friend.link.address = same.link.address = "192.0.2.1"
    await friend.join(room, "cy")
    assert (await same.refused(Join(id="j", room=room, name="bo2"))).code == "unauthorized"


async def test_names_and_chat_are_as_long_as_the_server_likes() -> None:
    hall = Hall(name_columns=4, chat_length=5)
    ana = await hall.peer()
    error = await ana.refused(Create(id="c", game="doubles", name="annabel"))
    assert (error.code, error.message) == ("bad_message", "That name is too wide: at most 4 columns.")
    room = (await ana.create("doubles", "ana")).room
    error = await ana.refused(Chat(id="t", text="hello there"))
    assert (error.code, error.message) == ("bad_message", "That is too long: at most 5 characters.")
    await ana.expect(Ack, Chat(id="u", text="hello"))
    assert (await (await hall.peer()).refused(Watch(id="w", room=room, name="spectator"))).code == "bad_message"


async def test_who_was_removed_does_not_look_on_from_another_window() -> None:
    hall = Hall()
    ana, bo, window = await hall.peer(), await hall.peer(), await hall.peer()
    ana.link.address, bo.link.address, window.link.address = "192.0.2.1", "192.0.2.66", "192.0.2.66"
    room = (await ana.create("doubles")).room
    seat = (await bo.join(room, "bo")).seat
    assert seat is not None
    await window.watch(room)
    await ana.expect(Ack, Kick(id="kick", target=seat))
    hall.drain(window)
    assert [message.reason for message in window.seen if isinstance(message, Left)] == ["kicked"]
    assert (await window.refused(Chat(id="c", text="hello"))).code == "unauthorized"


async def test_opening_rooms_on_and_on_takes_time() -> None:
    hall = Hall(new_rooms_per_minute=3)
    for _ in range(3):
        peer = await hall.peer()
        await peer.create("doubles")
        await peer.hang_up()
    peer = await hall.peer()
    error = await peer.refused(Create(id="x", game="doubles", name="ana", password="slow to hash"))
    assert (error.code, "too short a time" in error.message) == ("rate_limited", True)
    await hall.wait(21)
    await peer.create("doubles")


async def test_hello_is_said_once() -> None:
    hall = Hall()
    peer = await hall.peer()
    before = peer.link.player
    await peer.tell(Hello(protocol=(3, 3), client="again", challenge="a" * 64))
    last = peer.seen[-1]
    assert isinstance(last, Error) and last.message == "You have said hello already."
    assert peer.link.player == before


async def test_a_thousand_bots_cost_a_look_at_each_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing every new name with every old one took 44 seconds in an earlier version."""
    looked_at: list[str] = []

    def counted(name: str) -> str:
        looked_at.append(name)
        return skeleton(name)

    hall = Hall(bots_per_address=0)
    ana = await hall.peer()
    await ana.create("doubles", "bot-7", seats=1000)
    monkeypatch.setattr(seats, "skeleton", counted)
    await ana.expect(Ack, AddBot(id="b", count=999))
    assert len(looked_at) <= 1002
    names = [player["name"] for player in ana.store.table["seats"].values()]
    assert len(set(names)) == 1000
    assert {"bot-1", "bot-6", "bot-8", "bot-1000"} <= set(names)
    assert (await ana.refused(AddBot(id="c", count=1))).code == "room_full"


async def test_bots_are_limited_by_the_address_that_opened_their_rooms() -> None:
    hall = Hall(bots_per_address=5)
    ana, bo = await hall.peer(), await hall.peer()
    await ana.create("doubles", "ana", seats=20)
    await bo.create("doubles", "bo", seats=20)
    assert (await ana.refused(AddBot(id="x", count=50))).code == "room_full"
    assert (await ana.refused(AddBot(id="a", count=6))).message == (
        "This server allows 5 bots at the tables of one address."
    )
    await ana.expect(Ack, AddBot(id="b", count=3))
    assert (await bo.refused(AddBot(id="c", count=3))).code == "rate_limited"
    await bo.expect(Ack, AddBot(id="d", count=2))


async def test_bots_are_counted_like_messages() -> None:
    """Bots that are dropped and added again cost as much as new ones."""
    hall = Hall(bots_per_address=5)
    ana = await hall.peer()
    await ana.create("doubles", "ana", seats=20)
    for number in range(5):
        await ana.expect(Ack, AddBot(id=f"add{number}"))
        await ana.expect(Ack, RemoveBot(id=f"drop{number}"))
    refused = await ana.refused(AddBot(id="x"))
    assert "Too many bots in too short a time" in refused.message
    await hall.wait(13, ana)  # five a minute: one more every 12 seconds
    await ana.expect(Ack, AddBot(id="y"))


async def test_after_a_kick_nothing_of_the_room_answers_any_more() -> None:
    hall = Hall()
    ana, bo = await hall.table("farkle", "ana", "bo", public=False)
    room = ana.store.room or ""
    await bo.expect(Odds, AskOdds(id="1"))
    await ana.expect(Ack, Kick(id="2", target=bo.seat))
    bo.drain()
    for message in (
        AskOdds(id="3"),
        AskRules(id="4"),
        Chat(id="5", text="hello"),
        bo.moving("roll", seat=1),
        Ready(id="6"),
        FetchLog(id="7", room=room),
    ):
        assert (await bo.refused(message)).code in ("unauthorized", "no_such_room"), message

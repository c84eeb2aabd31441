"""Addresses: how many connections, and how many wrong guesses."""

import pytest

from dicegames_protocol.client_messages import FetchLog, Join, Watch
from dicegames_protocol.server_messages import Joined
from dicegames_server.doorman import Doorman, place_of
from dicegames_server.settings import Settings
from support.clock import FakeClock
from support.hall import Hall


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
    assert place_of(address) == place


def test_connections_are_counted_by_place() -> None:
    doorman = Doorman(FakeClock(), Settings(connections_per_address=2))
    assert doorman.enters("2001:db8::1") and doorman.enters("2001:db8::2")
    assert not doorman.enters("2001:db8::3")
    assert doorman.enters("2001:db8:0:1::3")
    doorman.leaves("2001:db8::1")
    assert doorman.enters("2001:db8::3")


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

"""What servers announce on the local network, and how clients read it."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_client.guest.nearby import closest
from dicegames_protocol.network.announcement import LONGEST_TEXT, Announcement
from dicegames_protocol.network.fingerprint import PATTERN, fingerprint
from dicegames_protocol.network.interfaces import LocalNetwork, local_networks, ranked, reachable
from dicegames_protocol.text import strip


def test_an_announcement_survives_the_way() -> None:
    told = Announcement(name="ana", game="Double or Nothing", seats="1/2", rooms=1, tls=True)
    sent = {key.encode(): value.encode() for key, value in told.properties().items()}
    assert Announcement.read(sent) == told
    assert told.understood
    assert not Announcement.read({**sent, b"protocol": b"7-9"}).understood


@given(st.dictionaries(st.binary(max_size=12), st.none() | st.binary(max_size=80), max_size=8))
def test_whatever_a_stranger_announces_can_be_shown(properties: dict[bytes, bytes | None]) -> None:
    for key in (b"name", b"game", b"seats", b"rooms", b"protocol"):
        properties.setdefault(key, next(iter(properties.values()), b"\xff\x1b[2J" * 40))
    told = Announcement.read(properties)
    for text in (told.name, told.game, told.seats):
        assert text == strip(text) and len(text) <= LONGEST_TEXT


def test_the_likely_address_comes_first() -> None:
    found = [
        ("docker0", "172.17.0.1"),
        ("VirtualBox Host-Only Ethernet Adapter", "192.168.56.1"),
        ("eth1", "10.0.0.5"),
        ("wlan0", "192.168.1.23"),
        ("wlan0", "2001:db8::23"),
    ]
    assert ranked(found, ["192.168.1.23", "2001:db8::23"]) == [
        "192.168.1.23",
        "10.0.0.5",
        "172.17.0.1",
        "192.168.56.1",
        "2001:db8::23",
    ]


def test_a_server_on_one_address_is_reached_there_only() -> None:
    assert reachable("127.0.0.1") == ["127.0.0.1"]
    assert not any(ipaddress.ip_address(address).is_loopback for address in reachable(""))


@pytest.mark.parametrize(
    ("addresses", "chosen"),
    [
        (["10.9.9.9", "192.168.1.23"], "192.168.1.23"),
        (["fd00::23", "192.168.1.23"], "192.168.1.23"),
        (["2001:db8::23", "fd00::23"], "fd00::23"),
        (["127.0.0.1"], None),  # that would be this machine itself
        (["192.168.1.23", "127.0.0.1"], "192.168.1.23"),
        (["10.9.9.9", "93.184.216.34"], None),  # elsewhere
        (["224.0.0.1", "0.0.0.0", "::1"], None),
        ([], None),
    ],
)
def test_a_server_counts_with_an_address_of_the_network_where_it_was_announced(
    addresses: list[str], chosen: str | None
) -> None:
    networks = (ipaddress.ip_network("192.168.1.0/24"), ipaddress.ip_network("fd00::/64"))
    assert closest(addresses, LocalNetwork("wlan0", ("192.168.1.5", "fd00::5"), networks)) == chosen


def test_the_loopback_is_a_network_of_its_own() -> None:
    (found,) = local_networks(["127.0.0.1"])
    assert closest(["192.168.1.23", "127.0.0.1"], found) == "127.0.0.1"
    assert closest(["192.168.1.23"], found) is None


@given(st.binary(max_size=64))
def test_fingerprints_are_letters_and_digits(der: bytes) -> None:
    assert PATTERN.fullmatch(fingerprint(der))

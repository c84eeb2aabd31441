"""What friends are told: the line, the page, and the port that has to be open."""

import pytest

from dicegames_client.base.address import HARMLESS, Address
from dicegames_client.base.system import firewall_prone
from dicegames_client.enter import invitation as module
from dicegames_client.enter.invitation import invitation

LAN = Address("192.168.1.23", 8765, room="KQ7M")
SENTENCE = "If friends can't get in: port 8765 (TCP) has to be open in this machine's firewall."


@pytest.mark.parametrize(
    ("address", "page"),
    [
        (LAN, "http://192.168.1.23:8765/KQ7M"),
        (Address("192.168.1.23", 8765, secure=True, room="KQ7M", pin="a" * 26), "https://192.168.1.23:8765/KQ7M"),
        (Address("dice.example.org", 443, secure=True, room="KQ7M-2PXT"), "https://dice.example.org/KQ7M-2PXT"),
        (Address("dice.example.org", 80, room="KQ7M"), "http://dice.example.org/KQ7M"),
        (Address("dice.example.org", 443, room="KQ7M"), "http://dice.example.org:443/KQ7M"),
        (Address("2001:db8::1", 8765, room="KQ7M"), "http://[2001:db8::1]:8765/KQ7M"),
        (Address("2001:db8::1", 80, room="KQ7M"), "http://[2001:db8::1]/KQ7M"),
        (Address("fe80::1%eth0", 8765, room="KQ7M"), ""),  # no browser takes that
    ],
)
def test_the_page_of_a_room(address: Address, page: str) -> None:
    assert invitation([address]).page == page


def test_the_firewall_is_named_where_the_server_is_and_others_come() -> None:
    hosted = invitation([LAN], hosted_here=True)
    assert hosted.firewall == SENTENCE and hosted.told()[-1] == SENTENCE
    both = "If friends can't get in: ports 8765 and 2222 (TCP) have to be open in this machine's firewall."
    assert invitation([LAN], hosted_here=True, ssh_port=2222).firewall == both
    assert not invitation([LAN], ssh_port=2222).firewall  # the server is somebody else's
    for host in ("127.0.0.1", "::1", "localhost"):
        only_here = invitation([Address(host, 8765, room="KQ7M")], hosted_here=True)
        assert only_here.line and not only_here.firewall


def test_a_system_without_a_firewall_is_not_suspected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "firewall_prone", lambda: False)
    assert not invitation([LAN], hosted_here=True).firewall


@pytest.mark.parametrize(
    ("platform", "prone"), [("win32", True), ("darwin", True), ("linux", True), ("freebsd14", False), ("aix", False)]
)
def test_systems_with_firewalls(platform: str, prone: bool) -> None:
    assert firewall_prone(platform) == prone


@pytest.mark.parametrize(
    "room", ["X; rm -rf ~", "$(reboot)", "`x`", "KQ7M\nreboot", "KQ7M|sh", "KQ7M'", "\x1b]52;c;eA==\x07", "KQ7M\u202e"]
)
def test_a_code_that_a_shell_would_not_leave_alone_is_no_invitation(room: str) -> None:
    """A server says which code a room has, and we would hand it on."""
    assert not invitation([LAN.at(room)], announced=True, locked=True)
    other = invitation([LAN.at(room), LAN], announced=True)
    assert other.line == "dicegames-client join 192.168.1.23:8765/KQ7M" and room not in other.near


def test_every_line_is_harmless() -> None:
    ways = [LAN, Address("fe80::1%eth0", 8765, secure=True, room="KQ7M-2PXT", pin="a" * 26)]
    made = invitation(ways, locked=True, announced=True)
    assert len(made.others) == 1
    assert all(HARMLESS.fullmatch(line) for line in (made.line, *made.others))

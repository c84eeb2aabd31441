"""The operator of several nodes is warned early if clients connect by a name from which they can't be redirected."""

import pytest

from dicegames_server.net.web.host_names import HostNameCheck


@pytest.mark.parametrize(
    ("node_url", "host", "told"),
    [
        ("wss://dice.example.org/n/1", "dice.example.org", False),
        ("wss://dice.example.org/n/1", "Dice.Example.org:443", False),
        ("wss://n1.dice.example.org", "dice.example.org", False),
        ("wss://dice.example.org/n/1", "n1.dice.example.org", True),
        ("wss://dice.example.org/n/1", "192.0.2.7:8765", True),
        ("ws://[2001:db8::1]:8765", "[2001:db8::1]:8765", False),
        ("ws://evil-dice.example.org", "dice.example.org", True),
        ("wss://dice.example.org/n/1", "[not an address", False),
        ("", "anything", False),
    ],
)
def test_who_comes_by_another_name(node_url: str, host: str, told: bool, caplog: pytest.LogCaptureFixture) -> None:
    site = HostNameCheck(node_url)
    for _ in range(3):
        site.visited_as([host])
    site.visited_as([])
    assert len(caplog.messages) == told

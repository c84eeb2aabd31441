"""The address of the client: X-Forwarded-For is trusted only from our own proxies."""

import pytest

from dicegames_server.net.web.proxy_headers import client_address, networks
from dicegames_server.settings import Settings

OURS = networks(["127.0.0.1", "10.0.0.0/8", "fd00::/8"])


@pytest.mark.parametrize(
    ("peer", "headers", "address"),
    [
        ("192.0.2.7", ["198.51.100.1"], "192.0.2.7"),  # a stranger says what they like
        ("127.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["203.0.113.9, 198.51.100.1"], "198.51.100.1"),  # the first was sent by the client itself
        ("127.0.0.1", ["198.51.100.1, 10.1.2.3"], "198.51.100.1"),  # two proxies of ours
        ("127.0.0.1", ["198.51.100.1", "10.1.2.3"], "198.51.100.1"),  # the same as two headers
        ("fd00::2", ["2001:db8::1"], "2001:db8::1"),
        ("127.0.0.1", ["198.51.100.1:4711"], "198.51.100.1"),
        ("127.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("127.0.0.1", ["unknown"], "127.0.0.1"),
        ("127.0.0.1", ["\x1b[2J, unknown, 10.1.2.3"], "10.1.2.3"),
        ("127.0.0.1", [""], "127.0.0.1"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("?", ["198.51.100.1"], "?"),
    ],
)
def test_the_address_that_counts(peer: str, headers: list[str], address: str) -> None:
    assert client_address(peer, headers, OURS) == address


def test_nobody_is_believed_by_default() -> None:
    trusted = networks(Settings().trusted_proxies)
    assert client_address("127.0.0.1", ["198.51.100.1"], trusted) == "127.0.0.1"

import pytest

from dicegames_client.address import Address, parse_address
from dicegames_client.errors import ClientError


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("KQ7M", Address("127.0.0.1", 8765, room="KQ7M")),
        (" kq7m ", Address("127.0.0.1", 8765, room="KQ7M")),
        ("K7Q2-M9XD", Address("127.0.0.1", 8765, room="K7Q2-M9XD")),
        ("example.org", Address("example.org", 8765)),
        ("localhost", Address("localhost", 8765)),
        ("192.168.1.23", Address("192.168.1.23", 8765)),
        ("192.168.1.23:9000", Address("192.168.1.23", 9000)),
        ("192.168.1.23:8765/KQ7M", Address("192.168.1.23", 8765, room="KQ7M")),
        ("192.168.1.23:8765/kq7m/", Address("192.168.1.23", 8765, room="KQ7M")),
        ("ws://host:1234/KQ7M", Address("host", 1234, room="KQ7M")),
        ("wss://dice.example.org/KQ7M", Address("dice.example.org", 443, secure=True, room="KQ7M")),
        ("WSS://dice.example.org", Address("dice.example.org", 443, secure=True)),
        ("[::1]:8765/KQ7M", Address("::1", 8765, room="KQ7M")),
        ("::1", Address("::1", 8765)),
        ("fe80::1/KQ7M", Address("fe80::1", 8765, room="KQ7M")),
    ],
)
def test_addresses_that_people_type(typed: str, address: Address) -> None:
    assert parse_address(typed) == address
    assert parse_address(address.shown) == address


@pytest.mark.parametrize(
    "typed", ["", "http://x", "host:port", "host:99999", "a b/KQ7M", "host/TOO-LONG-CODE", "ws://"]
)
def test_what_is_no_address_gets_a_sentence(typed: str) -> None:
    with pytest.raises(ClientError) as error:
        parse_address(typed)
    assert error.value.code == 2

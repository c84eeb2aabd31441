import pytest

from dicegames_client.base.address import Address, parse_address
from dicegames_client.base.errors import ClientError

PIN = "abcdefghijklmnopqrstuvwxy2"


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("192.168.1.23:8765/KQ7M  \t", Address("192.168.1.23", 8765, room="KQ7M")),
        ("DICE.EXAMPLE.ORG/KQ7M", Address("dice.example.org", 8765, room="KQ7M")),
        ("http://host:1234/KQ7M", Address("host", 1234, room="KQ7M")),
        ("ws://host:1234/r/KQ7M", Address("host", 1234, room="KQ7M")),
        ("https://dice.example.org/kq7m", Address("dice.example.org", 443, secure=True, room="KQ7M")),
        ("dicegames-client join 192.168.1.23:8765/KQ7M", Address("192.168.1.23", 8765, room="KQ7M")),
        (".venv/bin/dicegames-client join host/KQ7M --ask-password", Address("host", 8765, room="KQ7M")),
        ("dicegames join host/KQ7M", Address("host", 8765, room="KQ7M")),
        ("uvx dicegames join host/KQ7M", Address("host", 8765, room="KQ7M")),
        ("python3 Downloads/dicegames.pyz join host/KQ7M", Address("host", 8765, room="KQ7M")),
        (r"C:\Games\dicegames-0.1.0-windows.exe watch host/KQ7M", Address("host", 8765, room="KQ7M")),
        ('"192.168.1.23:8765/KQ7M"', Address("192.168.1.23", 8765, room="KQ7M")),
        ("<192.168.1.23:8765/KQ7M>", Address("192.168.1.23", 8765, room="KQ7M")),
        ("$ dicegames-client join host:8765/KQ7M.", Address("host", 8765, room="KQ7M")),
        ("192.168.1.23:8765 KQ7M", Address("192.168.1.23", 8765, room="KQ7M")),
        (f"wss://host:9000/KQ\n     7M+{PIN}", Address("host", 9000, secure=True, room="KQ7M", pin=PIN)),
        (f"host:9000/KQ7M+{PIN}", Address("host", 9000, secure=True, room="KQ7M", pin=PIN)),
        ("watch host/KQ7M", Address("host", 8765, room="KQ7M")),
        ("[2001:db8::1]/KQ7M", Address("2001:db8::1", 8765, room="KQ7M")),
        ("ws://[2001:db8::1]:9000", Address("2001:db8::1", 9000)),
        (f"wss://host:9000/KQ7M+{PIN}", Address("host", 9000, secure=True, room="KQ7M", pin=PIN)),
        (f"WSS://HOST:9000/KQ7M+{PIN.upper()}", Address("host", 9000, secure=True, room="KQ7M", pin=PIN)),
        (f"wss://host/+{PIN}", Address("host", 443, secure=True, pin=PIN)),
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


@pytest.mark.parametrize("typed", ["KQ7M", " kq7m ", "k q 7 m", "KQ7M\t", "k7q2-m9xd", "dicegames-client join KQ7M"])
def test_a_code_alone_is_a_room_somewhere(typed: str) -> None:
    address = parse_address(typed)
    assert address.anywhere
    assert address.room in ("KQ7M", "K7Q2-M9XD")


@pytest.mark.parametrize(
    ("typed", "here"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("192.168.1.23", False),
        ("ho", False),
    ],
)
def test_what_is_on_this_machine(typed: str, here: bool) -> None:
    assert parse_address(typed).on_this_machine is here


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "ftp://x",
        f"ws://host/KQ7M+{PIN}",
        "wss://host/KQ7M+short",
        "host:port",
        "host:99999",
        "a b/KQ7M",
        "host/TOO-LONG-CODE",
        "ws://",
    ],
)
def test_what_is_no_address_gets_a_sentence(typed: str) -> None:
    with pytest.raises(ClientError) as error:
        parse_address(typed)
    assert error.value.code == 2


@pytest.mark.parametrize(
    ("typed", "url", "leads_to"),
    [
        ("wss://dice.example.org/KQ7M", "wss://dice.example.org/n/2/r/KQ7M", "wss://dice.example.org:443/n/2/r/KQ7M"),
        ("wss://dice.example.org/KQ7M", "wss://dice.example.org:8443/r/KQ7M", "wss://dice.example.org:8443/r/KQ7M"),
        ("wss://dice.example.org/KQ7M", "wss://n2.dice.example.org/r/KQ7M", "wss://n2.dice.example.org:443/r/KQ7M"),
        ("ws://dice.example.org/KQ7M", "wss://dice.example.org/r/KQ7M", "wss://dice.example.org:443/r/KQ7M"),
        ("192.168.1.23/KQ7M", "ws://192.168.1.23:9001/r/KQ7M", "ws://192.168.1.23:9001/r/KQ7M"),
        ("wss://dice.example.org", "wss://dice.example.org/n/2", "wss://dice.example.org:443/n/2/"),
        ("wss://dice.example.org/KQ7M", "ws://dice.example.org/r/KQ7M", None),
        ("wss://dice.example.org/KQ7M", "wss://example.org/r/KQ7M", None),
        ("wss://dice.example.org/KQ7M", "wss://evildice.example.org/r/KQ7M", None),
        ("wss://dice.example.org/KQ7M", "wss://dice.example.org.evil.example/r/KQ7M", None),
        ("wss://dice.example.org/KQ7M", "wss://dice.example.org@evil.example/r/KQ7M", None),
        ("wss://dice.example.org/KQ7M", "https://dice.example.org/r/KQ7M", None),
        ("wss://dice.example.org/KQ7M", "wss://[dice.example.org/r/KQ7M", None),
        ("wss://dice.example.org/KQ7M", "", None),
        ("192.168.1.23/KQ7M", "ws://192.168.1.24:9001/r/KQ7M", None),
    ],
)
def test_a_server_may_send_us_to_the_same_site_only(typed: str, url: str, leads_to: str | None) -> None:
    address = parse_address(typed)
    if leads_to is None:
        with pytest.raises(ClientError, match="and we do not go"):
            address.sent_to(url)
    else:
        assert address.sent_to(url).url == leads_to

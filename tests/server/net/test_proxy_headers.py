"""The address of the client: X-Forwarded-For is trusted only from our own proxies."""

import pytest

from dicegames_server.net.proxy_headers import client_address, networks
from dicegames_server.settings import Settings, SettingsError, load, unknown_variables

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


def test_lists_in_the_environment_have_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICEGAMES_TRUSTED_PROXIES", "127.0.0.1, 172.16.0.0/12")
    assert load({}).trusted_proxies == ("127.0.0.1", "172.16.0.0/12")
    monkeypatch.setenv("DICEGAMES_TRUSTED_PROXIES", "the.proxy")
    with pytest.raises(SettingsError, match=r"The setting 'trusted_proxies' can't be used: 'the\.proxy' does not"):
        load({})
    monkeypatch.setenv("DICEGAMES_TRUSTED_PROXIES", "")
    monkeypatch.setenv("DICEGAMES_ADMIN", "8766")
    with pytest.raises(SettingsError, match=r"The setting 'admin' can't be used: it looks like 127\.0\.0\.1:8766"):
        load({})


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("trusted_proxies", "0.0.0.0/0", "the whole world is no proxy"),
        ("interfaces", "zzz", "'zzz' does not appear"),
        ("origins", "x", "'x' is not like https://dice.example.org"),
        ("admin", "[::1:9311", "it looks like"),
        ("ping_seconds", "inf", "finite number"),
        ("kernel_buffer", "99999999999", "less than or equal"),
        ("data", "mysql://dicegames@127.0.0.1/x", "it is a folder, or a PostgreSQL"),
        ("data", "postgresql:/x", "it is a folder, or a PostgreSQL"),
    ],
)
def test_settings_that_can_not_be(name: str, value: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"DICEGAMES_{name.upper()}", value)
    with pytest.raises(SettingsError) as error:
        load({})
    assert str(error.value).startswith(f"The setting '{name}' can't be used: ")
    assert why in str(error.value)


def test_a_variable_that_is_no_setting_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICEGAMES_MAX_ROOM", "5")
    monkeypatch.setenv("DICEGAMES_MAX_ROOMS", "5")
    assert "DICEGAMES_MAX_ROOM" in unknown_variables()
    assert "DICEGAMES_MAX_ROOMS" not in unknown_variables()

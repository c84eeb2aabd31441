"""Settings: where they come from, and which ones can't be."""

from pathlib import Path

import pytest

from dicegames_server.settings import SettingsError, load, unknown_variables


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
    monkeypatch.setenv("DICEGAMES_ZEBRA", "5")
    assert unknown_variables() == [
        "DICEGAMES_MAX_ROOM is no setting and does nothing. Did you mean 'DICEGAMES_MAX_ROOMS'?",
        "DICEGAMES_ZEBRA is no setting and does nothing.",
    ]


def test_where_a_setting_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flag before the environment, that before the file, that before the default. What is empty is said as well."""
    config = tmp_path / "dicegames.toml"
    config.write_text('port = 1\nmax_rooms = 2\nadmin = "127.0.0.1:3"\norigins = ["https://a.example"]\n')
    monkeypatch.setenv("DICEGAMES_PORT", "4")
    monkeypatch.setenv("DICEGAMES_MAX_ROOMS", "5")
    monkeypatch.setenv("DICEGAMES_ADMIN", "")
    monkeypatch.setenv("DICEGAMES_INTERFACES", "127.0.0.1, ::1")
    found = load({"port": 6}, config)
    assert (found.port, found.max_rooms, found.admin, found.max_seats) == (6, 5, "", 1000)
    assert (found.origins, found.interfaces) == (("https://a.example",), ("127.0.0.1", "::1"))


@pytest.mark.parametrize("line", ["ssh = true", "max_rooms = false", "log_days = true", "host = true"])
def test_a_switch_is_no_number(line: str, tmp_path: Path) -> None:
    """`ssh = true` is what one would write, and was port 1."""
    config = tmp_path / "dicegames.toml"
    config.write_text(line)
    with pytest.raises(SettingsError, match="it is not true or false"):
        load({}, config)
    config.write_text("announce = true\nleaderboard = false\n")
    assert load({}, config).announce and not load({}, config).leaderboard

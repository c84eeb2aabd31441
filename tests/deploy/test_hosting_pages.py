"""The pages about hosting name only commands, files and settings that exist."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from dicegames_client.cli.arguments import parse
from dicegames_server.app.command_line import parse as parse_server
from dicegames_server.settings import Settings, load

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "hosting.md", *sorted((ROOT / "docs" / "hosting").glob("*.md")), ROOT / "README.md"]


def commands(page: str) -> list[list[str]]:
    """Every call of one of our commands, in code blocks and in the text."""
    shell = "\n".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL))
    found = re.findall(r"(?:^|[\s/])(dicegames-(?:client|server)\b[^\n&;|…]*)", shell)
    inline = re.findall(r"`(?:sudo )?(dicegames-(?:client|server) [^`\s]+ [^`…]+)`", page)
    return [shlex.split(text, comments=True) for text in [*found, *inline] if "\\|" not in text and "FILE" not in text]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_commands_are_understood(path: Path) -> None:
    named = commands(path.read_text(encoding="utf-8"))
    for program, *arguments in named:
        if any(word.isupper() and "=" not in word and word != "KQ7M" for word in arguments):
            continue  # a placeholder
        if program == "dicegames-client":
            parse(arguments)
        elif "[" not in " ".join(arguments):
            parse_server(arguments)
    assert named or path.stem == "hosting"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_files_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"\bdeploy/([\w.-]+\w)", text):
        assert (ROOT / "deploy" / name).exists(), name
    for link in re.findall(r"\]\(([\w./-]+\.md)\)", text):
        assert (path.parent / link).exists(), link
    for name in re.findall(r"tests/[\w/]+\.py", text):
        assert (ROOT / name).exists(), name


def test_settings_and_defaults_are_those_of_the_server() -> None:
    text = PAGES[0].read_text(encoding="utf-8")
    table = text[text.index("## What a stranger can do") : text.index("Room codes have")]
    named = re.findall(
        r"`(\w+)`", " ".join(row.rsplit("|", 2)[1] for row in table.splitlines() if row.startswith("| "))
    )
    assert len(named) > 12
    assert set(named) <= set(Settings.model_fields)
    defaults = Settings()
    assert (defaults.connections_per_address, defaults.max_connections, defaults.rooms_per_address) == (20, 10_000, 20)
    assert (defaults.failed_joins_per_minute, defaults.frame_bytes, defaults.kick_seconds) == (10, 8192, 900)
    assert (defaults.messages_per_second, defaults.message_burst) == (10, 20)
    assert (defaults.chat_per_second, defaults.chat_burst) == (1, 5)
    assert (defaults.handshake_seconds, defaults.greeting_seconds) == (5, 5)
    assert (defaults.player_buffer, defaults.spectator_buffer, defaults.kernel_buffer) == (262144, 65536, 65536)
    assert (defaults.ping_seconds, defaults.ping_timeout_seconds, defaults.close_seconds) == (10, 10, 1)
    assert (defaults.name_columns, defaults.chat_length, defaults.queue_frames) == (16, 300, 16)
    assert (defaults.seat_seconds, defaults.waiting_seat_seconds) == (900, 60)
    assert (defaults.lobby_idle_seconds, defaults.empty_seconds) == (600, 1800)
    assert defaults.log_days == 30


def test_the_settings_file_of_the_home_server_is_one(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "hosting" / "home-server.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    tomllib.loads(block)
    (tmp_path / "dicegames.toml").write_text(block)
    settings = load({}, tmp_path / "dicegames.toml")
    assert (settings.announce, settings.tls, settings.data) == (True, "self", "/var/lib/dicegames")

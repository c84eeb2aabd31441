"""`dicegames`: the client and the server behind one command. It speaks of itself as it was typed."""

import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from dicegames_client.__main__ import main, whole
from dicegames_client.base.address import Address
from dicegames_client.base.command_line import program
from dicegames_client.enter.finding import nobody_found
from dicegames_client.enter.invitation import invitation
from dicegames_protocol import __version__
from dicegames_server.__main__ import main as server

ROOT = Path(__file__).parents[2]
TABLE = Address("192.168.1.23", 8765, room="KQ7M")


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test starts as `dicegames-client`, and leaves no other name behind."""
    monkeypatch.setattr("dicegames_client.base.command_line._program", program())


def typed(monkeypatch: pytest.MonkeyPatch, line: str) -> int | str | None:
    """The exit code of a whole line, such as `dicegames server --version`."""
    monkeypatch.setattr(sys, "argv", line.split())
    entry = {"dicegames-client": main, "dicegames-server": server}.get(line.split()[0], whole)
    try:
        return entry()
    except SystemExit as end:
        return end.code


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("dicegames --version", "dicegames"),
        ("dicegames-client --version", "dicegames-client"),
        ("dicegames-server --version", "dicegames-server"),
        ("dicegames server --version", "dicegames server"),
        ("dicegames join --version", "dicegames"),
        ("dicegames-client host farkle --version", "dicegames-client"),
        ("dicegames-server status --version", "dicegames-server"),
        ("/home/ana/dicegames.pyz --version", "dicegames.pyz"),
        (r"C:\\Games\\dicegames-0.1.0-windows.exe --version", "dicegames-0.1.0-windows"),
        ("__main__.py --version", "dicegames"),
    ],
)
def test_each_says_its_version(
    line: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(monkeypatch, line) == 0
    assert capsys.readouterr().out == f"{said} {__version__}\n"


def test_there_is_one_version() -> None:
    assert version("dicegames") == __version__
    assert "version" in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dynamic"]


def test_help_names_every_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(monkeypatch, "dicegames-client --help") == 0
    alone = set(capsys.readouterr().out.split())
    assert typed(monkeypatch, "dicegames --help") == 0
    together = set(capsys.readouterr().out.split())
    assert {"host", "join", "watch", "verify"} <= alone
    assert {word for word in alone if "dicegames-client" not in word} <= together
    assert "server" in together
    assert "dicegames-client" not in " ".join(together)
    assert typed(monkeypatch, "dicegames server --help") == 0
    page = capsys.readouterr().out
    assert page.startswith("usage: dicegames server ")
    assert {"status", "drain", "backup", "--data"} <= set(page.split())


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("dicegames frobnicate", "Try: dicegames --help"),
        ("dicegames.pyz join --nothing", "There is no option '--nothing' for 'join'."),
        ("dicegames host --rounds 3", "Say which one first: dicegames host GAME"),
        ("dicegames join 192.168.1.23 KQ7M", "There is no option 'KQ7M' for 'join'."),
        ("dicegames rooms KQ7M", "To join: dicegames join KQ7M"),
        ("dicegames-client rooms KQ7M", "To join: dicegames-client join KQ7M"),
        ("dicegames server frobnicate", "Try: dicegames server --help"),
        ("dicegames server --port no", "Try: dicegames server --help"),
        ("dicegames-server frobnicate", "Try: dicegames-server --help"),
        ("dicegames server completion zsh", "A shell completes it with the rest: dicegames completion zsh"),
    ],
)
def test_mistakes_name_the_command_that_was_typed(
    line: str, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(monkeypatch, line) == 2
    assert sentence in capsys.readouterr().err


def test_advice_is_for_who_reads_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """We type the name of our file. A friend has a file of another name, but the same command."""
    assert typed(monkeypatch, "dicegames.pyz --version") == 0
    assert "dicegames.pyz join ADDRESS/CODE" in nobody_found().sentence
    assert invitation([TABLE]).line == "dicegames join 192.168.1.23:8765/KQ7M"
    assert typed(monkeypatch, "dicegames-client --version") == 0
    assert invitation([TABLE]).line == "dicegames-client join 192.168.1.23:8765/KQ7M"


def test_help_and_version_load_next_to_nothing() -> None:
    """Imports are checked, because seconds depend on the machine."""
    for arguments in (["--help"], ["--version"], ["server", "--help"], ["server", "--version"]):
        code = f"import sys; sys.argv = ['dicegames', *{arguments!r}]; import dicegames_client.__main__ as m\n"
        code += "try: m.whole()\nexcept SystemExit: pass\n"
        code += "heavy = ('pydantic', 'websockets', 'prompt_toolkit', 'asyncio', 'importlib.metadata', 'email')\n"
        code += "print([n for n in heavy if n in sys.modules])"
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        assert out.splitlines()[-1] == "[]", arguments

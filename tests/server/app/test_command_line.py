"""The command line of the server: where flags may stand, and which command takes which."""

from pathlib import Path

import pytest

from dicegames_protocol.system.argument_parser import WrongArguments
from dicegames_server.app.command_line import OPERATED, parse

VALUES = {"config": "a.toml", "data": "folder", "admin": "127.0.0.1:9", "port": "9"}
OPERATING = [["status"], ["drain", "--wait"], ["backup", "copy"], ["restore", "copy"]]


@pytest.mark.parametrize("command", OPERATING, ids=lambda words: words[0])
@pytest.mark.parametrize("flag", OPERATED)
def test_flags_of_the_server_stand_before_or_after_the_command(command: list[str], flag: str) -> None:
    words = [f"--{flag}", VALUES[flag]]
    before, after = parse([*words, *command]), parse([*command, *words])
    between = parse([command[0], *words, *command[1:]])
    assert before == after == between
    assert (before.config or before.settings[flag]) in (Path("a.toml"), "folder", "127.0.0.1:9", 9)


def test_the_one_after_the_command_counts() -> None:
    assert parse(["--port", "1", "status", "--port", "2"]).settings == {"port": 2}
    assert parse(["--port", "1", "status", "--json"]).settings == {"port": 1}


@pytest.mark.parametrize("command", ["schema", "settings", "tables", "arena farkle", "completion bash"])
def test_what_a_command_does_not_need_is_refused(command: str) -> None:
    with pytest.raises(WrongArguments, match="does not need --data"):
        parse(["--data", "folder", *command.split()])
    with pytest.raises(WrongArguments, match="There is no option '--data'"):
        parse([*command.split(), "--data", "folder"])

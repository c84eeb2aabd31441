"""Wrong command lines: each gets one sentence, before anything is asked, and often the word that was meant."""

import sys
from pathlib import Path

import pytest

from dicegames_client.__main__ import main as client
from dicegames_server.__main__ import main as server
from support.home import remember_in


@pytest.fixture(autouse=True)
def nobody_to_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has a name yet, and whoever asks gets an error instead of an answer."""
    remember_in(tmp_path, monkeypatch)
    monkeypatch.setattr(sys, "stdin", None)


def one_sentence(capsys: pytest.CaptureFixture[str]) -> str:
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    return said.err.removesuffix("\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["farkle"], "There is no command 'farkle'. Did you mean 'dicegames-client host farkle'?"),
        (["Doubles", "--bots", "2"], "There is no command 'Doubles'. Did you mean 'dicegames-client host doubles'?"),
        (["sevns"], "There is no command 'sevns'. Did you mean 'dicegames-client host sevens'?"),
        (["hst"], "There is no command 'hst'. Did you mean 'host'?"),
        (["xyzzy"], "There is no command 'xyzzy'. Try: "),
        (["host", "--bot", "3"], "There is no option '--bot' for 'host'. Did you mean '--bots'?"),
        (["host", "--targt", "50"], "There is no option '--targt' for 'host'. Did you mean '--target'?"),
        (["host", "farkle", "--targt", "50"], "for farkle. Did you mean '--target'? The game has: --dice"),
        (["host", "farkle", "--level", "export"], "--level must be easy, steady or expert, not 'export'. Did you"),
        (["host", "farkle", "--table", "doublng"], "not 'doublng'. Did you mean 'doubling'?"),
        (["host", "farkle", "--preset", "boxd"], "not 'boxd'. Did you mean 'boxed'?"),
        (["host", "Farkle"], "There is no game called 'Farkle'. Did you mean 'farkle'?"),
        (["join", "KQ7M", "--theme", "drak"], "not 'drak'. Did you mean 'dark'?"),
        (["practice", "--nam", "bo"], "There is no option '--nam' for 'practice'. Did you mean '--name'?"),
        (["completion", "fsh"], "The shell must be bash, zsh, tcsh or fish, not 'fsh'. Did you mean 'fish'?"),
    ],
)
def test_what_was_nearly_right(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert client(arguments) == 2
    assert sentence in one_sentence(capsys)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["host", "farkle", "--target", "-5"], "target must be at least 50."),
        (["host", "farkle", "--target", "-5", "--on", "127.0.0.1:1"], "target must be at least 50."),
        (["host", "farkle", "--opening", "900", "--target", "800"], "opening must be at most the target of 800."),
        (["host", "doubles", "--rounds", "0"], "rounds must be at least 1."),
        (
            ["host", "doubles", "--bots", "3", "--seats", "2"],
            "--bots 3 and 1 player need 4 seats, but the table has 2.",
        ),
        (["host", "double-or-nothing", "--bots", "2"], "--bots 2 and 1 player need 3 seats, but the table has 2."),
        (["host", "double-or-nothing", "--players", "a,b,c"], "3 players need 3 seats, but the table has 2."),
        (["host", "double-or-nothing", "--seats", "9"], "Double or Nothing has 2 seats, not 9."),
        (["host", "--bots", "-1"], "--bots must be 0 to 1000."),
        (["host", "--turn-limit", "9999"], "--turn-limit must be 0 to 3600."),
        (["host", "--port", "99999"], "--port must be 0 to 65535."),
        (["host", "--level", "easy"], "--level says how well bots play: it needs --bots."),
        (["host", "--tls-cert", "missing.pem"], "There is no file missing.pem."),
        (["host", "--tls-key", "key.pem"], "--tls-key needs --tls-cert."),
        (["host", "--players", "ana,"], "A name needs at least one letter."),
        (["host", "--password-file", "/nowhere"], "Can't read the password file /nowhere: No such file or directory."),
        (
            ["host", "--json", "--players", "a,b"],
            "--json is for one player: it does not go with several --players here.",
        ),
        (["join", "KQ7M", "--password-file", "/nowhere"], "Can't read the password file /nowhere: No such file"),
        *(
            (["host", "--on", "127.0.0.1:1", *flag], f"{flag[0]} is about a server on this machine, but with --on the")
            for flag in (
                ["--host", "127.0.0.1"],
                ["--port", "8765"],
                ["--no-announce"],
                ["--ssh"],
                ["--tls", "self"],
                ["--tls-cert", "cert.pem"],
                ["--tls-key", "key.pem"],
            )
        ),
        (["host", "--on", "127.0.0.1:1", "--fast-bots"], "--fast-bots is for the owner of a server to decide, and"),
        (["host", "--on", "127.0.0.1:1", "--quiet-bots"], "--quiet-bots is for the owner of a server to decide, and"),
    ],
)
def test_what_was_typed_is_checked_before_anything_is_asked(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no name, and for some of these not even a game: a question would come first."""
    assert client(arguments) == 2
    assert one_sentence(capsys).startswith(sentence)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--prt", "3"], "There is no option '--prt' for dicegames-server. Did you mean '--port'?"),
        (["statsu"], "There is no command 'statsu'. Did you mean 'status'? Try: dicegames-server --help"),
        (["status", "--admn", "x"], "There is no option '--admn' for 'status'. Did you mean '--admin'?"),
        (["schema", "--port", "3"], "There is no option '--port' for 'schema'."),
        (["--port", "3", "schema"], "'schema' does not need --port. Try: dicegames-server schema --help"),
        (["--log", "jsn"], "--log must be text or json, not 'jsn'. Did you mean 'json'?"),
        (["arena", "farkel"], "There is no game called 'farkel'. Did you mean 'farkle'? The games are: "),
        (["arena", "farkle", "--seats", "expret"], "There is no bot 'expret' for farkle. Did you mean 'expert'?"),
        (
            ["arena", "farkle", "--option", "preset=boxd"],
            "preset must be seed, boxed, zilch or kcd. Did you mean 'boxed'?",
        ),
        (["arena", "farkle", "--option", "targt=5"], "There is no option 'targt' here. Did you mean 'target'?"),
    ],
)
def test_mistakes_at_the_server(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert server(arguments) == 2
    assert one_sentence(capsys).startswith(sentence)


def test_only_commands_that_read_a_file_speak_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    for command, reads in (("save", False), ("replay", True), ("verify", True)):
        with pytest.raises(SystemExit):
            client([command, "--help"])
        assert ("game.jsonl" in capsys.readouterr().out) == reads

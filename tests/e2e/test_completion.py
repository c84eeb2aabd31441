"""Real shells complete our commands: games, their options and their choices. Shells that are missing are skipped."""

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from support.pty import Pty

ENTRY = {"dicegames-client": "dicegames_client.__main__", "dicegames-server": "dicegames_server.__main__"}
CASES = [
    ("dicegames-client", "host ", {"farkle", "doubles", "sevens", "double-or-nothing"}, "join"),
    ("dicegames-client", "host farkle --ta", {"--table", "--target"}, "--rounds"),
    ("dicegames-client", "host farkle --table ", {"multiplier", "doubling", "set-value"}, "farkle"),
    ("dicegames-client", "host --bots 2 farkle --preset ", {"boxed", "kcd"}, "farkle"),
    ("dicegames-client", "host doubles --level ", {"easy", "steady", "expert"}, "farkle"),
    ("dicegames-client", "join --theme ", {"dark", "colour-blind"}, "farkle"),
    ("dicegames-client", "practice ", {"farkle", "sevens"}, "easy"),
    ("dicegames-client", "completion ", {"bash", "zsh", "tcsh", "fish"}, "farkle"),
    ("dicegames-server", "", {"status", "drain", "arena"}, "join"),
    ("dicegames-server", "status --", {"--admin", "--config"}, "--target"),
    ("dicegames-server", "arena ", {"farkle", "doubles"}, "easy"),
    ("dicegames", "host farkle --table ", {"multiplier", "doubling"}, "farkle"),
    ("dicegames", "server --log ", {"text", "json"}, "farkle"),
    ("dicegames.pyz", "server st", {"status"}, "start"),
]
"""Program, what is typed, what is offered at least, and what is not."""
MINGLED = {"status --", "host farkle --ta"}
"""Here tcsh offers the options of all commands."""


def shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"there is no {name} here: install it to run this test")
    return found


@cache
def script(program: str, name: str) -> str:
    """What `program completion name` prints."""
    module = ENTRY.get(program, "dicegames_client.__main__")
    entry = "main" if program in ENTRY else "whole"
    code = f"import sys; sys.argv = [{program!r}, 'completion', {name!r}]; import {module} as m; m.{entry}()"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(("program", "typed", "offered", "other"), CASES)
def test_bash(program: str, typed: str, offered: set[str], other: str, tmp_path: Path) -> None:
    words = [program, *typed.split(" ")]
    ask = f"{script(program, 'bash')}\nCOMP_WORDS=({' '.join(map(repr, words))})\nCOMP_CWORD={len(words) - 1}\n"
    ask += f"$(complete -p {program} | sed 's/.*-F \\([^ ]*\\).*/\\1/')\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run([shell("bash"), "-c", ask], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert offered <= set(done.stdout.split())
    assert other not in done.stdout.split()


@pytest.mark.parametrize(("program", "typed", "offered", "other"), CASES)
def test_fish(program: str, typed: str, offered: set[str], other: str, tmp_path: Path) -> None:
    fish = shell("fish")
    (tmp_path / "script.fish").write_text(script(program, "fish"))
    ask = f"source script.fish; complete -C '{program} {typed}'"
    home = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([fish, "-c", ask], capture_output=True, text=True, check=True, cwd=tmp_path, env=home)
    words = {line.partition("\t")[0] for line in done.stdout.splitlines()}
    assert offered <= words
    assert other not in words


@pytest.mark.parametrize(("program", "typed", "offered", "other"), CASES)
@pytest.mark.parametrize("name", ["zsh", "tcsh"])
def test_others(name: str, program: str, typed: str, offered: set[str], other: str, tmp_path: Path) -> None:
    """These two complete only what is typed in a terminal."""
    found = shell(name)
    (tmp_path / "script").write_text(script(program, name))
    begin = {
        "zsh": "autoload -U compinit; compinit -u -d ./dump; eval \"$(cat script)\"; PS1='ready> '",
        "tcsh": "set autolist; source script; set prompt='ready> '",
    }[name]
    terminal = Pty(found, "-f", state=tmp_path, size=(160, 40), HOME=str(tmp_path))
    try:
        terminal.press(f"cd {tmp_path}; {begin}; clear\r")
        terminal.until_line("ready>")
        terminal.press(f"{program} {typed}\t")
        if len(offered) == 1:
            terminal.until(*offered)
            return
        wanted = {word.removeprefix("--") for word in offered} if name == "tcsh" else offered
        terminal.until(sorted(wanted)[-1])
        for word in wanted:
            terminal.until(word)
        listed = terminal.text.partition("\n")[2].partition("ready>")[0].split()
        assert other not in listed or (name == "tcsh" and typed in MINGLED)
    finally:
        terminal.close()

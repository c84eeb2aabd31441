"""The full-screen client in real terminals, against a real server: whole games, resizes, signals, kills."""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import dicegames_client
from support.posix import CONTINUE, STOP
from support.pty import Pty

LEAVE_ALTERNATE, SHOW_CURSOR, NO_PASTE_MARKS = b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?2004l"


@pytest.fixture(autouse=True)
def close_terminals() -> Iterator[None]:
    yield
    while Pty.running:
        Pty.running.pop().close()


def host(tmp_path: Path, *arguments: str, size: tuple[int, int] = (80, 24)) -> tuple[Pty, str]:
    """A host's terminal, and the address that friends join."""
    where = ("--host", "127.0.0.1", "--port", "0", "--name", "ana")
    terminal = Pty.client("host", *arguments, *where, state=tmp_path / "ana", size=size)
    text = terminal.until("join with this line:")
    found = re.search(r"join (127\.0\.0\.1:\d+/\w+)", text)
    assert found, text
    return terminal, found[1]


def restored(terminal: Pty) -> None:
    """The terminal is in the state that a shell needs."""
    end = terminal.raw[terminal.raw.rindex(LEAVE_ALTERNATE) :]
    assert terminal.raw.rindex(SHOW_CURSOR) > terminal.raw.rindex(b"\x1b[?25l")
    assert terminal.raw.rindex(NO_PASTE_MARKS) > terminal.raw.rindex(b"\x1b[?2004h")
    assert b"\x1b[?1049h" not in end
    assert terminal.raw.rindex(b"\x1b[?7h") > terminal.raw.rindex(b"\x1b[?7l")  # long lines are wrapped again


def test_host_join_and_watch_a_whole_game(tmp_path: Path) -> None:
    ana, address = host(tmp_path, "double-or-nothing", "--first", "1")
    bo = Pty.client("join", address, "--name", "bo", state=tmp_path / "bo")
    bo.until("Waiting room")
    cy = Pty.client("watch", address, state=tmp_path / "cy")
    cy.until("WATCHING")
    ana.until("bo sits down")
    ana.press("y")
    bo.until("ana is ready")
    bo.press("y")
    number = 1
    for mover, key in ((ana, "a"), (bo, "a"), (ana, "d"), (bo, "d"), (ana, "a"), (bo, "a")):
        mover.until(f"Double → {2 * number}")
        mover.until("YOUR MOVE")
        mover.press(key)
        number = number * 2 if key == "d" else number + 1
    ana.until(f"<{number}>")
    ana.resize(60, 20)
    ana.until_line("─" * 60)  # no feed, so no divider
    ana.resize(120, 40)
    ana.until("╭─ what happened ─")  # a panel, where there is room
    ana.until("bo adds one: 14")
    ana.press("d")
    ana.until("loses at once. Really? y/n")
    ana.press("n")
    while number < 20:
        for mover in (ana, bo):
            if number < 20:
                mover.until(f"<{number}>")
                mover.until("YOUR MOVE")
                mover.press("a")
                number += 1
    ana.until("bo wins!")
    bo.until("Where it was lost")  # the moment is over, so the next key counts
    cy.until("bo wins!")
    bo.press_until("m", "1 of 2 want a rematch")
    ana.until("1 of 2 want a rematch")
    ana.press_until("m", "game 1  ", "to move")
    bo.until("YOUR MOVE")  # the other one begins
    cy.press("q")
    assert cy.ended() == 0
    bo.press("q")
    bo.until("Leave? A bot plays on for you. y/n")
    bo.press("\x03")
    assert bo.ended() == 0
    for terminal in (bo, cy):
        restored(terminal)
    assert "You have left the table." in bo.text


def test_the_terminal_is_as_it_was(tmp_path: Path) -> None:
    """stty before and after, in the shell that started the client; after leaving, after SIGTERM, after SIGHUP."""
    for way in ("leave", "TERM", "HUP"):
        shell = Pty("/bin/sh", state=tmp_path, PS1="ready> ")
        shell.until("ready>")
        before = shell.settings()
        command = f"{sys.executable} -m dicegames_client host doubles --host 127.0.0.1 --port 0 --name ana"
        shell.press(f"{command}; echo ended $?\r")
        shell.until("join with this line:")
        assert shell.settings() != before
        if way == "leave":
            shell.press("q")
        else:
            subprocess.run(["pkill", f"-{way}", "-P", str(shell.pid)], check=True)
        shell.until("ended 0")
        assert shell.settings() == before, way
        restored(shell)
        shell.close()


def test_the_server_is_killed_and_comes_back_in_the_middle(tmp_path: Path) -> None:
    data = tmp_path / "data"
    command = [sys.executable, "-m", "dicegames_server", "--host", "127.0.0.1", "--data", str(data)]

    def serve(port: int) -> tuple["subprocess.Popen[str]", int]:
        server = subprocess.Popen(
            [*command, "--port", str(port)], stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True
        )
        assert server.stdout
        for line in server.stdout:
            if found := re.search(r"listening on .* port (\d+)", line):
                return server, int(found[1])
        raise AssertionError("the server did not start")

    server, port = serve(0)
    try:
        ana = Pty.client(
            "host", "farkle", "--on", f"127.0.0.1:{port}", "--name", "ana", "--now", state=tmp_path / "ana"
        )
        ana.until("YOUR TURN")
        ana.press("r")
        ana.until("PICKED", "scores", "FARKLE")
        server.kill()
        server.wait()
        ana.until("seat held 14:5", "seat held 15:00")
        ana.until(" OLD ")
        ana.press("r")
        ana.until("There is no connection at the moment; nothing was sent.")
        server, _ = serve(port)
        ana.until("You are back", "While you were away")
        ana.until("  ok ")
        server.kill()
        server.wait()
        ana.until("RECONNECTING")
        ana.press("q")
        ana.until("Leave?")
        ana.press("\x03")
        assert ana.ended() == 0
        restored(ana)
        assert "the table does not know that you have left. Your seat is held" in " ".join(ana.text.split())
        server, _ = serve(port)
        again = Pty.client("join", state=tmp_path / "ana")
        again.until("Back to")
        again.press("\r")
        again.until("YOUR TURN", "PICKED", "scores")
        again.press("q")
        again.until("Leave?")
        again.press("\x03")
        assert again.ended() == 0
        assert "You have left the table." in again.text
        (seats,) = (tmp_path / "ana").rglob("seats.jsonl")
        assert "token" not in seats.read_text()
    finally:
        server.kill()
        server.wait()


def test_a_game_whose_view_was_removed(tmp_path: Path) -> None:
    """A copy of the client without views/farkle.py still plays Farkle."""
    copy = tmp_path / "client"
    shutil.copytree(Path(dicegames_client.__file__).parent, copy / "dicegames_client")
    (copy / "dicegames_client" / "views" / "farkle.py").unlink()
    arguments = ("host", "farkle", "--target", "50", "--host", "127.0.0.1", "--port", "0", "--name", "ana", "--now")
    ana = Pty.client(*arguments, "--no-motion", state=tmp_path / "ana", PYTHONPATH=str(copy))
    for turn in range(1, 60):
        ana.until(f"turn no: {turn}.")
        ana.press("r")
        if "could take" in ana.until("could take", f"turn no: {turn + 1}."):  # else it was a farkle
            ana.press("a")
            ana.until("PICKED")
            ana.press("b")
            break
    ana.until("You win!")
    assert "dealing (commit" not in ana.text


def test_the_start_screen(tmp_path: Path) -> None:
    ana = Pty.client("--no-motion", "--theme", "mono", "--ascii", state=tmp_path / "ana")
    ana.until("N opens a table on this machine")
    assert ana.text.isascii()
    ana.press("u")
    ana.until("Your name:")
    ana.type("ana", "Your name: ")
    ana.until("you are ana")
    ana.press("n")
    ana.until("Which game?")
    ana.press("q")
    ana.until("N opens a table on this machine")
    ana.press("j")
    ana.until("Code or address:")
    ana.type("127.0.0.1:1/KQ7M", "Code or address: ")
    ana.until("nothing listens on port 1")
    ana.press("q")
    assert ana.ended() == 0
    restored(ana)


def test_a_table_is_set_up_in_a_form_and_a_full_one_is_watched(tmp_path: Path) -> None:
    ana = Pty.client("host", "--host", "127.0.0.1", "--port", "0", "--name", "ana", state=tmp_path / "ana")
    ana.until("Which game?")
    ana.press("2")
    ana.until("A new table: Doubles")
    ana.press("\x1b[B" * 2)
    ana.until("> seats")
    ana.press("2")
    ana.until("seats (Enter alone: enough): 2")
    ana.press("\r")
    ana.until("> seats           2 ")
    ana.press("\r")
    text = ana.until("join with this line:")
    address = re.search(r"join (127\.0\.0\.1:\d+/\w+)", text)
    assert address and "2    empty" in text and "3    empty" not in text
    bo = Pty.client("join", address[1], "--name", "bo", state=tmp_path / "bo")
    bo.until("Waiting room")
    cy = Pty.client("join", address[1], "--name", "cy", state=tmp_path / "cy")
    cy.until("is full (2 of 2). Press W to watch.")
    cy.press("w")
    cy.until("WATCHING")
    di = Pty.client("join", address[1], "--name", "di", "--plain", state=tmp_path / "di")
    di.until("is full (2 of 2). Watch it instead? Enter for yes, n for no:")
    di.press("\r")
    di.until("You are watching.")
    for terminal in (di, cy):
        terminal.press("quit\r" if terminal is di else "q")
        assert terminal.ended() == 0
    ed = Pty.client("join", address[1], "--name", "ed", state=tmp_path / "ed")
    ed.until("Press W to watch.")
    ed.press("x")
    assert ed.ended() == 4


def test_a_dumb_terminal_gets_lines(tmp_path: Path) -> None:
    where = ("--host", "127.0.0.1", "--port", "0", "--name", "ana", "--now")
    for environment in ({"TERM": "dumb"}, {"ACCESSIBLE": "1"}):
        ana = Pty.client("host", "farkle", *where, state=tmp_path, **environment)
        ana.until("ana, it is your turn: 'roll':")
        assert b"\x1b" not in ana.raw
        ana.signal(signal.SIGTERM)
        ana.ended()


def test_a_replay_on_the_screen(tmp_path: Path) -> None:
    ana, address = host(tmp_path, "doubles", "--rounds", "1")
    ana.press("s")
    ana.until("YOUR ROLL")
    ana.press("r")
    ana.until("you rolled", "You roll")
    ana.until("Cash out")
    film = Pty.client("replay", address, "--no-motion", "--speed", "16", state=tmp_path / "bo")
    film.until("REPLAY  Doubles")
    film.until("PAUSED")
    assert "you rolled" not in film.text
    film.press("q")
    assert film.ended() == 0
    restored(film)


def test_a_table_is_saved_in_the_recap_and_seen_again_when_it_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    table = ("double-or-nothing", "--start", "18", "--first", "1", "--bots", "1")
    ana, address = host(tmp_path, *table, size=(100, 30))
    room = address.partition("/")[2]
    ana.press("s")
    ana.until("YOUR MOVE")
    ana.press("a")
    ana.until("[S] Save log")
    ana.press_until("s", f"{room}.jsonl")
    assert len((tmp_path / f"{room}.jsonl").read_bytes().splitlines()) > 2
    ana.press("q")
    ana.until(f"You have closed the table. To see it again: dicegames-client replay {room}")
    assert ana.ended() == 0
    film = Pty.client("replay", room, "--no-motion", "--speed", "0.25", state=tmp_path / "ana", size=(100, 30))
    film.until("REPLAY  Double or Nothing")
    film.press("\x1b[C")
    film.until("PAUSED  5/6")
    film.press("q")
    assert film.ended() == 0
    film = Pty.client("replay", room, "--no-motion", "--speed", "0.25", state=tmp_path / "ana", size=(100, 30))
    film.until("You were here last time.")


def test_line_mode_asks_for_a_name_and_then_for_a_password(tmp_path: Path) -> None:
    """Both questions are answered from the same keyboard, and the password is not shown."""
    secret = tmp_path / "secret"
    secret.write_text("sesame\n")
    _, address = host(tmp_path, "doubles", "--password-file", str(secret))
    bo = Pty.client("join", address, "--plain", "--ask-password", state=tmp_path / "bo")
    bo.until("Your name:")
    bo.press("bo\r")
    bo.until("Password of the room:")
    bo.press("sesame\r")
    text = bo.until("At the table: ana (host) and bo (you).")
    assert "sesame" not in text


def test_the_screen_is_painted_anew_after_ctrl_l_and_after_a_stop(tmp_path: Path) -> None:
    """Foreign writes and job control leave a garbled screen: everything is painted again, not only what changed."""
    ana, _ = host(tmp_path, "doubles")
    ana.until("Start")
    for stopped in (False, True):
        ana.scribble("GARBAGE")
        assert "GARBAGE" in ana.text
        if stopped:
            ana.signal(STOP)
            ana.signal(CONTINUE)
        else:
            ana.press("\x0c")
        ana.until_gone("GARBAGE")
        ana.until("Start")
    ana.press("q")
    assert ana.ended() == 0
    restored(ana)

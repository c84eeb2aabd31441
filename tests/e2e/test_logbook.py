"""save, replay and verify as commands, and seats that outlive the process that held them."""

import json
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dicegames_client.base.address import Address
from dicegames_server.app.service import Service
from dicegames_server.settings import Settings
from support.eventually import eventually
from support.home import at_home
from support.posix import HANG_UP, KILL
from support.process import Process, run
from support.settings import quick

CLIENT = "dicegames_client"
Serve = Callable[[Settings], Awaitable[Service]]


async def test_a_game_is_saved_told_and_checked(tmp_path: Path, serve: Serve) -> None:
    server = await serve(quick(data=str(tmp_path / "data")))
    address = Address("127.0.0.1", server.port)
    rules = ["--start", "19", "--first", "1"]
    host = ["host", "double-or-nothing", *rules, "--on", address.shown, "--bots", "1", "--now", "--name", "ana"]
    ana = await Process.start(CLIENT, *host, state=tmp_path)
    invitation = await ana.until("At the table: ana (host, you) and bot-1 (bot).")
    room = invitation.split(f"{address.shown}/")[1].split("\n")[0]
    await ana.until("double it:\n")
    await ana.type("review")
    await ana.until("How well you play is told only after the game.")
    await ana.type("add")
    await ana.until("The game is over. You win!")
    await ana.until("'review' for how well everybody played")
    for typed, told in (
        ("review", "ana: accuracy 100 %, given away 0 %"),
        ("review 2", "There is no game 2"),
        ("review x", "'x' is not"),
    ):
        await ana.type(typed)
        await ana.until(told)
    where, file = f"{address.shown}/{room}", tmp_path / "game.jsonl"
    code, text = await run(CLIENT, "save", where, str(file), state=tmp_path)
    lines = file.read_text().splitlines()
    assert (code, text) == (0, f"{len(lines)} updates saved in {file}.\n")
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, len(lines) + 1))
    code, text = await run(CLIENT, "replay", str(file), state=tmp_path)
    assert code == 0
    assert (
        "The game begins.\nana begins.\nana chose to add one. New number is 20. (best)\nThat is exactly 20!\n" in text
    )
    for source in (str(file), where):
        code, text = await run(CLIENT, "review", source, state=tmp_path)
        assert code == 0 and "\nana    " in text and "Nobody gave anything away." in text
        code, text = await run(CLIENT, "review", source, "--json", state=tmp_path)
        assert code == 0 and json.loads(text)["players"][0]["name"] == "ana"
        assert (await run(CLIENT, "review", source, "--game", "2", state=tmp_path))[0] == 4
        code, text = await run(CLIENT, "verify", source, state=tmp_path)
        assert code == 0, text
        assert "ok    memory: " in text
        assert text.endswith("Everything is as it should be: these dice were fair.\n")
    code, text = await run(CLIENT, "verify", str(file), state=tmp_path / "elsewhere")
    told = "Nothing is wrong, but it is not proven: this machine remembers nothing of this room.\n"
    assert (code, text.splitlines(keepends=True)[-1]) == (6, told)
    (witness,) = (tmp_path / "dicegames" / "witness").iterdir()
    code, text = await run(CLIENT, "verify", str(file), "--with", str(witness), state=tmp_path)
    code_of_witness, said = await run(CLIENT, "verify", str(witness), state=tmp_path)
    assert (code_of_witness, said) == (2, "This is what a client saw, not a log. Give it with --with.\n")
    assert code == 0 and f"ok    with {witness.name}: " in text
    forged = [line.replace('"moves":1', '"moves":2') for line in lines]
    assert forged != lines
    (tmp_path / "forged.jsonl").write_text("\n".join(forged) + "\n")
    code, text = await run(CLIENT, "verify", str(tmp_path / "forged.jsonl"), state=tmp_path)
    assert code == 1
    assert text.endswith("Something is wrong with this log.\n")


async def test_a_killed_client_gets_its_seat_back_and_so_does_everyone_after_a_restart(
    tmp_path: Path, serve: Serve
) -> None:
    server = await serve(quick(data=str(tmp_path / "data")))
    address = Address("127.0.0.1", server.port)
    ana = await Process.start(
        CLIENT, "host", "doubles", "--on", address.shown, "--name", "ana", "--window", "0", state=tmp_path / "ana"
    )
    room = (await ana.until("'help' lists all commands.")).split(f"{address.shown}/")[1].split("\n")[0]
    join = ["join", f"{address.shown}/{room}", "--name", "bo"]
    bo = await Process.start(CLIENT, *join, state=tmp_path / "bo")
    await bo.until("'help' lists all commands.")
    await ana.type("start")
    await ana.until("ana, 'roll':\n")
    await bo.kill()
    await ana.until("bo lost the connection. The seat is held for 15 minutes.")
    await ana.type("roll")
    await ana.until("You roll ")
    again = await Process.start(CLIENT, *join, state=tmp_path / "bo")
    await again.until("bo, 'roll', or 'cash' to take ")
    await ana.until("bo is here again.")
    seats = tmp_path / "bo" / "dicegames" / "seats.jsonl"
    assert seats.stat().st_mode & 0o777 == 0o600

    port = server.port
    await server.stop()
    await ana.until("The connection is lost.")
    await serve(quick(data=str(tmp_path / "data"), port=port))
    await ana.until("You are back.")
    await again.until("You are back.")
    await again.until("bo, 'roll', or 'cash' to take ")
    await again.type("roll")
    await ana.until("bo rolls ")
    for _ in range(2):
        await again.type("quit")
    assert await again.ended() == 0
    assert "token" not in seats.read_text()


async def test_only_leaving_gives_a_seat_up(tmp_path: Path, serve: Serve) -> None:
    """A second window, or the end of the process, does not: the next `join` gets the seat back."""
    server = await serve(quick(data=str(tmp_path / "data")))
    address = Address("127.0.0.1", server.port)
    ana = await Process.start(CLIENT, "host", "doubles", "--on", address.shown, "--name", "ana", state=tmp_path / "ana")
    room = (await ana.until("'help' lists all commands.")).split(f"{address.shown}/")[1].split("\n")[0]
    join = ["join", f"{address.shown}/{room}", "--name", "bo"]
    first = await Process.start(CLIENT, *join, state=tmp_path / "bo")
    await first.until("'help' lists all commands.")
    second = await Process.start(CLIENT, *join, state=tmp_path / "bo")
    await second.until("At the table: ana (host) and bo (you).")
    await first.until("Your seat was taken over in another window; it goes on there.")
    assert await first.ended() == 4
    second.signal(signal.SIGTERM)
    assert await second.ended() == 0
    await ana.until("bo lost the connection.")
    third = await Process.start(CLIENT, *join, state=tmp_path / "bo")
    await third.until("At the table: ana (host) and bo (you).")
    await third.type("quit")
    assert await third.ended() == 0
    await ana.until("bo has left.")


async def test_logs_that_are_not_whole(tmp_path: Path, serve: Serve) -> None:
    server = await serve(quick())
    address = Address("127.0.0.1", server.port)
    host = ["host", "doubles", "--on", address.shown, "--name", "ana", "--now"]
    ana = await Process.start(CLIENT, *host, state=tmp_path)
    room = (await ana.until("ana, 'roll':\n")).split(f"{address.shown}/")[1].split("\n")[0]
    await ana.type("roll")
    await ana.until("You roll ")
    file = tmp_path / "game.jsonl"
    await run(CLIENT, "save", f"{address.shown}/{room}", str(file), state=tmp_path)
    code, text = await run(CLIENT, "verify", str(file), state=tmp_path)
    assert code == 6
    assert "game 1: it is not over" in text.splitlines()[-1]
    lines = file.read_text().splitlines()
    for damaged, sentence in [
        (lines[1:], "This log is not whole: update 1 is missing."),
        (lines[:2] + lines[3:], "This log is not whole: update 3 is missing."),
        ([], "There is nothing in this log."),
        (["nonsense"], "This is not a log of dicegames."),
    ]:
        file.write_text("".join(f"{line}\n" for line in damaged))
        code, text = await run(CLIENT, "replay", str(file), state=tmp_path)
        assert (code, text.splitlines()[-1]) == (4, sentence)
        assert (await run(CLIENT, "verify", str(file), state=tmp_path))[0] == 1
    code, text = await run(CLIENT, "verify", str(tmp_path / "nope.jsonl"), state=tmp_path)
    assert (code, text) == (2, f"There is no file {tmp_path / 'nope.jsonl'}.\n")


HOSTED = ["host", "double-or-nothing", "--start", "19", "--first", "1", "--bots", "1", "--now", "--name", "ana"]
HOSTED += ["--host", "127.0.0.1", "--port", "0", "--no-announce"]


async def hosted(home: Path) -> tuple[Process, str]:
    """A table in a process of its own, in which a game is over, and the code of its room."""
    ana = await Process.start(CLIENT, *HOSTED, state=home, **at_home(home))
    room = (await ana.until("'help' lists all commands.")).split("Room ")[1].partition(":")[0]
    await ana.until("double it:")
    await ana.type("add")
    await ana.until("The game is over. You win!")
    return ana, room


async def test_a_hosted_table_is_seen_again_by_its_code_while_it_is_open_and_afterwards(tmp_path: Path) -> None:
    ana, room = await hosted(tmp_path)

    async def command(*words: str) -> tuple[int, str]:
        return await run(CLIENT, *words, state=tmp_path, **at_home(tmp_path))

    file = tmp_path / "open.jsonl"
    code, _ = await command("save", room.lower(), str(file))
    assert code == 0
    await ana.type("quit")
    assert await ana.ended() == 0
    assert ana.text.endswith(f"You have left the table.\nTo see it again: dicegames-client replay {room}\n")
    assert (await command("save", room, str(tmp_path / "closed.jsonl")))[0] == 0
    assert (tmp_path / "closed.jsonl").read_text().startswith(file.read_text())
    code, text = await command("replay", room.lower())
    assert code == 0 and "The game is over. ana wins!\n" in text
    code, text = await command("verify", room)
    assert code == 0 and text.endswith("these dice were fair.\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, HANG_UP, KILL])
async def test_whatever_ends_the_host_the_game_before_it_is_kept(tmp_path: Path, number: int) -> None:
    ana, room = await hosted(tmp_path)
    folder = tmp_path / "dicegames" / "games"
    await eventually(lambda: folder.is_dir() and any(path.suffix == ".jsonl" for path in folder.iterdir()))
    ana.signal(number)
    await ana.ended()
    code, text = await run(CLIENT, "replay", room, state=tmp_path, **at_home(tmp_path))
    assert code == 0 and "The game is over. ana wins!\n" in text, "the seat is held still, and nobody is there"


async def test_a_code_that_nobody_knows(tmp_path: Path) -> None:
    code, text = await run(CLIENT, "verify", "KQ7M", state=tmp_path, **at_home(tmp_path))
    assert code in (2, 3, 4)  # 2 and 4: servers of other tests are found
    assert text.startswith("There is no file KQ7M, and this machine has kept no log of KQ7M. ")


async def test_exit_codes_are_in_the_help(tmp_path: Path) -> None:
    for command in ("save", "replay", "verify"):
        code, text = await run(CLIENT, command, "--help", state=tmp_path)
        told = text.partition("Exit codes: ")[2]
        assert code == 0 and all(f"{number} " in told for number in (0, 2, 3, 4, 5))
        assert ("6 nothing is wrong" in " ".join(told.split())) == (command == "verify")

"""Windows and Linux at one table, in line mode: whole games, a server that is killed, and files that are private."""

import asyncio
import re
from pathlib import Path
from typing import Any

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create, Leave
from dicegames_protocol.messages.server import Joined
from e2e.test_crash import Load, check
from support.ports import free_port
from support.process import Process
from support.ssh import NO_TERMINAL, ssh_user
from windows.machine import Machine, there
from windows.starting import CLIENT, SERVER, start, start_server, terminate

QUESTION = "choose 'add' to add one or 'double' to double it:"
GAME = [("ana", "double", 2), ("bo", "add", 3), ("ana", "double", 6), ("bo", "double", 12), ("ana", "double", 24)]


async def play_to_the_end(**players: Process) -> None:
    for name, word, number in GAME:
        await players[name].until(f"{name}, {QUESTION}")
        await players[name].type(word)
        chose = "double it" if word == "double" else "add one"
        for teller, process in players.items():
            await process.until(f"{'You' if teller == name else name} chose to {chose}. New number is {number}.")
    await players["ana"].until("You lose. bo wins the game!")
    await players["bo"].until("ana loses. You win the game!")
    assert not [player.text for player in players.values() if "Traceback" in player.text]


async def leave(player: Process) -> None:
    player.end_input()
    assert await player.ended() == 0, player.text


def private(state: Path) -> bool:
    """Whether wine gave the folder to its user alone. It keeps the list of who may read as the mode of the folder."""
    (folder,) = (state / "dicegames").iterdir()
    names = {path.name for path in folder.iterdir()}
    return {"player.jsonl", "seats.jsonl"} <= names and folder.stat().st_mode & 0o007 == 0


async def test_a_windows_client_on_a_linux_server(machine: Machine, tmp_path: Path) -> None:
    on = ("--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path / "data"))
    server = await Process.start(SERVER, *on, state=tmp_path)
    await server.until("listening on 127.0.0.1 port ")
    address = Address("127.0.0.1", int((await server.until("\n")).strip()))
    opener = Guest(address)
    await opener.open()
    joined = await opener.ask(Create(id="1", game="double-or-nothing", name="opener", options={"first": "1"}))
    assert isinstance(joined, Joined)
    joins = ("join", f"{address.shown}/{joined.room}", "--plain", "--name")
    bo = await start(machine, "-m", CLIENT, *joins, "bo", state=tmp_path / "bo")
    await bo.until("'help' lists all commands.")
    await opener.ask(Leave(id="2"))
    await opener.close()
    await bo.until("You are the host now.")
    ana = await Process.start(CLIENT, *joins, "ana", state=tmp_path / "ana")
    await ana.until("'help' lists all commands.")
    await bo.type("ready")
    await ana.type("ready")
    await play_to_the_end(ana=ana, bo=bo)
    await bo.type("say grüße …")
    await ana.until("<bo> grüße …")  # what goes through pipes is UTF-8
    await leave(bo)
    await leave(ana)
    assert private(tmp_path / "bo")


async def test_a_linux_client_at_a_windows_host(machine: Machine, tmp_path: Path) -> None:
    host = ("host", "double-or-nothing", "--plain", "--name", "ana", "--host", "127.0.0.1", "--port", "0")
    ana = await start(machine, "-m", CLIENT, *host, "--first", "1", state=tmp_path / "ana")
    told = await ana.until("'help' lists all commands.")
    (where,) = set(re.findall(r"127\.0\.0\.1:\d+/\w+", told))
    bo = await Process.start(CLIENT, "join", where, "--plain", "--name", "bo", state=tmp_path / "bo")
    await bo.until("'help' lists all commands.")
    await ana.type("ready")
    await bo.type("ready")
    await play_to_the_end(ana=ana, bo=bo)
    await leave(ana)
    await bo.until("The host has closed the table.")
    await bo.ended()


async def test_a_score_card_on_windows(machine: Machine, tmp_path: Path) -> None:
    """`host` with real dice: a whole game at one keyboard."""
    flags = ("--dice", "entered", "--players", "ana,bo,cy", "--rounds", "1", "--window", "0")
    card = await start(
        machine, "-m", CLIENT, "host", "doubles", *flags, "--host", "127.0.0.1", "--port", "0", state=tmp_path
    )
    await card.until("'help' lists all commands.")
    for line, answer in (
        ("start", "ana, roll two dice and type them, such as 'roll 5 2': "),
        ("roll 3 3", "ana rolls 3 and 3. DOUBLES on the first roll! The pot is 300."),
        ("cy cash", "cy cashes out 300. That makes 300."),
        ("5 5", "bo rolls 5 and 5. DOUBLES! The pot is 600."),
        ("bo, cash", "bo cashes out 600. That makes 600."),
        ("ana cash", "The game is over. ana and bo share the win."),
    ):
        await card.type(line)
        await card.until(answer)
    await leave(card)
    assert "Traceback" not in card.text


async def test_a_windows_server_is_killed_and_goes_on(machine: Machine, tmp_path: Path) -> None:
    """What was acknowledged is on the disk exactly once, and the tables go on where they were."""
    server, number, port = await start_server(machine, 0, state=tmp_path)
    load = Load(Address("127.0.0.1", port), asyncio.sleep)  # the server takes seconds to start
    tables = [asyncio.ensure_future(load.table(10 * each)) for each in range(2)]
    await load.acks(40)
    await asyncio.to_thread(terminate, machine, number)
    await server.ended()
    server, number, _ = await start_server(machine, port, state=tmp_path)
    assert "has lost its last" not in server.text
    await load.acks(40)
    for table in tables:
        table.cancel()
    await asyncio.gather(*tables, return_exceptions=True)
    on = ("--host", "127.0.0.1", "--port", "0", "--data", there(tmp_path / "data"))
    second = await start(machine, "-m", SERVER, *on, state=tmp_path)
    await second.until("Another server uses the data folder")
    assert await second.ended(None) == 2
    await asyncio.to_thread(terminate, machine, number)
    await server.ended()
    assert check(tmp_path / "data", load) >= len(load.acked)
    assert (tmp_path / "data").stat().st_mode & 0o007 == 0


ERRORS = [
    (["join", "127.0.0.1:9/KQ7M", "--name", "ana"], 3, "127.0.0.1 is there, but nothing listens on port 9."),
    (
        ["host", "sevens", "--name", "ana", "--host", "203.0.113.7"],
        2,
        "203.0.113.7 port 8765: cannot assign",
    ),
    (["replay", "nothing.jsonl"], 2, "There is no file nothing.jsonl."),
]


async def test_errors_are_sentences(machine: Machine, tmp_path: Path) -> None:
    async def fails(arguments: list[str], code: int, sentence: str) -> None:
        process = await start(machine, "-m", CLIENT, *arguments, "--plain", state=tmp_path / arguments[0])
        assert await process.ended(None) == code, process.text
        print(process.text)
        assert sentence in process.text
        assert "Traceback" not in process.text and "unknown error" not in process.text.lower()

    await asyncio.gather(*(fails(*each) for each in ERRORS))


async def test_a_port_that_is_taken_is_told(machine: Machine, tmp_path: Path) -> None:
    flags: list[Any] = ["host", "sevens", "--name", "ana", "--plain", "--host", "127.0.0.1", "--port"]
    first = await start(machine, "-m", CLIENT, *flags, "0", state=tmp_path / "first")
    told = await first.until("'help' lists all commands.")
    port = re.findall(r"127\.0\.0\.1:(\d+)/", told)[0]
    second = await start(machine, "-m", CLIENT, *flags, port, state=tmp_path / "second")
    assert await second.ended(None) == 2
    assert f"Port {port} is already in use." in second.text


async def test_ssh_windows_and_linux_at_one_table(machine: Machine, tmp_path: Path) -> None:
    """Doubles for three: each with another kind of client, all in line mode."""
    ssh_port = free_port()
    on = ("--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path / "data"), "--ssh", str(ssh_port))
    server = await Process.start(SERVER, *on, state=tmp_path)
    await server.until("listening on 127.0.0.1 port ")
    place = f"127.0.0.1:{(await server.until(chr(10))).strip()}"
    await server.until("ssh on port ")
    server.read_on()
    table = ("host", "doubles", "--on", place, "--rounds", "1", "--window", "0", "--plain", "--name", "ana")
    ana = await Process.start(CLIENT, *table, state=tmp_path / "ana")
    told = await ana.until("'help' lists all commands.")
    (code,) = set(re.findall(r"127\.0\.0\.1:\d+/(\w+)", told))
    bo = await start(machine, "-m", CLIENT, "join", f"{place}/{code}", "--plain", "--name", "bo", state=tmp_path / "bo")
    await bo.until("'help' lists all commands.")
    async with ssh_user(ssh_port, code, term=NO_TERMINAL) as cy:
        await cy.until_said("Your name:")
        cy.press("cy\n")
        await cy.until_said("'help' lists all commands.")
        cy.press("ready\n")
        await bo.type("ready")
        await ana.type("ready")
        for player in (ana, bo):
            await player.until("cy plays over ssh: that share of the dice comes from the server.")
        await ana.until("roll")
        await ana.type("roll")
        await bo.until("The pot is ")
        await cy.until_said("The pot is ")
        cy.press("cash\n")
        await bo.until("cy cashes out")
        await bo.type("cash")
        await ana.until("bo cashes out")
        await ana.type("cash")
        for player in (ana, bo):
            await player.until("The game is over.")
        await cy.until_said("The game is over.")
    await ana.until("cy lost the connection.")
    await leave(bo)
    await leave(ana)

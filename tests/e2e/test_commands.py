"""The two commands from the outside: what they print, and their exit codes."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.codec import encode
from dicegames_protocol.messages.client import Create
from dicegames_protocol.messages.server import Error, Joined
from dicegames_server.settings import load
from support.process import Process, run

CLIENT, SERVER = "dicegames_client", "dicegames_server"


async def open_room(address: Address, **fields: object) -> tuple[Guest, str]:
    guest = Guest(address)
    await guest.open()
    wish = Create.model_validate({"id": "1", "game": "doubles", "name": "ana", **fields})
    joined = await guest.ask(wish)
    assert isinstance(joined, Joined)
    return guest, joined.room


@pytest.mark.parametrize("module", [CLIENT, SERVER])
def test_help_loads_next_to_nothing(module: str) -> None:
    """`--help` is fast because it imports little. So imports are checked; seconds would depend on the machine."""
    code = f"import sys; sys.argv = ['x', '--help']; import {module}.__main__ as m\n"
    code += "try: m.main()\nexcept SystemExit: pass\n"
    code += "print([n for n in ('pydantic', 'websockets', 'prompt_toolkit', 'asyncio') if n in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "usage:" in out
    assert out.splitlines()[-1] in ("[]", "['asyncio']")


async def test_help_of_a_game_lists_its_options(tmp_path: Path) -> None:
    code, text = await run(CLIENT, "host", "farkle", "--help", state=tmp_path)
    assert code == 0
    for flag in ("--bots", "--table multiplier|doubling|set-value", "--target", "--no-four-and-pair"):
        assert flag in text


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ([], 2, "There is nobody to ask what to do. Try: dicegames-client --help"),
        (["frobnicate"], 2, "There is no command 'frobnicate'. Try: "),
        (["join", "ftp://x"], 2, '"ftp://x" is not an address.'),
        (["join", "127.0.0.1:1/KQ7M", "--name", "bo"], 3, "127.0.0.1 is there, but nothing listens on port 1."),
        (["rooms", "no-such-host.invalid"], 3, 'Can\'t find a server called "no-such-host.invalid".'),
        (["host", "chess"], 2, "There is no game called 'chess'. The games are: double-or-nothing"),
        (["host", "doubles", "--colour", "red"], 2, "There is no option '--colour' for doubles. The game has: --dice"),
        (["host", "--rounds", "3"], 2, "'--rounds' belongs to a game."),
        (["host", "doubles", "--name", "\x1b[2J"], 2, "A name can't hold the character U+001B"),
        (["host", "doubles", "--name", "a", "--bots", "-1"], 2, "--bots must be 0 to 1000."),
        (["host", "doubles", "--name", "a", "--password-file", "/nowhere"], 2, "Can't read the password file"),
        (["host", "doubles", "--name", "a", "--on", "127.0.0.1:1/KQ7M"], 2, "--on takes a server, not a room."),
        (["host", "--ssh", "farkle"], 2, "Argument --ssh: 'farkle' is no port. Name one, such as 2222, or none."),
        (["host", "farkle", "--ssh", "0"], 2, "Argument --ssh: '0' is no port."),
        (
            ["host", "farkle", "--name", "a", "--on", "127.0.0.1:1", "--ssh"],
            2,
            "--ssh is about a server on this machine, but",
        ),
        (["join", "KQ7M", "--rounds", "3"], 2, "There is no option '--rounds' for 'join'."),
        (["--plain", "join", "KQ7M"], 2, "The command comes first: dicegames-client join …"),
        (["host", "farkle", "--bots"], 2, "--bots needs a value after it. Try: dicegames-client host --help"),
        (["host", "farkle", "--bots", "two"], 2, "--bots must be a whole number, not 'two'. Try: "),
        (["join", "KQ7M", "--plain", "--json"], 2, "--plain and --json do not go together. Try: "),
    ],
)
async def test_mistakes_get_a_sentence(arguments: list[str], code: int, sentence: str, tmp_path: Path) -> None:
    ended, text = await run(CLIENT, *arguments, state=tmp_path)
    assert sentence in text
    assert ended == code
    assert "Traceback" not in text


async def test_bad_options_of_a_game_are_refused_with_the_servers_sentence(tmp_path: Path) -> None:
    arguments = ["host", "doubles", "--rounds", "0", "--name", "ana", "--host", "127.0.0.1", "--port", "0"]
    code, text = await run(CLIENT, *arguments, state=tmp_path)
    assert (code, text) == (2, "rounds must be at least 1.\n")


async def test_refusals_of_a_server(address: Address, tmp_path: Path) -> None:
    guest, room = await open_room(address)
    code, text = await run(CLIENT, "join", f"{address.shown}/XXXX", "--name", "bo", state=tmp_path)
    assert (code, text) == (4, "No room XXXX here. Check the code with the host.\n")
    code, text = await run(CLIENT, "join", f"{address.shown}/{room}", "--name", "Ana", state=tmp_path)
    assert (code, text) == (4, '"Ana" is already at this table. Join as "Ana2"?\n')
    await guest.close()


async def test_rooms_are_listed(address: Address, tmp_path: Path) -> None:
    code, text = await run(CLIENT, "rooms", address.shown, state=tmp_path)
    assert (code, text) == (0, f"There are no open rooms on {address.shown}.\n")
    guest, room = await open_room(address)
    code, text = await run(CLIENT, "rooms", address.shown, state=tmp_path)
    assert (code, text) == (0, f"1  {room}  Doubles, 10 rounds  1/8  WAITING, host ana\n")
    code, text = await run(CLIENT, "rooms", address.shown, "--json", state=tmp_path)
    assert json.loads(text)["code"] == room
    await guest.close()


async def test_joining_without_a_code_offers_the_list(address: Address, tmp_path: Path) -> None:
    guest, room = await open_room(address)
    bo = await Process.start(CLIENT, "join", address.shown, "--name", "bo", state=tmp_path)
    await bo.until("Which room? 1 to 1:\n")
    await bo.type("7")
    await bo.until("Type a number from 1 to 1, or 'quit'.")
    await bo.type("1")
    await bo.until(f"Room {room}: Doubles, 10 rounds.\nThe usual options.\n")
    await bo.type("say hello")
    await bo.until("<bo> hello")
    bo.signal(signal.SIGINT)
    await bo.until("Press Ctrl-C again")
    bo.signal(signal.SIGINT)
    assert await bo.ended() == 0
    await guest.close()


async def test_a_password_comes_from_a_file_or_the_environment(address: Address, tmp_path: Path) -> None:
    guest, room = await open_room(address, password="dice", public=False)
    where = f"{address.shown}/{room}"
    code, _ = await run(CLIENT, "join", where, "--name", "bo", state=tmp_path)
    assert code == 4
    secret = tmp_path / "secret"
    secret.write_text("dice\n")
    code, text = await run(CLIENT, "join", where, "--name", "bo", "--password-file", str(secret), state=tmp_path)
    assert code == 0, text
    code, text = await run(CLIENT, "watch", where, "--json", state=tmp_path, DICEGAMES_PASSWORD="wrong")
    assert '"no_such_room"' in text
    assert code == 4
    await guest.close()


async def test_another_protocol_version_is_exit_5(tmp_path: Path) -> None:
    async def old_server(connection: ServerConnection) -> None:
        await connection.recv()
        sentence = "This server is too old (protocol 0, you need 1). Ask the host to update dicegames."
        await connection.send(json.dumps({"type": "error", "code": "unsupported_version", "message": sentence}))
        await connection.close(4001)

    async with serve(old_server, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        code, text = await run(CLIENT, "join", f"127.0.0.1:{port}/KQ7M", "--name", "bo", state=tmp_path)
    told = "This server is too old (protocol 0, you need 1). Ask the host to update dicegames."
    assert (code, text.splitlines()[0]) == (5, f"127.0.0.1:{port} says: {told}")


async def test_what_a_server_says_at_the_door_is_cleaned(tmp_path: Path) -> None:
    async def refuse(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(encode(Error(code="unavailable", message="\x1b[2Jgo\u202e away\r\n")).decode())

    async with serve(refuse, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        for command in (["join", f"127.0.0.1:{port}/KQ7M", "--plain", "--name", "bo"], ["rooms", f"127.0.0.1:{port}"]):
            assert await run(CLIENT, *command, state=tmp_path) == (3, f"127.0.0.1:{port} says: [2Jgo away  \n")


async def test_something_else_on_the_port(tmp_path: Path) -> None:
    async def teapot(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"HTTP/1.1 418 I am a teapot\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(teapot, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    code, text = await run(CLIENT, "rooms", f"127.0.0.1:{port}", state=tmp_path)
    assert (code, text) == (3, f"Something answers at 127.0.0.1:{port}, but it is not a dicegames server.\n")
    server.close()


async def test_json_lines_for_scripts(address: Address, tmp_path: Path) -> None:
    guest, room = await open_room(address)
    script = await Process.start(CLIENT, "join", f"{address.shown}/{room}", "--json", "--name", "bo", state=tmp_path)
    await script.until('"type":"joined"')
    await script.type('{"type": "chat", "text": "hi"}')
    await script.until('"type":"ack","id":"line-1"')
    await script.type("nonsense")
    await script.until('"code":"bad_message"')
    script.end_input()
    assert await script.ended() == 0
    assert all(json.loads(line) for line in script.text.splitlines())
    await guest.close()


async def test_a_spectator_stays_when_there_is_no_input(address: Address, tmp_path: Path) -> None:
    guest, room = await open_room(address)
    watcher = await Process.start(CLIENT, "watch", f"{address.shown}/{room}", state=tmp_path)
    watcher.end_input()
    await watcher.until("You are watching.")
    await guest.close()
    await watcher.until("ana has left.")
    watcher.signal(signal.SIGTERM)
    assert await watcher.ended() == 0
    assert "Traceback" not in watcher.text


async def test_everybody_at_a_table_can_bring_friends(address: Address, tmp_path: Path) -> None:
    """Who joined, who came back to a seat, and who watches: 'invite' prints the line for the room that they are in."""
    guest, room = await open_room(address)
    line = f"  dicegames-client join 127.0.0.1:{address.port}/{room}\n"
    where = f"127.0.0.1:{address.port}/{room}"
    for arguments in (["join", where, "--name", "bo"], ["join", where, "--name", "bo"], ["watch", where]):
        visitor = await Process.start(CLIENT, *arguments, state=tmp_path)
        await visitor.until("Doubles")
        await visitor.type("invite")
        await visitor.until(line)
        assert "firewall" not in visitor.text  # the server is not theirs
        await visitor.kill()  # the seat is held
    await guest.close()


async def test_the_server_says_where_it_listens_and_ends_politely(tmp_path: Path) -> None:
    server = await Process.start(SERVER, "--host", "127.0.0.1", "--port", "0", "--data", "memory", state=tmp_path)
    port = int((await server.until("\n")).rsplit(" ", 1)[1])
    address = Address("127.0.0.1", port)
    guest, room = await open_room(address)
    bo = await Process.start(CLIENT, "join", f"{address.shown}/{room}", "--name", "bo", state=tmp_path)
    await bo.until("'help' lists all commands.")
    script = await Process.start(CLIENT, "watch", f"{address.shown}/{room}", "--json", state=tmp_path)
    await script.until('"type":"joined"')
    code, text = await run(SERVER, "--host", "127.0.0.1", "--port", str(port), "--data", "memory", state=tmp_path)
    assert (code, text) == (
        2,
        f"Port {port} is already in use. Is a server running? Another one can be named with --port.\n",
    )
    server.signal(signal.SIGTERM)
    assert await server.ended() == 0
    await bo.until("The server is shutting down.")
    assert await bo.ended() == 3
    assert await script.ended() == 3
    await guest.close()
    assert f"room {room} opened: Doubles, 10 rounds, 8 seats" in server.text
    assert "Traceback" not in server.text


async def test_settings_from_file_environment_and_flags(tmp_path: Path) -> None:
    config = tmp_path / "dicegames.toml"
    config.write_text('host = "127.0.0.1"\nport = 1\nlog = "json"\ndata = "memory"\n')
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, text = await run(SERVER, "--config", str(config), state=tmp_path, DICEGAMES_PORT=port)
        assert code == 2
        assert f"Port {port} is already in use" in text  # the environment wins over the file
    server = await Process.start(SERVER, "--config", str(config), "--port", "0", state=tmp_path, DICEGAMES_PORT=port)
    line = await server.until("\n")
    assert json.loads(line)["message"].startswith("listening on 127.0.0.1 port")
    server.signal(signal.SIGINT)
    assert await server.ended() == 0


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "Can't read the settings file"),
        ("port = = 1", "is not TOML"),
        ("port = 123456", "The setting 'port' can't be used"),
        ("prot = 1", "There is no setting called 'prot'. Did you mean 'port'?"),
    ],
)
async def test_bad_settings_get_a_sentence(content: str | None, sentence: str, tmp_path: Path) -> None:
    config = tmp_path / "dicegames.toml"
    if content is not None:
        config.write_text(content)
    code, text = await run(SERVER, "--config", str(config), state=tmp_path)
    assert code == 2
    assert sentence in text
    assert "Traceback" not in text


async def test_a_data_file_that_can_not_be_used_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "dicegames.sqlite3").write_bytes(b"something else, and dear to somebody" * 50)
    code, text = await run(SERVER, "--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path), state=tmp_path)
    assert code == 2
    assert "is damaged" in text
    assert "Traceback" not in text


async def test_the_schema_is_printed(tmp_path: Path) -> None:
    code, text = await run(SERVER, "schema", state=tmp_path)
    schema = json.loads(text)
    assert code == 0
    assert set(schema) == {"protocol", "client", "server", "room_events", "games"}
    assert "move" in schema["client"]["discriminator"]["mapping"]


async def test_the_printed_settings_are_a_settings_file(tmp_path: Path) -> None:
    code, text = await run(SERVER, "settings", state=tmp_path)
    assert code == 0
    assert load({}, write(tmp_path / "all.toml", text)).model_dump() == load({}).model_dump()


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


async def test_a_table_that_its_host_has_closed_is_not_offered_again(tmp_path: Path) -> None:
    host = ["host", "doubles", "--host", "127.0.0.1", "--port", "0", "--name", "ana", "--no-announce"]
    ana = await Process.start(CLIENT, *host, state=tmp_path / "ana")
    await ana.until("dicegames-client join ")
    line = (await ana.until("\n")).strip()
    bo = await Process.start(CLIENT, "join", line, "--name", "bo", state=tmp_path / "bo")
    await ana.until("bo sits down.")
    await bo.until("'help' lists all commands.")
    assert "token" in (tmp_path / "bo" / "dicegames" / "seats.jsonl").read_text()
    await ana.type("quit")
    await ana.type("quit")
    await bo.until("The host has closed the table.")
    await bo.ended()
    assert "token" not in (tmp_path / "bo" / "dicegames" / "seats.jsonl").read_text()

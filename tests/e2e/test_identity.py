"""One player on every spelling of a server, on linked devices, and on a new machine."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as listen

from dicegames_client.base.address import Address
from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.errors import NETWORK, ClientError
from dicegames_client.base.player_identity import own_identity
from dicegames_client.base.state.saved_state import HeldSeat
from dicegames_client.base.terminal.terminal import LocalTerminal
from dicegames_client.enter.asking import list_rooms
from dicegames_client.enter.entering import Entering, new_guest, seats_at
from dicegames_client.guest import known_servers, server_link
from dicegames_client.guest.events import Finished
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.server_link import ServerLink
from dicegames_client.lines.line_prompter import LinePrompter
from dicegames_protocol.codec import decode_client, encode
from dicegames_protocol.messages.client import AskHistory, Create, Hello, Join, Link, Ready, Watch
from dicegames_protocol.messages.server import History, LinkCode, Welcome
from dicegames_protocol.table import Move
from dicegames_server.app.service import Service
from dicegames_server.lobby.server_identity import ServerIdentity
from dicegames_server.lobby.session import Session
from e2e.conftest import Serve
from support.hurry import hurried
from support.limits import LIMITS
from support.process import Process, run
from support.relay import Relay
from support.settings import quick

CLIENT = "dicegames_client"


@pytest.fixture(autouse=True)
def laptop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "laptop"))
    return tmp_path / "laptop"


async def played(server: Service) -> None:
    """A whole game of this machine's player against somebody, at 127.0.0.1."""
    address = Address("127.0.0.1", server.port)
    ana, bo = Guest(address, player=own_identity()), Guest(address)
    for guest in (ana, bo):
        await guest.open()
    await ana.ask(Create(id="1", game="double-or-nothing", name="ana", options={"target": 2}))
    await bo.ask(Join(id="1", room=ana.store.room or "", name="bo"))
    for guest in (ana, bo):
        await guest.ask(Ready(id="2"))
    async for _ in ana.news():
        if ana.store.phase == "playing":
            break
    async for _ in bo.news():
        if bo.store.phase == "playing":
            break
    mover = ana if ana.store.wanted() is not None else bo
    await mover.move(mover.store.seats[0], Move(take="add"))
    async for _ in ana.news():
        if ana.store.phase == "over":
            break
    for guest in (ana, bo):
        await guest.close()


async def test_history_follows_the_server_and_not_its_spelling(serve: Serve, tmp_path: Path) -> None:
    """localhost, 127.0.0.1 and wss:// were three players."""
    server = await serve(quick(data=str(tmp_path / "data"), leaderboard_one_address=True))
    await played(server)
    for spelled in ("127.0.0.1", "localhost"):
        code, text = await run(CLIENT, "history", f"{spelled}:{server.port}", state=tmp_path / "laptop")
        assert (code, "double-or-nothing: " in text) == (0, True), text
    port = server.port
    await server.stop()
    again = await serve(quick(data=str(tmp_path / "data"), tls="self", port=port))  # the same server, encrypted now
    guest = Guest(Address("localhost", again.port, secure=True), player=own_identity())
    await guest.open()
    history = await guest.ask(AskHistory(id="h"))
    assert isinstance(history, History) and len(history.games) == 1
    await guest.close()


async def test_a_short_code_links_a_second_device(serve: Serve, tmp_path: Path) -> None:
    server = await serve(quick(data=str(tmp_path / "data"), leaderboard_one_address=True))
    await played(server)
    at, phone = f"127.0.0.1:{server.port}", tmp_path / "phone"
    code, text = await run(CLIENT, "history", at, state=phone)
    assert (code, text) == (0, "No games yet.\n")
    code, text = await run(CLIENT, "link", at, state=tmp_path / "laptop")
    assert code == 0
    (line,) = re.findall(r"^  dicegames-client (link .*)$", text, re.MULTILINE)
    assert re.search(r" --code \w{4}-\w{4}$", line)
    code, text = await run(CLIENT, *line.split(), state=phone)
    assert (code, "is now the same player" in text) == (0, True), text
    code, text = await run(CLIENT, "history", at, state=phone)
    assert (code, "double-or-nothing: " in text) == (0, True)
    code, text = await run(CLIENT, *line.split(), state=tmp_path / "thief")
    assert (code, "There is no such code, or it is too old." in text) == (4, True)


async def test_words_make_a_new_machine_the_same_player(serve: Serve, tmp_path: Path) -> None:
    server = await serve(quick(data=str(tmp_path / "data"), leaderboard_one_address=True))
    await played(server)
    code, text = await run(CLIENT, "words", state=tmp_path / "laptop")
    words = text.splitlines()[1].strip()
    assert code == 0 and len(words.split()) == 9
    new = await Process.start(CLIENT, "recover", state=tmp_path / "new")
    await new.type(words.upper())
    assert await new.ended() == 0
    code, text = await run(CLIENT, "history", f"127.0.0.1:{server.port}", state=tmp_path / "new")
    assert (code, "double-or-nothing: " in text) == (0, True)
    wrong = await Process.start(CLIENT, "recover", state=tmp_path / "new")
    await wrong.type("one two three")
    assert await wrong.ended() == 2
    assert "There are 9 recovery words, and these are 3." in wrong.text


async def test_a_seat_is_not_shown_to_another_server(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever answers at the address after a loss may be somebody else: without encryption only the id tells."""
    server = await serve(quick(data=str(tmp_path / "one")))
    port = server.port
    ana = Guest(Address("127.0.0.1", port), sleep=hurried)
    await ana.open()
    await ana.ask(Create(id="1", game="doubles", name="ana"))
    await server.stop()
    other = await serve(quick(port=port, data=str(tmp_path / "two")))
    heard: list[str] = []
    admitted = Session._admitted

    def overheard(self: Session, frame: str | bytes) -> object:
        heard.append(str(frame))
        return admitted(self, frame)

    monkeypatch.setattr(Session, "_admitted", overheard)
    async for news in ana.news():
        if isinstance(news, Finished):
            assert "Another server than before answers" in news.sentence
            break
    assert heard and not any("seat_token" in frame for frame in heard)
    assert other.environment.metrics.connected == 1


async def test_whoever_passes_a_server_on_is_not_the_player_there(server: Service) -> None:
    """A victim visited an evil server, which relayed everything, linked a device of its own, and was the victim."""
    relay = Relay(server.port)
    await relay.start()
    links = [
        await ServerLink.open(Address("127.0.0.1", port), "test", own_identity()) for port in (server.port, relay.port)
    ]
    assert [link.certain for link in links] == [True, False]
    assert links[0].server_id == links[1].server_id  # the proof itself can be passed on
    players = []
    for link in links:
        await link.send(Link(id="l"))
        assert isinstance(await link.receive(), LinkCode)
    for port in (server.port, relay.port):
        guest = Guest(Address("127.0.0.1", port), player=own_identity())
        await guest.open()
        await guest.ask(Create(id="1", game="doubles", name="ana"))
        players.append(next(iter(server.lobby.rooms[-1]._audience.peers)).player)
        await guest.close()
    assert players[0] != players[1] and all(players)
    listed = await list_rooms(Address("127.0.0.1", relay.port))
    assert listed.server_id == ""  # and it is not shown as a key that could be compared
    direct, passed_on = (known_servers.known(f"127.0.0.1:{port}") for port in (server.port, relay.port))
    assert direct and direct.id == links[0].server_id
    assert passed_on is None or passed_on.id == ""
    seat = HeldSeat(server=f"127.0.0.1:{server.port}", room="KQ7M", seat=0, token="t", name="ana", id=direct.id)
    assert seats_at(Address("localhost", server.port), "KQ7M")(seat) is False  # not known yet by this name
    assert not seats_at(Address("127.0.0.1", relay.port), "KQ7M")(seat)  # so no token goes there
    for link in links:
        link.abort()
    await relay.stop()


@pytest.mark.parametrize("answers", [0, 1])
async def test_a_server_that_says_nothing_is_not_waited_for(answers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async def mute(socket: ServerConnection) -> None:
        hello = decode_client(str(await socket.recv()))
        assert isinstance(hello, Hello)
        if answers:
            identity = ServerIdentity.new()
            proof = identity.prove(hello.challenge or "", "")
            told = Welcome(protocol=2, server="x", limits=LIMITS, heartbeat_ms=1000, id=identity.id, **proof)
            await socket.send(encode(told).decode())
        await socket.wait_closed()

    monkeypatch.setattr(server_link, "CONNECT_SECONDS", 0.2)
    async with listen(mute, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        with pytest.raises(ClientError, match=f"No answer from 127.0.0.1:{port}") as error:
            await Guest(Address("127.0.0.1", port), player=own_identity()).open()
    assert error.value.code == NETWORK


async def test_an_announced_server_is_visited_only_if_somebody_vouched_for_it(server: Service) -> None:
    """One visit without a password made it trusted for passwords."""
    address = Address("127.0.0.1", server.port)
    host = Guest(address)
    await host.open()
    await host.ask(Create(id="1", game="doubles", name="ana"))
    prompter = LinePrompter(LocalTerminal())
    for announced, visited in (("eve", False), (None, True)):
        guest = new_guest(replace(address, announced=announced))
        await guest.open()
        entering = Entering(CommandLine(command="watch"), prompter)
        await entering.enter(guest, Watch(id="w", room=host.store.room or ""))
        known = known_servers.known(address.place)
        assert known and known.visited is visited
        await guest.close()
    await host.close()

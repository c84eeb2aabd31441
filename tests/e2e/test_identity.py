"""One player on every spelling of a server, on linked devices, and on a new machine."""

import re
from pathlib import Path

import pytest

from dicegames_client.base.address import Address
from dicegames_client.base.player_identity import own_identity
from dicegames_client.guest.events import Finished
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import AskHistory, Create, Join, Ready
from dicegames_protocol.messages.server import History
from dicegames_protocol.table import Move
from dicegames_server.app.service import Service
from dicegames_server.lobby.session import Session
from e2e.conftest import Serve
from support.hurry import hurried
from support.process import Process, run
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

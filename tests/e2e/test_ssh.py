"""Users with nothing but ssh, at a real server, over real sockets."""

import asyncio
import gc
import stat
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from prompt_toolkit.key_binding.key_bindings import Binding
from prompt_toolkit.layout.containers import WindowRenderInfo

from dicegames_client.base.address import Address
from dicegames_client.cli.controller import run_on
from dicegames_client.enter.entering import invited_to
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create, Join
from dicegames_protocol.messages.server import Joined
from dicegames_server.app.service import Service
from dicegames_server.app.ssh_guests import SshGuests
from dicegames_server.app.wiring import assemble
from dicegames_server.net.ssh.ssh_listener import SshConnection
from dicegames_server.ops.admin_client import lines
from support.eventually import eventually
from support.ports import free_port
from support.settings import quick
from support.ssh import NO_TERMINAL, SshUser, connect, ssh_user

pytestmark = pytest.mark.timeout(90)


class Hosted:
    """A server that can be stopped and started again on the same ports and the same data."""

    def __init__(self, data: Path, **settings: Any) -> None:
        self._settings = {"data": str(data), "ssh": free_port(), "admin": "", "ssh_logins_per_minute": 0, **settings}
        self.server: Service

    async def start(self) -> None:
        self.server = assemble(quick(**self._settings), guests=partial(SshGuests, run_on))
        await self.server.start()

    @property
    def port(self) -> int:
        return self.server.ssh_port


@pytest.fixture
async def hosted(tmp_path: Path) -> AsyncIterator[Hosted]:
    made = Hosted(tmp_path / "data")
    await made.start()
    yield made
    await made.server.stop()


def new_key() -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519")


async def open_table(user: SshUser, game: str) -> str:
    """Open a table with the keys of the screen. Gives its code."""
    await user.until("New room")
    user.press("n")
    await user.until(game)
    line = next(line for line in user.text.splitlines() if line.rstrip().endswith(game))
    user.press(line.partition("[")[2][0])
    await user.until("> ana")
    user.press("\r")
    await user.until("A new table")
    user.press("\r")
    await user.until("Waiting room")
    return user.text.partition("Waiting room ")[2].split()[0]


async def test_a_whole_game_between_the_screen_lines_and_a_client(hosted: Hosted) -> None:
    """Double or Nothing: ana on the screen over ssh, bo in lines over ssh, and cy watches with a client."""
    async with ssh_user(hosted.port, "ana") as ana:
        code = await open_table(ana, "Double or Nothing")
        assert "(ssh)" in ana.text
        async with ssh_user(hosted.port, code, term=NO_TERMINAL) as bo:
            await bo.until_said("Your name:")
            bo.press("bo\n")
            await bo.until_said("over ssh")
            bo.press("ready\n")
            await ana.until("1 of 2 ready")
            ana.press("y")
            await play_double_or_nothing(ana, bo)
            await ana.until("[M] Rematch", "Rematch")
            bo.press("quit\n")
            assert await bo.ended() == 0
        ana.press("q")
        await ana.until("New room")
        ana.press("q")
        assert await ana.ended() == 0
        assert b"\x1b[?1049l" in ana.raw  # the terminal is as it was before


async def play_double_or_nothing(ana: SshUser, bo: SshUser) -> None:
    """Both add one each time, until 20."""
    for _ in range(40):
        await ana.until("[A] Add", "to move", "Rematch")
        if "Rematch" in ana.text:
            return
        if "[A] Add" in ana.text:
            ana.press("a")
            await ana.until_gone("[A] Add")
        else:
            bo.press("add\n")
            await ana.until("[A] Add", "Rematch")


async def test_a_seat_is_taken_back_by_the_key_after_a_restart(hosted: Hosted) -> None:
    key = new_key()
    async with ssh_user(hosted.port, "ana", key) as ana:
        code = await open_table(ana, "Farkle")
        ana.press("s")
        await ana.until("YOUR TURN")
        ana.press("r")
        await ana.until("could take", "FARKLE!")
        await hosted.server.stop()
        await ana.ended()
        assert b"The server is shutting down." in ana.raw
        assert f"{code}@".encode() in ana.raw.rpartition(b"Your seat is held")[2]
    await hosted.start()
    async with ssh_user(hosted.port, code, key) as again:
        await again.until(f"Resume {code} as ana?")
        again.press("\r")
        await again.until("YOUR TURN")
    async with ssh_user(hosted.port, "whoever", key) as home:
        await home.until(f"Back to {code} as ana?")
    async with ssh_user(hosted.port, code, new_key()) as stranger:
        await stranger.until("Your name")
        assert "Resume" not in stranger.text


async def test_a_lost_connection_leaves_no_ghost(hosted: Hosted) -> None:
    """The seat is held, its player is away, and nobody comes back by itself."""
    async with ssh_user(hosted.port, "ana", new_key()) as ana:
        code = await open_table(ana, "Farkle")
    room = next(room for room in hosted.server.lobby.rooms if room.code == code)
    await eventually(lambda: bool(room._audience.away))
    limits = hosted.server.lobby.address_limits
    await eventually(lambda: not limits.inside and not limits.knocking("127.0.0.1"))
    assert hosted.server._ssh and not hosted.server._ssh.sessions
    guests = [task for task in asyncio.all_tasks() if "Guest._run" in repr(task.get_coro())]
    assert not guests  # one would come back to the table after a while


async def test_a_key_that_was_only_asked_about_is_not_who_you_are(hosted: Hosted) -> None:
    """A client may ask whether a key would do, without having it. Then it logs in without a key."""
    victim = new_key()
    async with ssh_user(hosted.port, "ana", victim) as ana:
        code = await open_table(ana, "Farkle")

    # The library never asks about a key that it can't sign with: so the answer to the question is given by hand.
    door = SshConnection(hosted.server._ssh._listener, hosted.server.environment.clock)  # type: ignore[union-attr]
    assert door.validate_public_key("x", victim.convert_to_public())
    assert door.validate_kbdint_response("x", [])
    assert door._key == ""
    async with ssh_user(hosted.port, code) as thief:
        await thief.until("Your name")
        assert "Resume" not in thief.text


async def test_resize_control_keys_and_nonsense(hosted: Hosted) -> None:
    async with ssh_user(hosted.port, "ana") as ana:
        code = await open_table(ana, "Farkle")
        ana.press("s")
        await ana.until("YOUR TURN")
        ana.press("\x1a")
        await ana.until("Ctrl-Z does nothing here")
        ana.resize(60, 20)
        await ana.until("YOUR TURN")
        assert "│" not in ana.text.splitlines()[12]  # the feed is left out
        ana.resize(100, 30)
        await ana.until("[R] Roll 6 dice")
        ana.press("\x1b[999;999;999Zq\x1b")
        ana.press("\x03")
        await ana.until("Leave?")
        ana.press("\x0c")
        await ana.until(code)


@pytest.mark.parametrize("size", [(0, 0), (1, 1), (2**31 - 1, 2**31 - 1), (10_000, 3)])
async def test_any_size_of_a_terminal(hosted: Hosted, size: tuple[int, int]) -> None:
    connection = await connect(hosted.port, "ana")
    user = SshUser((300, 100))
    user.channel, _ = await connection.create_session(lambda: user, encoding=None, term_type="xterm", term_size=size)
    await eventually(lambda: bool(user.raw))
    user.press("q")
    await user.ended()
    connection.abort()


@pytest.mark.parametrize("size", [(1, 1), (5, 24), (4, 10)])
async def test_a_narrow_window_holds_nobody_up(hosted: Hosted, size: tuple[int, int]) -> None:
    """At the question for a name, in a window of less than six columns, the server once stood still for good."""
    async with ssh_user(hosted.port, "ZZZZ", size=(80, 24)) as narrow:
        await narrow.until("Your name")
        narrow.resize(*size)
        async with ssh_user(hosted.port, "ZZZZ", size=size) as another:
            await eventually(lambda: b"\x1b[?1049h" in another.raw)
            async with ssh_user(hosted.port, "ana") as ana:
                await ana.until("New room")
                ana.press("q")
                assert await ana.ended() == 0


@pytest.mark.parametrize("term", ["dumb", "\x1b]0;evil\x07", "x" * 2000, "../../etc/passwd", "", "vt100", "linux"])
async def test_any_terminal_type(hosted: Hosted, term: str) -> None:
    connection = await connect(hosted.port, "ana")
    user = SshUser()
    user.channel, _ = await connection.create_session(
        lambda: user, encoding=None, term_type=term or "dumb", term_size=(80, 24)
    )
    await user.until("New room", "What do you want to do?")
    assert b"evil" not in user.raw and b"passwd" not in user.raw
    user.press("\x04" if "What" in user.text else "q")
    await user.ended()
    connection.abort()


@pytest.mark.parametrize(
    "name",
    ["a" * 900, "../../x", "KQ7M; rm", "root", "%n%s", "watch-", "-o"],
)
async def test_any_user_name(hosted: Hosted, name: str) -> None:
    async with ssh_user(hosted.port, name) as user:
        await user.until("New room")
        assert len(name) < 9 or name.encode() not in user.raw


async def test_nothing_but_a_terminal(hosted: Hosted) -> None:
    """No command, no files, no forwarding, no agent, one session for each connection."""
    connection = await connect(hosted.port, "ana")
    with pytest.raises(asyncssh.ChannelOpenError):
        await connection.create_session(SshUser, "id", encoding=None)
    connection.abort()
    connection = await connect(hosted.port, "ana")
    with pytest.raises((asyncssh.ChannelOpenError, asyncssh.SFTPError)):
        await connection.start_sftp_client()
    with pytest.raises(asyncssh.ChannelOpenError):
        await connection.open_connection("127.0.0.1", hosted.server.port)
    with pytest.raises((asyncssh.ChannelListenError, asyncssh.ChannelOpenError)):
        listener = await connection.forward_remote_port("127.0.0.1", 0, "127.0.0.1", 1)
        assert listener is None
    connection.abort()
    async with ssh_user(hosted.port, "ana") as ana:
        with pytest.raises(asyncssh.ChannelOpenError):
            await ana.connection.create_session(SshUser, encoding=None, term_type="xterm")


async def test_the_environment_of_the_user_stays_outside(hosted: Hosted, tmp_path: Path) -> None:
    env = {"DICEGAMES_PASSWORD": "x", "XDG_STATE_HOME": str(tmp_path / "evil"), "ACCESSIBLE": "1", "NO_COLOR": "1"}
    async with ssh_user(hosted.port, "ana", new_key(), env=env) as ana:
        await open_table(ana, "Farkle")
    assert not (tmp_path / "evil").exists()


async def test_a_visitor_goes_nowhere_else(hosted: Hosted) -> None:
    """An address that is typed leads to no other server, not even on this machine."""
    elsewhere = assemble(quick())
    await elsewhere.start()
    try:
        async with ssh_user(hosted.port, "ana") as ana:
            await ana.until("New room")
            for typed in (f"127.0.0.1:{elsewhere.port}/KQ7M", f"ws://127.0.0.1:{elsewhere.port}", "localhost"):
                ana.press("j")
                await ana.until("Code:")
                ana.press(f"\x1b[200~{typed}\x1b[201~")
                await ana.until(f"Code: {typed}")
                ana.press("\r")
                await ana.until("on this server only")
                ana.press("x")
            ana.press("j")
            await ana.until("Code:")
            ana.press("\x1b[200~!!! x\x1b[201~")
            await ana.until("Code: !!! x")
            ana.press("\r")
            await ana.until("on this server only. Type the code of a room.")  # and no address is asked for
        assert elsewhere.environment.metrics.connected == 0
    finally:
        await elsewhere.stop()


async def test_files_are_private_and_the_key_stays(hosted: Hosted, tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with ssh_user(hosted.port, "ana", new_key()) as ana:
        await open_table(ana, "Farkle")
    fingerprint = hosted.server.ssh_fingerprint
    assert stat.S_IMODE((data / "ssh_host_key").stat().st_mode) == 0o600
    (folder,) = (data / "ssh_guests").iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in folder.iterdir())
    await hosted.server.stop()
    await hosted.start()
    assert hosted.server.ssh_fingerprint == fingerprint


async def test_seats_over_ssh_say_so_and_the_log_can_be_checked(hosted: Hosted) -> None:
    async with ssh_user(hosted.port, "ana", new_key()) as ana:
        code = await open_table(ana, "Farkle")
        bo = Guest(Address("127.0.0.1", hosted.server.port))
        await bo.open()
        joined = await bo.ask(Join(id="1", room=code, name="bo"))
        assert isinstance(joined, Joined)
        seats = bo.store.table["seats"]
        assert seats["0"].get("over_ssh") is True
        assert "over_ssh" not in seats["1"]
        await bo.close()


async def test_everybody_at_the_table_can_hand_on_the_line_for_ssh(hosted: Hosted) -> None:
    """Who opens a table on a server with a client of their own is told, too, how friends without one get in."""
    address = Address("127.0.0.1", hosted.server.port)
    guest = Guest(address)
    await guest.open()
    joined = await guest.ask(Create(id="1", game="sevens", name="bo"))
    assert isinstance(joined, Joined)
    line = f"ssh -p {hosted.port} {joined.room}@127.0.0.1"
    assert invited_to(address.at(joined.room), guest).ssh == line
    await guest.close()


@pytest.mark.parametrize("way", ["rsa2048-sha256", "diffie-hellman-group18-sha512", "diffie-hellman-group14-sha256"])
async def test_keys_are_exchanged_in_cheap_ways_only(way: str, hosted: Hosted) -> None:
    """For these the server would work for up to 50 ms, before it knows anything of a stranger."""
    with pytest.raises(asyncssh.KeyExchangeFailed):
        await asyncssh.connect("127.0.0.1", hosted.port, known_hosts=None, config=None, kex_algs=[way])


async def test_a_visit_leaves_little_in_memory(hosted: Hosted) -> None:
    """The parts of a screen know each other. On a server the garbage collector rarely looks for such cycles."""

    async def visit() -> None:
        async with ssh_user(hosted.port, "ana") as ana:
            await ana.until("New room")
            ana.press("jab")
            await ana.until("Code: ab")
            ana.press("\x03")
            await ana.until("Enter code")
            ana.press("q")
            assert await ana.ended() == 0

    def kept() -> int:
        return sum(isinstance(found, Binding | WindowRenderInfo) for found in gc.get_objects())

    await visit()
    gc.collect()
    gc.disable()
    try:
        before = kept()
        for _ in range(3):
            await visit()
        await eventually(lambda: kept() == before)
    finally:
        gc.enable()


async def test_the_operator_sees_who_is_here_and_the_key(hosted: Hosted) -> None:
    async with ssh_user(hosted.port, "ana") as ana:
        await ana.until("New room")
        told = hosted.server._status.told()
        assert told["ssh_sessions"] == 1
        assert f"over ssh     1; the host key is {hosted.server.ssh_fingerprint}" in list(lines(told))
    assert hosted.server.ssh_fingerprint.startswith("SHA256:")


async def test_who_does_not_read_is_cut_off(hosted: Hosted) -> None:
    """With the largest window that there is, the server would have to buffer everything."""
    connection = await connect(hosted.port, "ana")
    user = SshUser((300, 100))
    user.channel, _ = await connection.create_session(
        lambda: user, encoding=None, term_type="xterm-256color", term_size=(300, 100), window=2**32 - 1
    )
    await user.until("New room")
    transport = connection._transport
    assert transport
    transport.pause_reading()
    async with asyncio.timeout(60):
        for _ in range(100_000):
            if not hosted.server._ssh or not hosted.server._ssh.sessions:
                break
            user.press("?\x0c")
            await asyncio.sleep(0)
            for channel in list(hosted.server._ssh._listener.channels):
                channel.write(b"x" * 8192)
    assert hosted.server._ssh and not hosted.server._ssh.sessions
    connection.abort()


async def test_a_stranger_who_says_nothing_is_counted_and_gone(hosted: Hosted) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", hosted.port)
    assert hosted.server._ssh
    await eventually(lambda: hosted.server._ssh is not None and len(hosted.server._ssh._listener.strangers) == 1)
    writer.write(b"GET / HTTP/1.1\r\n" * 400)
    await reader.read()
    await eventually(lambda: hosted.server._ssh is not None and hosted.server._ssh._listener.strangers == {})
    assert not hosted.server.lobby.address_limits.knocking("127.0.0.1")
    writer.close()


async def test_too_many_from_one_address(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "data", connections_per_address=2)
    await hosted.start()
    try:
        crowd = [await asyncio.open_connection("127.0.0.1", hosted.port) for _ in range(12)]
        limits = hosted.server.lobby.address_limits
        for reader, _ in crowd[8:]:
            assert await reader.read() in (b"", b"SSH-2.0-dicegames\r\n")
        assert limits.knocking("127.0.0.1") <= 8
        for _, writer in crowd:
            writer.close()
    finally:
        await hosted.server.stop()


async def test_logins_are_limited_by_minute(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "data", ssh_logins_per_minute=2)
    await hosted.start()
    try:
        for _ in range(2):
            (await connect(hosted.port, "ana")).abort()
        with pytest.raises((OSError, asyncssh.Error)):
            await connect(hosted.port, "ana")
    finally:
        await hosted.server.stop()


async def test_many_at_once(hosted: Hosted) -> None:
    """The short form of tests/bench/run.py --only ssh: four come, open tables, and all get their screen."""

    async def visit(number: int) -> None:
        async with ssh_user(hosted.port, "ana", new_key()) as user:
            await open_table(user, "Doubles")
            user.press("b")
            await user.until("steady")
            user.press("s")
            await user.until("PLAYER")

    await asyncio.gather(*(visit(number) for number in range(4)))
    assert hosted.server._ssh
    await eventually(lambda: hosted.server._ssh is not None and not hosted.server._ssh.sessions)
    await eventually(lambda: not hosted.server.lobby.address_limits.inside)


async def test_who_can_not_get_in_is_at_the_start_screen(hosted: Hosted) -> None:
    """A wrong code, or a full table: the next try needs no new connection."""
    async with ssh_user(hosted.port, "ZZZZ") as ana:
        await ana.until("Your name")
        ana.press("a")
        await ana.until("> a")
        ana.press("\r")
        await ana.until("No room ZZZZ here")
        ana.press("\r")  # it has no password
        await ana.until("New room")
        assert "No room ZZZZ here" in ana.text
        ana.press("n")
        await ana.until("[Q] Back")  # it does not end the visit
        ana.press("q")
        await ana.until("New room")
        ana.press("q")
        assert await ana.ended() == 0


async def test_who_can_not_get_in_is_asked_again_in_lines(hosted: Hosted) -> None:
    async with ssh_user(hosted.port, "ZZZZ", term=NO_TERMINAL) as ana:
        await ana.until_said("Your name:")
        ana.press("a\n")
        await ana.until_said("No room ZZZZ here")
        ana.press("\n")
        await ana.until_said("What do you want to do?")
        ana.press("quit\n")
        assert await ana.ended() == 0

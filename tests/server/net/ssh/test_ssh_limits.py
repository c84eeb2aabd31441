"""How much a user over ssh may send, and how long they may be silent. The test moves the clock."""

import gc
import logging
import weakref
from pathlib import Path
from typing import Any, cast

import asyncssh
import pytest

from dicegames_server.lobby.address_limits import AddressLimits
from dicegames_server.net.gate import Gate
from dicegames_server.net.ssh.ssh_channel import (
    GOODBYE_SECONDS,
    KEY_BURST,
    KEYS_AT_ONCE,
    LINE_BURST,
    MOST_UNSENT,
    SshChannel,
)
from dicegames_server.net.ssh.ssh_listener import (
    EXCHANGE_BURST,
    FIRST_SECONDS,
    MOST_STRANGERS,
    OVERHEAD_BURST,
    SshConnection,
    SshListener,
)
from support.clock import FakeClock
from support.settings import quick


class FakeLine:
    """The library's end of a channel."""

    def __init__(self) -> None:
        self.reading = True
        self.written = b""
        self.unsent = 0

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def write(self, data: bytes) -> None:
        self.written += data

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def get_environment(self) -> dict[str, str]:
        return {"LANG": "de_DE.UTF-8", "LD_PRELOAD": "/evil.so"}

    def exit(self, code: int) -> None: ...


class Far:
    def __init__(self, *, terminal: bool = True) -> None:
        self.clock = FakeClock()
        self.line = FakeLine()
        self.typed: list[str] = []
        self.aborted = 0
        self.channel = SshChannel("10.0.0.1", "ana", "", self.clock, lambda: 0, self._abort, lambda channel: None)
        self.channel.connection_made(cast(Any, self.line))
        if terminal:
            self.channel.pty_requested("xterm", (80, 24, 0, 0), {})
        self.channel.session_started()
        self.channel.on_text = self.typed.append

    def _abort(self) -> None:
        self.aborted += 1

    def type(self, data: bytes) -> None:
        self.channel.data_received(data, None)

    @property
    def text(self) -> str:
        return "".join(self.typed)


def test_what_a_person_types_is_handed_on_at_once() -> None:
    far = Far()
    for _ in range(100):
        far.type(b"r")
        far.clock.advance(0.1)
    assert far.text == "r" * 100 and far.line.reading


def test_a_character_may_come_in_parts() -> None:
    far = Far()
    for byte in "日".encode():
        far.type(bytes([byte]))
    assert far.text == "日"


def test_a_flood_of_keys_is_dropped_and_others_have_their_turn() -> None:
    far = Far()
    far.type(b"\x01" * 4000)
    assert len(far.typed) == KEYS_AT_ONCE and not far.line.reading  # then everybody else
    far.clock.advance(0)
    assert far.line.reading and KEY_BURST <= len(far.typed) <= KEY_BURST + 1
    far.clock.advance(1)
    far.type(b"r")
    assert far.typed[-1] == "r"


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        (b"\x1b[A\x1b[1;5Dx", ["\x1b[A", "\x1b[1;5D", "x"]),
        (b"\x1bOP\x1bq\x1b", ["\x1bOP", "\x1bq", "\x1b"]),
        (b"abc", ["a", "b", "c"]),
        (b"abcd\rr", ["abcd", "\r", "r"]),  # many at once were pasted
        (b"\x1b[200~one\ntwo\x1b[A\x1b[201~r", ["\x1b[200~one\ntwo\x1b[A\x1b[201~", "r"]),
    ],
)
def test_what_is_typed_is_cut_between_keys(sent: bytes, keys: list[str]) -> None:
    far = Far()
    far.type(sent)
    far.clock.advance(0)
    assert far.typed == keys


def test_a_paste_is_handed_on_whole_or_not_at_all() -> None:
    far = Far()
    far.type(b"\x1b[200~one")
    far.type(b" two")
    assert not far.typed and far.line.reading
    far.type(b"\x1b[201~")
    assert far.typed == ["\x1b[200~one two\x1b[201~"]
    far.type(b"\x1b[200~" + b"x" * 20_000)  # its end never comes
    far.type(b"r")
    assert far.typed[1:] == ["r"]


def test_lines_of_a_script_wait_and_nothing_is_lost() -> None:
    far = Far(terminal=False)
    script = b"roll\n" * 1600
    far.type(script[: LINE_BURST + 1000])
    assert not far.line.reading
    far.clock.advance(5)
    assert far.line.reading
    assert far.text.encode() == script[: LINE_BURST + 1000]


def test_a_window_that_is_dragged_is_painted_a_few_times() -> None:
    far = Far()
    sizes: list[tuple[int, int]] = []
    far.channel.on_resize = lambda columns, rows: sizes.append((columns, rows))
    for width in range(100, 200):
        far.channel.terminal_size_changed(width, 30, 0, 0)
        far.clock.advance(0.01)
    far.clock.advance(1)
    assert sizes[0] == (100, 30) and sizes[-1] == (199, 30) and len(sizes) < 8


def test_who_does_not_read_is_cut_off() -> None:
    far = Far()
    lost: list[bool] = []
    far.channel.on_lost = lambda: lost.append(True)
    far.channel.write(b"x")
    assert not far.aborted
    far.line.unsent = MOST_UNSENT
    far.channel.write(b"x")
    assert not far.aborted
    far.line.unsent += 1
    far.channel.write(b"x")
    assert far.aborted and lost == [True] and far.channel.lost
    before = far.line.written
    far.channel.write(b"more")
    assert far.line.written == before


@pytest.mark.parametrize(
    ("term", "taken"),
    [
        ("xterm-256color", "xterm-256color"),
        ("\x1b]0;x\x07", "dumb"),
        ("../x", "dumb"),
        ("x" * 40, "dumb"),
        ("", "dumb"),
    ],
)
def test_of_the_terminal_only_a_harmless_name_is_taken(term: str, taken: str) -> None:
    far = Far()
    far.channel.pty_requested(term, (80, 24, 0, 0), {})
    far.channel.session_started()
    caller = far.channel.caller
    assert (caller.term, caller.size, caller.lang) == (taken, (80, 24), "de_DE.UTF-8")


def test_when_the_visit_is_over_the_connection_ends_soon() -> None:
    far = Far()
    far.channel.connection_lost(None)
    before = far.aborted
    far.clock.advance(10)
    assert (before, far.aborted) == (0, 1)


# Whole connections.

EXCHANGE = b"exchange"
"""What the library would take for the beginning of an exchange of keys."""


class FakeConnection:
    def __init__(self, address: str = "10.0.0.1") -> None:
        self.address = address
        self.received: list[bytes] = []
        self.aborted = False
        self._transport = None
        self._client_kexinit = b""

    def get_extra_info(self, name: str) -> Any:
        return (self.address, 1234)

    def abort(self) -> None:
        self.aborted = True

    def create_server_channel(self, **settings: object) -> str:
        return "channel"

    def data_received(self, data: bytes, datatype: object = None) -> None:
        self.received.append(data)
        if data.startswith(EXCHANGE):
            self._client_kexinit = data


class Door:
    def __init__(self, folder: Path, **settings: Any) -> None:
        self.clock = FakeClock()
        made = quick(ssh_logins_per_minute=0, **settings)
        self.limits = AddressLimits(self.clock, made)
        environment = type("Environment", (), {"settings": made, "clock": self.clock, "metrics": _metrics()})
        gate = Gate(cast(Any, environment), self.limits)
        self.visits: list[SshChannel] = []
        self.listener = SshListener(self.clock, made, gate, self.limits, folder, self.visits.append)

    def knock(self, address: str = "10.0.0.1") -> tuple[SshConnection, FakeConnection]:
        connection, far = SshConnection(self.listener, self.clock), FakeConnection(address)
        connection.connection_made(cast(asyncssh.SSHServerConnection, far))
        return connection, far


def _metrics() -> Any:
    from dicegames_server.core.metrics import Metrics

    return Metrics()


def test_a_stranger_who_says_nothing_is_gone_after_ten_seconds(tmp_path: Path) -> None:
    door = Door(tmp_path)
    connection, far = door.knock()
    far.data_received(b"SSH-2.0-x\r\n")
    door.clock.advance(FIRST_SECONDS + 0.1)
    assert far.aborted
    connection.connection_lost(None)
    assert not door.listener.strangers and not door.limits.knocking("10.0.0.1")


def test_who_has_begun_has_time_to_compare_a_fingerprint(tmp_path: Path) -> None:
    door = Door(tmp_path)
    _, far = door.knock()
    far.data_received(b"x" * 1500)
    door.clock.advance(FIRST_SECONDS + 0.1)
    assert not far.aborted


def test_who_logs_in_and_wants_nothing_is_gone(tmp_path: Path) -> None:
    door = Door(tmp_path)
    connection, far = door.knock()
    far.data_received(b"x" * 1500)
    connection.auth_completed()
    assert not door.listener.strangers
    door.clock.advance(FIRST_SECONDS + 0.1)
    assert far.aborted


def test_a_flood_that_is_no_typing_is_cut_off(tmp_path: Path) -> None:
    """Requests for environment variables, channels and the like: each would be kept in memory."""
    door = Door(tmp_path)
    _, far = door.knock()
    for _ in range(OVERHEAD_BURST // 1024):
        far.data_received(b"x" * 1024)
    assert not far.aborted
    seen = len(far.received)
    far.data_received(b"x" * 1024)
    assert far.aborted and len(far.received) == seen


def test_keys_are_not_exchanged_again_and_again(tmp_path: Path) -> None:
    """Each exchange makes the server work, before anybody has logged in."""
    door = Door(tmp_path)
    _, far = door.knock()
    far.data_received(b"x" * 1500)
    for number in range(EXCHANGE_BURST):
        far.data_received(EXCHANGE + bytes([number]))
        far.data_received(b"and the rest of it")
    assert not far.aborted
    for hour in range(24):  # as clients do it
        door.clock.advance(3600)
        far.data_received(EXCHANGE + bytes([hour]) * 2)
    assert not far.aborted
    for number in range(EXCHANGE_BURST + 1):
        far.data_received(EXCHANGE + bytes([number]) * 3)
    far.data_received(b"more")
    assert far.aborted


def test_five_addresses_do_not_shut_the_door_for_others(tmp_path: Path) -> None:
    """Who holds most of the places makes room, its oldest connection first."""
    door = Door(tmp_path, connections_per_address=40)
    crowd = [door.knock(f"10.0.0.{1 + number % 5}") for number in range(MOST_STRANGERS)]
    assert not any(far.aborted for _, far in crowd)
    assert not door.knock("10.0.1.1")[1].aborted
    assert [far.aborted for _, far in crowd] == [True] + [False] * (MOST_STRANGERS - 1)
    assert door.knock("10.0.0.2")[1].aborted  # one of the five gets no more
    honest = [door.knock(f"10.0.2.{number}")[1] for number in range(30)]
    assert not any(far.aborted for far in honest)
    assert len(door.listener.strangers) == MOST_STRANGERS


def test_who_has_gone_is_forgotten_at_once(tmp_path: Path) -> None:
    """A look at who is idle, hours later, kept whole connections and their screens in memory."""
    door = Door(tmp_path, ssh_idle_seconds=3600)
    connection, _ = door.knock()
    connection.auth_completed()
    channel = SshChannel("a", "b", "", door.clock, lambda: 0, lambda: None, door.listener.came)
    channel.connection_made(cast(Any, FakeLine()))
    channel.session_started()
    kept = weakref.ref(channel)
    channel.connection_lost(None)
    door.listener.went(channel)
    connection.connection_lost(None)
    door.visits.clear()
    del channel
    door.clock.advance(GOODBYE_SECONDS + 0.1)
    gc.collect()
    assert kept() is None


def test_a_flood_does_not_fill_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "dicegames.ssh")
    door = Door(tmp_path)
    for number in range(500):
        connection, far = door.knock(f"10.0.1.{number % 250}")
        far.data_received(b"x" * (OVERHEAD_BURST + 1))
        connection.connection_lost(None)
        door.clock.advance(0.2)
    assert caplog.messages == [
        "ssh: 10.0.1.0: floods: cut off (1 of the kind since the last such line)",
        "ssh: 10.0.1.50: floods: cut off (300 of the kind since the last such line)",
    ]


def test_addresses_are_limited_before_anything_is_computed(tmp_path: Path) -> None:
    door = Door(tmp_path, connections_per_address=2)
    crowd = [door.knock()[1] for _ in range(10)]
    assert [far.aborted for far in crowd] == [False] * 8 + [True] * 2
    assert not door.knock("10.0.0.2")[1].aborted


def test_who_types_nothing_for_an_hour_is_told_and_gone(tmp_path: Path) -> None:
    door = Door(tmp_path, ssh_idle_seconds=3600)
    told: list[bool] = []
    aborted: list[bool] = []
    channel = SshChannel("a", "b", "", door.clock, lambda: 0, lambda: aborted.append(True), door.listener.came)
    channel.connection_made(cast(Any, FakeLine()))
    channel.on_idle = lambda: told.append(True)
    channel.session_started()
    door.clock.advance(3000)
    channel.data_received(b"r", None)
    door.clock.advance(3000)
    assert not told
    door.clock.advance(2000)
    assert told == [True] and aborted


def test_one_session_for_each_connection_and_so_many_in_all(tmp_path: Path) -> None:
    door = Door(tmp_path, ssh_sessions=1)
    for _ in range(2):
        channel = SshChannel("a", "b", "", door.clock, lambda: 0, lambda: None, door.listener.came)
        channel.connection_made(cast(Any, FakeLine()))
        channel.session_started()
    assert door.listener.full()
    connection, _ = door.knock()
    assert connection.session_requested() is False


def test_many_who_ask_at_once_are_not_more_than_allowed(tmp_path: Path) -> None:
    """A place is taken when it is asked for, not when somebody plays there."""
    door = Door(tmp_path, ssh_sessions=3)
    crowd = [door.knock(f"10.0.0.{number}")[0] for number in range(6)]
    asked = [connection.session_requested() for connection in crowd]
    assert [bool(answer) for answer in asked] == [True] * 3 + [False] * 3
    for connection in crowd:
        connection.connection_lost(None)
    assert door.knock()[0].session_requested()

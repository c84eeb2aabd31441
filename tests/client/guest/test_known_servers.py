"""What the client remembers about servers: pins that survive, damaged entries that are asked about, and ids."""

import base64
from pathlib import Path

import pytest

from dicegames_client.base.address import Address, parse_address
from dicegames_client.base.errors import ClientError
from dicegames_client.base.state import state_files
from dicegames_client.base.state.saved_state import HeldSeat
from dicegames_client.base.state.state_files import troubles
from dicegames_client.enter.entering import seats_at
from dicegames_client.guest import known_servers, trust
from dicegames_server.net.tls.certificate import certificate_for
from support.home import remember_in
from support.settings import quick

ANA, BO, NEW = (Address(f"192.168.1.{number}", 8765, secure=True) for number in (1, 2, 3))
ID = "ab" * 32


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    state_files._troubles.clear()
    return remember_in(tmp_path, monkeypatch) / "servers.jsonl"


@pytest.fixture
def der(tmp_path: Path) -> bytes:
    made = certificate_for(quick(tls="self"), tmp_path / "server")
    assert made
    return made.der


def append(path: Path, data: bytes) -> None:
    path.write_bytes(path.read_bytes() + data)


@pytest.mark.parametrize(
    "bad",
    [
        b'{"place":"192.168.1.2:8765","trust":"future","certificate":"","told":false}\n',
        b'{"place":"192.168.1.2:8765","trust":"pin","certificate":"bm8gY2VydGlmaWNhdGU=","told":false}\n',
        b'{"place":"192.168.1.2:8765","trust":"pin","certificate":"","colour":"red"}\n',
        b'{"place":"192.168.1.2:8765","tr',
        b'{"place":"192.168.1.2:8765\xff","trust":"pin"}\n',
    ],
    ids=["unknown trust", "no certificate", "unknown field", "cut line", "bad byte"],
)
async def test_pins_do_not_vanish_and_no_other_is_made_in_silence(path: Path, der: bytes, bad: bytes) -> None:
    """One unreadable line, and the next server that came was pinned without a word."""
    known_servers.remember(ANA, "pin", der)
    append(path, bad)
    kept = known_servers.known(ANA.place)
    assert kept and kept.pin  # what can be read goes on
    damaged = known_servers.known(BO.place)
    assert damaged and damaged.trust == "ask"
    assert any("was damaged" in sentence for sentence in troubles())
    with pytest.raises(ClientError, match="can't be read any more, and it may have been encrypted"):
        await trust.context_for(Address(BO.host, BO.port))
    assert await trust.context_for(parse_address(f"ws://{BO.place}")) is None
    known_servers.remember(BO, "pin", der)  # after the user has said that the key is right
    again = known_servers.known(BO.place)
    assert again and again.trust == "pin"


def test_of_two_entries_the_one_that_promises_most_counts(path: Path, der: bytes) -> None:
    known_servers.remember(Address(BO.host, BO.port), "plain")
    append(path, b'{"place":"192.168.1.2:8765","trust":"future"}\n')
    known = known_servers.known(BO.place)
    assert known and known.trust == "ask"
    known_servers.remember(BO, "pin", der)
    assert path.read_text().count(BO.place) == 1


def test_a_line_that_names_nobody_may_be_anybody(path: Path, der: bytes) -> None:
    known_servers.remember(ANA, "pin", der)
    path.write_bytes(path.read_bytes() + b"{")
    unknown = known_servers.known(NEW.place)
    assert unknown and unknown.trust == "ask"
    assert known_servers.forget(NEW)  # the user starts anew with this one
    fresh = known_servers.known(NEW.place)
    assert fresh and fresh.trust == "plain"
    other = known_servers.known(BO.place)
    assert other and other.trust == "ask"


def test_a_file_of_a_newer_version_is_kept_and_nobody_is_new(path: Path, der: bytes) -> None:
    path.parent.mkdir(parents=True)
    newer = b'{"dicegames":"servers.jsonl","version":9}\n{"who":"knows"}\n'
    path.write_bytes(newer)
    known_servers.remember(ANA, "pin", der)
    known = known_servers.known(ANA.place)
    assert known and known.trust == "ask"
    assert path.read_bytes() == newer
    assert any("is from a newer dicegames" in sentence for sentence in troubles())


def test_the_file_of_the_version_before_is_read(path: Path, der: bytes) -> None:
    path.parent.mkdir(parents=True)
    certificate = base64.b64encode(der).decode()
    path.write_text(f'{{"place":"192.168.1.1:8765","trust":"pin","certificate":"{certificate}","told":true}}\n')
    known = known_servers.known(ANA.place)
    assert known and known.pin and known.told and not known.id
    assert troubles() == []


def test_an_encrypted_server_is_never_remembered_as_plain(der: bytes) -> None:
    known_servers.remember(ANA, "pin", der)
    known_servers.remember(Address(ANA.host, ANA.port), "plain")
    known_servers.remember(ANA, "authority")
    known = known_servers.known(ANA.place)
    assert known and known.trust == "pin"


def test_seats_follow_the_server_and_not_its_spelling() -> None:
    here, there, other = (parse_address(text) for text in ("127.0.0.1:8765", "localhost:8765", "192.168.1.9:8765"))
    for address in (here, there):
        known_servers.meet(address, ID)
    known_servers.meet(other, "cd" * 32)
    seat = HeldSeat(server="127.0.0.1:8765", room="KQ7M", seat=0, token="t", name="ana", id=ID)
    assert seats_at(there, "KQ7M")(seat) and seats_at(here, "KQ7M")(seat)
    assert not seats_at(other, "KQ7M")(seat) and not seats_at(here, "ABCD")(seat)
    old = seat.but(id="")  # from before servers had an id
    assert seats_at(there, "KQ7M")(old) and not seats_at(other, "KQ7M")(old)
    moved = seat.but(server="192.168.1.77:8765")  # it has another address today
    assert seats_at(here, "KQ7M")(moved)
    known_servers.meet(here, "ef" * 32)  # and here is another server today
    assert not seats_at(here, "KQ7M")(seat)


def test_another_server_in_the_place_of_one_is_told() -> None:
    place = parse_address("192.168.1.9:8765")
    assert trust.met(place, ID) is None
    assert "not encrypted" in trust.first_word(place)
    before = trust.met(place, ID)
    assert trust.first_word(place, before) == ""
    before = trust.met(place, "cd" * 32)
    assert "is another server than last time" in trust.first_word(place, before)


def test_a_look_at_a_list_leaves_no_trace(path: Path) -> None:
    assert trust.met(Address("192.168.1.66", 8765, glance=True), ID) is None
    assert not path.exists()


def test_an_authority_is_not_a_pin() -> None:
    known_servers.remember(ANA, "authority")
    known = known_servers.known(ANA.place)
    assert known and known.pin is None
    assert known_servers.with_pin(ANA) == ANA


@pytest.mark.parametrize("how", ["empty", "folder"])
def test_a_file_that_says_nothing_any_more_is_not_a_first_visit(path: Path, der: bytes, how: str) -> None:
    known_servers.remember(ANA, "pin", der)
    path.unlink()
    path.write_bytes(b"") if how == "empty" else path.mkdir()
    known = known_servers.known(ANA.place)
    assert known and known.trust == "ask"
    assert any("was damaged" in sentence or "can't be read" in sentence for sentence in troubles())
    known_servers.remember(BO, "pin", der)
    assert path.is_dir() is (how == "folder")

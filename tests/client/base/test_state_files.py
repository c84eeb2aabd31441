"""What the client remembers: several clients at once, files that are damaged, and files of another version."""

import asyncio
import sys
from pathlib import Path

import pytest

from dicegames_client.base.player_identity import own_identity
from dicegames_client.base.state import state_files
from dicegames_client.base.state.saved_state import HeldSeat, held_seats, hold_seat, past_token
from dicegames_client.base.state.state_files import Records, troubles
from dicegames_client.base.state.witness_files import WitnessFile
from dicegames_protocol.base import Model
from support.home import is_private, remember_in


class Note(Model):
    text: str


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    state_files._troubles.clear()
    return remember_in(tmp_path, monkeypatch)


def notes() -> Records[Note]:
    return Records("notes.jsonl", Note, lambda found: Note(text="?") if found else None)


def add(text: str) -> None:
    notes().change(lambda found: [*found, Note(text=text)])


def test_what_is_written_is_read_and_only_the_user_can_read_it(folder: Path) -> None:
    for text in ("one", "two\n", "\u202e"):
        add(text)
    assert [note.text for note in notes().read()] == ["one", "two\n", "\u202e"]
    assert is_private(folder / "notes.jsonl")
    assert [path.name for path in folder.iterdir() if path.name.startswith(".notes")] == []
    assert troubles() == []


def test_a_file_without_a_version_is_of_the_first_one(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "notes.jsonl").write_text('{"text":"old"}\n')
    assert [note.text for note in notes().read()] == ["old"]
    add("new")
    assert (folder / "notes.jsonl").read_text().splitlines()[0] == '{"dicegames":"notes.jsonl","version":2}'
    assert [note.text for note in notes().read()] == ["old", "new"]
    assert troubles() == []


def test_a_file_of_a_newer_version_is_left_alone_and_told_once(folder: Path) -> None:
    folder.mkdir(parents=True)
    newer = b'{"dicegames":"notes.jsonl","version":3}\n{"what":"ever"}\n'
    (folder / "notes.jsonl").write_bytes(newer)
    assert notes().read() == [] and notes().newer
    add("lost")
    assert (folder / "notes.jsonl").read_bytes() == newer
    (sentence,) = troubles()
    assert "is from a newer dicegames (version 3, this one knows 2). It stays as it is" in sentence
    assert notes().read() == [] and troubles() == []


@pytest.mark.parametrize(
    ("bad", "left"),
    [
        (b'{"text":"three","more":1}\n', ["one", "two", "?"]),  # an unknown field
        (b'{"text":"thr', ["one", "two"]),  # a cut line
        (b'{"text":"\xff"}\n', ["one", "two"]),  # a bad byte
        (b'{"text":3}\n', ["one", "two", "?"]),
        (b"\n", ["one", "two"]),
        (b"[]\n", ["one", "two"]),
        (bytes(64), ["one", "two"]),  # what a power cut leaves on some disks
    ],
)
def test_a_damaged_file_is_set_aside_and_what_can_be_read_goes_on(folder: Path, bad: bytes, left: list[str]) -> None:
    for text in ("one", "two"):
        add(text)
    path = folder / "notes.jsonl"
    damaged = path.read_bytes() + bad
    path.write_bytes(damaged)
    assert [note.text for note in notes().read()] == left
    assert (folder / "notes.jsonl.damaged-1").read_bytes() == damaged  # nothing is lost
    (sentence,) = troubles()
    assert "was damaged. It is kept as notes.jsonl.damaged-1" in sentence
    add("four")
    assert [note.text for note in notes().read()] == [*left, "four"]
    path.write_bytes(path.read_bytes() + bad)
    notes().read()
    assert (folder / "notes.jsonl.damaged-2").exists()


def test_a_damaged_first_line_loses_nothing_but_itself(folder: Path) -> None:
    add("one")
    path = folder / "notes.jsonl"
    path.write_bytes(b"\x00" + path.read_bytes())
    assert [note.text for note in notes().read()] == ["one"]


def test_a_folder_that_can_not_be_written_stops_nobody(folder: Path) -> None:
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("a file in the place of the folder")
    add("one")
    assert notes().read() == []
    assert own_identity().words == own_identity().words  # for this run


WRITER = """
import sys
from dicegames_client.base.state.saved_state import HeldSeat, hold_seat
from dicegames_client.base.state.witness_files import WitnessFile
for n in range(10):
    hold_seat(HeldSeat(server="h:1", room=f"R{sys.argv[1]}{n}", seat=0, token="t", name="ana"))
    WitnessFile().keep_chain(f"{sys.argv[1]}{n}".encode())
"""


async def test_six_clients_at_once_lose_nothing() -> None:
    """They read, changed and wrote the whole file, each for itself, and two of six seats were gone."""
    processes = [await asyncio.create_subprocess_exec(sys.executable, "-c", WRITER, str(number)) for number in range(6)]
    assert [await process.wait() for process in processes] == [0] * 6
    rooms = {seat.room for seat in held_seats()}
    assert rooms == {f"R{number}{n}" for number in range(6) for n in range(10)}
    assert set(WitnessFile().chains()) == {f"{number}{n}".encode() for number in range(6) for n in range(10)}


def test_seats_of_an_older_version_are_still_ours(folder: Path) -> None:
    folder.mkdir(parents=True)
    seat = '{"server":"127.0.0.1:8765","room":"KQ7M","seat":1,"token":"secret","name":"bo"}\n'
    for name in ("seats.jsonl", "past_seats.jsonl"):
        (folder / name).write_text(seat)
    (held,) = held_seats()
    assert (held.token, held.id) == ("secret", "")
    hold_seat(HeldSeat(server="x:1", room="ABCD", seat=0, token="t", name="bo", id="f" * 64))
    assert past_token(lambda seat: seat.room == "KQ7M") == "secret"
    WitnessFile().keep_chain(b"seed")
    assert troubles() == []

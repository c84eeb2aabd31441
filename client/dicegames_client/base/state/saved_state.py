"""What the client remembers between two runs: your name and your seats.

Only you can read these files, because the token of a seat is enough to take the seat. state_files.py says how they are
written.
"""

import contextlib
from collections.abc import Callable, Iterable

from dicegames_client.base.state.state_files import Records, read_text, write_text
from dicegames_protocol.base import Model
from dicegames_protocol.fairness.first_scheme import seed_hash

_MOST_PAST_SEATS = 500


class HeldSeat(Model):
    """A seat on some server that may still be ours."""

    server: str
    """The server as it was typed."""
    room: str
    seat: int
    token: str
    name: str
    id: str = ""
    """The lasting id of the server. Empty: it was not known."""


class SavedSeed(Model):
    """A seed that we gave for the dice of a game."""

    room: str
    game: int
    seat: int
    seed: str


Which = Callable[[HeldSeat], bool]
SEATS_FILE = "seats.jsonl"
_held: Records[HeldSeat] = Records(SEATS_FILE, HeldSeat)
_past: Records[HeldSeat] = Records("past_seats.jsonl", HeldSeat)
_seeds: Records[SavedSeed] = Records("seeds.jsonl", SavedSeed)


def remembered_name() -> str | None:
    lines = read_text("name").splitlines()
    return lines[0].strip()[:64] or None if lines else None


def remember_name(name: str) -> None:
    with contextlib.suppress(OSError):
        write_text("name", f"{name}\n")


def held_seats(which: Which = lambda seat: True) -> list[HeldSeat]:
    """The seats that were not given up, newest last; those for which `which` is true."""
    return [seat for seat in _held.read() if which(seat)]


def hold_seat(seat: HeldSeat) -> None:
    def same(other: HeldSeat) -> bool:
        return (other.server, other.room, other.seat) == (seat.server, seat.room, seat.seat)

    _held.change(lambda seats: [*(other for other in seats if not same(other)), seat])
    _past.change(lambda seats: [*seats[-_MOST_PAST_SEATS:], seat])


def past_token(which: Which) -> str | None:
    """The token of the last seat that we have or had, of those for which `which` is true.

    With it, the log of a private room can be read.
    """
    return next((seat.token for seat in reversed(_past.read()) if which(seat)), None)


def forget_seats(which: Which, seats: Iterable[int] | None = None) -> None:
    """Forget the seats for which `which` is true, all of them or only `seats`: they are no longer ours."""
    gone = None if seats is None else set(seats)
    _held.change(lambda held: [s for s in held if not which(s) or (gone is not None and s.seat not in gone)])


def old_seeds() -> dict[str, str]:
    """The seeds that this machine gave under the first scheme: hash -> seed. New games use chains instead."""
    found: dict[str, str] = {}
    for saved in _seeds.read():
        with contextlib.suppress(ValueError):
            seed = bytes.fromhex(saved.seed)
            found[seed_hash(seed)] = seed.hex()
    return found

"""What the client remembers between two runs: your name, your seats, and the seeds that you gave.

The files are in the platform's folder for state. Only you can read them, because the token of a seat is enough to
take the seat.
"""

import contextlib
import hmac
import os
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from platformdirs import user_state_path

from dicegames_protocol.codec import BadMessage, encode, parse_object
from dicegames_protocol.fairness import commitment

_MOST_SEEDS = 2000
_MOST_PAST_SEATS = 500


@dataclass(frozen=True, slots=True)
class HeldSeat:
    """A seat on some server that may still be ours."""

    server: str
    room: str
    seat: int
    token: str
    name: str


def remembered_name() -> str | None:
    lines = read_lines("name")
    return lines[0].strip()[:64] or None if lines else None


def remember_name(name: str) -> None:
    write_lines("name", [name])


def player_key(server: str) -> str:
    """Our identity on this server.

    It is derived from a secret that never leaves this machine, and it is different for each server.
    """
    lines = read_lines("player.key")
    if not lines or len(lines[0]) != 64:
        lines = [secrets.token_hex(32)]
        write_lines("player.key", lines)
    return hmac.new(lines[0].encode(), server.encode(), "sha256").hexdigest()


def held_seats(server: str | None = None, room: str | None = None) -> list[HeldSeat]:
    """Seats that were not given up, newest last. `server` and `room` select some of them."""
    found = []
    for line in read_lines("seats.jsonl"):
        with contextlib.suppress(BadMessage, TypeError):
            found.append(HeldSeat(**parse_object(line)))
    return [seat for seat in found if server in (None, seat.server) and room in (None, seat.room)]


def hold_seat(seat: HeldSeat) -> None:
    others = [
        held for held in held_seats() if (held.server, held.room, held.seat) != (seat.server, seat.room, seat.seat)
    ]
    _write_seats([*others, seat])
    past = read_lines("past_seats.jsonl")[-_MOST_PAST_SEATS:]
    write_lines("past_seats.jsonl", [*past, encode(asdict(seat)).decode()])


def past_token(server: str, room: str) -> str | None:
    """The token of a seat that we have or had in this room. With it, the log of a private room can be read."""
    for line in reversed(read_lines("past_seats.jsonl")):
        with contextlib.suppress(BadMessage, TypeError):
            seat = HeldSeat(**parse_object(line))
            if (seat.server, seat.room) == (server, room):
                return str(seat.token)
    return None


def forget_seats(server: str, room: str, seats: Iterable[int] | None = None) -> None:
    """Forget our seats in a room, all of them or only `seats`: they are no longer ours."""
    gone = None if seats is None else set(seats)
    kept = [
        s for s in held_seats() if (s.server, s.room) != (server, room) or (gone is not None and s.seat not in gone)
    ]
    _write_seats(kept)


def remember_seed(room: str, game_no: int, seat: int, seed: bytes) -> None:
    """Save a seed, so that `verify` can say whether it was used."""
    entry = {"room": room, "game": game_no, "seat": seat, "seed": seed.hex()}
    write_lines("seeds.jsonl", [*read_lines("seeds.jsonl")[-_MOST_SEEDS:], encode(entry).decode()])


def own_seeds() -> dict[str, str]:
    """All seeds that this machine remembers: hash -> seed."""
    found: dict[str, str] = {}
    for line in read_lines("seeds.jsonl"):
        with contextlib.suppress(BadMessage, ValueError, KeyError, TypeError):
            seed = bytes.fromhex(parse_object(line)["seed"])
            found[commitment(seed)] = seed.hex()
    return found


def _write_seats(seats: list[HeldSeat]) -> None:
    write_lines("seats.jsonl", [encode(asdict(seat)).decode() for seat in seats])


def _folder() -> Path:
    return user_state_path("dicegames")


def read_lines(name: str) -> list[str]:
    try:
        return (_folder() / name).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []


def write_lines(name: str, lines: list[str]) -> None:
    """Write the whole file or nothing.

    An error is ignored: a full or read-only disk must not stop anybody from playing.
    """
    with contextlib.suppress(OSError):
        _folder().mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = _folder() / f".{name}.{os.getpid()}"
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in lines))
        fresh.replace(_folder() / name)

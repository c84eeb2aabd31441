"""Where the user was in a log when the replay was left. The next replay of it begins there."""

import hashlib

from dicegames_client.base.state.state_files import Records
from dicegames_protocol.base import Model

MOST_PLACES = 100


class ReplayPlace(Model):
    log: str
    """Hash of the first update: a log that has grown is still the same one."""
    at: int
    """The number of the update that was shown."""


_places: Records[ReplayPlace] = Records("replays.jsonl", ReplayPlace, aftermath="Replays begin at the game again.")


def place_in(first_line: bytes) -> int | None:
    log = _hash(first_line)
    return next((place.at for place in reversed(_places.read()) if place.log == log), None)


def remember_place(first_line: bytes, at: int | None) -> None:
    """`at`: None forgets the place."""
    log = _hash(first_line)
    new = [] if at is None else [ReplayPlace(log=log, at=at)]
    _places.change(lambda places: [*(other for other in places if other.log != log), *new][-MOST_PLACES:])


def _hash(first_line: bytes) -> str:
    return hashlib.sha256(first_line).hexdigest()[:24]

"""Dice from seeds: the same code rolls them on the server and checks them afterwards.

Before a game the server draws a secret `S` and publishes its hash, every client draws a seed `c` and publishes its
hash, and only then the clients reveal. All of it goes into one text `T`, and `K = HMAC-SHA256(S, SHA256(T))` decides
every die of the game. Nobody can choose `K`: the server was bound to `S` before it saw a seed, and no client saw `S`.
"""

import hashlib
import hmac
from collections.abc import Iterable

from dicegames_protocol.codec import canonical

SECRET_BYTES = 32
SEED_BYTES = 16
MOST_SIDES = 256


def commitment(secret: bytes) -> str:
    """The hash that binds somebody to a secret or a seed without showing it."""
    return hashlib.sha256(secret).hexdigest()


def transcript(
    *, commit: str, epoch: int, game: str, room: str, rules: str, seats: Iterable[tuple[int, bytes]]
) -> bytes:
    """`T`: everything that was agreed before the first die. Seats that did not reveal are left out."""
    revealed = [[seat, seed.hex()] for seat, seed in sorted(seats)]
    agreed = {"commit": commit, "epoch": epoch, "game": game, "room": room, "rules": rules, "seats": revealed, "v": 1}
    return canonical(agreed)


def key(secret: bytes, transcript: bytes) -> bytes:
    """`K`, from which all dice of the game follow."""
    return hmac.digest(secret, hashlib.sha256(transcript).digest(), "sha256")


def roll(key: bytes, r: int, count: int, sides: int) -> tuple[int, ...]:
    """Draw number r: so many dice with so many sides. The same numbers always give the same faces.

    Bytes that would favour some faces are skipped: of 256 values only a multiple of `sides` is used.
    """
    if not 1 <= sides <= MOST_SIDES:
        raise ValueError(f"a die has 1 to {MOST_SIDES} sides")
    fair = 256 - 256 % sides
    label = f"roll|{r}|{count}|{sides}|".encode()
    faces: list[int] = []
    counter = 0
    while len(faces) < count:
        block = hmac.digest(key, label + counter.to_bytes(4, "big"), "sha256")
        faces += [byte % sides + 1 for byte in block if byte < fair]
        counter += 1
    return tuple(faces[:count])

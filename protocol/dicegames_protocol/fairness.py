"""Provably fair dice from seeds. The same code rolls the dice on the server and verifies them afterwards.

Before a game, the server draws a secret `S` and publishes its hash. Every client draws a seed `c` and publishes its
hash. Only then the clients reveal their seeds. All of this goes into one text `T`, and `K = HMAC-SHA256(S, SHA256(T))`
decides every die of the game. Nobody can choose `K`: the server was committed to `S` before it saw a seed, and no
client saw `S`.
"""

import hashlib
import hmac
from collections.abc import Iterable

from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import canonical

SECRET_BYTES = 32
SEED_BYTES = 16
MOST_SIDES = 256


def commitment(secret: bytes) -> str:
    """The hash that commits its sender to a secret or a seed without revealing it."""
    return hashlib.sha256(secret).hexdigest()


def transcript(
    *, commit: str, epoch: int, game: str, room: str, rules: str, seats: Iterable[tuple[int, bytes]]
) -> bytes:
    """`T`: everything that was agreed before the first roll. Seats that did not reveal a seed are left out."""
    revealed = [[seat, seed.hex()] for seat, seed in sorted(seats)]
    agreed = {"commit": commit, "epoch": epoch, "game": game, "room": room, "rules": rules, "seats": revealed, "v": 1}
    return canonical(agreed)


def key(secret: bytes, transcript: bytes) -> bytes:
    """`K`, the key from which all dice of the game are derived."""
    return hmac.digest(secret, hashlib.sha256(transcript).digest(), "sha256")


def roll(key: bytes, r: int, count: int, sides: int) -> tuple[int, ...]:
    """The faces of draw number `r`: `count` dice with `sides` sides. The same arguments always give the same faces.

    All faces are equally likely: of the 256 values of a byte, only the largest multiple of `sides` is used, and bytes
    above it are skipped. Raises ValueError for an impossible number of sides.
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


def seal(key: bytes, seq: int, move: JsonObject) -> str:
    """The value that commits the server to the sealed move of update `seq`.

    Without the key, nobody can find out the move by trying all moves.
    """
    return hmac.new(key, f"seal|{seq}|".encode() + canonical(move), "sha256").hexdigest()

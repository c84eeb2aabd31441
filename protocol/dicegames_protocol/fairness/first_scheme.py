"""The first scheme of fair dice, for logs of earlier versions: one secret and one seed per seat for a whole game.

It has known holes: docs/fair-dice.md says which. New games do not use it.
"""

import hashlib
import hmac
from collections.abc import Iterable

from dicegames_protocol.codec import canonical
from dicegames_protocol.table import Fair, RoomInfo


def seed_hash(secret: bytes) -> str:
    """The hash that commits its sender to a secret or a seed without revealing it."""
    return hashlib.sha256(secret).hexdigest()


def game_transcript(
    *, commit: str, epoch: int, game: str, room: str, rules: str, seats: Iterable[tuple[int, bytes]]
) -> bytes:
    """`T`: everything that was agreed before the first roll. Seats that did not reveal a seed are left out."""
    revealed = [[seat, seed.hex()] for seat, seed in sorted(seats)]
    agreed = {"commit": commit, "epoch": epoch, "game": game, "room": room, "rules": rules, "seats": revealed, "v": 1}
    return canonical(agreed)


def key_of(fair: Fair, info: RoomInfo, secret: bytes) -> bytes:
    """The key of a game, from what its table says and the server's secret."""
    seeds = [(int(seat), bytes.fromhex(seed)) for seat, seed in (fair.seeds or {}).items()]
    agreed = game_transcript(
        commit=fair.commit, epoch=fair.epoch, game=info.game, room=info.code, rules=info.rules, seats=seeds
    )
    return game_key(secret, agreed)


def game_key(secret: bytes, transcript: bytes) -> bytes:
    """`K`, the key from which all dice of the game are derived."""
    return hmac.digest(secret, hashlib.sha256(transcript).digest(), "sha256")

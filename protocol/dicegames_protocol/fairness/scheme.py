"""How dice follow from the links that a committee and the server have shown."""

import hashlib
import hmac
from collections.abc import Mapping

from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import canonical

SCHEME = 2
MOST_MEMBERS = 8
"""Up to so many seats, all of them are in the committee."""
LARGE_COMMITTEE = 7
"""Members of the committee of a larger table."""
MOST_SIDES = 256


def committee(commit: str, tips: Mapping[int, str]) -> tuple[int, ...]:
    """The seats whose links decide the dice of a game, in order.

    `commit`: the server's tip. `tips`: seat -> tip, of all seats that gave one.
    """
    if len(tips) <= MOST_MEMBERS:
        return tuple(sorted(tips))
    drawn = hashlib.sha256(canonical([commit, [[seat, tips[seat]] for seat in sorted(tips)]])).hexdigest()
    ranked = sorted(tips, key=lambda seat: hashlib.sha256(f"committee|{drawn}|{seat}".encode()).digest())
    return tuple(sorted(ranked[:LARGE_COMMITTEE]))


def next_value(links: Mapping[str, str] | None, tips: Mapping[str, str] | None, seat: int | str) -> str:
    """What the hash of a seat's next link must be: the tip of its new chain, or its last link. Empty: it has no chain.

    `links` and `tips` are those of the table (`fair.links`, `fair.tips`).
    """
    return (tips or {}).get(str(seat)) or (links or {}).get(str(seat), "")


def transcript(
    *, commit: str, epoch: int, game: str, game_no: int, links: Mapping[int, str], r: int, room: str, rules: str
) -> bytes:
    """`T`: everything that decides draw `r`, besides the server's link. `links`: seat -> link in hex."""
    shown = [[seat, links[seat]] for seat in sorted(links)]
    decides = {"commit": commit, "epoch": epoch, "game": game, "game_no": game_no, "links": shown, "r": r}
    return canonical({**decides, "room": room, "rules": rules, "v": SCHEME})


def key(link: bytes, transcript: bytes) -> bytes:
    """`K`, from which the dice of one draw follow. `link`: the server's link."""
    return hmac.digest(link, hashlib.sha256(transcript).digest(), "sha256")


def hidden_part(secret: bytes, r: int) -> bytes:
    """The server's part of a hidden draw. It takes the place of its link, and stays secret until the game is over."""
    return hmac.digest(secret, f"hidden|{r}".encode(), "sha256")


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


def seal_key(secret: bytes) -> bytes:
    """The key of the seals of one game."""
    return hmac.digest(secret, b"seal", "sha256")


def seal(key: bytes, seq: int, move: JsonObject) -> str:
    """The value that commits the server to the sealed move of update `seq`.

    Without the key, nobody can find out the move by trying all moves.
    """
    return hmac.new(key, f"seal|{seq}|".encode() + canonical(move), "sha256").hexdigest()


def bot_luck(secret: bytes, seat: int, seq: int) -> int:
    """The seed of the random choices of a bot on this seat, after update `seq`."""
    return int.from_bytes(hmac.digest(secret, f"bot|{seat}|{seq}".encode(), "sha256"))

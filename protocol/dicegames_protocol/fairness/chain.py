"""Hash chains: one commitment, then one secret after the other.

A chain begins with a random seed. Each link is the SHA-256 of the one before, and the last one is the tip. Its owner
tells the tip, and later shows the links one by one, backwards. Everybody can check a link: its hash is what was shown
before it. Nobody but the owner knows the next one.
"""

import hashlib
import hmac
import re
from functools import lru_cache

LENGTH = 64
"""How often the seed is hashed to get the tip. A server makes a chain for each game, and some games have only eight
moves: 64 links take 24 us, 256 would take 97 us.
"""
USABLE = LENGTH - 1
"""Links of a chain that can be shown. The seed itself is not one of them: it is published when a game is over."""
SEED_BYTES = 32
_STEP = 8
"""A chain keeps every 8th link and works the others out from it: 1 KB in memory, not 5 KB."""


_HEX = re.compile(r"[0-9a-f]{64}")
"""32 bytes in hex."""


def hashed(link: bytes) -> bytes:
    return hashlib.sha256(link).digest()


class Chain:
    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        value, marks = seed, []
        for step in range(LENGTH):
            if step % _STEP == 0:
                marks.append(value)
            value = hashed(value)
        self.tip = value
        self._marks = marks
        self._block: tuple[int, list[bytes]] = (-1, [])

    def link(self, number: int) -> bytes:
        """Link 1, 2, … USABLE. The hash of link 1 is the tip; the hash of each other link is the one before it."""
        if not 1 <= number <= USABLE:
            raise ValueError(f"a chain has the links 1 to {USABLE}")
        mark, offset = divmod(LENGTH - number, _STEP)
        if self._block[0] != mark:
            block = [self._marks[mark]]
            while len(block) < _STEP:
                block.append(hashed(block[-1]))
            self._block = (mark, block)
        return self._block[1][offset]


@lru_cache(maxsize=4096)
def chain_of(seed: bytes) -> Chain:
    return Chain(seed)


def follows(link: str, before: str) -> bool:
    """Whether a link is the one that comes after `before`. Both are in hex; False also for what is no link.

    There is one spelling of a link: with several, somebody could choose among them, because dice depend on it.
    """
    return _HEX.fullmatch(link) is not None and hashed(bytes.fromhex(link)).hex() == before


def server_link(secret: bytes, number: int) -> tuple[bytes, bytes | None]:
    """Link `number` (1, 2, …) of a server in one game, and the tip of its next chain where this one ends with it.

    The first chain has the secret of the game as its seed. All later ones follow from the secret, too.
    """
    chain, place = divmod(number - 1, USABLE)
    link = chain_of(_server_seed(secret, chain)).link(place + 1)
    return link, chain_of(_server_seed(secret, chain + 1)).tip if place + 1 == USABLE else None


def commitment(secret: bytes) -> str:
    """The tip of a server's first chain, in hex. It commits the server to the secret."""
    return chain_of(secret).tip.hex()


def opens(secret: str, commit: str) -> bool:
    """Whether this is the secret that a server was committed to. Both are in hex; False also for what is no secret."""
    return _HEX.fullmatch(secret) is not None and commitment(bytes.fromhex(secret)) == commit


def _server_seed(secret: bytes, chain: int) -> bytes:
    return hmac.digest(secret, f"chain|{chain}".encode(), "sha256") if chain else secret

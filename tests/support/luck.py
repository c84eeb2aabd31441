"""The same luck in every run: what the programs draw at random comes from a seed.

Fair dice follow from secrets of the server and of all players. A test that needs something to happen in a game, such as
a bot that has a choice, must not depend on them.
"""

import base64
import random
import secrets
from collections.abc import Sequence
from typing import Any

import pytest


def same_luck(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    rng = random.Random(seed)

    def token_bytes(size: int | None = None) -> bytes:
        return rng.randbytes(32 if size is None else size)

    def choice(options: Sequence[Any]) -> Any:
        return rng.choice(options)

    drawn: dict[str, Any] = {
        "token_bytes": token_bytes,
        "token_hex": lambda size=None: token_bytes(size).hex(),
        "token_urlsafe": lambda size=None: base64.urlsafe_b64encode(token_bytes(size)).rstrip(b"=").decode(),
        "choice": choice,
        "randbelow": rng.randrange,
        "randbits": rng.getrandbits,
    }
    for name, draw in drawn.items():
        monkeypatch.setattr(secrets, name, draw)

"""Passwords of rooms: stored as scrypt hashes and compared in constant time. Hashing runs in a thread, off the event
loop.
"""

import asyncio
import hashlib
import secrets

_SALT_BYTES = 16


async def hashed(password: str) -> bytes:
    salt = secrets.token_bytes(_SALT_BYTES)
    return salt + await asyncio.to_thread(_scrypt, password, salt)


async def matches(password: str, stored: bytes) -> bool:
    salt, expected = stored[:_SALT_BYTES], stored[_SALT_BYTES:]
    return secrets.compare_digest(await asyncio.to_thread(_scrypt, password, salt), expected)


async def waste_time(password: str | None) -> None:
    """Take as long as `matches`, where there is nothing to compare with: time must not tell whether a room exists."""
    if password:
        await asyncio.to_thread(_scrypt, password, bytes(_SALT_BYTES))


def _scrypt(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1, dklen=32)

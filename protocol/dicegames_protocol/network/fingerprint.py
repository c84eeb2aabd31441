"""The fingerprint of a certificate, short enough for a join line: 128 bits of SHA-256 in letters and digits."""

import base64
import hashlib
import re

BYTES = 16
PATTERN = re.compile(r"[a-z2-7]{26}")


def fingerprint(der: bytes) -> str:
    """Case does not matter in it, and nothing in it means anything to a shell."""
    digest = hashlib.sha256(der).digest()[:BYTES]
    return base64.b32encode(digest).decode().rstrip("=").lower()

"""The fingerprint of a certificate, short enough for a join line: 128 bits of SHA-256 in letters and digits."""

import base64
import hashlib
import re

BYTES = 16
PATTERN = re.compile(r"[a-z2-7]{26}")


def fingerprint(der: bytes) -> str:
    """The fingerprint of a certificate in DER form. It needs no upper case and no quoting in a shell."""
    digest = hashlib.sha256(der).digest()[:BYTES]
    return base64.b32encode(digest).decode().rstrip("=").lower()

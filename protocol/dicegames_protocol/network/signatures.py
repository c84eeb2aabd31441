"""Ed25519 signatures, with which servers and players prove who they are. Keys and signatures are texts in hex."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEY_SEED_BYTES = 32
"""Bytes of the secret from which a key pair follows."""


class Signer:
    """A key pair. The seed stays here; `key` is for everybody."""

    def __init__(self, seed: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.key = self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, statement: bytes) -> str:
        return self._private.sign(statement).hex()


SMALL_ORDER = frozenset(
    bytes.fromhex(text)
    for text in (
        "00" * 32,
        "01" + "00" * 31,
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 30 + "7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    )
)
"""Keys, without their sign bit, for which anybody can make a signature: they belong to nobody."""


def is_signed(key: str, statement: bytes, signature: str) -> bool:
    """Whether the owner of `key` has signed this statement. False also where key or signature are no such thing."""
    try:
        public = bytes.fromhex(key)
        if public[:-1] + bytes([public[-1] & 0x7F]) in SMALL_ORDER:
            return False
        Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(signature), statement)
    except (ValueError, IndexError, InvalidSignature):
        return False
    return True

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


def is_signed(key: str, statement: bytes, signature: str) -> bool:
    """Whether the owner of `key` has signed this statement. False also where key or signature are no such thing."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), statement)
    except (ValueError, InvalidSignature):
        return False
    return True

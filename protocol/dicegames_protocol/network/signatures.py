"""Ed25519 signatures, with which servers and players prove who they are. Keys and signatures are texts in hex."""

from nacl.bindings import (
    crypto_core_ed25519_is_valid_point,
    crypto_sign,
    crypto_sign_open,
    crypto_sign_seed_keypair,
)
from nacl.exceptions import BadSignatureError

KEY_SEED_BYTES = 32
"""Bytes of the secret from which a key pair follows."""
_KEY_BYTES = 32
_SIGNATURE_BYTES = 64


class Signer:
    """A key pair. The seed stays here; `key` is for everybody. Raises ValueError for a seed of another length."""

    def __init__(self, seed: bytes) -> None:
        public, self._secret = crypto_sign_seed_keypair(seed)
        self.key = public.hex()

    def sign(self, statement: bytes) -> str:
        return crypto_sign(statement, self._secret)[:_SIGNATURE_BYTES].hex()


def is_signed(key: str, statement: bytes, signature: str) -> bool:
    """Whether the owner of `key` has signed this statement. False also where key or signature are no such thing.

    Libraries do not agree about keys and signatures that only a cheat makes: for some keys anybody can sign, and for
    some signatures one library says yes and the next one no. So both points have to be in the group that honest ones
    are in. Then what is accepted here is accepted everywhere.
    """
    try:
        public, signed = bytes.fromhex(key), bytes.fromhex(signature)
    except ValueError:
        return False
    if len(public) != _KEY_BYTES or len(signed) != _SIGNATURE_BYTES:
        return False
    if not all(crypto_core_ed25519_is_valid_point(point) for point in (public, signed[:_KEY_BYTES])):
        return False
    try:
        crypto_sign_open(signed + statement, public)
    except BadSignatureError:
        return False
    return True

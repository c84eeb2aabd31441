"""Signatures: those of the owner, the same as another library makes, and keys that belong to nobody."""

import hashlib

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st
from nacl import bindings as sodium

from dicegames_protocol.network import signatures
from dicegames_protocol.network.identity import player_seed
from dicegames_protocol.network.signatures import Signer, is_signed

SEEDS = st.binary(min_size=32, max_size=32)
SMALL_ORDER = [
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
]
"""Keys, without their sign bit, for which anybody can make a signature."""
ORDER_EIGHT = SMALL_ORDER[-1]
ORDER = 2**252 + 27742317777372353535851937790883648493
"""Of the group that honest keys are in. A signature that has this added to its second half is a second one."""


@given(SEEDS, st.binary(max_size=200), st.binary(max_size=200))
def test_only_what_was_signed_is_signed(seed: bytes, said: bytes, other: bytes) -> None:
    signer = Signer(seed)
    signature = signer.sign(said)
    assert is_signed(signer.key, said, signature)
    assert is_signed(signer.key, other, signature) is (said == other)
    assert not is_signed(Signer(bytes(32)).key, said, signature) or seed == bytes(32)


def another_library_says(key: bytes, statement: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, statement)
    except (ValueError, InvalidSignature):
        return False
    return True


@given(SEEDS, st.binary(max_size=200))
def test_another_library_makes_the_same_keys_and_signatures(seed: bytes, said: bytes) -> None:
    signer, other = Signer(seed), Ed25519PrivateKey.from_private_bytes(seed)
    assert signer.key == other.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
    assert signer.sign(said) == other.sign(said).hex()


@given(SEEDS, st.binary(min_size=1, max_size=40), st.data())
def test_another_library_thinks_the_same_of_what_was_changed(seed: bytes, said: bytes, data: st.DataObject) -> None:
    """Any bit of key, statement or signature is turned; or nothing is."""
    signer = Signer(seed)
    whole = bytearray(bytes.fromhex(signer.key) + bytes.fromhex(signer.sign(said)) + said)
    bit = data.draw(st.none() | st.integers(0, 8 * len(whole) - 1))
    if bit is not None:
        whole[bit // 8] ^= 1 << bit % 8
    key, signature, statement = bytes(whole[:32]), bytes(whole[32:96]), bytes(whole[96:])
    assert is_signed(key.hex(), statement, signature.hex()) is another_library_says(key, statement, signature)
    assert is_signed(key.hex(), statement, signature.hex()) is (bit is None)


@pytest.mark.parametrize("key", SMALL_ORDER, ids=bytes.hex)
@pytest.mark.parametrize("sign", [0, 0x80])
def test_keys_of_small_order_belong_to_nobody(key: bytes, sign: int) -> None:
    """A signature for such a key fits many statements, and anybody can make it."""
    public = key[:-1] + bytes([key[-1] | sign])
    for point in SMALL_ORDER:
        assert not is_signed(public.hex(), b"anything", (point + bytes(32)).hex())


def crooked(said: bytes, *, key: bool, point: bool) -> tuple[bytes, bytes]:
    """Key and signature, of which one or both are beside the group of honest ones by a point of order eight."""
    secret, once = (sodium.crypto_core_ed25519_scalar_reduce(hashlib.sha512(seed).digest()) for seed in (b"a", b"r"))
    public = sodium.crypto_scalarmult_ed25519_base_noclamp(secret)
    first = sodium.crypto_scalarmult_ed25519_base_noclamp(once)
    if key:
        public = sodium.crypto_core_ed25519_add(public, ORDER_EIGHT)
    if point:
        first = sodium.crypto_core_ed25519_add(first, ORDER_EIGHT)
    drawn = sodium.crypto_core_ed25519_scalar_reduce(hashlib.sha512(first + public + said).digest())
    second = sodium.crypto_core_ed25519_scalar_add(once, sodium.crypto_core_ed25519_scalar_mul(drawn, secret))
    return public, first + second


def test_what_only_some_libraries_accept_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some multiply by eight before they compare, and accept all of these; others accept one of eight.

    So nobody signs a statement that a part of the world holds for signed, and the rest does not.
    """
    public, signature = crooked(b"x", key=False, point=False)
    assert is_signed(public.hex(), b"x", signature.hex()) and another_library_says(public, b"x", signature)
    monkeypatch.setattr(signatures, "crypto_sign_open", lambda signed, key: signed)  # one that accepts all of them
    opinions = set()
    for key, point in [(True, False), (False, True), (True, True)]:
        for said in (bytes([number]) for number in range(64)):
            public, signature = crooked(said, key=key, point=point)
            opinions.add(another_library_says(public, said, signature))
            assert not is_signed(public.hex(), said, signature.hex())
    assert opinions == {True, False}


@given(SEEDS, st.binary(max_size=40))
def test_a_statement_has_one_signature(seed: bytes, said: bytes) -> None:
    signer = Signer(seed)
    honest = bytes.fromhex(signer.sign(said))
    second = (int.from_bytes(honest[32:], "little") + ORDER).to_bytes(32, "little")
    assert not is_signed(signer.key, said, (honest[:32] + second).hex())


@pytest.mark.parametrize(
    ("key", "signature"),
    [("", ""), ("zz", "00"), ("00", "00" * 64), ("ab" * 32, ""), ("é", "é"), ("ab" * 33, "00" * 64), ("ab", "ab" * 65)],
)
def test_what_is_no_key_has_signed_nothing(key: str, signature: str) -> None:
    assert not is_signed(key, b"anything", signature)


@given(st.text(max_size=140), st.binary(max_size=5), st.text(max_size=140))
def test_any_text_gets_an_answer(key: str, said: bytes, signature: str) -> None:
    assert not is_signed(key, said, signature)
    assert not is_signed(Signer(bytes(32)).key, said, signature)


@given(st.binary(max_size=70).filter(lambda seed: len(seed) != 32))
def test_a_seed_has_one_length(seed: bytes) -> None:
    with pytest.raises(ValueError):
        Signer(seed)


def test_a_key_is_for_one_server_and_where_nothing_is_proven_for_one_host() -> None:
    secret, server = bytes(16), "ab" * 32
    seeds = {player_seed(secret, *where) for where in [(server,), (server, "a"), (server, "b"), ("cd" * 32,)]}
    assert len(seeds) == 4

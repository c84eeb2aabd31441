"""Signatures: those of the owner, and keys that belong to nobody."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_protocol.network.identity import player_seed
from dicegames_protocol.network.signatures import SMALL_ORDER, Signer, is_signed

SEEDS = st.binary(min_size=32, max_size=32)


@given(SEEDS, st.binary(max_size=200), st.binary(max_size=200))
def test_only_what_was_signed_is_signed(seed: bytes, said: bytes, other: bytes) -> None:
    signer = Signer(seed)
    signature = signer.sign(said)
    assert is_signed(signer.key, said, signature)
    assert is_signed(signer.key, other, signature) is (said == other)
    assert not is_signed(Signer(bytes(32)).key, said, signature) or seed == bytes(32)


@pytest.mark.parametrize("key", sorted(SMALL_ORDER), ids=bytes.hex)
@pytest.mark.parametrize("sign", [0, 0x80])
def test_keys_of_small_order_belong_to_nobody(key: bytes, sign: int) -> None:
    """A signature for such a key fits many statements, and anybody can make it."""
    public = key[:-1] + bytes([key[-1] | sign])
    for point in SMALL_ORDER:
        assert not is_signed(public.hex(), b"anything", (point + bytes(32)).hex())


@pytest.mark.parametrize(("key", "signature"), [("", ""), ("zz", "00"), ("00", "00" * 64), ("ab" * 32, ""), ("é", "é")])
def test_what_is_no_key_has_signed_nothing(key: str, signature: str) -> None:
    assert not is_signed(key, b"anything", signature)


def test_a_key_is_for_one_server_and_where_nothing_is_proven_for_one_host() -> None:
    secret, server = bytes(16), "ab" * 32
    seeds = {player_seed(secret, *where) for where in [(server,), (server, "a"), (server, "b"), ("cd" * 32,)]}
    assert len(seeds) == 4

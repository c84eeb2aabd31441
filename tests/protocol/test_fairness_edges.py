"""Dice from seeds at their edges: worked out a second time, by hand, for dice of many sides and many blocks."""

import hashlib
import hmac

import pytest

from dicegames_protocol.fairness import MOST_SIDES, SECRET_BYTES, SEED_BYTES, commitment, key, roll, seal, transcript

K = bytes(range(32))


def by_hand(r: int, count: int, sides: int) -> tuple[int, ...]:
    """docs/fair-dice.md, step by step: blocks of HMAC-SHA256, and bytes beyond the last full turn are skipped."""
    usable = 256 // sides * sides
    faces: list[int] = []
    for block in range(count + 1):
        data = f"roll|{r}|{count}|{sides}|".encode() + bytes([0, 0, block // 256, block % 256])
        faces += [byte % sides + 1 for byte in hmac.new(K, data, hashlib.sha256).digest() if byte < usable]
    return tuple(faces[:count])


@pytest.mark.parametrize("sides", [1, 2, 3, 6, 100, 128, 129, 200, 255, 256])
@pytest.mark.parametrize("count", [0, 1, 2, 31, 32, 33, 100])
def test_faces_are_worked_out_as_the_page_says(sides: int, count: int) -> None:
    for r in (1, 2, 10):
        assert roll(K, r, count, sides) == by_hand(r, count, sides)


def test_more_than_256_blocks() -> None:
    assert roll(K, 1, 9000, 6) == by_hand(1, 9000, 6)


@pytest.mark.parametrize("sides", [-1, 0, 257, 1000])
def test_no_such_die(sides: int) -> None:
    with pytest.raises(ValueError, match=r"^a die has 1 to 256 sides$"):
        roll(K, 1, 1, sides)


def test_every_face_of_the_largest_die_comes_up() -> None:
    assert set(roll(K, 1, 5000, 256)) == set(range(1, 257))
    assert set(roll(K, 1, 50, 2)) == {1, 2}
    assert roll(K, 1, 3, 1) == (1, 1, 1)


def test_sizes() -> None:
    assert (SECRET_BYTES, SEED_BYTES, MOST_SIDES) == (32, 16, 256)


def test_what_was_agreed_is_written_in_one_way() -> None:
    seats = [(10, b"\x0a"), (2, b"\x0b")]
    agreed = transcript(commit="c", epoch=3, game="doubles", room="KQ7M", rules="doubles-1", seats=seats)
    assert agreed == (
        b'{"commit":"c","epoch":3,"game":"doubles","room":"KQ7M","rules":"doubles-1",'
        b'"seats":[[2,"0b"],[10,"0a"]],"v":1}'
    )
    assert key(b"secret", agreed) == hmac.new(b"secret", hashlib.sha256(agreed).digest(), "sha256").digest()
    assert commitment(b"secret") == hashlib.sha256(b"secret").hexdigest()


def test_a_seal_by_hand() -> None:
    data = b'seal|12|{"choice":"17","take":"bid"}'
    assert seal(K, 12, {"take": "bid", "choice": "17"}) == hmac.new(K, data, "sha256").hexdigest()
